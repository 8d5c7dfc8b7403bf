package workload

// itemKind is what is streamed: each has an opener, a delta, a closer and a chunk form.
type itemKind uint8

const (
	textItem itemKind = iota
	callItem
	thoughtItem
)

var itemTypes = [...]struct {
	start, content, end, chunk *wireType
	id                         string // the member that names the item
	word                       string // the stem of its id
}{
	textItem:    {&textStart, &textContent, &textEnd, &textChunk, "messageId", "msg"},
	callItem:    {&callStart, &callArgs, &callEnd, &callChunk, "toolCallId", "call"},
	thoughtItem: {&thoughtStart, &thoughtContent, &thoughtEnd, &thoughtChunk, "messageId", "rs"},
}

// item is one message, call or thought on its way. The form is fixed for its life: a chunk that names
// an item opened by START, or the other way round, is a violation.
type item struct {
	kind   itemKind
	id     string
	tag    string // owner's subagentRunId
	name   string // tool
	parent string // parentMessageId, "" for none
	chunks bool
	full   bool // chunks: repeat id and opener fields on each one, as some adapters do
	tagged bool // triads: repeat the owner on content and end; without it they continue their opener
	opened bool
	meta   bool
}

func (s *stream) newItem(kind itemKind, tag string, chunks bool) item {
	return item{
		kind: kind, id: s.newID(itemTypes[kind].word), tag: tag, chunks: chunks,
		full: s.r.oneIn(3), tagged: !s.r.oneIn(4), meta: s.r.oneIn(8),
	}
}

func (s *stream) openerFields(it *item) {
	switch it.kind {
	case textItem:
		s.ascii("role", "assistant")
	case callItem:
		s.ascii("toolCallName", it.name)
		if it.parent != "" {
			s.ascii("parentMessageId", it.parent)
		}
	case thoughtItem:
		if !it.chunks {
			s.ascii("role", "reasoning")
		}
	}
}

// start opens the item. In chunk form it writes nothing: the first delta opens.
func (s *stream) start(it *item) {
	if it.kind == callItem {
		s.pending = append(s.pending, it.id)
	}
	if it.chunks {
		return
	}
	it.opened = true
	t := &itemTypes[it.kind]
	s.open(t.start, it.tag)
	s.ascii(t.id, it.id)
	s.openerFields(it)
	if it.meta {
		s.json("metadata", `{"model":"gpt-5-mini","cached":null}`)
	}
	s.owner(it.tag)
	s.shut()
}

// delta streams one piece, escaped already.
func (s *stream) delta(it *item, piece []byte) {
	s.budget--
	t := &itemTypes[it.kind]
	if it.chunks {
		s.chunk(it, piece)
		return
	}
	s.open(t.content, it.tag)
	s.untaggedTriad(it)
	s.ascii(t.id, it.id)
	s.escaped("delta", piece)
	if it.tagged {
		s.owner(it.tag)
	}
	s.shut()
}

// end closes the item. In chunk form whatever comes next in the lane does.
func (s *stream) end(it *item) {
	t := &itemTypes[it.kind]
	if it.chunks {
		if !it.opened {
			s.chunk(it, nil)
		}
		return
	}
	s.open(t.end, it.tag)
	s.untaggedTriad(it)
	s.ascii(t.id, it.id)
	if it.tagged {
		s.owner(it.tag)
	}
	s.shut()
}

// untaggedTriad: readers disagree whether an untagged triad event of a subagent's item sits in the
// subagent's lane or the parent's (protocol A14). Both are counted as ended, which every reader takes.
func (s *stream) untaggedTriad(it *item) {
	if !it.tagged && it.tag != "" {
		s.lanes.end("")
	}
}

func (s *stream) chunk(it *item, piece []byte) {
	t := &itemTypes[it.kind]
	goesOn := it.opened && s.lanes.holds(it.tag, it.kind, it.id)
	s.open(t.chunk, it.tag)
	if !goesOn || it.full {
		s.ascii(t.id, it.id)
		s.openerFields(it)
	}
	if piece != nil {
		s.escaped("delta", piece)
	}
	if !it.opened && it.meta {
		s.json("metadata", `{"model":"gpt-5-mini","cached":null}`)
	}
	s.owner(it.tag)
	s.shut()
	it.opened = true
	s.lanes.hold(it.tag, it.kind, it.id)
}

// lanes knows which chunk stream each owner's lane holds, so that a chunk leaves its id out only
// where the protocol says what it continues.
type lanes []lane

type lane struct {
	tag  string
	kind itemKind
	id   string // "" when the lane holds nothing
}

func (l *lanes) find(tag string) *lane {
	for i := range *l {
		if (*l)[i].tag == tag {
			return &(*l)[i]
		}
	}
	return nil
}

func (l *lanes) end(tag string) {
	if len(*l) == 0 {
		return
	}
	if at := l.find(tag); at != nil {
		at.id = ""
	}
}

func (l *lanes) endAll() { *l = (*l)[:0] }

func (l *lanes) holds(tag string, kind itemKind, id string) bool {
	at := l.find(tag)
	return at != nil && at.id == id && at.kind == kind
}

func (l *lanes) hold(tag string, kind itemKind, id string) {
	at := l.find(tag)
	if at == nil {
		*l = append(*l, lane{tag: tag})
		at = &(*l)[len(*l)-1]
	}
	at.kind, at.id = kind, id
}
