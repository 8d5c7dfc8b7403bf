package state

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDeltas(t *testing.T) {
	const flush = "<flush>"
	tests := []struct {
		name   string
		deltas []string // bodies of JSON strings
		want   []string // what each gave
	}{
		{"plain", []string{"ab", "", "c"}, []string{"ab", "", "c"}},
		{"escapes", []string{`a\n`, `\u0041\"`}, []string{"a\n", `A"`}},
		{"not ASCII", []string{"é", "日本"}, []string{"é", "日本"}},
		{"a pair in two deltas", []string{`x\ud83d`, `\ude00y`}, []string{"x", "😀y"}},
		{"a half before plain text", []string{`x\ud83d`, `y`}, []string{"x", "\uFFFDy"}},
		{"a half before an empty delta", []string{`x\ud83d`, ``, `\ude00`}, []string{"x", "", "😀"}},
		{"two halves of one kind", []string{`\ud83d`, `\ud83d`, `\ude00`}, []string{"", "\uFFFD", "😀"}},
		{"a half that nothing follows", []string{`x\ud83d`, flush}, []string{"x", "\uFFFD"}},
		{"nothing to flush", []string{`x`, flush}, []string{"x", ""}},
		{"a lone low half", []string{`\ude00`}, []string{"\uFFFD"}},
		{"bad UTF-8", []string{"a\xff\xc3"}, []string{"a\uFFFD\uFFFD"}},
	}
	for _, tt := range tests {
		for _, into := range []string{"text", "parts", "arguments"} {
			t.Run(tt.name+"/"+into, func(t *testing.T) {
				s := NewStore(new(Pool))
				m := mustAdd(t, s, RoleUser, "m")
				c := mustCall(t, s, m, "c", "f")
				if into == "parts" {
					if err := s.SetParts(m, []Part{TextPart(""), {Type: "image", Source: &Source{Type: "url"}}}); err != nil {
						t.Fatal(err)
					}
				}
				var got []string
				for _, delta := range tt.deltas {
					var added string
					var err error
					switch {
					case delta == flush && into == "arguments":
						added, _ = s.FlushArgs(m, c)
					case delta == flush:
						added, _ = s.FlushText(m)
					case into == "arguments":
						added, err = s.AppendArgs(m, c, []byte(delta), plain(delta))
					default:
						added, err = s.AppendText(m, []byte(delta), plain(delta))
					}
					if err != nil {
						t.Fatal(err)
					}
					got = append(got, added)
				}
				if d := cmp.Diff(tt.want, got); d != "" {
					t.Errorf("deltas (-want +got):\n%s", d)
				}
				text := m.Text()
				switch into {
				case "parts":
					if m.HasText() || text != "" {
						t.Errorf("parts read as the text %q", text)
					}
					text = m.Parts[0].Text
				case "arguments":
					text = c.Arguments()
				}
				if d := cmp.Diff(strings.Join(tt.want, ""), text); d != "" {
					t.Errorf("text (-want +got):\n%s", d)
				}
				if want := m.size(); m.bytes < want {
					t.Errorf("%d bytes are counted, %d held", m.bytes, want)
				}
			})
		}
	}
}

func plain(raw string) bool {
	return !strings.ContainsFunc(raw, func(r rune) bool { return r == '\\' || r >= 0x80 })
}

func TestTextIntoParts(t *testing.T) {
	image := Part{Type: "image", Source: &Source{Type: "url", Value: "u"}}
	tests := []struct {
		name  string
		parts []Part
		want  string
	}{
		{"no parts", nil, `[{"type":"text","text":"ab"}]`},
		{"no text part", []Part{image}, `[{"type":"image","source":{"type":"url","value":"u"}},{"type":"text","text":"ab"}]`},
		{"last part", []Part{image, TextPart("x")}, `[{"type":"image","source":{"type":"url","value":"u"}},{"type":"text","text":"xab"}]`},
		{"last text part", []Part{TextPart("x"), TextPart("y"), image}, `[{"type":"text","text":"x"},{"type":"text","text":"yab"},{"type":"image","source":{"type":"url","value":"u"}}]`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := NewStore(nil)
			m := mustAdd(t, s, RoleUser, "m")
			if err := s.SetParts(m, cloneParts(tt.parts)); err != nil {
				t.Fatal(err)
			}
			for _, delta := range []string{"a", "b"} {
				if _, err := s.AppendText(m, []byte(delta), true); err != nil {
					t.Fatal(err)
				}
			}
			if d := cmp.Diff(tt.want, string(AppendParts(nil, m.Parts))); d != "" {
				t.Errorf("parts (-want +got):\n%s", d)
			}
			clone := m.Clone()
			if d := cmp.Diff(string(m.AppendJSON(nil)), string(clone.AppendJSON(nil))); d != "" {
				t.Errorf("clone (-want +got):\n%s", d)
			}
		})
	}
}

func TestTextGoesToThePartsThatAreThere(t *testing.T) {
	s := NewStore(new(Pool))
	m := mustAdd(t, s, RoleUser, "m")
	do := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	add := func(delta string) {
		t.Helper()
		_, err := s.AppendText(m, []byte(delta), true)
		do(err)
	}
	do(s.SetParts(m, []Part{TextPart("a")}))
	add("b")
	first := m.Parts[0].Text
	do(s.SetParts(m, []Part{{Type: "image", Source: &Source{Type: "url"}}, TextPart("c")}))
	add("d")
	do(s.SetText(m, []byte("e")))
	add("f")
	if d := cmp.Diff([]string{"ab", "ef"}, []string{first, m.Text()}); d != "" {
		t.Errorf("texts (-want +got):\n%s", d)
	}
	do(s.SetParts(m, []Part{TextPart("g"), TextPart("h")}))
	add("i")
	if d := cmp.Diff(`[{"type":"text","text":"g"},{"type":"text","text":"hi"}]`, string(AppendParts(nil, m.Parts))); d != "" {
		t.Errorf("parts (-want +got):\n%s", d)
	}
}

func TestViewsStayRightWhileTextGrows(t *testing.T) {
	s := NewStore(nil) // a pool hands on the buffers that a text outgrows
	m := mustAdd(t, s, RoleAssistant, "m")
	var views, want []string
	var whole strings.Builder
	for i := range 2000 {
		delta := string(rune('a' + i%26))
		whole.WriteString(delta)
		added, err := s.AppendText(m, []byte(delta), true)
		if err != nil {
			t.Fatal(err)
		}
		if added != delta {
			t.Fatalf("delta %d reads %q", i, added)
		}
		views, want = append(views, m.Text()), append(want, whole.String())
	}
	if d := cmp.Diff(want, views); d != "" {
		t.Errorf("views (-want +got):\n%s", d)
	}
}

func TestHalvesOfTwoItemsNeverJoin(t *testing.T) {
	s := NewStore(nil)
	a, b := mustAdd(t, s, RoleAssistant, "a"), mustAdd(t, s, RoleReasoning, "b")
	c := mustCall(t, s, a, "c", "f")
	for _, do := range []func() (string, error){
		func() (string, error) { return s.AppendText(a, []byte(`\ud83d`), false) },
		func() (string, error) { return s.AppendText(b, []byte(`\ude00`), false) },
		func() (string, error) { return s.AppendArgs(a, c, []byte(`\ude00\ud83d`), false) },
	} {
		if _, err := do(); err != nil {
			t.Fatal(err)
		}
	}
	if !a.Pending() || b.Pending() {
		t.Errorf("pending are %v and %v", a.Pending(), b.Pending())
	}
	s.Flush()
	if d := cmp.Diff([]string{"\uFFFD", "\uFFFD", "\uFFFD\uFFFD"}, []string{a.Text(), b.Text(), c.Arguments()}); d != "" {
		t.Errorf("texts (-want +got):\n%s", d)
	}
	if a.Pending() {
		t.Error("a half is pending after Flush")
	}
}
