package house_test

import (
	"go/ast"
	"go/token"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// arrows says which rooms a room may import. A room that is not named here is
// held to nothing.
var arrows = map[string][]string{
	"decode": {"decode"},
	"state":  {"state", "decode"},
	"shard":  {"shard"},
	"engine": {"engine", "state", "decode", "shard"},
	"bench":  {"bench", "engine", "state", "decode", "shard", "testdata"},
	"cmd":    {"cmd", "bench", "engine", "state", "decode", "testdata"},
}

// coreModules are the third-party modules that core packages stand on, and
// testModules those that their tests may use besides.
var (
	coreModules = []string{
		"github.com/valyala/fastjson",
		"github.com/bytedance/sonic",
		"github.com/panjf2000/ants/v2",
	}
	testModules = []string{
		"github.com/google/go-cmp",
		"go.uber.org/goleak",
		"github.com/evanphx/json-patch/v5",
	}
)

// outOfPlace are standard packages that a core room may not use: the rooms
// below engine do no I/O, and none of them prints on its own account or leans
// on an experiment.
var outOfPlace = map[string][]string{
	"decode": {"net", "net/http", "os", "log", "log/slog"},
	"state":  {"net", "net/http", "os", "log", "log/slog"},
	"shard":  {"net", "net/http", "os", "log", "log/slog"},
	"engine": {"log"},
}

var notInCore = []string{"C", "testing", "encoding/json/v2", "encoding/json/jsontext"}

func brokenImports(t *testing.T, fsys fs.FS) []string {
	t.Helper()
	var broken []string
	goFiles(t, fsys, func(name string, fset *token.FileSet, file *ast.File) {
		for _, spec := range file.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			if why := importFault(name, imported); why != "" {
				broken = append(broken, fset.Position(spec.Pos()).String()+": "+why)
			}
		}
	})
	return broken
}

// importFault says why the file may not import the package, "" when it may.
func importFault(name, imported string) string {
	room := roomOf(name)
	core := slices.Contains(coreRooms, room)
	if own, ours := strings.CutPrefix(imported, module+"/"); ours || imported == module {
		allowed, held := arrows[room]
		if !held || isTest(name) || slices.Contains(allowed, roomOf(own+"/")) {
			return ""
		}
		return room + " may not import " + imported
	}
	if !core {
		return ""
	}
	if isThirdParty(imported) {
		if within(coreModules, imported) || isTest(name) && within(testModules, imported) {
			return ""
		}
		return imported + " is not among the modules that " + room + " may take"
	}
	if !isTest(name) && (slices.Contains(outOfPlace[room], imported) || slices.Contains(notInCore, imported)) {
		return imported + " is out of place in " + room
	}
	return ""
}

// isThirdParty goes by the dot in a module path's first element, which no
// standard package has.
func isThirdParty(imported string) bool {
	first, _, _ := strings.Cut(imported, "/")
	return strings.Contains(first, ".")
}

func within(modules []string, imported string) bool {
	return slices.ContainsFunc(modules, func(m string) bool {
		return imported == m || strings.HasPrefix(imported, m+"/")
	})
}

func TestImportsFollowTheArrows(t *testing.T) {
	holdModule(t, brokenImports)
}

func TestImportRuleSeesWhatBreaksIt(t *testing.T) {
	file := func(imported string) string { return "package p\n\nimport _ \"" + imported + "\"\n" }
	tryRule(t, brokenImports, []ruleCase{
		{"along an arrow", map[string]string{"state/a.go": file(module + "/decode")}, nil},
		{"against an arrow", map[string]string{"state/a.go": file(module + "/engine")}, []string{
			"state/a.go:3:8: state may not import " + module + "/engine",
		}},
		{"a folder of another room", map[string]string{"decode/deep/a.go": file(module + "/state/deep")}, []string{
			"decode/deep/a.go:3:8: decode may not import " + module + "/state/deep",
		}},
		{"shard knows nothing of ours", map[string]string{"shard/a.go": file(module + "/decode")}, []string{
			"shard/a.go:3:8: shard may not import " + module + "/decode",
		}},
		{"the core never imports the bench", map[string]string{"engine/a.go": file(module + "/bench")}, []string{
			"engine/a.go:3:8: engine may not import " + module + "/bench",
		}},
		{"a test may look anywhere in the module", map[string]string{"decode/a_test.go": file(module + "/bench")}, nil},
		{"a module on the list", map[string]string{"state/a.go": file("github.com/valyala/fastjson")}, nil},
		{"a folder of a module on the list", map[string]string{"state/a.go": file("github.com/bytedance/sonic/ast")}, nil},
		{"a name that only starts like one", map[string]string{"state/a.go": file("github.com/valyala/fastjsonx")}, []string{
			"state/a.go:3:8: github.com/valyala/fastjsonx is not among the modules that state may take",
		}},
		{"a test's module in code", map[string]string{"shard/a.go": file("go.uber.org/goleak")}, []string{
			"shard/a.go:3:8: go.uber.org/goleak is not among the modules that shard may take",
		}},
		{"a test's module in a test", map[string]string{"shard/a_test.go": file("go.uber.org/goleak")}, nil},
		{"a module on no list in a test", map[string]string{"shard/a_test.go": file("example.com/assert")}, []string{
			"shard/a_test.go:3:8: example.com/assert is not among the modules that shard may take",
		}},
		{"outside the core", map[string]string{"bench/a.go": file("gonum.org/v1/plot")}, nil},
		{"the command never reaches the shards", map[string]string{"cmd/aguibench/a.go": file(module + "/shard")}, []string{
			"cmd/aguibench/a.go:3:8: cmd may not import " + module + "/shard",
		}},
		{"I/O below the engine", map[string]string{"decode/a.go": file("net/http")}, []string{
			"decode/a.go:3:8: net/http is out of place in decode",
		}},
		{"I/O in the engine", map[string]string{"engine/a.go": file("net/http")}, nil},
		{"an experiment", map[string]string{"engine/a.go": file("encoding/json/jsontext")}, []string{
			"engine/a.go:3:8: encoding/json/jsontext is out of place in engine",
		}},
		{"another module's folder", map[string]string{
			"engine/tool/go.mod": "module x\n",
			"engine/tool/a.go":   file("example.com/assert"),
		}, nil},
	})
}

// quietRooms start no goroutine: whoever calls them owns the only one.
var quietRooms = []string{"decode", "state"}

func brokenQuiet(t *testing.T, fsys fs.FS) []string {
	t.Helper()
	var broken []string
	goFiles(t, fsys, func(name string, fset *token.FileSet, file *ast.File) {
		if isTest(name) || !slices.Contains(quietRooms, roomOf(name)) {
			return
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if stmt, ok := n.(*ast.GoStmt); ok {
				broken = append(broken, fset.Position(stmt.Pos()).String()+": "+roomOf(name)+" starts a goroutine")
			}
			return true
		})
	})
	return broken
}

func TestDecodeAndStateStartNoGoroutine(t *testing.T) {
	holdModule(t, brokenQuiet)
}

func TestGoroutineRuleSeesWhatBreaksIt(t *testing.T) {
	const starts = "package p\n\nfunc f() { go f() }\n"
	tryRule(t, brokenQuiet, []ruleCase{
		{"in decode", map[string]string{"decode/a.go": starts}, []string{"decode/a.go:3:12: decode starts a goroutine"}},
		{"in a test of decode", map[string]string{"decode/a_test.go": starts}, nil},
		{"in shard", map[string]string{"shard/a.go": starts}, nil},
	})
}
