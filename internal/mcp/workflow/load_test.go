package workflow_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/MrWong99/glyphoxa/internal/mcp/workflow"
	"github.com/MrWong99/glyphoxa/internal/userfile"
)

// short is a workflow of one step with a test's additions.

func short(lines string) string {
	return "description: d\nsteps: [{id: a, tool: roll}]\n" + lines
}

// group is a workflow with one parallel group of n steps.
func group(n int) string {
	var b strings.Builder
	b.WriteString("description: d\nsteps:\n  - parallel:\n")
	for i := range n {
		fmt.Fprintf(&b, "      - {id: s%d, tool: roll}\n", i)
	}
	return b.String()
}

func sequence(n int) string {
	var b strings.Builder
	b.WriteString("description: d\nsteps:\n")
	for i := range n {
		fmt.Fprintf(&b, "  - {id: s%d, tool: roll}\n", i)
	}
	return b.String()
}

// broken are workflows that fail to load, with the expected error.
var broken = []struct{ name, text, want string }{
	{"empty", "", "w.yaml:1: the file is empty; start with description: and steps:"},
	{"only_a_comment", "# nothing\n", "w.yaml:1: the file is empty; start with description: and steps:"},
	{"no_yaml", "description: [", "w.yaml:1: this is not valid YAML: did not find expected node content; check the indentation and the quotes around this line"},
	{"a_list", "- a\n", `w.yaml:1: expected keys and values, got a list; write "key: value" lines below it`},
	{"two_documents", short("---\ndescription: e\n"), "w.yaml:3: a second document begins here; keep one document a file: remove the \"---\""},
	{"nothing_in_it", "title: t\n", "w.yaml:1: a workflow has no \"description\"; add description:\nw.yaml:1: a workflow has no \"steps\"; add steps:"},
	{"unknown_key", short("stop_on_eror: true\n"), `w.yaml:3: a workflow has no key "stop_on_eror"; did you mean "stop_on_error"?`},
	{"key_twice", short("description: e\n"), `w.yaml:3: the key "description" is here twice, first on line 1; keep one of them`},
	{"key_is_a_number", short("1: e\n"), `w.yaml:3: a workflow has no key "1"; use one of name, title, description, parameters, steps, output, stop_on_error, effect, timeout`},
	{"bad_name", short("name: a b\n"), `w.yaml:3: "a b" cannot be the name of a tool; use 1 to 64 of the characters A-Z, a-z, 0-9, _ and -`},
	{"name_of_batch", short("name: batch\n"), `w.yaml:3: "batch" is the name of a built-in tool; give the workflow another`},
	{"text_expected", short("title: 3\n"), `w.yaml:3: title: expected a text, got a number; put it in quotes: "3"`},
	{"blank", short("title: ' '\n"), "w.yaml:3: title: is blank; write something, or leave it out"},
	{"alias", "description: &d d\ntitle: *d\nsteps: [{id: a, tool: roll}]\n", "w.yaml:2: title: is a YAML alias (*d); write it out"},
	{"bool_expected", short("stop_on_error: never\n"), "w.yaml:3: stop_on_error: expected true or false, got a text"},
	{"bad_effect", short("effect: later\n"), `w.yaml:3: effect: "later" is not one of commit, now; use commit or now`},
	{"bad_timeout", short("timeout: soon\n"), `w.yaml:3: timeout: expected a duration, got "soon"; write 500ms, 2s or 5m`},
	{"long_timeout", short("timeout: 11m\n"), `w.yaml:3: timeout: "11m" is too large; use a value from 1ms to 10m`},
	{"no_steps", "description: d\nsteps: []\n", "w.yaml:2: steps: is empty; add one with id: and tool:"},
	{"step_without_tool", "description: d\nsteps:\n  - id: a\n", `w.yaml:3: a step has no "tool"; add tool:`},
	{"step_is_text", "description: d\nsteps:\n  - roll\n", `w.yaml:3: steps[0]: expected keys and values, got a text; write "key: value" lines below it`},
	{"bad_tool", "description: d\nsteps:\n  - {id: a, tool: 'skill:roll'}\n", `w.yaml:3: tool: "skill:roll" cannot be the name of a tool; use 1 to 64 of the characters A-Z, a-z, 0-9, _ and -`},
	{"bad_id", "description: d\nsteps:\n  - {id: A b, tool: roll}\n", `w.yaml:3: id: "A b" cannot be a step's id; use small letters, digits and single _ or -`},
	{"id_twice", "description: d\nsteps:\n  - {id: a, tool: roll}\n  - parallel:\n      - {id: a, tool: roll}\n", `w.yaml:5: there is already a step "a", on line 3; give one another id`},
	{"with_is_a_list", "description: d\nsteps:\n  - id: a\n    tool: roll\n    with: [1]\n", `w.yaml:5: with: expected keys and values; write "key: value" lines below it`},
	{"group_in_group", "description: d\nsteps:\n  - parallel:\n      - parallel: []\n", "w.yaml:4: a step has no key \"parallel\"; use one of id, tool, with, if\nw.yaml:4: a step has no \"id\"; add id:\nw.yaml:4: a step has no \"tool\"; add tool:"},
	{"empty_group", "description: d\nsteps:\n  - parallel: []\n", "w.yaml:3: parallel: is empty; give it 1 to 16 steps"},
	{"wide_group", group(17), "w.yaml:4: a parallel group has 17 steps; give it 1 to 16"},
	{"too_many_steps", sequence(66), "w.yaml:67: the workflow has more than 64 steps; move some to a workflow of their own"},
	{"calls_itself", "name: w\ndescription: d\nsteps:\n  - id: a\n    tool: w\n", "w.yaml:5: the workflow calls itself: w → w; remove one of the calls"},
	{"param_without_type", short("parameters:\n  p: {required: true}\n"), `w.yaml:4: a parameter has no "type"; add type:`},
	{"param_type", short("parameters:\n  p: {type: int}\n"), `w.yaml:4: type: "int" is not one of string, integer, number, boolean, array, object; use string, integer, number, boolean, array or object`},
	{"param_name", short("parameters:\n  1p: {type: string}\n"), `w.yaml:4: "1p" cannot be a parameter's name; use letters, digits and _, and begin with no digit`},
	{"param_default_type", short("parameters:\n  p: {type: integer, default: x}\n"), `w.yaml:4: parameter "p" cannot be this value: it is not of type integer`},
	{"param_default_low", short("parameters:\n  p: {type: integer, default: 1, minimum: 2}\n"), `w.yaml:4: parameter "p" cannot be this value: it is below the minimum of 2`},
	{"param_default_no_enum", short("parameters:\n  p: {type: string, default: c, enum: [a, b]}\n"), `w.yaml:4: parameter "p" cannot be this value: it is none of [a b]`},
	{"param_required_default", short("parameters:\n  p: {type: string, default: c, required: true}\n"), `w.yaml:4: parameter "p" is required and has a default; remove one of the two`},
	{"param_bounds", short("parameters:\n  p: {type: number, minimum: 2, maximum: 1}\n"), `w.yaml:4: parameter "p" has a minimum above its maximum; swap them`},
	{"param_text_minimum", short("parameters:\n  p: {type: string, minimum: 2}\n"), `w.yaml:4: parameter "p" has a minimum or maximum, but is no number; remove it`},
	{"param_text_items", short("parameters:\n  p: {type: string, items: {type: string}}\n"), `w.yaml:4: parameter "p" has items, but is no array; remove them`},
	{"param_items_array", short("parameters:\n  p: {type: array, items: {type: array}}\n"), `w.yaml:4: type: "array" is not one of string, integer, number, boolean; use string, integer, number or boolean`},
	{"number_not_json", short("output: {a: .inf}\n"), `w.yaml:3: a: ".inf" is no finite number; write it in digits`},
	{"deep", short("output: " + strings.Repeat("[", 40) + strings.Repeat("]", 40) + "\n"), "w.yaml:3: lists and keys nested more than 32 deep"},
	{"unclosed", short("output: '{{ params.x'\n"), `w.yaml:3: {{ has no }}; close the expression, or write {{ "{{" }} for the braces`},
	{"syntax", short("output: '{{ 1 + }}'\n"), `w.yaml:3: in "1 +": unexpected token EOF; correct the expression`},
	{"syntax_on_a_later_line", short("output: |\n  one\n  {{ 1 }}\n  {{ 1 + }}\n"), `w.yaml:6: in "1 +": unexpected token EOF; correct the expression`},
	{"type_error", short("output: '{{ 1 + true }}'\n"), `w.yaml:3: in "1 + true": invalid operation: + (mismatched types int and bool); correct the expression`},
	{"unknown_name", short("output: '{{ param.x }}'\n"), `w.yaml:3: in "param.x": there is no "param"; use params.NAME or steps.ID, or put text in quotes`},
	{"unknown_param", short("parameters: {topic: {type: string}}\noutput: '{{ params.topc }}'\n"), `w.yaml:4: in "params.topc": there is no parameter "topc"; did you mean "topic"?`},
	{"unknown_step", short("output: '{{ steps.b.ok }}'\n"), `w.yaml:3: in "steps.b.ok": no step "b" comes before; did you mean "a"?`},
	{"unknown_step_key", short("output: '{{ steps.a.results }}'\n"), `w.yaml:3: in "steps.a.results": a step has no "results"; did you mean "result"?`},
	{"own_result", "description: d\nsteps:\n  - id: a\n    tool: roll\n    if: steps.a.ok\n", `w.yaml:5: in "steps.a.ok": no step "a" comes before; name a step that ended before`},
	{"sibling_result", "description: d\nsteps:\n  - parallel:\n      - {id: a, tool: roll}\n      - {id: b, tool: roll, if: steps.a.ok}\n", `w.yaml:5: in "steps.a.ok": no step "a" comes before; name a step that ended before`},
	{"unknown_function", short("output: '{{ lenn(steps) }}'\n"), `w.yaml:3: in "lenn(steps)": there is no function "lenn"; did you mean "len"?`},
	{"clock", short("output: '{{ now() }}'\n"), `w.yaml:3: in "now()": there is no function "now"; use `},
	{"method", short("output: '{{ steps.a.result() }}'\n"), `w.yaml:3: in "steps.a.result()": values cannot be called; remove the brackets`},
	{"range", short("output: '{{ 1..1000000 }}'\n"), `w.yaml:3: in "1..1000000": there is no operator ".."`},
	{"regexp", short("output: '{{ \"a\" matches \"b\" }}'\n"), `w.yaml:3: in "\"a\" matches \"b\"": there is no operator "matches"`},
	{"variable", short("output: '{{ let x = 1; x }}'\n"), `w.yaml:3: in "let x = 1; x": `},
	{"whole_environment", short("output: '{{ $env }}'\n"), `w.yaml:3: in "$env": there is no "$env"`},
	{"guards_cannot_be_named", short("output: '{{ $env[\" get\"] }}'\n"), `w.yaml:3: in "$env[\" get\"]": `},
	{"long_expression", short("output: '{{ " + strings.Repeat("1 + ", 600) + "1 }}'\n"), `w.yaml:3: in "`},
	{"many_nodes", short("output: '{{ " + strings.Repeat("1 + ", 300) + "1 }}'\n"), `w.yaml:3: in "`},
}

func TestParseTellsWhatIsWrong(t *testing.T) {
	for _, row := range broken {
		t.Run(row.name, func(t *testing.T) {
			w, err := workflow.Parse("w.yaml", []byte(row.text))
			var list userfile.Problems
			if w != nil || !errors.As(err, &list) {
				t.Fatalf("Parse = %v, %v; want problems", w, err)
			}
			if got := err.Error(); !strings.HasPrefix(got, row.want) {
				t.Errorf("got\n%s\nwant it to begin with\n%s", got, row.want)
			}
		})
	}
}

func TestParseTellsEverythingAtOnce(t *testing.T) {
	_, err := workflow.Parse("w.yaml", []byte("name: ' '\nsteps:\n  - {id: A, tool: a b}\neffect: x\n"))
	want := []string{"w.yaml:1: name: is blank", `w.yaml:1: a workflow has no "description"`, "w.yaml:3: id: \"A\" cannot", "w.yaml:3: tool: \"a b\" cannot", "w.yaml:4: effect: \"x\" is not one of commit, now"}
	lines := strings.Split(err.Error(), "\n")
	for i, w := range want {
		if i >= len(lines) || !strings.HasPrefix(lines[i], w) {
			t.Fatalf("got\n%v\nwant line %d to begin with %s", err, i+1, w)
		}
	}
}

func TestLoadFS(t *testing.T) {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	calls := func(tool string) string { return "description: d\nsteps: [{id: a, tool: " + tool + "}]\n" }
	for _, row := range []struct {
		name string
		fsys fstest.MapFS
		want []string
		err  string
	}{
		{"no_folder", fstest.MapFS{}, nil, ""},
		{"by_file_name", fstest.MapFS{"workflows/b.yaml": file(calls("roll")), "workflows/a.yml": file(calls("b")), "workflows/readme.md": file("x"), "workflows/.c.yaml": file("x"), "workflows/d.yaml/e": file("x")}, []string{"a", "b"}, ""},
		{"own_name", fstest.MapFS{"workflows/b.yaml": file("name: other\n" + calls("roll"))}, []string{"other"}, ""},
		{"same_name", fstest.MapFS{"workflows/a.yaml": file(calls("roll")), "workflows/b.yaml": file("name: a\n" + calls("roll"))}, nil,
			`workflows/b.yaml:1: there is already a workflow "a", in workflows/a.yaml; give one another name`},
		{"cycle", fstest.MapFS{"workflows/a.yaml": file(calls("b")), "workflows/b.yaml": file(calls("c")), "workflows/c.yaml": file(calls("b"))}, nil,
			"workflows/c.yaml:2: the workflow calls itself: b → c → b; remove one of the calls"},
		{"several_files", fstest.MapFS{"workflows/a.yaml": file("title: t\n"), "workflows/b.yaml": file("")}, nil,
			"workflows/a.yaml:1: a workflow has no \"description\"; add description:\nworkflows/a.yaml:1: a workflow has no \"steps\"; add steps:\nworkflows/b.yaml:1: the file is empty; start with description: and steps:"},
		{"bad_file_name", fstest.MapFS{"workflows/a b.yaml": file(calls("roll"))}, nil, `workflows/a b.yaml: "a b" cannot be the name of a tool; add name:, or rename the file`},
		{"too_large", fstest.MapFS{"workflows/a.yaml": file(calls("roll") + strings.Repeat("#", workflow.MaxFile))}, nil, "workflows/a.yaml:1: the file is larger than 256 KiB; split it, or check that it is the right file"},
	} {
		t.Run(row.name, func(t *testing.T) {
			all, err := workflow.LoadFS(row.fsys, "workflows")
			var names []string
			for _, w := range all {
				names = append(names, w.Name)
			}
			if diff := cmp.Diff(row.want, names); diff != "" {
				t.Errorf("names (-want +got):\n%s", diff)
			}
			if got := fmt.Sprint(err); err != nil && got != row.err || (err == nil) != (row.err == "") {
				t.Errorf("err = %v\nwant  %v", err, row.err)
			}
		})
	}
}

func TestLoadAgainSeesChanges(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "w.yaml")
	for _, description := range []string{"first", "second"} {
		if err := os.WriteFile(path, []byte("description: "+description+"\nsteps: [{id: a, tool: roll}]\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		all, err := workflow.Load(dir)
		if err != nil || len(all) != 1 || all[0].Description != description || all[0].File != path {
			t.Fatalf("Load = %+v, %v; want %q from %s", all, err, description, path)
		}
	}
}

func TestShippedWorkflows(t *testing.T) {
	all, err := workflow.Load("../../../workflows")
	if err != nil {
		t.Fatal(err)
	}
	needs := map[string][]string{}
	for _, w := range all {
		needs[w.Name] = w.Needs()
	}
	want := map[string][]string{
		"ambush":  {"roll", "search_rules"},
		"arrival": {"get_summary", "move_entity", "set_scene"},
		"recap":   {"get_summary", "query_entities", "search_facts", "search_sessions"},
	}
	if diff := cmp.Diff(want, needs); diff != "" {
		t.Errorf("needs (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"move_entity", "set_scene"}, all[1].Missing([]string{"roll", "get_summary"})); diff != "" {
		t.Errorf("missing (-want +got):\n%s", diff)
	}
}
