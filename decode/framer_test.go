package decode

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const (
	rs = `{"type":"RUN_STARTED","threadId":"t","runId":"r"}`
	rf = `{"type":"RUN_FINISHED","threadId":"t","runId":"r"}`
)

var framerCases = []struct {
	name   string
	stream string
	limit  int
	want   []wantFrame
}{
	{"F01 CRLF lines", "data: A\r\ndata: B\r\ndata: C\r\n\r\n", 0, []wantFrame{{"A\nB\nC", 0}}},
	{"F02a CRLF only", "data: " + rs + "\r\n\r\ndata: " + rf + "\r\n\r\n", 0,
		[]wantFrame{{rs, 0}, {rf, int64(len(rs)) + 10}}},
	{"F02b CR only", "data: a\r\rdata: b\r\r", 0, []wantFrame{{"a", 0}, {"b", 9}}},
	{"mixed line ends", "data: a\r\n\ndata: b\n\r\ndata: c\n\rdata: d\r\r\n", 0,
		[]wantFrame{{"a", 0}, {"b", 10}, {"c", 20}, {"d", 29}}},
	{"F04a mark", "\xEF\xBB\xBFdata: first\n\ndata: second\n\n", 0, []wantFrame{{"first", 3}, {"second", 16}}},
	{"F04d late mark", "data: first\n\n\xEF\xBB\xBFdata: second\n\n", 0, []wantFrame{{"first", 0}}},
	{"two marks", "\xEF\xBB\xBF\xEF\xBB\xBFdata: a\n\ndata: b\n\n", 0, []wantFrame{{"b", 15}}},
	{"half a mark", "\xEF\xBBdata: a\n\ndata: b\n\n", 0, []wantFrame{{"b", 11}}},
	{"a mark alone", "\xEF\xBB\xBF", 0, []wantFrame{}},
	{"F05a no space", "data:" + rs + "\n\ndata:" + rf + "\n\n", 0, []wantFrame{{rs, 0}, {rf, int64(len(rs)) + 7}}},
	{"F05b one space only", "data:  x\n\n", 0, []wantFrame{{" x", 0}}},
	{"F05c exact names", "data : x\nDATA: y\ndata: z\n\n", 0, []wantFrame{{"z", 17}}},
	{"names that begin alike", "dat: x\ndatas: y\ndata\tz\n\n", 0, []wantFrame{}},
	{"F06 blocks without data", "data: " + rs + "\n\n: ping\n\nretry: 3000\n\nevent: heartbeat\n\ndata: " + rf + "\n\n", 0,
		[]wantFrame{{rs, 0}, {rf, int64(len(rs)) + 47}}},
	{"F06 empty data", "data:\n\ndata\n\ndata: \n\n", 0, []wantFrame{{"", 0}, {"", 7}, {"", 13}}},
	{"empty data lines join", "data\ndata\n\ndata:\ndata: x\ndata\n\n", 0, []wantFrame{{"\n", 0}, {"\nx\n", 11}}},
	{"offset is the data line's", ": c\nid: 1\nevent: e\ndata: x\n\n", 0, []wantFrame{{"x", 19}}},
	{"comment inside a block", "data: a\n: note\ndata: b\n\n", 0, []wantFrame{{"a\nb", 0}}},
	{"fields after data", "data: a\nid: 7\nevent: e\nfoo\n\n", 0, []wantFrame{{"a", 0}}},
	{"F07a no blank line, no line end", "data: " + rs + "\n\ndata: " + rf, 0, []wantFrame{{rs, 0}, {rf, int64(len(rs)) + 8}}},
	{"F07b no blank line", "data: " + rs + "\n\ndata: " + rf + "\n", 0, []wantFrame{{rs, 0}, {rf, int64(len(rs)) + 8}}},
	{"F07 CR at the end", "data: " + rf + "\r", 0, []wantFrame{{rf, 0}}},
	{"F07 torn", "data: " + rs + "\n\ndata: " + rf[:len(rf)-1], 0, []wantFrame{{rs, 0}}},
	{"F07 torn with a line end", "data: " + rs + "\n\ndata: " + rf[:20] + "\n", 0, []wantFrame{{rs, 0}}},
	{"F07 half a line completes", "data: {\"a\":\ndata: 1}", 0, []wantFrame{{"{\"a\":\n1}", 0}}},
	{"F07 half a line of another field", "data: {}\neve", 0, []wantFrame{{"{}", 0}}},
	{"F07 half a field name", "data: {}\n\nda", 0, []wantFrame{{"{}", 0}}},
	{"F07 empty data doesn't count", "data:", 0, []wantFrame{}},
	{"F07 half a comment", "data: {}\n: and so", 0, []wantFrame{{"{}", 0}}},
	{"F09a endless data", "data: a\n\ndata: " + strings.Repeat("x", 40), 32, []wantFrame{{"a", 0}, {"limit", 9 + 32}}},
	{"F09b endless lines", strings.Repeat("data: x\n", 40), 32, []wantFrame{{"limit", 8*14 + 5}}},
	{"F09c endless id", "id: " + strings.Repeat("x", 40), 32, []wantFrame{{"limit", 32}}},
	{"endless event", "event: " + strings.Repeat("x", 40) + "\n\n", 32, []wantFrame{{"limit", 32}}},
	{"endless unknown field", strings.Repeat("x", 40) + "\n\n", 32, []wantFrame{{"limit", 32}}},
	{"endless comment", ":" + strings.Repeat("x", 400) + "\ndata: a\n\n", 32, []wantFrame{{"a", 402}}},
	{"id, event and data together", "id: 0123456789\nevent: 0123456789\ndata: 0123456\n\n", 32, []wantFrame{{"limit", 33 + 12}}},
	{"an id of an earlier block", "id: 0123456789\n\nevent: 0123456789\n\ndata: 0123456789012345\n\n", 32, []wantFrame{{"0123456789012345", 35}}},
	{"just under the limit", "data: " + strings.Repeat("x", 26) + "\n\n", 32, []wantFrame{{strings.Repeat("x", 26), 0}}},
	{"just over the limit", "data: " + strings.Repeat("x", 27) + "\n\n", 32, []wantFrame{{"limit", 32}}},
	{"nothing after an error", strings.Repeat("x", 40) + "\n\ndata: a\n\n", 32, []wantFrame{{"limit", 32}}},
	{"F11 characters", "data: {\"type\":\"CUSTOM\",\"name\":\"n\",\"value\":\"é✅😀\"}\n\n", 0,
		[]wantFrame{{"{\"type\":\"CUSTOM\",\"name\":\"n\",\"value\":\"é✅😀\"}", 0}}},
	{"F11 bad UTF-8", "data: \"a\xFFb\"\n\n", 0, []wantFrame{{"\"a\xFFb\"", 0}}},
	{"NUL", "data: a\x00b\nid: 1\x002\n\n", 0, []wantFrame{{"a\x00b", 0}}},
	{"blank lines only", "\n\r\r\n\n", 0, []wantFrame{}},
	{"nothing", "", 0, []wantFrame{}},
}

func TestFramerAtEverySplit(t *testing.T) {
	for _, tc := range framerCases {
		t.Run(tc.name, func(t *testing.T) {
			stream := []byte(tc.stream)
			limit := tc.limit
			if limit == 0 {
				limit = DefaultFrameLimit
			}
			if diff := cmp.Diff(tc.want, referenceFrames(stream, limit, json.Valid)); diff != "" {
				t.Errorf("the reference (-want +got):\n%s", diff)
			}
			check := func(name string, cut func(int) int) {
				t.Helper()
				got := framesOf(&Framer{Limit: tc.limit}, stream, cut)
				if diff := cmp.Diff(tc.want, got); diff != "" {
					t.Errorf("%s (-want +got):\n%s", name, diff)
				}
			}
			check("whole", pieces(len(stream)+1))
			check("byte by byte", pieces(1))
			check("by twos", pieces(2))
			check("by sevens", pieces(7))
			for i := 0; i <= len(stream); i++ {
				check(fmt.Sprint("cut at ", i), splitAt(i))
				check(fmt.Sprint("an empty read at ", i), splitAt(i, i))
			}
		})
	}
}

func TestFramerTakesLongLines(t *testing.T) {
	const frame = len(`{"type":"TOOL_CALL_ARGS","toolCallId":"c","delta":""}`)
	for _, size := range []int{70_000, 1 << 20, DefaultFrameLimit - len("data: ") - frame} {
		data := `{"type":"TOOL_CALL_ARGS","toolCallId":"c","delta":"` + strings.Repeat("x", size) + `"}`
		stream := []byte("data: " + data + "\n\n")
		for _, chunk := range []int{len(stream), 1 << 10, 65_537} {
			got := framesOf(new(Framer), stream, pieces(chunk))
			if len(got) != 1 || got[0].Data != data {
				t.Errorf("%d bytes by %d: %d frames", size, chunk, len(got))
			}
		}
		over := framesOf(new(Framer), append([]byte("data:  "), stream[6:]...), pieces(1<<16))
		if full := size+frame+7 > DefaultFrameLimit; full != (len(over) == 1 && over[0].Data == "limit") {
			t.Errorf("%d bytes and one: over the limit should be %v", size, full)
		}
	}
}

func TestFramerLendsWholeFrames(t *testing.T) {
	var f Framer
	chunk := []byte("data: {}\n\n: c\ndata:{\"a\":1}\r\n\r\ndata: x\n\n")
	f.Feed(chunk)
	for _, at := range []int{6, 19, 36} {
		fr, ok := f.Next()
		if !ok || &fr.Data[0] != &chunk[at] {
			t.Errorf("the frame at %d is no part of the chunk: %q %v", at, fr.Data, ok)
		}
		if cap(fr.Data) != len(fr.Data) {
			t.Errorf("the frame at %d lends room behind it", at)
		}
	}
}

func TestFramerFeedBeforeTheChunkIsUsedUp(t *testing.T) {
	var f Framer
	var got []string
	f.Feed([]byte("data: a\n\ndata: b\ndata: "))
	fr, _ := f.Next()
	got = append(got, string(fr.Data))
	f.Feed([]byte("c\n"))
	f.Feed([]byte("\ndata: d\n\n"))
	for fr, ok := f.Next(); ok; fr, ok = f.Next() {
		got = append(got, fmt.Sprintf("%s@%d", fr.Data, fr.Offset))
	}
	if diff := cmp.Diff([]string{"a", "b\nc@9", "d@26"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestFramerKeepsTheUnusedFields(t *testing.T) {
	type fields struct {
		ID, Event string
		Retry     int64
	}
	for _, chunk := range []int{1, 5, 1000} {
		var f Framer
		var got []fields
		stream := []byte("id: 1\nevent: a\ndata: x\n\ndata: y\n\nid\nretry: 20\nretry: 2x\nretry:\ndata: z\n\nid: a\x00\ndata: w\n\nid: 9\n\ndata: v\n\n")
		for rest := stream; len(rest) > 0; {
			n := min(chunk, len(rest))
			f.Feed(rest[:n])
			rest = rest[n:]
			for _, ok := f.Next(); ok; _, ok = f.Next() {
				got = append(got, fields{string(f.LastEventID()), string(f.EventName()), f.Retry()})
			}
		}
		want := []fields{{"1", "a", 0}, {"1", "", 0}, {"", "", 20}, {"", "", 20}, {"9", "", 20}}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("by %d: %s", chunk, diff)
		}
	}
}

func TestFramerErrorNamesTheLimit(t *testing.T) {
	f := Framer{Limit: 1000}
	f.Feed(bytes.Repeat([]byte("x"), 1001))
	if _, ok := f.Next(); ok || f.Err() == nil {
		t.Fatalf("no error: %v", f.Err())
	}
	want := &Error{Kind: KindDecode, Offset: 1000, Reason: "pending bytes of a frame over the limit", Limit: 1000}
	if diff := cmp.Diff(want, f.Err()); diff != "" {
		t.Error(diff)
	}
	if got := f.Err().Error(); got != "pending bytes of a frame over the limit of 1000 at byte 1000" {
		t.Error(got)
	}
	if f.buf != nil {
		t.Error("memory is kept after the error")
	}
}

func TestFramerReset(t *testing.T) {
	f := Framer{Limit: 50}
	f.Feed([]byte("\xEF\xBB\xBFid: 1\nretry: 5\ndata: torn"))
	f.Next()
	f.Reset()
	want := framesOf(&Framer{}, []byte("\xEF\xBB\xBFdata: a\n\n"), pieces(100))
	if diff := cmp.Diff(want, framesOf(&f, []byte("\xEF\xBB\xBFdata: a\n\n"), pieces(100))); diff != "" {
		t.Error(diff)
	}
	if len(f.LastEventID()) != 0 || f.Retry() != 0 || f.Limit != 50 {
		t.Errorf("%q %d %d", f.LastEventID(), f.Retry(), f.Limit)
	}
}

func TestFramerLetsLargeBuffersGo(t *testing.T) {
	for _, small := range []string{"data: small\n\n", "\n\ndata: to", ": note\n"} {
		var f Framer
		for rest := []byte("data: " + strings.Repeat("x", 1<<20) + "\n\n"); len(rest) > 0; {
			n := min(4096, len(rest))
			f.Feed(rest[:n])
			rest = rest[n:]
			for _, ok := f.Next(); ok; _, ok = f.Next() {
			}
		}
		if cap(f.buf) < 1<<20 {
			t.Fatal("the frame wasn't carried")
		}
		for range 2 * idleFeeds {
			f.Feed([]byte(small))
			for _, ok := f.Next(); ok; _, ok = f.Next() {
			}
		}
		if cap(f.buf) > keptBuffer {
			t.Errorf("%q: %d bytes are kept", small, cap(f.buf))
		}
	}
}

func TestFramerCommentsTakeNoMemory(t *testing.T) {
	f := Framer{Limit: 100}
	f.Feed([]byte(":"))
	f.Next()
	for range 1000 {
		f.Feed(bytes.Repeat([]byte("x"), 1000))
		f.Next()
	}
	if f.Err() != nil || cap(f.buf) > 0 {
		t.Errorf("%v, %d bytes", f.Err(), cap(f.buf))
	}
}

// F10: one frame in tiny reads takes time linear in its size.
func TestFramerIsLinear(t *testing.T) {
	if raceEnabled || testing.Short() {
		t.Skip("times say nothing here")
	}
	for _, tc := range []struct {
		name        string
		size, chunk int
		unit        string
	}{
		{"1 KiB reads", 1 << 20, 1 << 10, "x"},
		{"1-byte reads", 128 << 10, 1, "x"},
		{"many data lines", 512 << 10, 1 << 10, "x\ndata: "},
		{"CR only in one read", 512 << 10, 16 << 20, "x\rdata: "},
		{"CR frames in one read", 512 << 10, 16 << 20, "x\r\rdata: "},
		{"LF frames in one read", 512 << 10, 16 << 20, "x\n\ndata: "},
	} {
		t.Run(tc.name, func(t *testing.T) {
			took := func(size int) time.Duration {
				stream := []byte("data: " + strings.Repeat(tc.unit, size/len(tc.unit)) + "\n\n")
				best := time.Hour
				for range 3 {
					f := Framer{Limit: 1 << 30}
					start := time.Now()
					for rest := stream; len(rest) > 0; {
						n := min(tc.chunk, len(rest))
						f.Feed(rest[:n])
						rest = rest[n:]
						for _, ok := f.Next(); ok; _, ok = f.Next() {
						}
					}
					best = min(best, time.Since(start))
				}
				return best
			}
			// Eight times the size: a quadratic framer takes 64 times as long, a linear one 8, or somewhat more where the
			// larger buffer misses the caches. The best of all tries counts: a busy machine only ever adds.
			const most = 8 * 2.5
			large, small := took(8*tc.size), took(tc.size)
			for tries := 0; float64(large) > most*float64(small) && tries < 10; tries++ {
				time.Sleep(20 * time.Millisecond)
				large, small = min(large, took(8*tc.size)), min(small, took(tc.size))
			}
			if ratio := float64(large) / float64(small); ratio > most {
				t.Errorf("eight times the size takes %.1f times as long", ratio)
			}
		})
	}
}

// randomStream strings together what streams are made of, and what tears them.
func randomStream(r *rand.Rand) []byte {
	parts := []string{"data: ", "data:", "data", "{}", "x", "\n", "\n\n", "\r", "\r\n", "\r\n\r\n", ":", ": c", "id: 1", "event: e", " ", "\xEF\xBB\xBF", "\x00", "é", "retry: 1", "dat"}
	var b []byte
	for range r.IntN(30) {
		b = append(b, parts[r.IntN(len(parts))]...)
	}
	return b
}

func TestFramerAgainstTheReference(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		stream := randomStream(r)
		limit := 20 + r.IntN(40)
		want := referenceFrames(stream, limit, json.Valid)
		got := framesOf(&Framer{Limit: limit}, stream, func(rest int) int { return min(rest, r.IntN(9)) })
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%q under %d (-want +got):\n%s", stream, limit, diff)
		}
	}
}
