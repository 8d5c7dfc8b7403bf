package decode

import "math/bits"

// TypeName gives the text of `type`: the frame's own bytes, or a copy when it was written with escapes.
func (ev *Event) TypeName() []byte {
	raw := ev.Raw(FieldType)
	if len(raw) < 2 || raw[0] != '"' {
		return nil
	}
	raw = raw[1 : len(raw)-1]
	if ev.plain.Has(FieldType) {
		return raw
	}
	return AppendString(nil, raw)
}

// Has tells whether the event has the member, whatever its value.
func (ev *Event) Has(f Field) bool { return ev.present.Has(f) }

// Kind gives the kind of a member's value, Absent if there is none.
func (ev *Event) Kind(f Field) Kind {
	if !ev.present.Has(f) {
		return Absent
	}
	return ev.kind[f&63]
}

// Raw gives the JSON text of a member's value, strings with their quotes; nil if the member is absent. It is part of the
// frame.
func (ev *Event) Raw(f Field) []byte {
	if !ev.present.Has(f) {
		return nil
	}
	s := ev.spans[f&63]
	return ev.Frame[s.start:s.end:s.end]
}

// IsPlain tells whether a member is a string of nothing but ASCII without escapes: then Raw without its quotes is the
// text itself.
func (ev *Event) IsPlain(f Field) bool { return ev.plain.Has(f) }

// Str gives the text of a string member, unescaped and with its UTF-8 repaired as AppendString does; nil if it is no
// string. It is part of the frame where that says it as it is, else it is appended to *scratch. What was given from the
// same scratch before stays valid, also when the scratch has to grow.
func (ev *Event) Str(f Field, scratch *[]byte) []byte {
	if !ev.kinds[String].Has(f) {
		return nil
	}
	s := ev.spans[f&63]
	raw := ev.Frame[s.start+1 : s.end-1 : s.end-1]
	if ev.plain.Has(f) {
		return raw
	}
	n := len(*scratch)
	*scratch = AppendString(*scratch, raw)
	return (*scratch)[n:len(*scratch):len(*scratch)]
}

// Drop forgets a member, as if the frame didn't have it.
func (ev *Event) Drop(f Field) {
	if !ev.present.Has(f) {
		return
	}
	bit := FieldSet(1) << f
	ev.present &^= bit
	ev.plain &^= bit
	ev.kinds[ev.kind[f&63]] &^= bit
}

// NullOptionals gives the optional members of this type that are null. The schema refuses them (protocol 1.1), many
// producers write them. Required members that may be any JSON, null included, are not among them.
func (ev *Event) NullOptionals() FieldSet {
	return ev.kinds[Null] & shapes[ev.Type].optional
}

// Unknown yields the names of the members that this type doesn't describe, in wire order, unescaped; a name is lent until
// yield returns. Members that only other types use are among them. A type that is unknown itself describes nothing, and
// yields nothing.
func (ev *Event) Unknown(yield func(name []byte)) {
	if ev.Type == Unknown {
		return
	}
	s := &shapes[ev.Type]
	foreign := ev.present &^ (s.required | s.optional)
	if foreign == 0 && len(ev.unknown) == 0 {
		return
	}
	rest := ev.unknown
	for {
		first := NumFields
		for f := range foreign.Fields() {
			if first == NumFields || ev.spans[f].start < ev.spans[first].start {
				first = f
			}
		}
		for len(rest) > 0 && (first == NumFields || rest[0].start < ev.spans[first].start) {
			yield(textOf(ev.Frame[rest[0].start:rest[0].end]))
			rest = rest[1:]
		}
		if first == NumFields {
			return
		}
		yield([]byte(first.String()))
		foreign &^= 1 << first
	}
}

// Check holds the event against its type's description in AG-UI 1.1: required members are there, and every described
// member has a kind that it may have. The timestamp must be integral and within ±(2^53-1), where 1.0 and 1e3 count as
// integral; roles that the schema fixes must be what it says. The texts of other enumerations are not looked at, nor is
// the inside of objects and arrays. Nulls in optional members are refused: drop those of NullOptionals first to be
// lenient. An event of unknown type passes.
//
// The error is an *Error of KindJSON that names type, member, and the value's byte offset in the frame.
func (ev *Event) Check() error { return ev.CheckBut(0) }

// CheckBut is Check that leaves out the fields of skip, whatever their kind and presence: for a reader to whom they may
// be wrong without the event being so.
func (ev *Event) CheckBut(skip FieldSet) error {
	s := &shapes[ev.Type]
	wrong := ev.kinds[String]&s.refused[String] | ev.kinds[Number]&s.refused[Number] |
		ev.kinds[Object]&s.refused[Object] | ev.kinds[Array]&s.refused[Array] | ev.kinds[True]&s.refused[True] |
		ev.kinds[False]&s.refused[False] | ev.kinds[Null]&s.refused[Null]
	missing := s.required &^ ev.present
	wrong, missing = wrong&^skip, missing&^skip
	if wrong|missing != 0 {
		return ev.ill(wrong, missing)
	}
	if ev.present.Has(FieldTimestamp) && ev.Type != Unknown && !isSafeInteger(ev.Raw(FieldTimestamp)) {
		return ev.fault(FieldTimestamp, "want an integer within ±9007199254740991")
	}
	if s.role != "" && ev.present.Has(FieldRole) && !ev.says(FieldRole, s.role) {
		return ev.fault(FieldRole, "want \""+s.role+"\"")
	}
	return nil
}

func (ev *Event) ill(wrong, missing FieldSet) error {
	if wrong != 0 {
		f := Field(bits.TrailingZeros64(uint64(wrong)))
		return ev.fault(f, mismatch(wanted(ev.Type, f), ev.kind[f]))
	}
	return ev.fault(Field(bits.TrailingZeros64(uint64(missing))), "missing")
}

func (ev *Event) fault(f Field, reason string) error {
	e := &Error{Kind: KindJSON, Type: ev.Type.String(), Field: f.String(), Reason: reason}
	if ev.present.Has(f) {
		e.Offset = int64(ev.spans[f].start)
	}
	return e
}

// says tells whether a string member's text is s.
func (ev *Event) says(f Field, s string) bool {
	raw := ev.Raw(f)
	raw = raw[1 : len(raw)-1]
	if ev.plain.Has(f) {
		return string(raw) == s
	}
	return string(AppendString(nil, raw)) == s
}

func mismatch(w want, have Kind) string {
	return "want " + w.String() + ", have " + have.String()
}
