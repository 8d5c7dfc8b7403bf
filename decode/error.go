package decode

import "strconv"

// ErrorKind says which of the two kinds of error this package gives.
type ErrorKind uint8

const (
	// KindDecode says that the bytes are no usable event stream, or a stated limit was crossed.
	KindDecode ErrorKind = iota
	// KindJSON says that the frame is no JSON object, names no type, or a described member is missing or malformed.
	KindJSON
)

// Error is every error of this package. Its text is only put together when asked for.
type Error struct {
	Kind   ErrorKind
	Type   string // wire name of the event's type, if it is known
	Field  string // wire name of the member (or a path to it), if one is to blame
	Offset int64  // byte in the frame; for the Framer's errors, byte in the stream
	Reason string
	Limit  int64 // the value of the limit that was crossed, else 0
}

// Error gives the text without a kind in front: "TYPE.field: reason of LIMIT at byte OFFSET".
func (e *Error) Error() string {
	b := make([]byte, 0, 96)
	b = append(b, e.Type...)
	if e.Field != "" {
		switch {
		case e.Type == "":
		case e.Field[0] == '/':
			b = append(b, ' ')
		default:
			b = append(b, '.')
		}
		b = append(b, e.Field...)
	}
	if len(b) > 0 {
		b = append(b, ": "...)
	}
	b = append(b, e.Reason...)
	if e.Limit > 0 {
		b = append(b, " of "...)
		b = strconv.AppendInt(b, e.Limit, 10)
	}
	if e.Offset > 0 {
		b = append(b, " at byte "...)
		b = strconv.AppendInt(b, e.Offset, 10)
	}
	return string(b)
}
