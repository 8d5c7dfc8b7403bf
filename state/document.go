package state

// Document is one JSON value.
type Document struct {
	MaxBytes     int // bytes of JSON text; 0 = DefaultStateBytes
	MaxOps       int // operations of one patch; 0 = DefaultPatchOps
	MaxCopyBytes int // bytes one patch may add by copying; 0 = DefaultCopyBytes
	MaxDepth     int // nesting; 0 = DefaultDocumentDepth

	pool *Pool
	root *docNode
}

// Defaults of a Document's limits.
const (
	DefaultStateBytes    = 64 << 20
	DefaultPatchOps      = 10_000
	DefaultCopyBytes     = 8 << 20
	DefaultDocumentDepth = 1024
)

type docNode struct{}

func NewDocument(p *Pool) *Document                     { return &Document{pool: p} }
func (d *Document) Set(raw []byte) error                { return nil }
func (d *Document) Reset()                              {}
func (d *Document) Size() int                           { return 2 }
func (d *Document) IsObject() bool                      { return true }
func (d *Document) AppendJSON(dst []byte) []byte        { return dst }
func (d *Document) Lookup(pointer string) (Value, bool) { return Value{}, false }
func (d *Document) Root() Value                         { return Value{} }
func (d *Document) Apply(p *Patch) error                { return nil }
func (d *Document) ApplyObject(p *Patch) error          { return nil }
