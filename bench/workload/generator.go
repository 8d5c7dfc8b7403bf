package workload

// Generator writes one stream run by run, for loads without an end. The runs share a thread, its
// messages' ids are never used twice, and the state goes on from run to run, so that all runs written
// since New or Reset, one after another, are one valid stream.
//
// A Generator is for one goroutine.
type Generator struct {
	script script
	opts   Options
	s      stream
}

// New makes a generator at the start of the stream that name and o pick. Body(name, o) is what its
// first o.Runs calls of Next write.
func New(name string, o Options) (*Generator, error) {
	s, o, err := resolve(name, o)
	if err != nil {
		return nil, err
	}
	g := &Generator{script: s, opts: o}
	g.Reset(o.Seed)
	return g, nil
}

// Next appends the frames of the next run to dst and returns the longer slice. With a dst of enough
// capacity it allocates little besides the ids.
func (g *Generator) Next(dst []byte) []byte {
	g.s.buf = dst
	g.s.beginRun()
	g.script.body(&g.s)
	g.s.endRun()
	dst, g.s.buf = g.s.buf, nil
	return dst
}

// Reset starts another stream: a new thread, an empty history, the seed given, the other options as
// they were.
func (g *Generator) Reset(seed uint64) {
	g.opts.Seed = seed
	g.s = newStream(g.script, g.opts)
}
