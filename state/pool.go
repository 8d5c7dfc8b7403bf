package state

// A Pool keeps what finished stores and documents gave back, so that the next
// ones need not allocate. It keeps what thousands of runs give back at once, at
// most 64 MiB of text buffers, 64 MiB of parts of documents, and 65,536 messages;
// what lay unused for long goes by halves, so a burst is forgotten. It belongs to
// one shard and is not safe for concurrent use. The zero value is ready; a nil
// Pool works everywhere and means plain allocation.
type Pool struct {
	doc      docPool
	messages messagePool
}
