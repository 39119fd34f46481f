package repository

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// ownConnections may create clients and dialers, because they call no service
// or implement the policy.
var ownConnections = map[string]string{
	"internal/outbound": "it is the policy",
	"internal/app":      "it asks over UDP whether packets come back",
}

// TestClientsAreMadeInOnePlace finds product code that creates an HTTP client
// or connections outside package outbound, because such a client would follow
// redirects anywhere, with all of the request's data. A client passed to
// outbound as an argument is allowed.
func TestClientsAreMadeInOnePlace(t *testing.T) {
	files := productFiles(t)
	if len(files) < 500 {
		t.Fatalf("%d files were looked through, want the whole product", len(files))
	}
	for _, name := range files {
		dir := filepath.ToSlash(filepath.Dir(name))
		if ownConnections[dir] != "" {
			continue
		}
		for _, found := range clientsIn(t, name, nil) {
			t.Errorf("%s: %s; make it by outbound.Client or outbound.Dial", found.at, found.what)
		}
	}
}

// TestClientsAreFound runs the check on code that it must reject.
func TestClientsAreFound(t *testing.T) {
	for _, row := range []struct {
		code  string
		found bool
	}{
		{`http.DefaultClient.Do(nil)`, true},
		{`http.Get("https://example.com")`, true},
		{`http.Post("", "", nil)`, true},
		{`_ = http.DefaultTransport`, true},
		{`_ = &http.Client{}`, true},
		{`_ = http.Client{}`, true},
		{`var _ http.Client`, true},
		{`_ = &http.Transport{}`, true},
		{`_ = websocket.DefaultDialer`, true},
		{`_ = net.Dialer{}`, true},
		{`net.Dial("tcp", "")`, true},
		{`_ = outbound.Client(nil, outbound.Policy{})`, false},
		{`_ = outbound.Client(&http.Client{Transport: t}, outbound.Policy{})`, false},
		{`_ = outbound.Dial(&net.Dialer{})`, false},
		{`var _ *http.Client`, false},
		{`_ = new(http.Client)`, true},
	} {
		if got := len(clientsIn(t, "code.go", []byte("package p\nfunc f() {\n"+row.code+"\n}\n"))) > 0; got != row.found {
			t.Errorf("%s: found: %t, want %t", row.code, got, row.found)
		}
	}
}

type found struct {
	at   token.Position
	what string
}

// forbidden are the names of functions and types that connect without the
// policy.
var forbidden = map[string]bool{
	"http.DefaultClient": true, "http.DefaultTransport": true, "http.Get": true, "http.Post": true, "http.PostForm": true, "http.Head": true,
	"net.Dial": true, "net.DialTimeout": true, "tls.Dial": true, "websocket.DefaultDialer": true,
	"http.Client": true, "http.Transport": true, "net.Dialer": true, "tls.Dialer": true,
}

// clientsIn lists a file's ways to connect outside package outbound.
func clientsIn(t *testing.T, name string, code []byte) (all []found) {
	var source any
	if code != nil {
		source = bytes.NewReader(code)
	}
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, source, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var look func(ast.Node) bool
	look = func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.StarExpr: // a client's type in a signature
			if s, is := n.X.(*ast.SelectorExpr); is && selected(s) == "http.Client" || is && selected(s) == "http.Transport" {
				return false
			}
		case *ast.CallExpr:
			if s, is := n.Fun.(*ast.SelectorExpr); is && strings.HasPrefix(selected(s), "outbound.") {
				for _, arg := range n.Args[min(1, len(n.Args)):] {
					ast.Inspect(arg, look)
				}
				return false // the first argument is guarded
			}
		case *ast.SelectorExpr:
			if what := selected(n); forbidden[what] {
				all = append(all, found{set.Position(n.Pos()), what})
			}
		}
		return true
	}
	ast.Inspect(file, look)
	return all
}

func selected(s *ast.SelectorExpr) string {
	if x, is := s.X.(*ast.Ident); is {
		return x.Name + "." + s.Sel.Name
	}
	return ""
}

// productFiles returns the Go files of the program.
func productFiles(t *testing.T) (files []string) {
	for _, top := range []string{"cmd", "internal", "pkg"} {
		err := filepath.WalkDir(top, func(name string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if d.IsDir() && (d.Name() == "testdata" || within(filepath.ToSlash(name), []string{"internal/lab", "internal/repository", "pkg/provider/stt/stttest"})) {
				return filepath.SkipDir
			}
			if strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") && !isIgnored(name) {
				files = append(files, name)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// isIgnored reports whether a file is a separate program.
func isIgnored(name string) bool {
	head, err := os.ReadFile(name)
	return err == nil && bytes.Contains(head[:min(len(head), 500)], []byte("//go:build ignore"))
}
