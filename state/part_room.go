package state

// partRoom is memory for content parts that is used again: the parts, their sources, their text.
type partRoom struct {
	parts   []Part
	sources []*Source // all of them; used are taken
	used    int
	text    []byte
}

// What a message keeps of a room when it goes back to the pool.
const (
	keptParts    = 64
	keptPartText = 4 << 10
)

// empty ends the time of all that the room holds.
func (r *partRoom) empty() {
	poison(r.text)
	r.text = r.text[:0]
	if cap(r.text) > keptPartText {
		r.text = nil
	}
	if len(r.parts) > keptParts {
		r.parts = nil
	}
	// A delta may have put one part more behind them (Message.openTail).
	clear(r.parts[:min(len(r.parts)+1, cap(r.parts))])
	r.parts = r.parts[:0]
	if len(r.sources) > keptParts {
		r.sources, r.used = nil, 0
	}
	for _, s := range r.sources[:r.used] {
		*s = Source{} // else the text stays, however long
	}
	r.used = 0
}

// own keeps a string; without a room, in memory of its own.
func (r *partRoom) own(b []byte) string {
	if r == nil {
		return string(b)
	}
	n := len(r.text)
	r.text = append(r.text, b...)
	return lend(r.text[n:])
}

func (r *partRoom) ownOpt(o OptString) OptString {
	return OptString{Value: r.own(bytesOf(o.Value)), Present: o.Present}
}

// json is own for JSON text, where nil is an absent one.
func (r *partRoom) json(j JSON) JSON {
	if j == nil {
		return nil
	}
	return JSON(bytesOf(r.own(j)))
}

func (r *partRoom) source() *Source {
	if r == nil {
		return new(Source)
	}
	if r.used == len(r.sources) {
		r.sources = append(r.sources, new(Source))
	}
	s := r.sources[r.used]
	*s = Source{}
	r.used++
	return s
}

// copy makes copies of parts in the room, which is empty.
func (r *partRoom) copy(parts []Part) []Part {
	for i := range parts {
		p := &parts[i]
		c := Part{Type: p.Type, ID: r.ownOpt(p.ID), Text: r.own(bytesOf(p.Text)), Metadata: r.json(p.Metadata)}
		if p.Source != nil {
			c.Source = r.source()
			*c.Source = Source{
				Type: p.Source.Type, Value: r.own(bytesOf(p.Source.Value)),
				MimeType: r.ownOpt(p.Source.MimeType), Provider: r.ownOpt(p.Source.Provider),
			}
		}
		r.parts = append(r.parts, c)
	}
	return r.parts
}
