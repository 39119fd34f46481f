package ruleslookup

import (
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/MrWong99/glyphoxa/srd"
)

// outline writes what the parser looks at of a node and all below it.
func outline(b *strings.Builder, n *yaml.Node) {
	tag := ""
	if n.Tag == "!!bool" || n.Tag == "!!null" {
		tag = n.Tag
	}
	fmt.Fprintf(b, "%d:%d %s %q\n", n.Line, n.Kind, tag, n.Value)
	for _, c := range n.Content {
		outline(b, c)
	}
}

// differs returns the first lines in which the plain reader and the general one
// differ, "" if they agree or the plain one gives up.
func differs(t testing.TB, data []byte) string {
	t.Helper()
	fast := readPlain(data)
	if fast == nil {
		return ""
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil {
		return "the general reader says " + err.Error()
	}
	var got, want strings.Builder
	outline(&got, fast.Content[0])
	outline(&want, doc.Content[0])
	a, b := strings.Split(got.String(), "\n"), strings.Split(want.String(), "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return fmt.Sprintf("plain %s, general %s", a[i], b[i])
		}
	}
	if len(a) != len(b) {
		return fmt.Sprintf("%d nodes, general %d", len(a), len(b))
	}
	return ""
}

// All files of the book are in the plain form, which the start depends on.
func TestPlainReaderReadsTheBook(t *testing.T) {
	files, err := fs.Glob(srd.FS, "*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("the book's files are %v, %v", files, err)
	}
	for _, name := range files {
		data, err := fs.ReadFile(srd.FS, name)
		if err != nil {
			t.Fatal(err)
		}
		if readPlain(data) == nil {
			t.Errorf("%s is not in the plain form of YAML, so it is slow to read", name)
		}
		if what := differs(t, data); what != "" {
			t.Errorf("%s: %s", name, what)
		}
	}
}

func TestPlainReaderAgreesOrGivesUp(t *testing.T) {
	for _, row := range []struct {
		text  string
		plain bool
	}{
		{"- id: a\n  list: [x, y z, \"q, r\", 'it]']\n", true},
		{"- {name: Bite, reach: 5, damage: [2d6+4 piercing, 1d6 fire], half: true}\n", true},
		{"- text: >-\n    one\n    two\n\n    three\n  after: x\n", true},
		{"- text: |-\n    one\n    two\n\n    three\n", true},
		{"# remark\n\n- a: {}\n  b: []\n\n  # remark\n  c: null\n", true},
		{"- a: -5\n  b: \"1/4\"\n", true},
		{"- a:\n    - b: 1\n      c: 2\n    - b: 3\n", true},
		{"- a: &x b\n", false},
		{"- a: one\n    two\n", false},
		{"- a: b # remark\n", false},
		{"- a: b: c\n", false},
		{"- a: \"x\\ny\"\n", false},
		{"- a: >\n    one\n", false},
		{"- a: [one,\n  two]\n", false},
		{"- a: [one, two\n", false},
		{"- a\n- b\n", true},
		{"- - a\n", false},
		{"a: b\n", true},
		{"- a: >-\n    one\n      deeper\n", false},
		{"---\n- a\n", false},
		{"-\ta\n", false},
		{"", false},
	} {
		if got := readPlain([]byte(row.text)) != nil; got != row.plain {
			t.Errorf("plain form of %q = %t, want %t", row.text, got, row.plain)
		}
		if what := differs(t, []byte(row.text)); what != "" {
			t.Errorf("%q: %s", row.text, what)
		}
	}
}

func FuzzPlainReader(f *testing.F) {
	for _, s := range []string{
		"- id: a\n  list: [x, y z, \"q, r\"]\n", "- {name: Bite, reach: 5, damage: [2d6+4, 1]}\n",
		"- text: >-\n    one\n    two\n\n    three\n  after: x\n", "a:\n- b\n- c: d\n", "- a: 'b'\n  \"c\": ~\n", "- a:\n  b: c\n",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if what := differs(t, data); what != "" {
			t.Errorf("%q: %s", data, what)
		}
	})
}
