package state

// OptString is an optional string of the wire: absent and empty differ there, so they differ here.
type OptString struct {
	Value   string
	Present bool
}

// Some is a present OptString.
func Some(s string) OptString { return OptString{Value: s, Present: true} }

// JSON is the text of one JSON value, normalised by NormalizeJSON: compact, strings repaired, of duplicate members the
// last value in the first one's place, numbers as written. Nil stands for an absent value; a null is the text "null".
type JSON []byte

func (j JSON) clone() JSON {
	if j == nil {
		return nil
	}
	return append(make(JSON, 0, len(j)), j...)
}
