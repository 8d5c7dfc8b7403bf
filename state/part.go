package state

import "strings"

// Part is one content part (protocol 2.3). Type is text, image, audio, video or document; Text belongs to the first,
// Source to the others. Metadata is any JSON but null.
type Part struct {
	Type     string
	ID       OptString
	Text     string
	Source   *Source
	Metadata JSON
}

// Source is where a media part comes from. Type is data (Value is base64), url, or file (Value is a provider's handle,
// never to be fetched or parsed). MimeType is required for data; Provider belongs to file alone.
type Source struct {
	Type, Value string
	MimeType    OptString
	Provider    OptString
}

// TextPart is a part of text.
func TextPart(text string) Part { return Part{Type: "text", Text: text} }

// Clone is a deep copy in its own memory.
func (p Part) Clone() Part {
	c := Part{
		Type:     strings.Clone(p.Type),
		ID:       cloneOpt(p.ID),
		Text:     strings.Clone(p.Text),
		Metadata: p.Metadata.clone(),
	}
	if p.Source != nil {
		c.Source = &Source{
			Type:     strings.Clone(p.Source.Type),
			Value:    strings.Clone(p.Source.Value),
			MimeType: cloneOpt(p.Source.MimeType),
			Provider: cloneOpt(p.Source.Provider),
		}
	}
	return c
}

func cloneParts(parts []Part) []Part {
	if parts == nil {
		return nil
	}
	c := make([]Part, len(parts))
	for i, p := range parts {
		c[i] = p.Clone()
	}
	return c
}

func partsSize(parts []Part) int {
	n := 0
	for i := range parts {
		p := &parts[i]
		n += len(p.Text) + len(p.Metadata)
		if p.Source != nil {
			n += len(p.Source.Value)
		}
	}
	return n
}
