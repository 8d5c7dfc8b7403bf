package state

// A Pool keeps what finished stores and documents gave back, so that the next
// ones need not allocate. It belongs to one shard and is not safe for
// concurrent use. The zero value is ready; a nil Pool works everywhere and
// means plain allocation.
type Pool struct {
	doc      docPool
	messages messagePool
}
