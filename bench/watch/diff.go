package watch

import (
	"fmt"
	"strings"

	"github.com/aguistream/aguistream/decode"
	"github.com/aguistream/aguistream/state"
)

const (
	// mostChanges is how many changes of a state are told one by one, mostColumns how much of a value is shown.
	mostChanges = 10
	mostColumns = 60
	// mostDiffed is how large a state may be to be compared with the one before: that costs its size each time.
	mostDiffed = 1 << 20
)

// changes tells what became of a document.
type changes struct {
	lines []string
	more  int
}

// compare lists what differs between two values, a line for each place, the place as a JSON pointer.
func compare(old, now state.Value) changes {
	var c changes
	c.value("", old, now)
	return c
}

func (c *changes) tell(sign, path, what string) {
	if len(c.lines) == mostChanges {
		c.more++
		return
	}
	if path == "" {
		path = "all"
	}
	c.lines = append(c.lines, sign+" "+clip(label(path), mostColumns)+" "+what)
}

func (c *changes) value(path string, old, now state.Value) {
	a, b := old.Kind(), now.Kind()
	switch {
	case a == decode.Object && b == decode.Object:
		c.object(path, old, now)
	case a == decode.Array && b == decode.Array:
		c.array(path, old, now)
	case equal(old, now):
	case a == decode.String && b == decode.String && len(old.Str()) > 0 && strings.HasPrefix(now.Str(), old.Str()):
		c.tell("~", path, "grew by "+quoted(now.Str()[len(old.Str()):]))
	default:
		c.tell("~", path, brief(old)+" -> "+brief(now))
	}
}

func (c *changes) object(path string, old, now state.Value) {
	for name, v := range old.Members() {
		if _, held := now.Member(name); !held {
			c.tell("-", path+"/"+token(name), brief(v))
		}
	}
	for name, v := range now.Members() {
		if was, held := old.Member(name); held {
			c.value(path+"/"+token(name), was, v)
			continue
		}
		c.tell("+", path+"/"+token(name), brief(v))
	}
}

// array passes over what is equal at both ends, so that an item put in or taken out in the middle is one change.
func (c *changes) array(path string, old, now state.Value) {
	begin, a, b := 0, old.Len(), now.Len()
	for begin < a && begin < b && equal(old.Index(begin), now.Index(begin)) {
		begin++
	}
	for a > begin && b > begin && equal(old.Index(a-1), now.Index(b-1)) {
		a, b = a-1, b-1
	}
	for i := begin; i < a || i < b; i++ {
		at := fmt.Sprintf("%s/%d", path, i)
		switch {
		case i >= b:
			c.tell("-", at, brief(old.Index(i)))
		case i >= a:
			c.tell("+", at, brief(now.Index(i)))
		default:
			c.value(at, old.Index(i), now.Index(i))
		}
	}
}

func equal(a, b state.Value) bool {
	if a.Kind() != b.Kind() || a.Len() != b.Len() || a.Str() != b.Str() || a.Num() != b.Num() {
		return false
	}
	switch a.Kind() {
	case decode.Array:
		for i := range a.Len() {
			if !equal(a.Index(i), b.Index(i)) {
				return false
			}
		}
	case decode.Object:
		for name, v := range a.Members() {
			if w, held := b.Member(name); !held || !equal(v, w) {
				return false
			}
		}
	}
	return true
}

// token is a member's name as a JSON pointer writes it.
func token(name string) string {
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(head(name, 4*mostColumns))
}

// brief is the beginning of a value's JSON.
func brief(v state.Value) string { return excerpt(string(v.AppendJSON(nil))) }

// quoted is the beginning of a text, as a JSON string.
func quoted(s string) string {
	return excerpt(string(decode.AppendQuotedString(nil, head(s, 4*mostColumns))))
}

// excerpt is the beginning of a text on one line.
func excerpt(s string) string { return clip(label(head(s, 8*mostColumns)), mostColumns) }
