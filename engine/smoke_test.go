package engine

import (
	"fmt"
	"os"
	"testing"
)

func TestSmoke(t *testing.T) {
	b, err := os.ReadFile("../../shared/captures/ts-rich.sse")
	if err != nil {
		t.Skip()
	}
	s, err := NewStream(HandlerFunc(func(s *Stream, u Update) { fmt.Printf("%T %+v\n", u, u) }), StreamOptions{Rules: Spec, AdoptInput: true, Warn: func(w Warning) { fmt.Println("WARN", w) }})
	if err != nil {
		t.Fatal(err)
	}
	fmt.Println(s.Write(b))
	s.Close()
	fmt.Println(string(s.Local().AppendJSON(nil)))
}
