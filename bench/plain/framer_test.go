package plain

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// frames gives the frames of pieces fed one after another, as "offset:data".
func frames(pieces ...string) (list []string, err error) {
	var f framer
	take := func(data []byte, offset int64) { list = append(list, fmt.Sprintf("%d:%s", offset, data)) }
	for _, piece := range pieces {
		if err = f.feed([]byte(piece), take); err != nil {
			return list, err
		}
	}
	f.finish(take)
	return list, nil
}

func TestFramer(t *testing.T) {
	long := `{"delta":"` + strings.Repeat("x", 70_000) + `"}`
	for _, c := range []struct {
		name, input string
		want        []string
	}{
		{"F01 CRLF is one line end", "data: A\r\ndata: B\r\ndata: C\r\n\r\n", []string{"0:A\nB\nC"}},
		{"F02 CRLF only", "data: a\r\n\r\ndata: b\r\n\r\n", []string{"0:a", "11:b"}},
		{"F02 CR only", "data: a\r\rdata: b\r\r", []string{"0:a", "9:b"}},
		{"mixed line ends", "data: a\n\rdata: b\r\n\ndata: c\r\r\n", []string{"0:a", "9:b", "19:c"}},
		{"F04 byte-order mark", "\xEF\xBB\xBFdata: first\n\ndata: second\n\n", []string{"3:first", "16:second"}},
		{"F04 a later mark is part of a name", "data: first\n\n\xEF\xBB\xBFdata: second\n\n", []string{"0:first"}},
		{"F05 no space", "data:a\n\n", []string{"0:a"}},
		{"F05 one space only", "data:  x\n\n", []string{"0: x"}},
		{"F05 names are exact", "data : x\nDATA: y\ndata: z\n\n", []string{"17:z"}},
		{"F06 blocks without data", "data: a\n\n: ping\n\nretry: 3000\n\nevent: heartbeat\n\ndata: b\n\n", []string{"0:a", "48:b"}},
		{"F06 empty data is dispatched", "data:\n\ndata\n\n", []string{"0:", "7:"}},
		{"F07 without the blank line", "data: 1\n\ndata: {}", []string{"0:1", "9:{}"}},
		{"F07 with the line's end only", "data: {}\n", []string{"0:{}"}},
		{"F07 a torn frame is dropped", "data: 1\n\ndata: {\"a\"", []string{"0:1"}},
		{"F07 a half line that adds nothing", "data: {}\nda", []string{"0:{}"}},
		{"F08 a long line", "data: " + long + "\n\n", []string{"0:" + long}},
		{"F11 characters of several bytes", "data: é✅😀\n\n", []string{"0:é✅😀"}},
		{"id with NUL and without", "id: a\x00b\nid: c\ndata: x\n\n", []string{"14:x"}},
		{"a colon in the value", "data: a:b\n\n", []string{"0:a:b"}},
		{"nothing", "", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			check := func(pieces ...string) {
				t.Helper()
				got, err := frames(pieces...)
				if diff := cmp.Diff(c.want, got); diff != "" || err != nil {
					t.Fatalf("%d pieces (-want +got), %v:\n%s", len(pieces), err, diff)
				}
			}
			check(c.input)
			check(strings.Split(c.input, "")...)
			if len(c.input) > 1000 {
				return
			}
			for i := range len(c.input) + 1 {
				check(c.input[:i], "", c.input[i:])
			}
		})
	}
}

func TestFramerLimit(t *testing.T) {
	for _, c := range []struct {
		name, head, more string
		offset           int64
	}{
		{"F09 a line without an end", "data: 1\n\ndata: ", "x", 9},
		{"F09 data without a blank line", "data: y\n", "data: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n", 0},
		{"F09 an endless id", "data: 1\n\nid: ", "x", 9},
		{"an endless comment", ":", "x", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			whole := c.head + strings.Repeat(c.more, 2*frameLimit/len(c.more))
			for _, size := range []int{len(whole), 64 << 10, 1021} {
				var f framer
				var err error
				fed := 0
				for fed < len(whole) && err == nil {
					n := min(size, len(whole)-fed)
					err = f.feed([]byte(whole[fed:fed+n]), func([]byte, int64) {})
					fed += n
				}
				if err == nil || !strings.Contains(err.Error(), "8388608") {
					t.Fatalf("pieces of %d: error %v names no limit", size, err)
				}
				if f.dataAt != c.offset {
					t.Errorf("pieces of %d: offset %d, want %d", size, f.dataAt, c.offset)
				}
				if pending := cap(f.line) + cap(f.data); size < len(whole) && pending > 4*frameLimit {
					t.Errorf("pieces of %d: %d bytes pending", size, pending)
				}
			}
		})
	}
	t.Run("just under the cap", func(t *testing.T) {
		data := strings.Repeat("x", frameLimit-len("data: "))
		got, err := frames("data: "+data, "\n\n")
		if err != nil || len(got) != 1 || len(got[0]) != len(data)+2 {
			t.Errorf("%d frames, %v", len(got), err)
		}
	})
}

// TestFramerIsLinear feeds one large event in small reads (F10).
func TestFramerIsLinear(t *testing.T) {
	cost := func(size, piece int) time.Duration {
		text := "data: " + strings.Repeat("x", size) + "\n\n"
		best := time.Hour
		for range 3 {
			start := time.Now()
			var f framer
			for at := 0; at < len(text); at += piece {
				if err := f.feed([]byte(text[at:min(at+piece, len(text))]), func([]byte, int64) {}); err != nil {
					t.Fatal(err)
				}
			}
			best = min(best, time.Since(start))
		}
		return best
	}
	for _, piece := range []int{1, 1024} {
		small, large := cost(1<<20, piece), cost(7<<20, piece)
		for tries := 0; large > 25*small && tries < 5; tries++ { // a busy machine only ever adds
			small, large = min(small, cost(1<<20, piece)), min(large, cost(7<<20, piece))
		}
		if large > 25*small {
			t.Errorf("reads of %d: 1 MiB takes %v, 7 MiB %v", piece, small, large)
		}
	}
}
