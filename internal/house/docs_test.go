package house_test

import (
	"go/ast"
	"go/token"
	"io/fs"
	"slices"
	"testing"
)

// brokenDocs finds the exported names of the core rooms that have no comment:
// functions, methods, types, constants, variables and interface methods. A
// grouped constant or variable may lean on its group's comment, a struct's
// fields on their type's.
func brokenDocs(t *testing.T, fsys fs.FS) []string {
	t.Helper()
	var broken []string
	packages := map[string]bool{}
	goFiles(t, fsys, func(name string, fset *token.FileSet, file *ast.File) {
		if isTest(name) || !slices.Contains(coreRooms, roomOf(name)) {
			return
		}
		room := roomOf(name)
		packages[room] = packages[room] || file.Doc != nil
		d := docReader{fset: fset}
		for _, decl := range file.Decls {
			d.decl(decl)
		}
		broken = append(broken, d.broken...)
	})
	for _, room := range coreRooms {
		if documented, seen := packages[room]; seen && !documented {
			broken = append(broken, room+": the package has no doc comment")
		}
	}
	return broken
}

type docReader struct {
	fset   *token.FileSet
	broken []string
}

func (d *docReader) miss(name *ast.Ident) {
	d.broken = append(d.broken, d.fset.Position(name.Pos()).String()+": "+name.Name+" has no doc comment")
}

func (d *docReader) decl(decl ast.Decl) {
	switch decl := decl.(type) {
	case *ast.FuncDecl:
		if decl.Name.IsExported() && decl.Doc == nil && exportedReceiver(decl) {
			d.miss(decl.Name)
		}
	case *ast.GenDecl:
		for _, spec := range decl.Specs {
			d.spec(decl, spec)
		}
	}
}

func (d *docReader) spec(decl *ast.GenDecl, spec ast.Spec) {
	switch spec := spec.(type) {
	case *ast.ValueSpec:
		if decl.Doc != nil || spec.Doc != nil || spec.Comment != nil {
			return
		}
		for _, name := range spec.Names {
			if name.IsExported() {
				d.miss(name)
			}
		}
	case *ast.TypeSpec:
		if !spec.Name.IsExported() {
			return
		}
		doc := spec.Doc
		if doc == nil && !decl.Lparen.IsValid() {
			doc = decl.Doc
		}
		if doc == nil {
			d.miss(spec.Name)
		}
		if typ, ok := spec.Type.(*ast.InterfaceType); ok {
			d.methods(typ)
		}
	}
}

func (d *docReader) methods(typ *ast.InterfaceType) {
	for _, method := range typ.Methods.List {
		for _, name := range method.Names {
			if name.IsExported() && method.Doc == nil && method.Comment == nil {
				d.miss(name)
			}
		}
	}
}

func exportedReceiver(decl *ast.FuncDecl) bool {
	if decl.Recv == nil {
		return true
	}
	typ := decl.Recv.List[0].Type
	for {
		switch t := typ.(type) {
		case *ast.StarExpr:
			typ = t.X
		case *ast.IndexExpr:
			typ = t.X
		case *ast.IndexListExpr:
			typ = t.X
		case *ast.Ident:
			return t.IsExported()
		default:
			return false
		}
	}
}

func TestExportedNamesAreDocumented(t *testing.T) {
	holdModule(t, brokenDocs)
}

func TestDocRuleSeesWhatBreaksIt(t *testing.T) {
	const head = "// Package p is one.\npackage p\n\n"
	in := func(text string) map[string]string { return map[string]string{"state/a.go": head + text} }
	missing := func(places ...string) []string {
		var want []string
		for _, place := range places {
			want = append(want, "state/a.go:"+place+" has no doc comment")
		}
		return want
	}
	tryRule(t, brokenDocs, []ruleCase{
		{"function", in("func F() {}\n"), missing("4:6: F")},
		{"function with a comment", in("// F is one.\nfunc F() {}\n"), nil},
		{"unexported function", in("func f() {}\n"), nil},
		{"method", in("// T is one.\ntype T struct{}\n\nfunc (t *T) M() {}\n"), missing("7:13: M")},
		{"method of a generic type", in("// T is one.\ntype T[K any] struct{}\n\nfunc (t T[K]) M() {}\n"), missing("7:15: M")},
		{"method of an unexported type", in("type t struct{}\n\nfunc (t) M() {}\n"), nil},
		{"type", in("type T int\n"), missing("4:6: T")},
		{"type under a group's comment", in("// Group.\ntype (\n\tT int\n)\n"), missing("6:2: T")},
		{"constant", in("const C = 1\n"), missing("4:7: C")},
		{"constants under a group's comment", in("// Group.\nconst (\n\tA = 1\n\tB = 2\n)\n"), nil},
		{"constants with a comment for some", in("const (\n\t// A is one.\n\tA = 1\n\tB = 2\n\tC = 3 // one too\n)\n"), missing("7:2: B")},
		{"variable", in("var V = 1\n"), missing("4:5: V")},
		{"fields", in("// T is one.\ntype T struct {\n\tA int\n}\n"), nil},
		{"interface method", in("// T is one.\ntype T interface {\n\tM()\n}\n"), missing("6:2: M")},
		{"package", map[string]string{"state/a.go": "package p\n"}, []string{"state: the package has no doc comment"}},
		{"outside the core", map[string]string{"bench/a.go": "package p\n\nfunc F() {}\n"}, nil},
		{"test", map[string]string{"state/a.go": head, "state/a_test.go": "package p\n\nfunc F() {}\n"}, nil},
	})
}
