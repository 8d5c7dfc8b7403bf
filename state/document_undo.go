package state

// A patch changes the tree through docEdit, which writes down how to take each
// step back. Until the patch has applied whole, nothing that it removed is
// given back to the pool, and no list is tidied: so each step back finds every
// place as its step left it, and member order comes back too.
type docEdit struct {
	d *Document
	p docRoom // for the current operation
	w *docWork
	// copied is the JSON text added by copying so far, in bytes.
	copied int
	// copiedNodes is how many values that were.
	copiedNodes int
	// measured is how often heights were made exact.
	measured int
}

type docStep uint8

const (
	stepInsert docStep = iota // node became an item at a place of up
	stepTake                  // node was the item there
	stepAdd                   // node became the last member of up
	stepKill                  // node was the member there
	stepSwap                  // node was there before
	stepRoot                  // node was the root before
)

// docUndo is one step.
type docUndo struct {
	up    *docNode
	node  *docNode
	at    int
	step  docStep
	moved bool // the value put in comes from elsewhere in the document
}

func (e *docEdit) log(step docStep, up *docNode, at int, node *docNode, moved bool) {
	e.w.log = append(e.w.log, docUndo{up: up, node: node, at: at, step: step, moved: moved})
}

func (e *docEdit) insert(up *docNode, at int, node *docNode, moved bool) {
	up.insertItem(e.p, at, node)
	e.log(stepInsert, up, at, node, moved)
}

func (e *docEdit) add(up *docNode, name []byte, node *docNode, moved bool) {
	at := up.addMember(e.p, e.p.newText(name, docQuotedLen(name) == len(name)+2), node)
	e.log(stepAdd, up, at, node, moved)
}

func (e *docEdit) swap(up *docNode, at int, node *docNode, moved bool) {
	e.log(stepSwap, up, at, up.swap(at, node), moved)
}

func (e *docEdit) swapRoot(node *docNode, moved bool) {
	e.log(stepRoot, nil, 0, e.d.root, moved)
	e.d.root = node
}

// detach takes out what stands at a place of up.
func (e *docEdit) detach(up *docNode, at int, moved bool) *docNode {
	if up.arr != nil {
		node := up.removeItem(at)
		e.log(stepTake, up, at, node, moved)
		return node
	}
	node := up.killMember(at)
	e.log(stepKill, up, at, node, moved)
	return node
}

// revert takes all steps back, the last one first.
func (e *docEdit) revert() {
	for i := len(e.w.log) - 1; i >= 0; i-- {
		u := &e.w.log[i]
		var out *docNode
		switch u.step {
		case stepInsert:
			out = u.up.removeItem(u.at)
		case stepTake:
			u.up.insertItem(e.p, u.at, u.node)
		case stepAdd:
			out = u.up.popMember(e.p)
		case stepKill:
			u.up.reviveMember(e.p, u.at, u.node)
		case stepSwap:
			out = u.up.swap(u.at, u.node)
		case stepRoot:
			out, e.d.root = e.d.root, u.node
		}
		if out != nil && !u.moved {
			e.p.free(out)
		}
	}
}

// commit gives back what the patch removed and tidies what it emptied. The
// three passes keep to an order: a dead member's name is known by its place,
// which tidying moves; and tidying needs containers that freeing may take.
func (e *docEdit) commit() {
	for i := range e.w.log {
		if u := &e.w.log[i]; u.step == stepKill {
			m := &u.up.obj.members[u.at]
			e.p.putText(m.key)
			m.key = docText{}
		}
	}
	for i := range e.w.log {
		switch u := &e.w.log[i]; u.step {
		case stepTake:
			u.up.arr.tidy(e.p)
		case stepKill:
			u.up.obj.tidy(e.p)
		}
	}
	for i := range e.w.log {
		u := &e.w.log[i]
		switch u.step {
		case stepTake, stepKill:
			if !u.moved {
				e.p.free(u.node)
			}
		case stepSwap, stepRoot:
			e.p.free(u.node)
		}
	}
}
