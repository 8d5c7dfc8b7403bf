package workload

import (
	"strconv"
	"unicode/utf8"
)

var toolNames = []string{"get_weather", "search_docs", "run_query", "write_file", "plan_trip", "mcp__files__read", "calculate"}

var argumentNames = []string{"city", "query", "path", "limit", "filters", "content", "options", "units", "days", "ids", "note"}

var argumentTexts = []string{
	"Reykjavík 🇮🇸", "東京", "Paris", "SELECT id, \"name\" FROM users WHERE age > 30;", "src/main.go",
	"# Title\n\nA paragraph with \"quotes\" and a \\ in it.\n", "C:\\temp\\out.txt", "naïve café", "metric",
	"https://example.com/a?b=c&d=<e>", "line one\nline two\n\tindented", "👩‍💻 ships it 🚀", "O'Brien",
}

// appendArguments appends a call's arguments: a JSON object of n members, as text that is yet to be
// escaped. Its own strings are escaped once here and once more on the wire, which is where the `\\\"`
// of real argument streams come from.
func appendArguments(dst []byte, r *source, n int) []byte {
	dst = append(dst, '{')
	at := r.intn(len(argumentNames))
	for i := range n {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendQuoted(dst, argumentNames[(at+i)%len(argumentNames)], styleRaw)
		if i/len(argumentNames) > 0 { // names must not come twice
			dst = dst[:len(dst)-1]
			dst = append(strconv.AppendInt(dst, int64(i), 10), '"')
		}
		dst = append(dst, ':')
		dst = appendArgument(dst, r, 0)
	}
	return append(dst, '}')
}

func appendArgument(dst []byte, r *source, depth int) []byte {
	switch n := r.intn(10); {
	case n < 5 || depth > 2:
		return appendQuoted(dst, pick(r, argumentTexts), styleRaw)
	case n < 7:
		return strconv.AppendInt(dst, int64(r.between(-20, 5000)), 10)
	case n < 8:
		return append(dst, pick(r, []string{"true", "false", "null", "21.50", "1e3"})...)
	case n < 9:
		dst = append(dst, '[')
		for i := range r.between(1, 3) {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendArgument(dst, r, depth+1)
		}
		return append(dst, ']')
	}
	dst = append(dst, `{"kind":`...)
	dst = appendArgument(dst, r, depth+1)
	return append(dst, '}')
}

// cut is the length of the next delta of an argument text: a few characters, never half of one.
func cut(text []byte, r *source) int {
	n := min(r.between(1, 8), len(text))
	for n < len(text) && !utf8.RuneStart(text[n]) {
		n++
	}
	return n
}
