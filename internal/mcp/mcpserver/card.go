package mcpserver

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
)

// card is a short description of a program, sufficient for calling it.
type card struct {
	ID                 string   `json:"id"`
	Name               string   `json:"name"`
	Description        string   `json:"description"`
	InputRequired      []field  `json:"input_required"`
	InputOptional      []field  `json:"input_optional"`
	Returns            []field  `json:"returns"`
	InvocationTemplate template `json:"invocation_template"`
	Tags               []string `json:"tags"`
}

type field struct {
	Name     string `json:"name"`
	Type     string `json:"type"`
	Required bool   `json:"required"`
}

// template is the smallest call that fits the types in the schema.
type template struct {
	ID    string         `json:"id"`
	Input map[string]any `json:"input"`
}

func cardOf(t mcphost.Tool) card {
	c := card{
		ID: t.Definition.Name, Name: cmp.Or(t.Title, t.Definition.Name), Description: t.Definition.Description,
		InputRequired: []field{}, InputOptional: []field{}, Returns: fields(plain(t.OutputSchema)),
		InvocationTemplate: template{ID: t.Definition.Name, Input: map[string]any{}}, Tags: tags(t),
	}
	schema := plain(t.Definition.Parameters)
	for _, f := range fields(schema) {
		if !f.Required {
			c.InputOptional = append(c.InputOptional, f)
			continue
		}
		c.InputRequired = append(c.InputRequired, f)
		c.InvocationTemplate.Input[f.Name] = example(property(schema, f.Name))
	}
	return c
}

func tags(t mcphost.Tool) []string {
	list := []string{cmp.Or(t.Kind, "tool"), t.Source, t.Tier.String()}
	if t.ReadOnly {
		list = append(list, "read-only")
	}
	return slices.Compact(list) // the kind and the source of a workflow are equal
}

// plain returns a schema as it looks after encoding to JSON, because handlers may use types such as []string
// where decoded JSON has []any.
func plain(schema map[string]any) map[string]any {
	raw, err := json.Marshal(schema)
	if err != nil {
		return nil
	}
	var out map[string]any
	if json.Unmarshal(raw, &out) != nil {
		return nil
	}
	return out
}

func property(schema map[string]any, name string) map[string]any {
	all, _ := schema["properties"].(map[string]any)
	p, _ := all[name].(map[string]any)
	return p
}

// fields lists the properties of a schema, ordered by name.
func fields(schema map[string]any) []field {
	all, _ := schema["properties"].(map[string]any)
	required, _ := schema["required"].([]any)
	list := make([]field, 0, len(all))
	for _, name := range slices.Sorted(maps.Keys(all)) {
		list = append(list, field{Name: name, Type: typeName(property(schema, name)), Required: slices.Contains(required, any(name))})
	}
	return list
}

// typeName returns the type of a property. Of several types, it returns the first that is not null.
func typeName(p map[string]any) string {
	switch t := p["type"].(type) {
	case string:
		return t
	case []any:
		for _, one := range t {
			if s, ok := one.(string); ok && s != "null" {
				return s
			}
		}
	}
	return "any"
}

// example returns the value of a property in a template: its const, else its first enum value, else a value
// of its type.
func example(p map[string]any) any {
	if c, ok := p["const"]; ok {
		return c
	}
	if e, ok := p["enum"].([]any); ok && len(e) > 0 {
		return e[0]
	}
	switch typeName(p) {
	case "integer":
		return 0
	case "number":
		return json.RawMessage("0.0")
	case "boolean":
		return false
	case "array":
		return []any{}
	case "object":
		return map[string]any{}
	}
	return "<string>"
}

// Definitions of the server's own tools.

func textSchema(description string) map[string]any {
	return map[string]any{"type": "string", "description": description}
}

func searchDefinition(name, description string) *sdk.Tool {
	properties := map[string]any{
		"query":   textSchema("Words that must all occur; empty lists everything."),
		"limit":   map[string]any{"type": "integer", "minimum": 1, "maximum": maxCards, "default": defaultCards, "description": "Most entries returned."},
		"cursor":  textSchema("next_cursor of the page before."),
		"refresh": map[string]any{"type": "boolean", "default": false, "description": "Look for new programs first."},
	}
	return ownDefinition(name, description, map[string]any{"type": "object", "properties": properties, "additionalProperties": false})
}

func describeDefinition() *sdk.Tool {
	return ownDefinition("describe_tool", "Tell everything about one tool: schemas, hints and what a call costs.", map[string]any{
		"type": "object", "properties": map[string]any{"name": textSchema("Name of the tool.")}, "required": []string{"name"}, "additionalProperties": false,
	})
}

func invokeDefinition() *sdk.Tool {
	d := ownDefinition("invoke_program", "Run one program with the input its card shows.", map[string]any{
		"type": "object", "required": []string{"id", "input"}, "additionalProperties": false,
		"properties": map[string]any{"id": textSchema("id of the program."), "input": map[string]any{"type": "object", "description": "Its input."}},
	})
	yes := true
	d.Annotations.ReadOnlyHint, d.Annotations.IdempotentHint, d.Annotations.DestructiveHint, d.Annotations.OpenWorldHint = false, false, &yes, &yes
	return d
}

func ownDefinition(name, description string, input map[string]any) *sdk.Tool {
	no := false
	return &sdk.Tool{
		Name: name, Title: titles[name], Description: description, InputSchema: inputSchema(input), OutputSchema: map[string]any{"type": "object"},
		Annotations: &sdk.ToolAnnotations{Title: titles[name], ReadOnlyHint: true, IdempotentHint: true, DestructiveHint: &no, OpenWorldHint: &no},
		Meta:        sdk.Meta{metaTier: "fast", metaSource: sourceServer},
	}
}

// titles are the display names of the server's own tools.
var titles = map[string]string{
	"search_tools": "Search tools", "describe_tool": "Describe a tool",
	"list_programs": "List programs", "invoke_program": "Run a program",
}
