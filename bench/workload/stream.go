package workload

import "strconv"

// stream is the state of the one stream that a Generator writes.
type stream struct {
	r        source
	opts     Options
	producer Producer
	style    style
	buf      []byte
	clock    int64 // the last timestamp, 0 when this producer sends none

	thread string
	run    string
	runs   int
	minted int
	bits   uint64
	short  bool // random ids of 22 characters in place of UUIDs

	budget   int // content events left in this run
	events   int
	families [numFamilies]int // events by family since the stream began

	ahead [3]int // head starts of mixed's episodes

	lanes     lanes
	prose     prose
	scratch   []byte
	document  *document
	declared  bool     // declares its protocol version
	pending   []string // calls of this run without a result, in call order
	asked     []interruption
	cancelled bool
	suspended []agent // left over from runs before, to be resumed
}

// interruption is an interrupt that the end of the run will list.
type interruption struct{ id, owner string }

func newStream(sc script, o Options) stream {
	s := stream{r: newSource(sc.name, o.Seed), opts: o, producer: o.Producer}
	if s.producer == AnyProducer {
		s.producer = drawProducer(&s.r)
	}
	s.style = s.producer.style()
	if s.producer == HTMLProducer {
		s.clock = 1_796_000_000_000 + int64(s.r.intn(1_000_000_000))
	}
	// mixed promises its size for every seed, and with UUIDs it would be 108 bytes an event.
	s.short = s.r.oneIn(2) || sc.name == "mixed"
	for i := range s.ahead {
		s.ahead[i] = s.r.intn(16)
	}
	s.thread = s.newID("thread")
	s.declared = !s.r.oneIn(3)
	s.prose = newProse(s.style)
	if sc.stateBytes != 0 {
		s.document = newDocument(&s.r, s.style, o.StateBytes)
	}
	return s
}

func (s *stream) beginRun() {
	s.runs++
	s.run = s.newID("run")
	s.budget = s.opts.Tokens
	s.pending = s.pending[:0]
	s.asked = s.asked[:0]
	s.cancelled = false
	s.open(&runStarted, "")
	s.ascii("threadId", s.thread)
	s.ascii("runId", s.run)
	if s.declared {
		s.ascii("protocolVersion", "1.1")
	}
	// Some adapters echo what they were asked. It is long, so mixed, whose sizes are promised, goes
	// without; and only the first run's echo is small enough to be told truly.
	if s.runs == 1 && s.document == nil && s.r.oneIn(6) {
		s.key("input")
		s.buf = append(s.buf, `{"threadId":"`+s.thread+`","runId":"`+s.run+`","state":{},"messages":[`...)
		s.userMessage(s.newID("user"))
		s.buf = append(s.buf, `],"tools":[{"name":"get_weather","description":"The weather of a place","parameters":{"type":"object","properties":{"city":{"type":"string"}}}}],"context":[],"forwardedProps":{"locale":"fr","debug":null}}`...)
	}
	s.shut()
}

// userMessage writes a user message's JSON.
func (s *stream) userMessage(id string) {
	s.buf = append(s.buf, `{"id":"`+id+`","role":"user","content":"`...)
	s.buf = append(s.buf, s.prose.phrase(&s.r, s.r.between(4, 14))...)
	s.buf = append(s.buf, `"}`...)
}

func (s *stream) endRun() {
	s.open(&runFinished, "")
	s.ascii("threadId", s.thread)
	s.ascii("runId", s.run)
	switch {
	case len(s.asked) > 0:
		s.key("outcome")
		s.buf = append(s.buf, `{"type":"interrupt","interrupts":[`...)
		for i, in := range s.asked {
			if i > 0 {
				s.buf = append(s.buf, ',')
			}
			s.buf = append(s.buf, `{"id":"`+in.id+`","reason":"confirmation","message":"May I go on?","responseSchema":{"type":"object","properties":{"approved":{"type":"boolean"}}},"expiresAt":"2099-01-01T00:00:00Z","subagentRunId":"`+in.owner+`"}`...)
		}
		s.buf = append(s.buf, `]}`...)
	case s.cancelled:
		s.json("outcome", `{"type":"cancelled"}`)
	case len(s.pending) > 0:
		// What is sent must be exactly the run's own tally, and may be left out (rule 117).
		if s.r.oneIn(3) {
			break
		}
		s.key("outcome")
		s.buf = append(s.buf, `{"type":"success","pendingToolCallIds":[`...)
		for i, id := range s.pending {
			if i > 0 {
				s.buf = append(s.buf, ',')
			}
			s.buf = append(s.buf, `"`+id+`"`...)
		}
		s.buf = append(s.buf, `]}`...)
	case !s.r.oneIn(3):
		s.json("outcome", `{"type":"success"}`)
	}
	if s.r.oneIn(2) {
		s.usage()
	}
	s.shut()
}

func (s *stream) usage() {
	in, out := s.r.between(20, 9000), s.opts.Tokens+s.r.intn(50)
	s.json("usage", `[{"provider":"openai","model":"gpt-5-mini","inputTokens":`+strconv.Itoa(in)+
		`,"outputTokens":`+strconv.Itoa(out)+`,"totalTokens":`+strconv.Itoa(in+out)+`}]`)
}
