package state

import (
	"errors"
	"strconv"

	"github.com/aguistream/aguistream/decode"
)

// A PatchError says why a patch didn't apply. The document is as it was.
type PatchError struct {
	Index  int    // of the operation within the patch, from 0; -1: the patch as a whole
	Op     string // its name
	Path   string // its path, or from if that is what led nowhere
	Reason string
	Limit  int64 // the value of the limit that Reason names; 0: none was crossed
}

// Error names the operation by index, op and path, and says why it failed.
func (e *PatchError) Error() string {
	text := e.Reason
	if e.Limit != 0 {
		text += " (limit " + strconv.FormatInt(e.Limit, 10) + ")"
	}
	if e.Index < 0 {
		return text
	}
	return "operation " + strconv.Itoa(e.Index) + " (" + e.Op + " " + strconv.Quote(e.Path) + "): " + text
}

// patchFault is why an operation fails; the zero value: it doesn't.
type patchFault struct {
	reason string
	limit  int
	from   bool // the operation's from is at fault, not its path
}

var (
	faultNone      = patchFault{}
	faultMissing   = patchFault{reason: "there is no such value"}
	faultContainer = patchFault{reason: "what would hold it is no object or array, or isn't there"}
	faultIndex     = patchFault{reason: "not an index of the array"}
	faultRoot      = patchFault{reason: "the whole document can't be removed"}
	faultInside    = patchFault{reason: "a value can't be moved into itself", from: true}
	faultTest      = patchFault{reason: "the value differs"}
	faultFrom      = patchFault{reason: "there is no such value", from: true}
)

// Apply applies a parsed patch in place, by RFC 6902, all of it or nothing: on
// an error (*PatchError) the document is as it was, the order of members
// included. Each operation on a tree costs what it touches, not the document's
// size; on a document that is held as text, the way to what it touches and what
// moves behind that, at most the 2 KiB of it.
//
// An array index is digits without a leading zero; "-" is the place after the
// last item, as a target of add, move and copy alone. test compares numbers by
// value, exactly. The document as a whole can be replaced, not removed. A
// value moved onto itself stays where it is.
func (d *Document) Apply(p *Patch) error { return d.apply(p, false) }

// ApplyObject is Apply for a document that has to stay an object: a patch with
// any other result fails.
func (d *Document) ApplyObject(p *Patch) error { return d.apply(p, true) }

func (d *Document) apply(p *Patch, object bool) error {
	if p.elements > d.maxOps() {
		return p.tooMany(d.maxOps())
	}
	if d.applyFlat(p, object) {
		return nil
	}
	d.tree()
	if d.root == nil {
		d.block = d.pool.takeBlock(0)
		d.root = docRoom{d.pool, d.block}.newContainer(decode.Object)
	}
	e := docEdit{d: d, p: docRoom{Pool: d.pool}, w: d.pool.takeWork()}
	err := e.run(p)
	if err == nil && object && !d.IsObject() {
		err = p.lastAtRoot()
	}
	if err != nil {
		e.revert()
	} else {
		e.commit()
	}
	d.pool.giveWork(e.w)
	if err != nil {
		return err
	}
	return nil
}

func (e *docEdit) run(p *Patch) *PatchError {
	for i := range p.ops {
		op := &p.ops[i]
		if fault := e.do(op); fault.reason != "" {
			return op.fail(fault)
		}
	}
	return nil
}

func (op *patchOp) fail(fault patchFault) *PatchError {
	path := op.path
	if fault.from {
		path = op.from
	}
	return &PatchError{
		Index: op.index, Op: patchVerbs[op.verb].name, Path: string(path),
		Reason: fault.reason, Limit: int64(fault.limit),
	}
}

func (p *Patch) tooMany(limit int) *PatchError {
	fault := patchFault{reason: "more operations in one patch than the limit", limit: limit}
	for i := range p.ops {
		if p.ops[i].index >= limit {
			return p.ops[i].fail(fault)
		}
	}
	return &PatchError{Index: -1, Reason: fault.reason, Limit: int64(limit)}
}

// lastAtRoot blames the operation that made the document what it is.
func (p *Patch) lastAtRoot() *PatchError {
	const reason = "the result is no object"
	for i := len(p.ops) - 1; i >= 0; i-- {
		op := &p.ops[i]
		if len(op.path) == 0 && op.verb != verbTest {
			return op.fail(patchFault{reason: reason})
		}
	}
	return &PatchError{Index: -1, Reason: reason}
}

func (e *docEdit) do(op *patchOp) patchFault {
	e.p.block = e.d.block.within(len(op.path) + len(op.value))
	switch op.verb {
	case verbAdd:
		return e.putNew(op, true)
	case verbReplace:
		return e.putNew(op, false)
	case verbRemove:
		_, fault := e.takeAway(op.path, false)
		return fault
	case verbMove:
		return e.move(op)
	case verbCopy:
		return e.copy(op)
	}
	return e.test(op)
}

func (e *docEdit) find(pointer []byte) *docNode {
	return e.d.root.walk(pointer, &e.w.token)
}

// docPlace is where a pointer's last token leads within what holds it.
type docPlace struct {
	up    *docNode
	at    int    // of the value that is there; -1: none is
	name  []byte // of a member to be added
	index int    // of an array: where add inserts
}

// place finds where a pointer other than "" leads.
func (e *docEdit) place(pointer []byte) (docPlace, patchFault) {
	parent, last := pointerParent(pointer)
	up := e.find(parent)
	if up == nil || !up.container() {
		return docPlace{}, faultContainer
	}
	token, _ := pointerToken(last, &e.w.token)
	if up.obj != nil {
		return docPlace{up: up, at: up.obj.find(token), name: token}, faultNone
	}
	if string(token) == "-" {
		return docPlace{up: up, at: -1, index: up.arr.n}, faultNone
	}
	i, ok := pointerIndex(token)
	if !ok || i > up.arr.n {
		return docPlace{}, faultIndex
	}
	if i == up.arr.n {
		return docPlace{up: up, at: -1, index: i}, faultNone
	}
	return docPlace{up: up, at: i, index: i}, faultNone
}

func (e *docEdit) putNew(op *patchOp, add bool) patchFault {
	node, err := e.p.read(op.value, e.d.maxDepth(), e.w)
	if err != nil {
		return e.unreadable(err)
	}
	fault := e.put(op.path, node, add, false)
	if fault.reason != "" {
		e.p.free(node)
	}
	return fault
}

// put makes node the value at a pointer. With add it may be new there, and is
// inserted into an array; without it replaces what is there. If it fails it
// leaves node alone.
func (e *docEdit) put(pointer []byte, node *docNode, add, moved bool) patchFault {
	if len(pointer) == 0 {
		if fault := e.fits(nil, node, node.size-e.d.root.size); fault.reason != "" {
			return fault
		}
		e.swapRoot(node, moved)
		return faultNone
	}
	where, fault := e.place(pointer)
	if fault.reason != "" {
		return fault
	}
	up := where.up
	if where.at >= 0 && (!add || up.obj != nil) {
		if fault := e.fits(up, node, node.size-(*up.place(where.at)).size); fault.reason != "" {
			return fault
		}
		e.swap(up, where.at, node, moved)
		return faultNone
	}
	if !add {
		return faultMissing
	}
	if up.obj == nil {
		if fault := e.fits(up, node, node.size+comma(up.arr.n)); fault.reason != "" {
			return fault
		}
		e.insert(up, where.index, node, moved)
		return faultNone
	}
	if fault := e.fits(up, node, docQuotedLen(where.name)+1+node.size+comma(up.obj.live)); fault.reason != "" {
		return fault
	}
	e.add(up, where.name, node, moved)
	return faultNone
}

// fits says whether the limits let node go into up (nil: it becomes the root)
// when the document's text grows by so many bytes.
func (e *docEdit) fits(up, node *docNode, growth int) patchFault {
	if growth > 0 && e.d.root.size+growth > e.d.maxBytes() {
		return patchFault{reason: "more state bytes than the limit", limit: e.d.maxBytes()}
	}
	if !node.container() {
		return faultNone
	}
	limit := e.d.maxDepth()
	depth := up.depth()
	if depth+int(node.height) <= limit {
		return faultNone
	}
	// Heights may be too high after removals. They are made exact only when
	// they stand in the way, and not so often that a patch could make us walk
	// a large state again and again.
	const patience = 16
	if e.measured++; e.measured > patience || depth+int(node.measure()) > limit {
		return e.tooDeep()
	}
	return faultNone
}

func (e *docEdit) tooDeep() patchFault {
	return patchFault{reason: "nested deeper than the limit", limit: e.d.maxDepth()}
}

// unreadable says why an operation's value is none: only a text that was not
// validated can be no JSON here.
func (e *docEdit) unreadable(err error) patchFault {
	if errors.Is(err, errTooDeep) {
		return e.tooDeep()
	}
	return patchFault{reason: err.Error()}
}

func (e *docEdit) takeAway(pointer []byte, moved bool) (*docNode, patchFault) {
	if len(pointer) == 0 {
		return nil, faultRoot
	}
	where, fault := e.place(pointer)
	if fault.reason != "" {
		return nil, fault
	}
	if where.at < 0 {
		return nil, faultMissing
	}
	return e.detach(where.up, where.at, moved), faultNone
}

func (e *docEdit) move(op *patchOp) patchFault {
	if string(op.from) == string(op.path) {
		if e.find(op.from) == nil {
			return faultFrom
		}
		return faultNone
	}
	if pointerInside(op.path, op.from) {
		return faultInside
	}
	node, fault := e.takeAway(op.from, true)
	if fault.reason != "" {
		fault.from = true
		return fault
	}
	return e.put(op.path, node, true, true)
}

// One patch may copy a value for each copiedNodeBytes of MaxCopyBytes, and fewNodes in any case.
const (
	copiedNodeBytes = 64
	fewNodes        = 1024
)

func (e *docEdit) copy(op *patchOp) patchFault {
	source := e.find(op.from)
	if source == nil {
		return faultFrom
	}
	// Small values are mostly what holds them: a text of nothing but brackets would come to a multiple of itself.
	most := max(e.d.maxCopyBytes()/copiedNodeBytes, fewNodes)
	e.copiedNodes += source.count(most - e.copiedNodes + 1)
	if e.copiedNodes > most {
		return patchFault{reason: "more bytes added by copying than the limit, with 64 for each value", limit: e.d.maxCopyBytes()}
	}
	if e.copied += source.size; e.copied > e.d.maxCopyBytes() {
		return patchFault{reason: "more bytes added by copying than the limit", limit: e.d.maxCopyBytes()}
	}
	node := e.p.clone(source)
	fault := e.put(op.path, node, true, false)
	if fault.reason != "" {
		e.p.free(node)
	}
	return fault
}

func (e *docEdit) test(op *patchOp) patchFault {
	held := e.find(op.path)
	if held == nil {
		return faultMissing
	}
	node, err := e.p.Pool.read(op.value, docMaxHeight, e.w)
	if err != nil {
		return e.unreadable(err)
	}
	equal := held.equal(node)
	e.p.free(node)
	if !equal {
		return faultTest
	}
	return faultNone
}
