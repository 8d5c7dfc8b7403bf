package house_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strings"
	"testing"
)

// maxLines is the most that a Go file may have; most stay under 400.
const maxLines = 600

func brokenSizes(t *testing.T, fsys fs.FS) []string {
	t.Helper()
	var broken []string
	textFiles(t, fsys, func(name string, text []byte) {
		if path.Ext(name) != ".go" {
			return
		}
		if lines := bytes.Count(text, []byte("\n")); lines > maxLines {
			broken = append(broken, fmt.Sprintf("%s: %d lines, the most is %d", name, lines, maxLines))
		}
	})
	return broken
}

func TestGoFilesStayShort(t *testing.T) {
	holdModule(t, brokenSizes)
}

func TestSizeRuleSeesWhatBreaksIt(t *testing.T) {
	tryRule(t, brokenSizes, []ruleCase{
		{"at the limit", map[string]string{"a.go": strings.Repeat("\n", maxLines)}, nil},
		{"over it", map[string]string{"a_test.go": strings.Repeat("\n", maxLines+1)}, []string{
			"a_test.go: 601 lines, the most is 600",
		}},
		{"not Go", map[string]string{"a.md": strings.Repeat("\n", maxLines+1)}, nil},
	})
}

// The patterns are put together from pieces so that this file passes its own
// rule.
var (
	// A path of one machine starts at a quote, a blank or the like: the same
	// letters inside a longer path, a URL or a JSON pointer are something else.
	machinePath = regexp.MustCompile(`(?m)(?:^|[^A-Za-z0-9_./~$}*-])(` +
		`/(?:root|home|work|Users|tmp|var/tmp|usr/local|opt)` + `/[A-Za-z0-9_.-]` +
		`|[A-Z]:\\Users\\)`)

	registryHost = regexp.MustCompile(strings.Join([]string{
		`proxy\.golang\.` + `org`,
		`sum\.golang\.` + `org`,
		`registry\.npmjs\.` + `org`,
		`registry\.yarnpkg\.` + `com`,
		`\bpypi\.` + `org`,
		`pythonhosted\.` + `org`,
		`crates\.` + `io`,
		`repo1?\.maven\.` + `(?:apache\.)?org`,
		`deb\.debian\.` + `org`,
	}, "|"))
)

func brokenMentions(t *testing.T, fsys fs.FS) []string {
	t.Helper()
	var broken []string
	report := func(name string, text []byte, at int, what string) {
		line := 1 + bytes.Count(text[:at], []byte("\n"))
		broken = append(broken, fmt.Sprintf("%s:%d: %s", name, line, what))
	}
	textFiles(t, fsys, func(name string, text []byte) {
		for _, at := range machinePath.FindAllSubmatchIndex(text, -1) {
			report(name, text, at[2], "names a path of one machine")
		}
		for _, at := range registryHost.FindAllIndex(text, -1) {
			report(name, text, at[0], "names a package registry's host")
		}
	})
	return broken
}

func TestNoFileNamesAMachine(t *testing.T) {
	holdModule(t, brokenMentions)
}

func TestMentionRuleSeesWhatBreaksIt(t *testing.T) {
	const (
		path1 = "a:1: names a path of one machine"
		host1 = "a:1: names a package registry's host"
	)
	// Split like the patterns, and for the same reason.
	slash := "/"
	tryRule(t, brokenMentions, []ruleCase{
		{"clean", map[string]string{"a": "go test ./... && cat ../shared/x\n"}, nil},
		{"a home", map[string]string{"a": "see " + slash + "home/ann/x\n"}, []string{path1}},
		{"at a line's start", map[string]string{"a": slash + "root/x\n"}, []string{path1}},
		{"quoted", map[string]string{"a": "\"" + slash + "tmp/x\"\n"}, []string{path1}},
		{"on another line", map[string]string{"a": "x\ny " + slash + "work/x\n"}, []string{"a:2: names a path of one machine"}},
		{"inside a longer path", map[string]string{"a": "../shared" + slash + "work/x\n"}, nil},
		{"in a URL", map[string]string{"a": "https://example.com" + slash + "home/x\n"}, nil},
		{"a registry", map[string]string{"a": "https://proxy.golang." + "org/x\n"}, []string{host1}},
		{"a module of the same domain", map[string]string{"a": "golang.org/x/perf\n"}, nil},
		{"binary", map[string]string{"a": "\x00 " + slash + "root/x\n"}, nil},
	})
}
