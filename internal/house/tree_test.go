package house_test

import (
	"bytes"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

const module = "github.com/aguistream/aguistream"

// coreRooms are the packages that embedders take in.
var coreRooms = []string{"decode", "state", "shard", "engine"}

// moduleTree is the module as it lies on disk; tests run in their package's
// folder, two below the root.
func moduleTree() fs.FS { return os.DirFS("../..") }

// tree makes a small file tree for trying a rule on.
func tree(files map[string]string) fs.FS {
	m := fstest.MapFS{}
	for name, text := range files {
		m[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return m
}

// roomOf is the top-level folder that a path lies in, "" for the root.
func roomOf(name string) string {
	room, _, found := strings.Cut(name, "/")
	if !found {
		return ""
	}
	return room
}

func isTest(name string) bool { return strings.HasSuffix(name, "_test.go") }

// textFiles calls visit for every file of the tree that is text, leaving out
// git's own folder.
func textFiles(t *testing.T, fsys fs.FS, visit func(name string, text []byte)) {
	t.Helper()
	err := fs.WalkDir(fsys, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if name == ".git" {
				return fs.SkipDir
			}
			return nil
		}
		if !entry.Type().IsRegular() {
			return nil
		}
		text, err := fs.ReadFile(fsys, name)
		if errors.Is(err, fs.ErrNotExist) {
			return nil // another test's file, gone since the folder was read
		}
		if err != nil {
			return err
		}
		if !bytes.Contains(text[:min(len(text), 8000)], []byte{0}) {
			visit(name, text)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// goFiles calls visit for every parsed Go file of this module, test files and
// build-tagged ones included, and leaves out modules nested in it.
func goFiles(t *testing.T, fsys fs.FS, visit func(name string, fset *token.FileSet, file *ast.File)) {
	t.Helper()
	fset := token.NewFileSet()
	var nested []string
	textFiles(t, fsys, func(name string, _ []byte) {
		if path.Base(name) == "go.mod" && name != "go.mod" {
			nested = append(nested, path.Dir(name)+"/")
		}
	})
	textFiles(t, fsys, func(name string, text []byte) {
		if path.Ext(name) != ".go" || slices.ContainsFunc(nested, func(dir string) bool {
			return strings.HasPrefix(name, dir)
		}) {
			return
		}
		file, err := parser.ParseFile(fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		visit(name, fset, file)
	})
}

// ruleCase tries a rule on a made-up tree.
type ruleCase struct {
	name  string
	files map[string]string
	want  []string
}

func tryRule(t *testing.T, rule func(*testing.T, fs.FS) []string, cases []ruleCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, rule(t, tree(c.files))); diff != "" {
				t.Errorf("broken rules (-want +got):\n%s", diff)
			}
		})
	}
}

// holdModule fails once for each place of the module that breaks the rule.
func holdModule(t *testing.T, rule func(*testing.T, fs.FS) []string) {
	t.Helper()
	for _, broken := range rule(t, moduleTree()) {
		t.Error(broken)
	}
}

func TestTheModuleIsWhereTheRulesLook(t *testing.T) {
	text, err := fs.ReadFile(moduleTree(), "go.mod")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(string(text), "module "+module+"\n") {
		t.Errorf("go.mod is not that of %s", module)
	}
}
