package state

import (
	"strconv"
)

// A Patch is a parsed JSON Patch (RFC 6902, as section 2.8 of the AG-UI 1.1
// specification narrows it). It is reusable: each Parse forgets the one
// before. The zero value is ready; a Patch is not safe for concurrent use.
type Patch struct {
	text     []byte // the patch's own copy, which operations point into
	plain    []byte // strings of it that had to be unescaped
	work     docWork
	ops      []patchOp
	unknown  []UnknownOp
	elements int
	widest   int // longest text that buffers have grown for
	narrow   int // texts in a row that need far less
}

// patchOp is one known operation. What it refers to is the Patch's.
type patchOp struct {
	index int
	verb  patchVerb
	path  []byte
	from  []byte
	value []byte // JSON text
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
//
// No tree is built: an operation's value stays text until it is applied, and
// then becomes the document's own nodes at once.
func (p *Patch) Parse(raw []byte) error {
	p.reset(len(raw))
	p.text = append(p.text[:0], raw...)
	r := docReader{text: p.text, work: &p.work}
	if err := p.parse(&r); err != nil {
		p.clear()
		return err
	}
	return nil
}

var (
	errNoArray   = &MalformedError{Index: -1, Reason: "no array of operations"}
	errPatchText = &MalformedError{Index: -1, Reason: errNotJSON.Error()}
)

func (p *Patch) parse(r *docReader) *MalformedError {
	if r.space() != '[' {
		return errNoArray
	}
	r.at++
	if r.space() == ']' {
		return nil
	}
	for ; ; p.elements++ {
		if err := p.element(r); err != nil {
			return err
		}
		switch r.space() {
		case ',':
			r.at++
		case ']':
			p.elements++
			return nil
		default:
			return errPatchText
		}
	}
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
	p.plain = p.plain[:0]
}

// Unknown lists the operations that Parse put aside. It is lent until the next
// Parse.
func (p *Patch) Unknown() []UnknownOp { return p.unknown }

// Len is the number of operations that Apply will apply.
func (p *Patch) Len() int { return len(p.ops) }

// patchFields are an operation's members as they come, the last of duplicates;
// nil: absent.
type patchFields struct{ op, path, from, value []byte }

func (p *Patch) element(r *docReader) *MalformedError {
	if r.space() != '{' {
		if _, ok := r.skip(); !ok {
			return errPatchText
		}
		return malformed(p.elements, "", "no object")
	}
	var f patchFields
	if !f.read(r) {
		return errPatchText
	}
	return p.add(p.elements, &f)
}

// read reads a whole operation.
func (f *patchFields) read(r *docReader) bool {
	r.at++
	if r.space() == '}' {
		r.at++
		return true
	}
	for r.space() == '"' {
		name, ok := r.str()
		if !ok || r.space() != ':' {
			return false
		}
		r.at++
		field := f.named(name)
		value, ok := r.skip()
		if !ok {
			return false
		}
		if field != nil {
			*field = value
		}
		switch r.space() {
		case ',':
			r.at++
			r.space()
		case '}':
			r.at++
			return true
		default:
			return false
		}
	}
	return false
}

// named is where the value of a member goes; nil: a member that says nothing.
func (f *patchFields) named(name []byte) *[]byte {
	switch string(name) {
	case "op":
		return &f.op
	case "path":
		return &f.path
	case "from":
		return &f.from
	case "value":
		return &f.value
	}
	return nil
}

func (p *Patch) add(index int, f *patchFields) *MalformedError {
	name, fault := p.str(f.op)
	if fault != "" {
		return malformed(index, "/op", fault)
	}
	verb := patchVerbOf(name)
	if verb == verbUnknown {
		p.unknown = append(p.unknown, UnknownOp{Index: index, Op: string(name)})
		return nil
	}
	op := patchOp{index: index, verb: verb}
	if op.path, fault = p.pointer(f.path); fault != "" {
		return malformed(index, "/path", fault)
	}
	if patchVerbs[verb].from {
		if op.from, fault = p.pointer(f.from); fault != "" {
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

// str gives a string's text: a part of the patch when it is written plainly.
func (p *Patch) str(value []byte) (text []byte, fault string) {
	if value == nil {
		return nil, patchMissing
	}
	if value[0] != '"' {
		return nil, "no string"
	}
	r := docReader{text: value, work: &p.work}
	text, ok := r.str()
	if !ok {
		return nil, errNotJSON.Error()
	}
	if r.own {
		return text, ""
	}
	start := len(p.plain)
	p.plain = append(p.plain, text...)
	return p.plain[start:], ""
}

func (p *Patch) pointer(value []byte) (pointer []byte, fault string) {
	pointer, fault = p.str(value)
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

// Error says where in the patch, and what is wrong.
func (e *MalformedError) Error() string {
	if e.Index < 0 {
		return "malformed patch: " + e.Reason
	}
	return "malformed patch at " + strconv.Quote(e.Path) + ": " + e.Reason
}
