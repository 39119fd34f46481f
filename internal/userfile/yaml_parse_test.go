package userfile_test

import (
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/MrWong99/glyphoxa/internal/userfile"
)

func TestParse(t *testing.T) {
	for _, row := range []struct {
		name, text string
		// line and what describe the error; line 0 means no error.
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
		root, flaw := userfile.ParseYAML([]byte(row.text), 1<<10)
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

// brokenYAML holds invalid YAML and the line that the message must name.
var brokenYAML = []struct {
	name, text string
	line       int
}{
	{"less_indented_key", "a:\n    b: 1\n  c: 2\nd: 3\n", 3},
	{"less_indented_key_further_down", "x: 1\ny: 2\na:\n    b: 1\n    c: 2\n  d: 2\ne: 3\n", 6},
	{"less_indented_key_before_comments", "a:\n    b: 1\n  c: 2\n\n# one\n# two\n\nd: 3\n", 3},
	{"more_indented_key", "a: 1\n  b: 2\nc: 3\n", 2},
	{"key_in_a_list", "a:\n  - 1\n  b: 2\nc: 3\n", 3},
	{"key_in_a_root_list", "- 1\n- 2\nb: 2\n", 3},
	{"entry_in_a_mapping", "a: 1\n- b\nc: 2\n", 2},
	{"entry_in_a_nested_mapping", "z:\n  a: 1\n  - b\nc: 2\n", 3},
	{"badly_indented_entry", "a:\n  - 1\n - 2\nc: 2\n", 3},
	{"no_colon", "a: 1\nb\nc: 3\n", 2},
	{"no_colon_at_the_end", "a: 1\nb: 2\nc\n", 3},
	{"no_space_after_the_colon", "a: 1\nb:2\nc: 3\n", 2},
	{"colon_in_a_text", "a: 1\nb: well: met\nc: 3\n", 2},
	{"tab", "a: 1\nb:\n\tc: 1\n", 3},
	{"tab_in_a_list", "a: 1\nb:\n\t- c\nd: 1\n", 3},
	{"tab_after_a_text", "name: Mira\n\tvoice: x\n", 2},
	{"tab_after_a_text_further_in", "memory:\n  recent_lines: 20\n\tpath: x\n", 3},
	{"tab_after_an_entry", "npcs:\n  - name: Mira\n\t  id: x\n", 3},
	{"tab_after_a_blank_line", "name: Mira\n\n\tvoice: x\n", 3},
	{"tab_alone_on_its_line", "b: 1\na: x\n\t\nc: 3\n", 3},
	{"tab_behind_one_that_may_be", "a:\n  b: x\n   \ty\n\tc: 1\n", 4},
	{"tab_in_a_block_text", "a: |\n\tx\n", 2},
	{"at_sign", "a: 1\nb: @x\nc: 2\n", 2},
	{"backtick", "a: 1\nb: `x`\nc: 2\n", 2},
	{"percent", "a: 1\nb: %x\nc: 2\n", 2},
	{"double_quote_open", "a: 1\nb: \"x\nc: 2\nd: 3\n", 2},
	{"single_quote_open", "a: 1\nb: 'x\nc: 2\nd: 3\n", 2},
	{"text_behind_a_quote", "a: 1\nb: \"x\" y\nc: 2\n", 2},
	{"text_behind_a_quote_first", "b: \"x\" y\nc: 2\n", 1},
	{"apostrophe", "a: 1\nb: 'it's'\nc: 2\n", 2},
	{"escape", "a: 1\nb: \"\\q\"\nc: 2\n", 2},
	{"escape_on_a_later_line", "a: 1\nb: \"one\n  two\n  \\q\"\nc: 2\n", 4},
	{"code_of_a_character", "a: 1\nb: \"\\xzz\"\nc: 2\n", 2},
	{"list_open", "a: 1\nb: [1, 2\nc: 3\n", 2},
	{"list_open_first", "b: [1, 2\nc: 3\nd: 4\n", 1},
	{"mapping_open", "a: 1\nb: {x: 2\nc: 3\n", 2},
	{"list_closed_twice", "a: 1\nb: [1]]\nc: 3\n", 2},
	{"closing_bracket", "a: 1\nb: ]\nc: 3\n", 2},
	{"comma", "a: 1\nb: , x\nc: 3\n", 2},
	{"wrong_bracket", "a: 1\nb: [1, 2}\nc: 3\n", 2},
	{"anchor", "a: 1\n# *x\nb: *x\nc: 3\n", 3},
	{"anchor_twice", "a: \"*x\"\nb: 2\nc: *x\n", 3},
	{"block_text_with_a_word", "a: 1\nb: | x\nc: 3\n", 2},
	{"block_text_not_indented", "a: 1\nb: |\n  one\n two\nc: 3\n", 4},
	{"block_text_indented_more_first", "a: 1\nb: |\n     \n  one\nc: 3\n", 4},
	{"two_keys_on_a_line", "a: 1\nb: 2 c: 3\nd: 4\n", 2},
	{"tag", "a: 1\nb: !x!y z\nc: 3\n", 2},
	{"directive", "a: 1\n---\n%x\nb: 1\n", 3},
	{"dash_without_space", "a:\n  - 1\n  -2\nb: 3\n", 3},
	{"unindented_text", "a: 1\nb: one\ntwo\nc: 3\n", 3},
	{"question_mark", "a: 1\n? b\nc: 3\n  d: 2\n", 4},
}

// TestParseNamesTheLine puts lines of several kinds before each text: the reported line
// number must move by as many.
func TestParseNamesTheLine(t *testing.T) {
	for _, row := range brokenYAML {
		for _, above := range []string{"", "# one\n", "\n\n", "above: 1\n", "# a\n\n# b\nabove:\n  - {x: 1}\n"} {
			if strings.HasPrefix(row.text, "- ") && strings.Contains(above, "above") {
				continue
			}
			_, flaw := userfile.ParseYAML([]byte(above+row.text), 1<<16)
			want := row.line + strings.Count(above, "\n")
			if flaw == nil || flaw.Line != want {
				t.Errorf("%s below %q: %+v, want a flaw on line %d", row.name, above, flaw, want)
			}
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("name: Mere\nlist: [1, {a: b}]\n")
	f.Add("--- a\n--- b\n")
	f.Add("&a [*a]")
	for _, row := range brokenYAML {
		f.Add(row.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		root, flaw := userfile.ParseYAML([]byte(text), 1<<16)
		if flaw != nil && (root != nil || flaw.Line < 1 || flaw.What == "" || flaw.Fix == "") {
			t.Errorf("flaw %+v with root %v", flaw, root)
		}
		if flaw != nil && flaw.Line > 2+strings.Count(text, "\n")+strings.Count(text, "\r")+strings.Count(text, "\u0085")+strings.Count(text, "\u2028")+strings.Count(text, "\u2029") {
			t.Errorf("line %d of a text with fewer", flaw.Line)
		}
	})
}
