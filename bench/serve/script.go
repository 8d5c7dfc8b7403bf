package serve

import (
	"bytes"
	"encoding/json"

	"github.com/aguistream/aguistream/decode"
	"github.com/aguistream/aguistream/engine"
)

// script is a body made ready to be played: what is written in one piece, an event as a rule.
type script struct {
	name   string
	steps  []step
	tokens int // steps that take a token's time
	middle int // the step at which a run that is to fail does
	asked  []string
	next   *script // what answers a resume; nil: composed for the request
}

// step is one event with all that stands before it in the body: comments, ids.
type step struct {
	text     []byte // nil: has holes
	parts    []part
	token    bool // takes a token's time
	terminal bool // RUN_FINISHED or RUN_ERROR
}

// part is a piece of a step, and the id of the request that follows it.
type part struct {
	text []byte
	hole hole
}

type hole uint8

const (
	noHole hole = iota
	threadHole
	runHole
)

// newScript cuts a body at its events. Where one stream carries several runs the last of them is the one that was asked
// for (rule 125), so only that takes the request's run id.
func newScript(name string, body []byte) *script {
	s := &script{name: name}
	blocks := cut(body)
	last := -1
	for i, b := range blocks {
		if typeOf(b.data) == decode.RunStarted {
			last = i
		}
	}
	for i, b := range blocks {
		s.add(b, i >= last)
	}
	s.middle = s.half()
	return s
}

func typeOf(data []byte) decode.Type {
	var ev decode.Event
	if ev.Decode(data, 0) != nil {
		return decode.Unknown
	}
	return ev.Type
}

func (s *script) add(b block, asked bool) {
	st := step{text: b.text}
	var ev decode.Event
	if len(b.data) == 0 || ev.Decode(b.data, 0) != nil {
		s.steps = append(s.steps, st)
		return
	}
	switch ev.Type {
	case decode.RunStarted, decode.RunFinished:
		st = step{parts: holes(b, asked), terminal: ev.Type == decode.RunFinished}
		s.asked = append(s.asked, interrupts(&ev)...)
	case decode.RunError:
		st.terminal = true
	case decode.TextMessageContent, decode.TextMessageChunk, decode.ToolCallArgs, decode.ToolCallChunk,
		decode.ReasoningMessageContent, decode.ReasoningMessageChunk, decode.ThinkingTextMessageContent,
		decode.StateDelta, decode.ActivityDelta:
		st.token = true
		s.tokens++
	}
	s.steps = append(s.steps, st)
}

// half is the step in the midst of what takes time, never the first: a run that fails there has begun, and has not ended.
func (s *script) half() int {
	seen := 0
	for i, st := range s.steps {
		if st.token {
			seen++
		}
		if i > 0 && s.tokens > 0 && 2*seen >= s.tokens {
			return i
		}
	}
	return min(1, len(s.steps))
}

// interrupts are the ids of those that a RUN_FINISHED asks.
func interrupts(ev *decode.Event) []string {
	var outcome struct {
		Interrupts []struct {
			ID string `json:"id"`
		} `json:"interrupts"`
	}
	if ev.Kind(decode.FieldOutcome) != decode.Object || json.Unmarshal(ev.Raw(decode.FieldOutcome), &outcome) != nil {
		return nil
	}
	var ids []string
	for _, in := range outcome.Interrupts {
		ids = append(ids, in.ID)
	}
	return ids
}

// block is a stretch of a body up to and with the blank line that ends an event.
type block struct {
	text []byte // all of it
	lead []byte // lines that are no data
	data []byte // what the data lines hold
}

// cut parts a body into blocks. What has no data (a lone comment) goes with what follows it.
func cut(body []byte) []block {
	var blocks []block
	var b block
	start, hasData := 0, false
	for at := 0; at < len(body); {
		line, next := lineAt(body, at)
		name, value, _ := bytes.Cut(line, []byte(":"))
		switch {
		case len(line) == 0 && hasData:
			b.text = body[start:next]
			blocks = append(blocks, b)
			b, start, hasData = block{}, next, false
		case string(name) == "data":
			if hasData {
				b.data = append(b.data, '\n')
			}
			b.data, hasData = append(b.data, bytes.TrimPrefix(value, []byte(" "))...), true
		default:
			b.lead = append(b.lead, body[at:next]...)
		}
		at = next
	}
	if start < len(body) {
		b.text = body[start:]
		blocks = append(blocks, b)
	}
	return blocks
}

func lineAt(body []byte, at int) (line []byte, next int) {
	n := bytes.IndexAny(body[at:], "\r\n")
	if n < 0 {
		return body[at:], len(body)
	}
	next = at + n + 1
	if body[at+n] == '\r' && next < len(body) && body[next] == '\n' {
		next++
	}
	return body[at : at+n], next
}

// holes writes an event anew with holes where the request's ids go, its own and those of an echoed input. Its other
// members stay as they were.
func holes(b block, asked bool) []part {
	h := &holed{asked: asked}
	h.text = append(h.text, b.lead...)
	h.text = append(h.text, "data: "...)
	h.object(bytes.ReplaceAll(b.data, []byte("\n"), []byte(" ")), 0) // a line end between tokens is white space
	h.text = append(h.text, "\n\n"...)
	return append(h.parts, part{text: h.text})
}

// holed is an event under way.
type holed struct {
	parts []part
	text  []byte
	asked bool
}

func (h *holed) object(raw []byte, depth int) {
	first := true
	h.text = append(h.text, '{')
	decode.Members(raw, func(key, value []byte) bool {
		if !first {
			h.text = append(h.text, ',')
		}
		first = false
		h.text = append(decode.AppendQuoted(h.text, key), ':')
		switch {
		case string(key) == "threadId":
			h.hole(threadHole)
		case string(key) == "runId" && h.asked:
			h.hole(runHole)
		case string(key) == "input" && depth == 0 && value[0] == '{':
			h.object(value, 1)
		default:
			h.text = append(h.text, value...)
		}
		return true
	})
	h.text = append(h.text, '}')
}

func (h *holed) hole(kind hole) {
	h.parts = append(h.parts, part{h.text, kind})
	h.text = nil
}

// fill appends a step with the request's ids, given as JSON strings.
func (st *step) fill(dst, thread, run []byte) []byte {
	for _, p := range st.parts {
		dst = append(dst, p.text...)
		switch p.hole {
		case threadHole:
			dst = append(dst, thread...)
		case runHole:
			dst = append(dst, run...)
		}
	}
	return dst
}

// resumed composes the body that goes on after an interrupt when no recorded one does.
func resumed(in *engine.RunAgentInput) *script {
	text := ""
	for _, r := range in.Resume {
		text += "Interrupt " + r.InterruptID + " was " + r.Status
		if len(r.Payload) > 0 {
			text += " with " + string(r.Payload)
		}
		text += ". "
	}
	id := string(decode.AppendQuotedString(nil, "resumed-"+in.RunID))
	delta := string(decode.AppendQuotedString(nil, text+"Going on."))
	return newScript("resumed", engine.Frames(
		`{"type":"RUN_STARTED","threadId":"","runId":""}`,
		`{"type":"TEXT_MESSAGE_START","messageId":`+id+`,"role":"assistant"}`,
		`{"type":"TEXT_MESSAGE_CONTENT","messageId":`+id+`,"delta":`+delta+`}`,
		`{"type":"TEXT_MESSAGE_END","messageId":`+id+`}`,
		`{"type":"RUN_FINISHED","threadId":"","runId":"","outcome":{"type":"success"}}`,
	))
}
