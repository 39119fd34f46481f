package repository

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// What grows beyond these is looking for a second room: lines of a file and of a
// function, methods of a type.
const (
	mostLines     = 400
	mostStatement = 60
	mostMethods   = 40
)

// productFiles parses the Go files of the program, those for tests alone left out.
func productFiles(t *testing.T, fset *token.FileSet) map[string]*ast.File {
	t.Helper()
	all := map[string]*ast.File{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || d.Name() == "node_modules" || d.Name() == ".git" || isTestOnly(filepath.ToSlash(path))):
			return fs.SkipDir
		case d.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		all[path], err = parser.ParseFile(fset, path, text, parser.ParseComments)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 100 {
		t.Fatalf("found %d files, want the program's", len(all))
	}
	return all
}

func TestNothingOutgrowsItsRoom(t *testing.T) {
	fset := token.NewFileSet()
	methods := map[string]int{}
	for path, file := range productFiles(t, fset) {
		if n := fset.File(file.Pos()).LineCount(); n > mostLines {
			t.Errorf("%s has %d lines, want %d at most", path, n, mostLines)
		}
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			if n := fset.Position(f.End()).Line - fset.Position(f.Pos()).Line; n > mostStatement {
				t.Errorf("%s: %s has %d lines, want %d at most", fset.Position(f.Pos()), f.Name.Name, n, mostStatement)
			}
			if f.Recv != nil {
				methods[filepath.Dir(path)+"."+receiver(f.Recv.List[0].Type)]++
			}
		}
	}
	for name, n := range methods {
		if n > mostMethods {
			t.Errorf("%s has %d methods, want %d at most", name, n, mostMethods)
		}
	}
}

// receiver is the name of a receiver's type.
func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.IndexListExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}

// elsewhere matches what a comment may not say: who imports a package, which
// goes wrong unseen, and pages that are not in the repository.
var elsewhere = regexp.MustCompile(`Imported by|\b[Rr]uling [0-9]|\btext 00[0-9]`)

func TestCommentsNameWhatIsHere(t *testing.T) {
	fset := token.NewFileSet()
	for _, file := range productFiles(t, fset) {
		for _, group := range file.Comments {
			for _, c := range group.List {
				if m := elsewhere.FindString(c.Text); m != "" {
					t.Errorf("%s: a comment says %q", fset.Position(c.Pos()), m)
				}
			}
		}
	}
}
