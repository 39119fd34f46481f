package mcphost

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/mcp"
)

var rollSchema = map[string]any{
	"type": "object",
	"properties": map[string]any{
		"expression": map[string]any{"type": "string", "minLength": 1, "maxLength": 8},
		"times":      map[string]any{"type": "integer", "minimum": 1, "maximum": 10},
		"weight":     map[string]any{"type": "number"},
		"secret":     map[string]any{"type": "boolean"},
		"mode":       map[string]any{"type": "string", "enum": []string{"open", "hidden"}},
	},
	"required":             []string{"expression"},
	"additionalProperties": false,
}

var argumentRows = []struct {
	name, args string
	valid      bool
}{
	{"required only", `{"expression":"2d6+3"}`, true},
	{"all kinds", `{ "expression" : "d20", "times": 3, "weight": -1.5, "secret": true, "mode": "open" }`, true},
	{"escapes", `{"expression":"2d\u0036"}`, true},
	{"integer written as a fraction", `{"expression":"d20","times":3.0}`, true},
	{"exponent", `{"expression":"d20","weight":1e3}`, true},
	{"eight letters beyond ASCII", `{"expression":"wüwüwüwü"}`, true},
	{"missing", `{}`, false},
	{"empty string", `{"expression":""}`, false},
	{"too long", `{"expression":"123456789"}`, false},
	{"wrong type", `{"expression":5}`, false},
	{"fraction for an integer", `{"expression":"d20","times":3.5}`, false},
	{"below the minimum", `{"expression":"d20","times":0}`, false},
	{"above the maximum", `{"expression":"d20","times":11}`, false},
	{"not in the enum", `{"expression":"d20","mode":"loud"}`, false},
	{"unknown property", `{"expression":"d20","colour":"red"}`, false},
	{"array", `["d20"]`, false},
	{"null", `null`, false},
	{"truncated", `{"expression":"d20"`, false},
	{"trailing text", `{"expression":"d20"} {}`, false},
	{"leading zero", `{"expression":"d20","times":03}`, false},
	{"no comma", `{"expression":"d20""times":3}`, false},
	{"trailing comma", `{"expression":"d20",}`, false},
	{"not JSON", `roll 2d6`, false},
}

func TestArgumentsAreCheckedAgainstTheSchema(t *testing.T) {
	s, err := compileSchema(rollSchema)
	if err != nil {
		t.Fatal(err)
	}
	if s.flat == nil {
		t.Fatal("the schema has no fast path")
	}
	for _, row := range argumentRows {
		t.Run(row.name, func(t *testing.T) {
			err := s.check(row.args)
			if (err == nil) != row.valid {
				t.Errorf("check(%s) = %v, want valid = %v", row.args, err, row.valid)
			}
			if err != nil && !errors.Is(err, mcp.ErrInvalidArguments) {
				t.Errorf("check(%s) = %v, want it to wrap ErrInvalidArguments", row.args, err)
			}
		})
	}
}

func TestNullCountsAsLeftOut(t *testing.T) {
	s, err := compileSchema(rollSchema)
	if err != nil {
		t.Fatal(err)
	}
	got, err := s.fit(`{"expression":"d20","times":null,"mode":null}`)
	if err != nil || got != `{"expression":"d20"}` {
		t.Errorf("fit = %s, %v, want the nulls left out", got, err)
	}
	for _, args := range []string{`{"expression":null}`, `null`, `[null]`, `{"expression":"d20","ghost":5,"times":null}`} {
		if got, err := s.fit(args); err == nil {
			t.Errorf("fit(%s) = %s, want it refused", args, got)
		}
	}
}

func TestRichSchemasUseTheFullValidator(t *testing.T) {
	s, err := compileSchema(map[string]any{
		"type": "object",
		"properties": map[string]any{
			"tags": map[string]any{"type": "array", "items": map[string]any{"type": "string"}, "minItems": 1},
		},
		"required": []string{"tags"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.check(`{"tags":["a"]}`); err != nil {
		t.Errorf("a valid array is refused: %v", err)
	}
	for _, args := range []string{`{"tags":[]}`, `{"tags":[1]}`, `{}`} {
		if s.check(args) == nil {
			t.Errorf("check(%s) accepts what the schema refuses", args)
		}
	}
}

func TestSchemasThatCannotWorkAreRefused(t *testing.T) {
	for name, parameters := range map[string]map[string]any{
		"array at the top": {"type": "array"},
		"no type":          {"properties": map[string]any{}},
		"broken reference": {"type": "object", "properties": map[string]any{"a": map[string]any{"$ref": "#/$defs/none"}}},
		"not JSON":         {"type": "object", "x": func() {}},
	} {
		if _, err := compileSchema(parameters); err == nil {
			t.Errorf("%s: compileSchema accepts it", name)
		}
	}
}

// The fast path may only ever accept what the full validator accepts.
func FuzzArguments(f *testing.F) {
	for _, row := range argumentRows {
		f.Add(row.args)
	}
	s, err := compileSchema(rollSchema)
	if err != nil {
		f.Fatal(err)
	}
	slow := &schema{full: s.full}
	f.Fuzz(func(t *testing.T, args string) {
		fast, full := s.check(args), slow.check(args)
		if (fast == nil) != (full == nil) {
			t.Errorf("check(%q): with fast path %v, without %v", args, fast, full)
		}
		if full == nil && !json.Valid([]byte(args)) {
			t.Errorf("check(%q) accepts invalid JSON", args)
		}
	})
}

func TestSynthesisedInputIsMinimalAndValid(t *testing.T) {
	prop := func(kv ...any) map[string]any {
		m := map[string]any{}
		for i := 0; i < len(kv); i += 2 {
			m[kv[i].(string)] = kv[i+1]
		}
		return m
	}
	for _, row := range []struct {
		name   string
		schema map[string]any
		want   string // "" if none can be made
	}{
		{"nil", nil, `{}`},
		{"nothing required", prop("type", "object", "properties", prop("a", prop("type", "string"))), `{}`},
		{"const", prop("type", "object", "properties", prop("a", prop("const", 7)), "required", []string{"a"}), `{"a":7}`},
		{"default", prop("type", "object", "properties", prop("a", prop("type", "string", "default", "x")), "required", []string{"a"}), `{"a":"x"}`},
		{"first of enum", prop("type", "object", "properties", prop("a", prop("enum", []string{"p", "q"})), "required", []string{"a"}), `{"a":"p"}`},
		{"minimum", prop("type", "object", "properties", prop("n", prop("type", "integer", "minimum", 3)), "required", []string{"n"}), `{"n":3}`},
		{"exclusive minimum", prop("type", "object", "properties", prop("n", prop("type", "integer", "exclusiveMinimum", 3)), "required", []string{"n"}), `{"n":4}`},
		{"min length", prop("type", "object", "properties", prop("a", prop("type", "string", "minLength", 3)), "required", []string{"a"}), `{"a":"aaa"}`},
		{"format", prop("type", "object", "properties", prop("d", prop("type", "string", "format", "date")), "required", []string{"d"}), `{"d":"2000-01-01"}`},
		{"boolean", prop("type", "object", "properties", prop("b", prop("type", "boolean")), "required", []string{"b"}), `{"b":false}`},
		{"array", prop("type", "object", "properties", prop("l", prop("type", "array", "minItems", 2, "items", prop("type", "number"))), "required", []string{"l"}), `{"l":[0,0]}`},
		{"nested", prop("type", "object", "properties", prop("o", prop("type", "object", "properties", prop("x", prop("type", "null")), "required", []string{"x"})), "required", []string{"o"}), `{"o":{"x":null}}`},
		{"any of", prop("type", "object", "properties", prop("v", prop("anyOf", []any{prop("type", "integer")})), "required", []string{"v"}), `{"v":0}`},
		{"pattern nobody can guess", prop("type", "object", "properties", prop("p", prop("type", "string", "pattern", "^[0-9]{4}-X$")), "required", []string{"p"}), ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			got, err := synthesise(row.schema)
			if row.want == "" {
				if err == nil {
					t.Errorf("synthesise = %s, want an error", got)
				}
				return
			}
			if err != nil || got != row.want {
				t.Errorf("synthesise = %s, %v, want %s", got, err, row.want)
			}
		})
	}
}

func TestNamesAreSafeForModels(t *testing.T) {
	long := strings.Repeat("x", 80)
	for _, row := range []struct{ name, want string }{
		{"echo", "echo"},
		{"get-weather_2", "get-weather_2"},
		{"skill:roll", "skill_roll_"},
		{"", "_"},
		{long, strings.Repeat("x", 55) + "_"},
		{"würfeln", "w_rfeln_"},
	} {
		got := safeName(row.name)
		if !strings.HasPrefix(got, row.want) || len(got) > maxName || !validName(got) || got == "" {
			t.Errorf("safeName(%q) = %q, want it to begin with %q and be valid", row.name, got, row.want)
		}
		if again := safeName(row.name); again != got {
			t.Errorf("safeName(%q) = %q, then %q", row.name, got, again)
		}
	}
	if safeName("a:b") == safeName("a.b") {
		t.Error("two names became one")
	}
	used := map[string]bool{"roll": true}
	taken := func(name string) bool { return used[name] }
	if got := freeName("dice", "roll", taken); got != "dice_roll" {
		t.Errorf("freeName = %q, want dice_roll", got)
	}
	used["dice_roll"] = true
	if got := freeName("dice", "roll", taken); !strings.HasPrefix(got, "dice_roll_") {
		t.Errorf("freeName = %q, want a hash behind dice_roll", got)
	}
}

func TestToolsKeepTheirNames(t *testing.T) {
	r := newRegister()
	builtin := func(name string) bool { return name == "roll" }
	for _, row := range []struct{ server, tool, want string }{
		{"b", "search", "search"}, // b connected first
		{"a", "search", "a_search"},
		{"b", "search", "search"},
		{"a", "roll", "a_roll"},
		{"a", "search", "a_search"},
	} {
		if got := r.name(row.server, row.tool, builtin); got != row.want {
			t.Errorf("name of %s/%s = %q, want %q", row.server, row.tool, got, row.want)
		}
	}
	again := newRegister() // a restart, with a first
	for who, name := range r.names {
		again.assign(who, name)
	}
	if got := again.name("a", "search", builtin); got != "a_search" {
		t.Errorf("after a restart a's search is %q, want a_search", got)
	}
	everything := func(name string) bool { return name == "roll" || name == "search" }
	if got := again.name("b", "search", everything); got != "b_search" {
		t.Errorf("b's search beside a new built-in = %q, want b_search", got)
	}
}
