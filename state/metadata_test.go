package state

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMetadataMerge(t *testing.T) {
	tests := []struct {
		name   string
		merges []string
		want   string
	}{
		{"absent", nil, ``},
		{"an empty one is there", []string{`{}`}, `{}`},
		{"new keys follow", []string{`{"a":1}`, `{"b":2}`}, `{"a":1,"b":2}`},
		{"last write wins in place", []string{`{"a":1,"b":2}`, `{"a":3}`}, `{"a":3,"b":2}`},
		{"null is a value", []string{`{"a":1}`, `{"a":null}`}, `{"a":null}`},
		{"no recursion", []string{`{"a":{"x":1},"b":[1,2]}`, `{"a":{"y":2},"b":[3]}`}, `{"a":{"y":2},"b":[3]}`},
		{"keys are data", []string{`{"__proto__":{"a":1},"ag-ui":1,"":0}`}, `{"__proto__":{"a":1},"ag-ui":1,"":0}`},
		{"digits as written", []string{`{"a":1.50e+2,"b":12345678901234567890}`}, `{"a":1.50e+2,"b":12345678901234567890}`},
		{"duplicates", []string{`{"a":1,"b":{"x":1,"y":2,"x":3},"a":2}`}, `{"a":2,"b":{"x":3,"y":2}}`},
		{"escaped keys are the same keys", []string{`{"a":1}`, `{"\u0061":2}`}, `{"a":2}`},
		{"white space goes", []string{"{ \"a\" :\n[ 1 , 2 ] }"}, `{"a":[1,2]}`},
		{"strings are repaired", []string{`{"a":"\ud83d","b":"\u003c"}`}, `{"a":"` + "\uFFFD" + `","b":"<"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := NewStore(nil)
			m := mustAdd(t, s, RoleAssistant, "m")
			c := mustCall(t, s, m, "c", "f")
			var alone Metadata
			for _, raw := range tt.merges {
				alone.MergeJSON([]byte(raw))
				if err := s.MergeMetadata(m, []byte(raw)); err != nil {
					t.Fatal(err)
				}
				if err := s.MergeCallMetadata(m, c, []byte(raw)); err != nil {
					t.Fatal(err)
				}
			}
			got := []string{}
			for _, md := range []Metadata{alone, m.Metadata, c.Metadata, alone.Clone()} {
				text := ""
				if md != nil {
					text = string(md.AppendJSON(nil))
				}
				got = append(got, text)
			}
			if d := cmp.Diff([]string{tt.want, tt.want, tt.want, tt.want}, got); d != "" {
				t.Errorf("metadata (-want +got):\n%s", d)
			}
			if want := m.size(); m.bytes < want {
				t.Errorf("%d bytes are counted, %d held", m.bytes, want)
			}
		})
	}
}

func TestWideMetadata(t *testing.T) {
	s := NewStore(new(Pool))
	m := mustAdd(t, s, RoleAssistant, "m")
	want := map[string]int{}
	for i := range 500 {
		key := fmt.Sprint("k", i%100)
		want[key] = i
		if err := s.MergeMetadata(m, fmt.Appendf(nil, `{%q:%d}`, key, i)); err != nil {
			t.Fatal(err)
		}
	}
	got := map[string]int{}
	if err := json.Unmarshal(m.Metadata.AppendJSON(nil), &got); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("metadata (-want +got):\n%s", d)
	}
	if len(m.Metadata) != 100 || m.Metadata[0].Key != "k0" || string(m.Metadata.Get("k99")) != "499" || m.Metadata.Get("none") != nil {
		t.Errorf("%d members, the first %q", len(m.Metadata), m.Metadata[0].Key)
	}
	var wide strings.Builder
	for i := range 200 {
		fmt.Fprintf(&wide, `,"w%d":%d`, i%150, i)
	}
	var md Metadata
	md.MergeJSON([]byte("{" + wide.String()[1:] + "}"))
	if len(md) != 150 || string(md[49].Value) != "199" {
		t.Errorf("%d members, one of them %s", len(md), md[49].Value)
	}
}
