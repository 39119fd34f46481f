package mcpserver_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcpserver"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

// programs is the answer of list_programs.
type programs struct {
	OK           bool
	Project      string
	Count, Total int
	NextCursor   *string `json:"next_cursor"`
	Programs     []program
}

type program struct {
	ID, Name, Description string
	Required              []programField `json:"input_required"`
	Optional              []programField `json:"input_optional"`
	Returns               []programField
	Template              struct {
		ID    string
		Input map[string]any
	} `json:"invocation_template"`
	Tags []string
}

type programField struct {
	Name, Type string
	Required   bool
}

func listPrograms(t *testing.T, s *sdk.ClientSession, args map[string]any) programs {
	t.Helper()
	res, err := call(t, s, "list_programs", args)
	must(t, "listing programs", err)
	if res.IsError {
		t.Fatalf("list_programs = %s", firstText(res))
	}
	return decoded[programs](t, res.StructuredContent)
}

// ids are the ids of a page.
func (p programs) ids() []string {
	var all []string
	for _, one := range p.Programs {
		all = append(all, one.ID)
	}
	return all
}

// typed is a tool with a property of every type.
func typed() mcphost.BuiltinTool {
	def := echo("typed", "dice.roll")
	def.Title = "All types"
	def.Definition.Parameters = map[string]any{
		"type": "object",
		"properties": map[string]any{
			"fixed": map[string]any{"const": "always"}, "choice": map[string]any{"type": "string", "enum": []string{"first", "second"}},
			"text": map[string]any{"type": "string"}, "whole": map[string]any{"type": "integer"}, "number": map[string]any{"type": "number"},
			"flag": map[string]any{"type": "boolean"}, "list": map[string]any{"type": "array"}, "object": map[string]any{"type": "object"},
			"maybe": map[string]any{"type": []string{"null", "string"}}, "spare": map[string]any{"type": "string"},
		},
		"required": []string{"fixed", "choice", "text", "whole", "number", "flag", "list", "object", "maybe"},
	}
	def.OutputSchema = map[string]any{"type": "object", "properties": map[string]any{"done": map[string]any{"type": "boolean"}}, "required": []string{"done"}}
	return def
}

func TestCards(t *testing.T) {
	h := newFixture(t, plan{options: compact, tools: []mcphost.BuiltinTool{typed()}})
	s := h.pipe("dm", nil)
	page := listPrograms(t, s, map[string]any{"query": "typed"})
	if !page.OK || page.Project != "Test" || page.Count != 1 || page.Total != 1 || page.NextCursor != nil {
		t.Fatalf("page = %+v", page)
	}
	c := page.Programs[0]
	want := map[string]any{
		"fixed": "always", "choice": "first", "text": "<string>", "whole": 0.0, "number": 0.0, "flag": false,
		"list": []any{}, "object": map[string]any{}, "maybe": "<string>",
	}
	if diff := cmp.Diff(want, c.Template.Input); diff != "" || c.Template.ID != "typed" {
		t.Errorf("template of %s (-want +got):\n%s", c.Template.ID, diff)
	}
	if diff := cmp.Diff([]programField{{"spare", "string", false}}, c.Optional); diff != "" {
		t.Errorf("optional (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]programField{{"done", "boolean", true}}, c.Returns); diff != "" {
		t.Errorf("returns (-want +got):\n%s", diff)
	}
	if len(c.Required) != 9 || c.Name != "All types" || !slices.Equal(c.Tags, []string{"tool", "builtin", "fast", "read-only"}) {
		t.Errorf("card = %+v", c)
	}
	res, err := call(t, s, "invoke_program", map[string]any{"id": "typed", "input": c.Template.Input})
	must(t, "invoking", err)
	if res.IsError {
		t.Errorf("the template as it stands ends in %s", firstText(res))
	}
}

func TestCursorsStayGoodUnderRefresh(t *testing.T) {
	var h *fixture
	var refreshed atomic.Int32
	h = newFixture(t, plan{
		tools: []mcphost.BuiltinTool{echo("b1", "dice.roll"), echo("b2", "dice.roll"), echo("b3", "dice.roll"), echo("b4", "dice.roll")},
		options: func(o *mcpserver.Options) {
			compact(o)
			o.Refresh = func(context.Context) error {
				return h.host.RegisterBuiltin(echo(fmt.Sprintf("a%d", refreshed.Add(1)), "dice.roll"))
			}
		},
	})
	s := h.pipe("player.limited", nil)
	first := listPrograms(t, s, map[string]any{"limit": 2, "query": "arguments"})
	if !slices.Equal(first.ids(), []string{"b1", "b2"}) || first.Total != 4 || first.NextCursor == nil {
		t.Fatalf("first page = %+v", first)
	}
	second := listPrograms(t, s, map[string]any{"limit": 2, "query": "arguments", "cursor": *first.NextCursor, "refresh": true})
	if !slices.Equal(second.ids(), []string{"b3", "b4"}) || second.Total != 5 || second.NextCursor != nil {
		t.Errorf("second page = %+v, want it to go on where the first ended", second)
	}
	if again := listPrograms(t, s, map[string]any{"limit": 1, "query": "arguments"}); again.ids()[0] != "a1" {
		t.Errorf("after a refresh the list begins with %q", again.ids())
	}
}

func TestInvokeLooksAgainOnce(t *testing.T) {
	var h *fixture
	var refreshed atomic.Int32
	h = newFixture(t, plan{options: func(o *mcpserver.Options) {
		compact(o)
		o.Refresh = func(context.Context) error {
			if refreshed.Add(1) == 1 {
				return h.host.RegisterBuiltin(echo("late", "dice.roll"))
			}
			return errors.New("the disk is gone")
		}
	}})
	s := h.pipe("player.limited", nil)
	for i, row := range []struct {
		id   string
		ok   bool
		want int32
	}{{"late", true, 1}, {"late", true, 1}, {"ghost", false, 2}, {"place_entity", false, 3}} {
		res, err := call(t, s, "invoke_program", map[string]any{"id": row.id, "input": map[string]any{}})
		must(t, "invoking", err)
		if res.IsError == row.ok || refreshed.Load() != row.want {
			t.Errorf("call %d of %s: %s; refreshed %d times, want %d", i+1, row.id, firstText(res), refreshed.Load(), row.want)
		}
	}
}

func TestFailuresOfPrograms(t *testing.T) {
	h := newFixture(t, plan{options: compact, tools: []mcphost.BuiltinTool{typed(), {
		Definition: llm.ToolDefinition{Name: "broken"}, Permission: "dice.roll", ReadOnly: true,
		Handler: func(context.Context, string) (string, error) { return "", errors.New("the die fell off the table") },
	}}})
	s := h.pipe("player.limited", nil)
	for _, row := range []struct {
		name, tool string
		args       map[string]any
		code       string
		schema     bool
	}{
		{"an unknown program", "invoke_program", map[string]any{"id": "ghost", "input": map[string]any{}}, "not_found", false},
		{"a program beyond the profile", "invoke_program", map[string]any{"id": "place_entity", "input": map[string]any{}}, "not_found", false},
		{"an input that is no object", "invoke_program", map[string]any{"id": "typed", "input": "x"}, "invalid_input", true},
		{"an input that does not fit", "invoke_program", map[string]any{"id": "typed", "input": map[string]any{}}, "invalid_input", true},
		{"no id", "invoke_program", map[string]any{"input": map[string]any{}}, "invalid_input", false},
		{"a program that fails", "invoke_program", map[string]any{"id": "broken", "input": map[string]any{}}, "handler_error", false},
		{"no page of such a size", "list_programs", map[string]any{"limit": 101}, "invalid_input", false},
		{"a cursor of somebody else", "list_programs", map[string]any{"cursor": "abc"}, "invalid_input", false},
		{"a misspelt argument", "list_programs", map[string]any{"qeury": "x"}, "invalid_input", false},
	} {
		t.Run(row.name, func(t *testing.T) {
			res, err := call(t, s, row.tool, row.args)
			must(t, "calling", err)
			failure := decoded[struct {
				OK    bool
				Error map[string]any
			}](t, res.StructuredContent)
			e := failure.Error
			if !res.IsError || failure.OK || e["error_type"] != row.code || e["message"] == "" || e["recovery_hint"] == "" || e["doc_ref"] == "" {
				t.Errorf("failure = %+v, want %s", e, row.code)
			}
			for _, key := range []string{"error_code", "details", "expected_schema", "received_payload"} {
				if _, ok := e[key]; !ok {
					t.Errorf("the failure lacks %s", key)
				}
			}
			if (e["expected_schema"] != nil) != row.schema {
				t.Errorf("expected_schema = %v", e["expected_schema"])
			}
		})
	}
}
