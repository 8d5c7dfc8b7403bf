package decode

// DefaultDepth is the nesting that Event.Decode and Valid allow when told 0.
const DefaultDepth = 256

// Kind is the JSON kind of a member's value.
type Kind uint8

// Absent is the kind of a member that the event doesn't have.
const (
	Absent Kind = iota
	String
	Number
	Object
	Array
	True
	False
	Null
)

type span struct{ start, end uint32 }

// Event is one decoded frame.
type Event struct {
	Type   Type
	Frame  []byte
	Number int64
	Offset int64

	present, plain FieldSet
	kinds          [8]FieldSet
	spans          [64]span
	unknown        []span
}

// Decode is described in the package's doc.
func (ev *Event) Decode(frame []byte, depth int) error { return nil }
func (ev *Event) TypeName() []byte                     { return nil }
func (ev *Event) Has(f Field) bool                     { return ev.present.Has(f) }
func (ev *Event) Kind(f Field) Kind                    { return Absent }
func (ev *Event) Raw(f Field) []byte                   { return nil }
func (ev *Event) Str(f Field, scratch *[]byte) []byte  { return nil }
func (ev *Event) IsPlain(f Field) bool                 { return ev.plain.Has(f) }
func (ev *Event) Drop(f Field)                         {}
func (ev *Event) NullOptionals() FieldSet              { return 0 }
func (ev *Event) Unknown(yield func(name []byte))      {}
func (ev *Event) Check() error                         { return nil }
