package bench

import (
	"fmt"
	"strings"
)

// recordsDocument is a state of about so many bytes: records beside a few members that patches change.
func recordsDocument(bytes int) string {
	var b strings.Builder
	b.WriteString(`{"meta":{"version":7,"title":"Plan"},"records":[`)
	for i := 0; b.Len() < bytes-2; i++ {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"id":"record-%06d","title":"A title of a common length","done":%v,"score":%d.25}`, i, i%2 == 0, i)
	}
	b.WriteString("]}")
	return b.String()
}

func arrayDocument(items int) string {
	return `{"items":[` + strings.TrimSuffix(strings.Repeat("17,", items), ",") + `]}`
}

func objectDocument(members int) string {
	var b strings.Builder
	for i := range members {
		fmt.Fprintf(&b, `,"member-%d":%d`, i, i)
	}
	return "{" + b.String()[1:] + "}"
}
