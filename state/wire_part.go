package state

import (
	"strings"

	"github.com/valyala/fastjson"
)

// The closed shapes of parts and sources (protocol 2.3), and of the retired binary part (1.4).
var (
	partOptional = membersOf(memberID, memberMetadata)
	partShapes   = named(map[string]shape{
		"text":     {required: membersOf(memberType, memberText), optional: partOptional},
		"image":    mediaShape,
		"audio":    mediaShape,
		"video":    mediaShape,
		"document": mediaShape,
		"binary": {
			required: membersOf(memberType, memberMIMEType),
			optional: partOptional | membersOf(memberURL, memberData, memberFilename),
		},
	})
	mediaShape = shape{required: membersOf(memberType, memberSource), optional: partOptional}

	sourceShapes = named(map[string]shape{
		"data": {required: membersOf(memberType, memberValue, memberMIMEType)},
		"url":  {required: membersOf(memberType, memberValue), optional: membersOf(memberMIMEType)},
		"file": {required: membersOf(memberType, memberValue), optional: membersOf(memberProvider, memberMIMEType)},
	})
)

// Parts decodes a list of content parts. One of an unknown type, or whose source is of an unknown type, is dropped from
// it (Spec). The parts are lent until the next call.
func (e *Enforcer) Parts(raw []byte, path string) (parts []Part, err error) {
	e.room.empty()
	err = e.walk(raw, path, func(d *enforcement, v *fastjson.Value) error {
		parts, err = d.parts(v, &e.room)
		return err
	})
	if err != nil {
		return nil, err
	}
	return parts, nil
}

// parts decodes into a room; without one, into memory of the parts' own.
func (d *enforcement) parts(v *fastjson.Value, room *partRoom) ([]Part, error) {
	var parts []Part
	if room != nil {
		parts = room.parts[:0]
	} else {
		parts = make([]Part, 0, len(v.GetArray()))
	}
	err := d.elements(v, func(v *fastjson.Value) error {
		p, ok, err := d.part(v, room)
		if ok {
			parts = append(parts, p)
		}
		return err
	})
	if room != nil {
		room.parts = parts
	}
	return parts, err
}

func (d *enforcement) part(v *fastjson.Value, room *partRoom) (p Part, ok bool, err error) {
	var o object
	if err := d.read(&o, v); err != nil {
		return p, false, err
	}
	kind, err := d.discriminator(&o, memberType)
	if err != nil {
		return p, false, err
	}
	s, ok := partShapes[string(kind)]
	if !ok {
		return p, false, d.strip("content part", kind, memberType, "part dropped")
	}
	if err := d.enforce(&o, s); err != nil {
		return p, false, err
	}
	p.Type = s.name
	if o.set.has(memberMetadata) {
		p.Metadata = d.keepIn(room, o.values[memberMetadata])
	}
	if p.ID, err = d.partOpt(&o, memberID, room); err != nil {
		return p, false, err
	}
	switch p.Type {
	case "text":
		p.Text, err = d.partStr(&o, memberText, room)
		return p, err == nil, err
	case "binary":
		err = d.upgrade(&p, &o)
		return p, err == nil, err
	}
	p.Source, err = d.source(o.values[memberSource], room)
	return p, p.Source != nil, err
}

// keepIn is keep in a room.
func (d *enforcement) keepIn(room *partRoom, v *fastjson.Value) JSON {
	if room == nil {
		return d.keep(nil, v)
	}
	n := len(room.text)
	room.text = d.keep(room.text, v)
	return room.text[n:len(room.text):len(room.text)]
}

func (d *enforcement) partStr(o *object, m member, room *partRoom) (string, error) {
	b, err := d.bytes(o, m)
	if err != nil {
		return "", err
	}
	return room.own(b), nil
}

func (d *enforcement) partOpt(o *object, m member, room *partRoom) (OptString, error) {
	if !o.set.has(m) {
		return OptString{}, nil
	}
	s, err := d.partStr(o, m, room)
	return OptString{Value: s, Present: err == nil}, err
}

// source is nil without an error where its type is unknown: the part that needs it goes (Spec).
func (d *enforcement) source(v *fastjson.Value, room *partRoom) (*Source, error) {
	n := d.enter(memberSource.String())
	defer d.leave(n)
	var o object
	if err := d.read(&o, v); err != nil {
		return nil, err
	}
	kind, err := d.discriminator(&o, memberType)
	if err != nil {
		return nil, err
	}
	sh, ok := sourceShapes[string(kind)]
	if !ok {
		in := d.enter(memberType.String())
		defer d.leave(in)
		if err := d.unknown("source", kind); err != nil {
			return nil, err
		}
		// The warning is the part's, since the part is what goes.
		path := d.path
		d.path = d.path[:n]
		d.warn(unknownText("source", kind) + ", part dropped")
		d.path = path
		return nil, nil
	}
	if err := d.enforce(&o, sh); err != nil {
		return nil, err
	}
	s := room.source()
	s.Type = sh.name
	if s.Value, err = d.partStr(&o, memberValue, room); err != nil {
		return nil, err
	}
	if s.MimeType, err = d.partOpt(&o, memberMIMEType, room); err != nil {
		return nil, err
	}
	s.Provider, err = d.partOpt(&o, memberProvider, room)
	return s, err
}

// binarySources says which source each way of giving a binary part's content becomes, the one that is read first first.
var binarySources = [...]struct {
	member member
	source string
}{
	{memberURL, "url"},
	{memberData, "data"},
	{memberID, "file"},
}

// upgrade makes a retired binary part a media part of the kind that its MIME type tells (1.4).
func (d *enforcement) upgrade(p *Part, o *object) error {
	mime, err := d.str(o, memberMIMEType, nil)
	if err != nil {
		return err
	}
	p.Type = mediaType(mime)
	p.ID = OptString{}
	var lost []string
	for _, from := range binarySources {
		value, err := d.opt(o, from.member, nil)
		switch {
		case err != nil:
			return err
		case !value.Present:
		case p.Source != nil:
			lost = append(lost, from.member.String())
		default:
			p.Source = &Source{Type: from.source, Value: value.Value, MimeType: Some(mime)}
		}
	}
	if p.Source == nil {
		return d.malformed("has none of url, data and id")
	}
	if name, err := d.opt(o, memberFilename, nil); err != nil {
		return err
	} else if name.Present {
		lost = append(lost, memberFilename.String())
	}
	if d.QuietBinary {
		return nil
	}
	what := "retired binary part, read as " + p.Type
	if len(lost) > 0 {
		what += "; lost: " + strings.Join(lost, ", ")
	}
	d.warn(what)
	return nil
}

func mediaType(mime string) string {
	kind, _, _ := strings.Cut(mime, "/")
	switch kind = strings.ToLower(kind); kind {
	case "image", "audio", "video":
		return kind
	}
	return "document"
}
