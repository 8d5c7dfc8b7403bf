package state

import (
	"strconv"

	"github.com/valyala/fastjson"

	"github.com/aguistream/aguistream/decode"
)

// A Patch is a parsed JSON Patch (RFC 6902, as section 2.8 of the AG-UI 1.1
// specification narrows it). It is reusable: each Parse forgets the one
// before. The zero value is ready; a Patch is not safe for concurrent use.
type Patch struct {
	parser   fastjson.Parser
	text     []byte // the patch once its strings are repaired, if they had to be
	ops      []patchOp
	unknown  []UnknownOp
	elements int
	widest   int // longest text that the parser has grown for
	narrow   int // texts in a row that need far less
}

// patchOp is one known operation. What it refers to is the parser's.
type patchOp struct {
	index int
	verb  patchVerb
	path  []byte
	from  []byte
	value *fastjson.Value
}

type patchVerb uint8

const (
	verbAdd patchVerb = iota
	verbRemove
	verbReplace
	verbMove
	verbCopy
	verbTest
	verbUnknown
)

// patchVerbs says what each operation is called and which members it must have
// besides path.
var patchVerbs = [verbUnknown]struct {
	name  string
	value bool
	from  bool
}{
	verbAdd:     {name: "add", value: true},
	verbRemove:  {name: "remove"},
	verbReplace: {name: "replace", value: true},
	verbMove:    {name: "move", from: true},
	verbCopy:    {name: "copy", from: true},
	verbTest:    {name: "test", value: true},
}

// An UnknownOp is an operation whose name AG-UI 1.1 doesn't have.
type UnknownOp struct {
	Index int    // within the patch, from 0
	Op    string // the name
}

// Parse reads the JSON text of a patch, validated before (decode.Valid). It
// copies what it needs. Operations of an unknown name are put aside, whatever
// else they hold. A *MalformedError says that the text is no patch; then the
// Patch is empty.
func (p *Patch) Parse(raw []byte) error {
	p.reset(len(raw))
	clean := decode.Sanitize(p.text[:0], raw)
	if len(clean) > 0 && &clean[0] != &raw[0] {
		p.text = clean
	}
	tree, err := p.parser.ParseBytes(clean)
	if err != nil {
		return &MalformedError{Index: -1, Reason: err.Error()}
	}
	list, err := tree.Array()
	if err != nil {
		return &MalformedError{Index: -1, Reason: "no array of operations"}
	}
	p.elements = len(list)
	for i, element := range list {
		if err := p.parseOp(i, element); err != nil {
			p.clear()
			return err
		}
	}
	return nil
}

// reset empties the patch, and forgets buffers that a rare large one grew.
func (p *Patch) reset(next int) {
	const small, patience = 64 << 10, 64
	p.clear()
	if p.widest <= small || next > p.widest/4 {
		p.narrow = 0
		p.widest = max(p.widest, next)
		return
	}
	if p.narrow++; p.narrow == patience {
		*p = Patch{widest: next}
	}
}

func (p *Patch) clear() {
	p.ops, p.unknown, p.elements = p.ops[:0], p.unknown[:0], 0
}

// Unknown lists the operations that Parse put aside. It is lent until the next
// Parse.
func (p *Patch) Unknown() []UnknownOp { return p.unknown }

// Len is the number of operations that Apply will apply.
func (p *Patch) Len() int { return len(p.ops) }

// patchFields are an operation's members as they come; nil: absent.
type patchFields struct{ op, path, from, value *fastjson.Value }

func (f *patchFields) take(name []byte, v *fastjson.Value) {
	switch string(name) {
	case "op":
		f.op = v
	case "path":
		f.path = v
	case "from":
		f.from = v
	case "value":
		f.value = v
	}
}

func (p *Patch) parseOp(index int, element *fastjson.Value) error {
	object, err := element.Object()
	if err != nil {
		return malformed(index, "", "no object")
	}
	// One visit: fastjson's Get gives the first of duplicates, and looks at
	// every member each time.
	var f patchFields
	object.Visit(func(name []byte, v *fastjson.Value) { f.take(name, v) })

	name, fault := patchString(f.op)
	if fault != "" {
		return malformed(index, "/op", fault)
	}
	verb := patchVerbOf(name)
	if verb == verbUnknown {
		p.unknown = append(p.unknown, UnknownOp{Index: index, Op: string(name)})
		return nil
	}
	op := patchOp{index: index, verb: verb}
	if op.path, fault = patchPointer(f.path); fault != "" {
		return malformed(index, "/path", fault)
	}
	if patchVerbs[verb].from {
		if op.from, fault = patchPointer(f.from); fault != "" {
			return malformed(index, "/from", fault)
		}
	}
	if patchVerbs[verb].value {
		if op.value = f.value; op.value == nil {
			return malformed(index, "/value", patchMissing)
		}
	}
	p.ops = append(p.ops, op)
	return nil
}

const patchMissing = "required member missing"

func patchString(v *fastjson.Value) (text []byte, fault string) {
	if v == nil {
		return nil, patchMissing
	}
	text, err := v.StringBytes()
	if err != nil {
		return nil, "no string"
	}
	return text, ""
}

func patchPointer(v *fastjson.Value) (pointer []byte, fault string) {
	pointer, fault = patchString(v)
	if fault == "" && !validPointer(pointer) {
		return nil, "no JSON Pointer"
	}
	return pointer, fault
}

func patchVerbOf(name []byte) patchVerb {
	switch string(name) {
	case "add":
		return verbAdd
	case "remove":
		return verbRemove
	case "replace":
		return verbReplace
	case "move":
		return verbMove
	case "copy":
		return verbCopy
	case "test":
		return verbTest
	}
	return verbUnknown
}

// A MalformedError says that a text is no JSON Patch, other than by the name
// of an operation: it is no array, an element is no object, a required member
// is missing or of the wrong type, or a pointer is none.
type MalformedError struct {
	Index  int    // of the operation, from 0; -1: the patch as a whole
	Path   string // place within the patch as a JSON Pointer, such as "/1/from"
	Reason string
}

func malformed(index int, member, reason string) *MalformedError {
	return &MalformedError{Index: index, Path: "/" + strconv.Itoa(index) + member, Reason: reason}
}

func (e *MalformedError) Error() string {
	if e.Index < 0 {
		return "malformed patch: " + e.Reason
	}
	return "malformed patch at " + strconv.Quote(e.Path) + ": " + e.Reason
}
