package decode

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func FuzzFramer(f *testing.F) {
	for _, tc := range framerCases {
		f.Add([]byte(tc.stream), []byte{1, 2, 3}, uint16(32))
		f.Add([]byte(tc.stream), []byte{0, 200}, uint16(1000))
	}
	f.Fuzz(func(t *testing.T, stream, cuts []byte, limit uint16) {
		l := int(limit) + 1
		want := referenceFrames(stream, l, json.Valid)
		k := 0
		got := framesOf(&Framer{Limit: l}, stream, func(rest int) int {
			if k++; len(cuts) == 0 || k > 4*len(stream) {
				return rest
			}
			return min(rest, int(cuts[k%len(cuts)]))
		})
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("cut (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(want, framesOf(&Framer{Limit: l}, stream, pieces(1))); diff != "" {
			t.Errorf("byte by byte (-want +got):\n%s", diff)
		}
	})
}

func FuzzValid(f *testing.F) {
	for _, list := range [][]string{validTexts, invalidTexts} {
		for _, text := range list {
			f.Add([]byte(text))
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		want := json.Valid(text)
		if got := Valid(text, 10_000); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
		if Valid(text, 3) && !want {
			t.Errorf("%q passes under a smaller limit", text)
		}
		count := func(raw []byte) (n int) {
			Members(raw, func(_, _ []byte) bool { n++; return true })
			Elements(raw, func(int, []byte) bool { n++; return true })
			return n
		}
		n := count(text)
		if !want {
			return
		}
		var list []json.RawMessage
		if json.Unmarshal(text, &list) == nil && len(list) != n {
			t.Errorf("%q: %d elements, want %d", text, n, len(list))
		}
		clean := Sanitize(nil, text)
		if !json.Valid(clean) || count(clean) != n {
			t.Errorf("%q becomes %q", text, clean)
		}
	})
}

// FuzzEvent holds Decode against encoding/json: the same verdict, the same members.
func FuzzEvent(f *testing.F) {
	for _, bf := range benchFrames {
		f.Add([]byte(bf.frame))
	}
	for _, list := range [][]string{validTexts, invalidTexts} {
		for _, text := range list {
			f.Add([]byte(`{"type":"CUSTOM","name":"n","value":` + text + `}`))
			f.Add([]byte(`{"x":` + text + `,"type":"RAW","ev\u0065nt":1}`))
		}
	}
	ev := new(Event)
	f.Fuzz(func(t *testing.T, frame []byte) {
		err := ev.Decode(frame, 0)
		var members map[string]json.RawMessage
		// Names with bad UTF-8 are repaired by another rule there; they are none of ours.
		wantErr := json.Unmarshal(frame, &members) != nil || members == nil
		if !wantErr {
			var name any
			json.Unmarshal(members["type"], &name)
			_, text := name.(string)
			wantErr = !text
		}
		if (err != nil) != wantErr {
			if e, ok := err.(*Error); ok && e.Kind == KindDecode {
				return
			}
			t.Fatalf("%q: %v", frame, err)
		}
		if err != nil {
			if e := err.(*Error); e.Kind == KindJSON && e.Field == "" && e.Reason != "the data is no JSON object" && json.Valid(frame) {
				t.Fatalf("%q: %v", frame, err)
			}
			return
		}
		for field := range NumFields {
			raw, ok := members[field.String()]
			if ok != ev.Has(field) || ok && !bytes.Equal(raw, ev.Raw(field)) {
				t.Fatalf("%q: %v is %q, want %q", frame, field, ev.Raw(field), raw)
			}
			if !ok {
				continue
			}
			if ev.Kind(field) == String {
				var scratch []byte
				text := raw[1 : len(raw)-1]
				if got := string(ev.Str(field, &scratch)); got != referenceText(text) {
					t.Fatalf("%q: %v says %q", frame, field, got)
				}
				if ev.IsPlain(field) && string(text) != referenceText(text) {
					t.Fatalf("%q: %v isn't plain", frame, field)
				}
			}
		}
		var name string
		json.Unmarshal(members["type"], &name)
		if ev.Type.String() != name && ev.Type != Unknown || ev.Type == Unknown && TypeOf([]byte(name)) != Unknown {
			t.Fatalf("%q: type %v", frame, ev.Type)
		}
		ev.Check()
		ev.Unknown(func(name []byte) {
			if _, ok := members[string(name)]; !ok && !bytes.Contains(name, []byte("\uFFFD")) {
				t.Fatalf("%q: unknown member %q", frame, name)
			}
		})
		for field := range ev.NullOptionals().Fields() {
			ev.Drop(field)
		}
	})
}

// inside gives the bytes as the inside of a JSON string, if they are one.
func inside(raw []byte) bool {
	return json.Valid(append(append([]byte{'"'}, raw...), '"'))
}

func FuzzString(f *testing.F) {
	for _, tc := range textCases {
		f.Add([]byte(tc.raw))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		repaired := string(AppendValidUTF8(nil, raw))
		if want := string(whatwgDecode(raw)); repaired != want {
			t.Fatalf("%q is repaired to %q, want %q", raw, repaired, want)
		}
		quoted := AppendQuoted(nil, raw)
		var back string
		if err := json.Unmarshal(quoted, &back); err != nil || back != repaired {
			t.Fatalf("%q is quoted as %s: %q, %v", raw, quoted, back, err)
		}
		got := string(AppendString([]byte{}, raw))
		if inside(raw) && got != referenceText(raw) {
			t.Fatalf("%q: %q, want %q", raw, got, referenceText(raw))
		}
	})
}

func FuzzDelta(f *testing.F) {
	f.Add([]byte(`a\ud83d`), []byte(`\ude00b`), []byte(``))
	f.Add([]byte(`\ud83d`), []byte(``), []byte(`\ude00`))
	f.Add([]byte(`\ud83d`), []byte(`\ud83c`), []byte(`\udf89`))
	f.Fuzz(func(t *testing.T, a, b, c []byte) {
		if !inside(a) || !inside(b) || !inside(c) {
			return
		}
		if got, want := deltaText(a, b, c), referenceText(a, b, c); got != want {
			t.Errorf("%q, %q, %q: %q, want %q", a, b, c, got, want)
		}
	})
}
