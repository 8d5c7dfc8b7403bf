package plain

// The three kinds of streamed items, and the events that make one.
const (
	textItem = iota
	toolItem
	thoughtItem
)

var itemEvents = [...]struct{ noun, idName, start, content, end string }{
	textItem:    {"text message", "messageId", "TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_END"},
	toolItem:    {"tool call", "toolCallId", "TOOL_CALL_START", "TOOL_CALL_ARGS", "TOOL_CALL_END"},
	thoughtItem: {"reasoning message", "messageId", "REASONING_MESSAGE_START", "REASONING_MESSAGE_CONTENT", "REASONING_MESSAGE_END"},
}

// piece is an event of a streamed item, or of a reasoning span, as the rules
// take it: from the wire, made from a chunk, or translated from a retired
// shape. Its bytes are lent from the frame.
type piece struct {
	typ      string
	idName   string
	id       lent
	tag      lent
	delta    []byte // a JSON string; nil when there is none
	role     lent
	name     lent
	tool     lent
	parent   lent
	metadata []byte // JSON text
	wire     *event // the description of the wire event that this is; nil when it was made
	retired  bool   // translated, so that the timestamp goes with it
}

func lentOf(raw []byte) lent {
	if len(raw) == 0 {
		return lent{}
	}
	return lent{unquote(raw), true}
}

var emptyDelta = []byte(`""`)

// body gives the inside of the delta's quotes.
func (pc *piece) body() []byte { return pc.delta[1 : len(pc.delta)-1] }

// accept notes that an event has passed the rules and reaches the stores.
func (p *Pipeline) accept(pc *piece) {
	p.verdict = &p.counts.Applied
	if pc.tag.ok && !p.run.tagged[string(pc.tag.b)] {
		p.run.tagged[string(pc.tag.b)] = true
	}
	if p.opts.Trace == nil {
		return
	}
	o := newObject(nil)
	o.text("type", pc.typ)
	if pc.wire != nil {
		for _, bit := range pc.wire.members {
			if p.wire.seen>>bit&1 == 1 {
				o.raw(memberNames[bit], *p.wire.members[bit])
			}
		}
		p.opts.Trace(o.close())
		return
	}
	o.lent(pc.idName, pc.id)
	o.lent("role", pc.role)
	o.lent("name", pc.name)
	o.lent("toolCallName", pc.tool)
	o.lent("parentMessageId", pc.parent)
	if pc.delta != nil {
		o.raw("delta", pc.delta)
	}
	o.lent("subagentRunId", pc.tag)
	if len(pc.metadata) > 0 {
		o.raw("metadata", pc.metadata)
	}
	if pc.retired && p.wire.seen>>bitTimestamp&1 == 1 {
		o.raw("timestamp", p.wire.Timestamp)
	}
	if p.wire.seen>>bitRawEvent&1 == 1 {
		o.raw("rawEvent", p.wire.RawEvent)
	}
	p.opts.Trace(o.close())
}

func (o *object) lent(name string, value lent) {
	if value.ok {
		o.bytes(name, value.b)
	}
}
