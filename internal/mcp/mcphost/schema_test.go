package mcphost

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

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
	s, err := CompileArguments(rollSchema)
	if err != nil {
		t.Fatal(err)
	}
	if s.flat == nil {
		t.Fatal("the schema has no fast path")
	}
	for _, row := range argumentRows {
		t.Run(row.name, func(t *testing.T) {
			err := s.CheckArguments(row.args)
			if (err == nil) != row.valid {
				t.Errorf("CheckArguments(%s) = %v, want valid = %v", row.args, err, row.valid)
			}
			if err != nil && !errors.Is(err, mcp.ErrInvalidArguments) {
				t.Errorf("CheckArguments(%s) = %v, want it to wrap ErrInvalidArguments", row.args, err)
			}
		})
	}
}

func TestNullCountsAsLeftOut(t *testing.T) {
	s, err := CompileArguments(rollSchema)
	if err != nil {
		t.Fatal(err)
	}
	got, err := s.FitArguments(`{"expression":"d20","times":null,"mode":null}`)
	if err != nil || got != `{"expression":"d20"}` {
		t.Errorf("FitArguments = %s, %v, want the nulls left out", got, err)
	}
	for _, args := range []string{`{"expression":null}`, `null`, `[null]`, `{"expression":"d20","ghost":5,"times":null}`} {
		if got, err := s.FitArguments(args); err == nil {
			t.Errorf("FitArguments(%s) = %s, want it refused", args, got)
		}
	}
}

func TestRichSchemasUseTheFullValidator(t *testing.T) {
	s, err := CompileArguments(map[string]any{
		"type": "object",
		"properties": map[string]any{
			"tags": map[string]any{"type": "array", "items": map[string]any{"type": "string"}, "minItems": 1},
		},
		"required": []string{"tags"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.CheckArguments(`{"tags":["a"]}`); err != nil {
		t.Errorf("a valid array is refused: %v", err)
	}
	for _, args := range []string{`{"tags":[]}`, `{"tags":[1]}`, `{}`} {
		if s.CheckArguments(args) == nil {
			t.Errorf("CheckArguments(%s) accepts what the schema refuses", args)
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
		if _, err := CompileArguments(parameters); err == nil {
			t.Errorf("%s: OfArguments accepts it", name)
		}
	}
}

// The fast path may only ever accept what the full validator accepts.
func FuzzArguments(f *testing.F) {
	for _, row := range argumentRows {
		f.Add(row.args)
	}
	s, err := CompileArguments(rollSchema)
	if err != nil {
		f.Fatal(err)
	}
	slow := &Schema{root: s.root, full: s.full}
	f.Fuzz(func(t *testing.T, args string) {
		fast, full := s.CheckArguments(args), slow.CheckArguments(args)
		if (fast == nil) != (full == nil) {
			t.Errorf("CheckArguments(%q): with fast path %v, without %v", args, fast, full)
		}
		if full == nil && !json.Valid([]byte(args)) {
			t.Errorf("CheckArguments(%q) accepts invalid JSON", args)
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
			compiled, err := CompileArguments(row.schema)
			if err != nil {
				t.Fatal(err)
			}
			got, _, err := compiled.MakeInput()
			if row.want == "" {
				if err == nil {
					t.Errorf("MakeInput = %s, want an error", got)
				}
				return
			}
			if err != nil || got != row.want {
				t.Errorf("MakeInput = %s, %v, want %s", got, err, row.want)
			}
		})
	}
}

func FuzzCompile(f *testing.F) {
	for _, s := range []string{
		`{"type":"object"}`, `{"type":"object","$ref":"#"}`, `{"allOf":[{"$ref":"#/$defs/a"}],"$defs":{"a":{"anyOf":[{"$ref":"#"}]}}}`,
		`{"properties":{"a":{"$ref":"#"}},"anyOf":[{"$ref":"#/properties/a"},true]}`, `{"$dynamicRef":"#a"}`, `{"items":[{"$ref":"#/items/0"}]}`,
		`{"$ref":"#/%zz"}`, `{"$ref":"#/a~1b","a/b":{"not":{}}}`, `{"dependencies":{"a":["b"],"c":{"$ref":"#"}}}`, `{"$id":"x","$ref":"x#"}`,
	} {
		f.Add([]byte(s), []byte(`{"a":{"a":[1,"x",null]}}`))
	}
	f.Fuzz(func(t *testing.T, raw, instance []byte) {
		var value any
		if len(raw) > 64<<10 || json.Unmarshal(instance, &value) != nil {
			return
		}
		start := time.Now()
		s, err := CompileSchema(raw)
		if err != nil {
			return
		}
		_ = s.CheckValue(value) // the property is that it ends, and takes its time at most
		if took := time.Since(start); took > time.Minute {
			t.Errorf("compiling and validating took %v", took)
		}
	})
}
