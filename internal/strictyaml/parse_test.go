package strictyaml_test

import (
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/MrWong99/glyphoxa/internal/strictyaml"
)

func TestParse(t *testing.T) {
	for _, row := range []struct {
		name, text string
		// line and what of the flaw; 0 is none.
		line int
		what string
	}{
		{"a document", "name: Mere\n", 0, ""},
		{"a byte order mark", "\uFEFFname: Mere\n", 0, ""},
		{"nothing", "", 0, ""},
		{"a comment", "# later\n", 0, ""},
		{"two documents", "name: Mere\n---\nname: Moor\n", 2, "a second document begins here"},
		{"no YAML", "name: [\n", 1, "this is not valid YAML"},
		{"tabs", "a:\n\tb: c\n", 2, "cannot start any token"},
		{"no anchor", "a: 1\nb: *secret\n", 2, "an alias (*) whose anchor"},
		{"not UTF-8", "a:\n  b: \xff\n", 2, "not UTF-8"},
		{"UTF-16", "\xff\xfea\x00", 1, "UTF-16"},
		{"a bell", "a: \x07\n", 1, "an invisible character (U+0007)"},
		{"too much", strings.Repeat("#\n", 600), 1, "larger than 1 KiB"},
	} {
		root, flaw := strictyaml.Parse([]byte(row.text), 1<<10)
		switch {
		case row.line == 0 && flaw != nil:
			t.Errorf("%s: flaw %+v, want none", row.name, flaw)
		case row.line == 0 && root == nil && strings.Contains(row.text, "name"):
			t.Errorf("%s: there is nothing, want a mapping", row.name)
		case row.line == 0 && root != nil && root.Kind != yaml.MappingNode:
			t.Errorf("%s: root is of kind %v, want a mapping", row.name, root.Kind)
		case row.line > 0 && (flaw == nil || root != nil):
			t.Errorf("%s: passed, want a flaw on line %d", row.name, row.line)
		case row.line > 0 && (flaw.Line != row.line || !strings.Contains(flaw.What, row.what) || flaw.Fix == ""):
			t.Errorf("%s: flaw %+v, want %q on line %d and what to do", row.name, flaw, row.what, row.line)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("name: Mere\nlist: [1, {a: b}]\n")
	f.Add("--- a\n--- b\n")
	f.Add("&a [*a]")
	f.Fuzz(func(t *testing.T, text string) {
		root, flaw := strictyaml.Parse([]byte(text), 1<<16)
		if flaw != nil && (root != nil || flaw.Line < 1 || flaw.What == "" || flaw.Fix == "") {
			t.Errorf("flaw %+v with root %v", flaw, root)
		}
		if flaw != nil && flaw.Line > 2+strings.Count(text, "\n")+strings.Count(text, "\r")+strings.Count(text, "\u0085")+strings.Count(text, "\u2028")+strings.Count(text, "\u2029") {
			t.Errorf("line %d of a text with fewer", flaw.Line)
		}
	})
}
