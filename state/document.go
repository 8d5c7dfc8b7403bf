package state

import (
	"errors"

	"github.com/aguistream/aguistream/decode"
)

// Defaults of a Document's limits.
const (
	DefaultStateBytes    = 64 << 20
	DefaultPatchOps      = 10_000
	DefaultCopyBytes     = 8 << 20
	DefaultDocumentDepth = 1024
)

// A Document is one JSON value that patches change in place. A small one, up to
// 2 KiB, is held as its compact JSON text, a larger one as a tree. A text becomes
// a tree when something looks into it (Lookup, Root), when it grows, and when a
// patch fails or is out of the ordinary, and stays one until the next Set or
// Reset. None of that shows in what the methods give, but for the cost: it is that
// of reading the text once.
//
// Members keep the order in which they came: a new one goes last, a replaced
// one keeps its place, and of duplicates in one object the last value stands
// in the first one's place. Numbers keep their digits as written. Strings are
// repaired: invalid UTF-8 and lone surrogates become U+FFFD. The document copies
// what it keeps and never refers to a text that it was given.
//
// The zero value is the object {} without a pool. A Document is not safe for
// concurrent use, not for looking into it either; nor are two Documents of one
// Pool.
type Document struct {
	// MaxBytes limits Size. Crossing it is a *LimitError in Set and a
	// *PatchError in Apply. 0 means DefaultStateBytes (64 MiB).
	MaxBytes int
	// MaxOps limits the operations of one patch, unknown ones counted.
	// 0 means DefaultPatchOps (10,000).
	MaxOps int
	// MaxCopyBytes limits the JSON text that the copy operations of one patch
	// may add, and their values: one for each 64 bytes of it. 0 means
	// DefaultCopyBytes (8 MiB).
	MaxCopyBytes int
	// MaxDepth limits the nesting, so that no walk over the document, ours or
	// its readers', runs too deep. 0 means DefaultDocumentDepth (1,024).
	MaxDepth int

	pool  *Pool
	flat  []byte    // its compact text, while it is held as that; then there is no root
	clear bool      // no string of flat has an escape, a brace or a bracket
	root  *docNode  // nil: {}
	block *docBlock // of the value that was set last, and of what small patches put in; nil: none
}

// NewDocument gives the object {} whose parts come from p, and go back there.
// A nil p is allowed.
func NewDocument(p *Pool) *Document { return &Document{pool: p} }

// Set replaces the document by the value of a JSON text that was validated
// before (decode.Valid). It costs the size of the text and of the old value.
// On an error (*LimitError, or the text is no JSON after all) the document is
// unchanged.
func (d *Document) Set(raw []byte) error {
	if int64(len(raw)) > docMaxText {
		return d.tooLarge()
	}
	if d.setFlat(raw) {
		return nil
	}
	block := d.pool.takeBlock(len(raw))
	root, err := d.readAll(raw, block)
	if err != nil {
		d.pool.putBlock(block)
		return err
	}
	d.Reset()
	d.root, d.block = root, block
	return nil
}

func (d *Document) readAll(raw []byte, block *docBlock) (*docNode, error) {
	w := d.pool.takeWork()
	defer d.pool.giveWork(w)
	root, err := docRoom{d.pool, block}.read(raw, d.maxDepth(), w)
	if errors.Is(err, errTooDeep) {
		return nil, &LimitError{What: "nesting", Limit: int64(d.maxDepth())}
	}
	if err != nil {
		return nil, err
	}
	if root.size > d.maxBytes() {
		d.pool.free(root)
		return nil, d.tooLarge()
	}
	return root, nil
}

// docMaxText is the longest text whose every string has a length that fits docText.
const docMaxText = 1 << 31

func (d *Document) tooLarge() error {
	return &LimitError{What: "state bytes", Limit: int64(d.maxBytes())}
}

// Reset makes the document {} again and gives its parts back to the pool. The
// limits stay.
func (d *Document) Reset() {
	d.dropTree()
	d.dropFlat()
}

func (d *Document) dropTree() {
	d.pool.free(d.root)
	d.pool.putBlock(d.block)
	d.root, d.block = nil, nil
}

// Size is the length of AppendJSON's output in bytes. It costs nothing.
func (d *Document) Size() int {
	if len(d.flat) > 0 {
		return len(d.flat)
	}
	return d.top().size
}

// IsObject says whether the document is an object.
func (d *Document) IsObject() bool {
	if len(d.flat) > 0 {
		return d.flat[0] == '{'
	}
	return d.top().kind == decode.Object
}

// AppendJSON appends the document's JSON text, compact, to dst.
func (d *Document) AppendJSON(dst []byte) []byte {
	if len(d.flat) > 0 {
		return append(dst, d.flat...)
	}
	return d.top().appendJSON(dst)
}

// Root is the whole value, lent as Value says. Like Lookup it makes a tree of a
// document that is held as text; AppendJSON, Size and IsObject don't.
func (d *Document) Root() Value {
	d.tree()
	return Value{d.top()}
}

// Lookup finds the value at an RFC 6901 pointer ("" is the whole document),
// lent as Value says. It is false if the pointer is malformed or leads nowhere.
// A document that is held as text becomes a tree first.
func (d *Document) Lookup(pointer string) (Value, bool) {
	if !validPointer(pointer) {
		return Value{}, false
	}
	d.tree()
	var scratch []byte
	n := d.top().walk(viewOf(pointer), &scratch)
	return Value{n}, n != nil
}

func (d *Document) top() *docNode {
	if d.root == nil {
		return docEmpty
	}
	return d.root
}

func (d *Document) maxBytes() int     { return orDefault(d.MaxBytes, DefaultStateBytes) }
func (d *Document) maxOps() int       { return orDefault(d.MaxOps, DefaultPatchOps) }
func (d *Document) maxCopyBytes() int { return orDefault(d.MaxCopyBytes, DefaultCopyBytes) }
func (d *Document) maxDepth() int {
	return min(orDefault(d.MaxDepth, DefaultDocumentDepth), docMaxHeight)
}

func orDefault(limit, standard int) int {
	if limit > 0 {
		return limit
	}
	return standard
}
