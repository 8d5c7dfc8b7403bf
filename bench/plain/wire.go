package plain

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
)

// depthLimit bounds the nesting of a frame, the event object counted.
const depthLimit = 256

// wire has a place for each member that any event describes. A member that is
// absent has no bytes; the buffers are used again for the next frame.
type wire struct {
	Type                json.RawMessage `json:"type"`
	MessageID           json.RawMessage `json:"messageId"`
	ToolCallID          json.RawMessage `json:"toolCallId"`
	ToolCallName        json.RawMessage `json:"toolCallName"`
	ParentMessageID     json.RawMessage `json:"parentMessageId"`
	Role                json.RawMessage `json:"role"`
	Name                json.RawMessage `json:"name"`
	Delta               json.RawMessage `json:"delta"`
	Content             json.RawMessage `json:"content"`
	Snapshot            json.RawMessage `json:"snapshot"`
	Messages            json.RawMessage `json:"messages"`
	ActivityType        json.RawMessage `json:"activityType"`
	Replace             json.RawMessage `json:"replace"`
	Patch               json.RawMessage `json:"patch"`
	Event               json.RawMessage `json:"event"`
	Source              json.RawMessage `json:"source"`
	Value               json.RawMessage `json:"value"`
	ThreadID            json.RawMessage `json:"threadId"`
	RunID               json.RawMessage `json:"runId"`
	ProtocolVersion     json.RawMessage `json:"protocolVersion"`
	ParentRunID         json.RawMessage `json:"parentRunId"`
	Input               json.RawMessage `json:"input"`
	Result              json.RawMessage `json:"result"`
	Outcome             json.RawMessage `json:"outcome"`
	Usage               json.RawMessage `json:"usage"`
	Message             json.RawMessage `json:"message"`
	Code                json.RawMessage `json:"code"`
	StepName            json.RawMessage `json:"stepName"`
	Subtype             json.RawMessage `json:"subtype"`
	EntityID            json.RawMessage `json:"entityId"`
	EncryptedValue      json.RawMessage `json:"encryptedValue"`
	EncryptedValueType  json.RawMessage `json:"encryptedValueType"`
	Description         json.RawMessage `json:"description"`
	ParentSubagentRunID json.RawMessage `json:"parentSubagentRunId"`
	ParentToolCallID    json.RawMessage `json:"parentToolCallId"`
	Title               json.RawMessage `json:"title"`
	SubagentRunID       json.RawMessage `json:"subagentRunId"`
	Metadata            json.RawMessage `json:"metadata"`
	Timestamp           json.RawMessage `json:"timestamp"`
	RawEvent            json.RawMessage `json:"rawEvent"`
}

// memberNames and memberBits are the wire struct's members, in its order.
var memberNames, memberBits = func() ([]string, map[string]int) {
	t := reflect.TypeFor[wire]()
	names, bits := make([]string, t.NumField()), map[string]int{}
	for i := range names {
		names[i] = t.Field(i).Tag.Get("json")
		bits[names[i]] = i
	}
	return names, bits
}()

// reader decodes frames, one after another, into the same struct.
type reader struct {
	wire
	members []*json.RawMessage // the struct's fields, by bit
	seen    uint64             // the members that this frame has
	strange []string           // names of members that no event describes
}

func newReader() *reader {
	r := &reader{}
	v := reflect.ValueOf(&r.wire).Elem()
	for i := range v.NumField() {
		r.members = append(r.members, v.Field(i).Addr().Interface().(*json.RawMessage))
	}
	return r
}

var (
	errDepth    = fmt.Errorf("nesting deeper than %d", depthLimit)
	errNoObject = errors.New("the frame is no JSON object")
)

// read decodes one frame. The error is errDepth where the limit is crossed
// before the text stops being JSON.
func (r *reader) read(frame []byte) error {
	r.reset()
	body := bytes.TrimLeft(frame, " \t\r\n")
	if len(body) == 0 || body[0] != '{' {
		return errNoObject
	}
	odd, deep := r.survey(frame)
	if err := json.Unmarshal(frame, &r.wire); err != nil {
		var syntax *json.SyntaxError
		if deep >= 0 && errors.As(err, &syntax) && syntax.Offset > int64(deep) {
			return errDepth
		}
		return err
	}
	if deep >= 0 {
		return errDepth
	}
	if odd {
		return r.exact(frame)
	}
	return nil
}

func (r *reader) reset() {
	for i := range r.members {
		m := r.members[i]
		if len(*m) == 0 {
			continue
		}
		*m = (*m)[:0]
		if cap(*m) > 1<<16 {
			*m = nil
		}
	}
	r.seen, r.strange = 0, r.strange[:0]
}

// survey notes which members the frame has, looking at it as little as that
// takes: encoding/json would take "Delta" for "delta" and can't tell. Odd is
// set when a name isn't one of ours to the letter. Deep is the place where the
// depth limit is crossed, or -1. On text that is no JSON the answers may be
// wrong from the fault on; read asks encoding/json where that is.
func (r *reader) survey(b []byte) (odd bool, deep int) {
	depth, name := 0, false
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case '"':
			end := stringEnd(b, i+1)
			if depth == 1 && name {
				name = false
				if bit, ok := memberBits[string(b[i+1:end])]; ok {
					r.seen |= 1 << bit
				} else {
					odd = true
				}
			}
			i = end
		case '{', '[':
			depth++
			name = depth == 1
			if depth > depthLimit {
				return odd, i
			}
		case '}', ']':
			depth--
		case ',':
			name = depth == 1
		}
	}
	return odd, -1
}

// stringEnd gives the place of the quote that closes the string whose body
// begins at i, or of the last byte.
func stringEnd(b []byte, i int) int {
	for {
		k := bytes.IndexByte(b[i:], '"')
		if k < 0 {
			return max(len(b)-1, i)
		}
		slashes := 0
		for slashes < k && b[i+k-1-slashes] == '\\' {
			slashes++
		}
		if slashes%2 == 0 {
			return i + k
		}
		i += k + 1
	}
}

// exact fills the struct again by exact names, from a map.
func (r *reader) exact(frame []byte) error {
	r.reset()
	var all map[string]json.RawMessage
	if err := json.Unmarshal(frame, &all); err != nil {
		return err
	}
	for name, raw := range all {
		bit, ok := memberBits[name]
		if !ok {
			r.strange = append(r.strange, name)
			continue
		}
		r.seen |= 1 << bit
		*r.members[bit] = append(*r.members[bit], raw...)
	}
	slices.Sort(r.strange)
	return nil
}

func (r *reader) drop(bit int) {
	r.seen &^= 1 << bit
	*r.members[bit] = (*r.members[bit])[:0]
}

// set replaces a member by the text of a tree.
func (r *reader) set(bit int, tree any) {
	r.seen |= 1 << bit
	*r.members[bit] = appendJSON((*r.members[bit])[:0], tree)
}

// typeBefore gives the type that a frame told before it stopped being an event;
// empty when it told none.
func typeBefore(frame []byte) string {
	d := json.NewDecoder(bytes.NewReader(frame))
	typ, name := "", ""
	for depth := 0; ; {
		token, err := d.Token()
		if err != nil {
			return typ
		}
		delim, isDelim := token.(json.Delim)
		switch {
		case depth == 0 && delim != '{':
			return ""
		case isDelim && (delim == '{' || delim == '['):
			if depth++; depth > depthLimit {
				return typ
			}
			name = ""
		case isDelim:
			if depth--; depth == 0 {
				return typ
			}
			name = ""
		case depth > 1:
		case name == "":
			name, _ = token.(string)
			name = "=" + name
		default:
			if s, ok := token.(string); ok && name == "=type" {
				typ = s
			}
			name = ""
		}
	}
}
