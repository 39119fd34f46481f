package openai

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPlainSchema(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"nothing", `{}`, `{"type":"object","properties":{}}`},
		{"simple properties stay", `{"type":"object","properties":{"who":{"type":"string","description":"a name"}},"required":["who"]}`,
			`{"type":"object","properties":{"who":{"type":"string","description":"a name"}},"required":["who"]}`},
		{"keywords that some refuse", `{"$schema":"x","$id":"y","title":"T","type":"object","additionalProperties":false,"properties":{"n":{"type":"integer","minimum":1,"maximum":9,"exclusiveMinimum":0,"examples":[1]}}}`,
			`{"type":"object","properties":{"n":{"type":"integer","description":"(minimum 1, maximum 9)"}}}`},
		{"a reference", `{"properties":{"a":{"$ref":"#/$defs/a"}},"$defs":{"a":{"type":"boolean","description":"yes or no"}}}`,
			`{"type":"object","properties":{"a":{"type":"boolean","description":"yes or no"}}}`},
		{"a reference with a text of its own", `{"properties":{"a":{"$ref":"#/definitions/a~1b","description":"mine"}},"definitions":{"a/b":{"type":"boolean","description":"theirs"}}}`,
			`{"type":"object","properties":{"a":{"type":"boolean","description":"mine"}}}`},
		{"a reference to elsewhere", `{"properties":{"a":{"$ref":"https://example.com/x.json"}}}`, `{"type":"object","properties":{"a":{"type":"string"}}}`},
		{"an array without items", `{"properties":{"a":{"type":"array"}}}`, `{"type":"object","properties":{"a":{"type":"array","items":{"type":"string"}}}}`},
		{"an array with places", `{"properties":{"a":{"type":"array","items":[{"type":"number"},{"type":"string"}]},"b":{"prefixItems":[{"type":"number"}]}}}`,
			`{"type":"object","properties":{"a":{"type":"array","items":{"type":"number"}},"b":{"type":"array","items":{"type":"number"}}}}`},
		{"several types", `{"properties":{"a":{"type":["null","number"]}}}`, `{"type":"object","properties":{"a":{"type":"number"}}}`},
		{"anything", `{"properties":{"a":true,"b":{}}}`, `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}}}`},
		{"an option that may be missing", `{"properties":{"a":{"anyOf":[{"type":"integer"},{"type":"null"}],"default":3}}}`,
			`{"type":"object","properties":{"a":{"type":"integer","description":"(default 3)"}}}`},
		{"a number or a text", `{"properties":{"a":{"oneOf":[{"type":"integer"},{"type":"string"}]}}}`, `{"type":"object","properties":{"a":{"type":"string"}}}`},
		{"one of some texts", `{"properties":{"a":{"anyOf":[{"const":"iron"},{"const":"steel"}]}}}`, `{"type":"object","properties":{"a":{"type":"string","enum":["iron","steel"]}}}`},
		{"one of some numbers", `{"properties":{"a":{"enum":[1,2]}}}`, `{"type":"object","properties":{"a":{"type":"number","description":"(one of [1,2])"}}}`},
		{"one of two objects", `{"properties":{"a":{"oneOf":[{"properties":{"x":{"type":"string"}},"required":["x"]},{"properties":{"x":{"type":"string"},"y":{"type":"string"}},"required":["x","y"]}]}}}`,
			`{"type":"object","properties":{"a":{"type":"object","properties":{"x":{"type":"string"},"y":{"type":"string"}},"required":["x"]}}}`},
		{"all of two objects", `{"allOf":[{"properties":{"x":{"type":"string"}},"required":["x"]},{"properties":{"y":{"type":"string"}}}]}`,
			`{"type":"object","properties":{"x":{"type":"string"},"y":{"type":"string"}},"required":["x"]}`},
		{"any of some required", `{"type":"object","properties":{"x":{"type":"string"},"y":{"type":"string"}},"anyOf":[{"required":["x"]},{"required":["y"]}]}`,
			`{"type":"object","properties":{"x":{"type":"string"},"y":{"type":"string"}}}`},
		{"required names that are not declared", `{"properties":{"x":{"type":"string"}},"required":["x","x","z"]}`, `{"type":"object","properties":{"x":{"type":"string"}},"required":["x"]}`},
		{"odd names", `{"properties":{"$filter":{"type":"string"},"filter":{"type":"string"},"2nd":{"type":"string"},"größe":{"type":"string"}},"required":["$filter"]}`,
			`{"type":"object","properties":{"filter_2":{"type":"string"},"filter":{"type":"string"},"p_2nd":{"type":"string"},"gr__e":{"type":"string"}},"required":["filter_2"]}`},
		{"a free object", `{"properties":{"a":{"type":"object","additionalProperties":{"type":"string"}}}}`, `{"type":"object","properties":{"a":{"type":"object"}}}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var in, want map[string]any
			if json.Unmarshal([]byte(tt.in), &in) != nil || json.Unmarshal([]byte(tt.want), &want) != nil {
				t.Fatal("the row is no JSON")
			}
			got, _, ok := plainSchema(in)
			if !ok {
				t.Fatal("no schema")
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("schema (-want +got):\n%s", diff)
			}
		})
	}
}

// TestPlainSchemaIsBounded simplifies schemas that refer to themselves.
func TestPlainSchemaIsBounded(t *testing.T) {
	for name, in := range map[string]string{
		"a chain":  `{"$ref":"#/$defs/n","$defs":{"n":{"properties":{"next":{"$ref":"#/$defs/n"}}}}}`,
		"a bush":   `{"$ref":"#/$defs/n","$defs":{"n":{"properties":{"a":{"$ref":"#/$defs/n"},"b":{"$ref":"#/$defs/n"},"c":{"$ref":"#/$defs/n"},"d":{"$ref":"#/$defs/n"},"e":{"$ref":"#/$defs/n"},"f":{"$ref":"#/$defs/n"},"g":{"$ref":"#/$defs/n"},"h":{"$ref":"#/$defs/n"}}}}}`,
		"itself":   `{"$ref":"#"}`,
		"all of":   `{"allOf":[{"$ref":"#"},{"$ref":"#"}]}`,
		"any of":   `{"anyOf":[{"$ref":"#"},{"$ref":"#"}]}`,
		"items":    `{"properties":{"a":{"$ref":"#/$defs/a"}},"$defs":{"a":{"type":"array","items":{"$ref":"#/$defs/a"}}}}`,
		"no types": `{"properties":{"a":{"properties":7,"items":"x","required":"y","enum":{},"anyOf":[7],"type":5}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			var in2 map[string]any
			if err := json.Unmarshal([]byte(in), &in2); err != nil {
				t.Fatal(err)
			}
			got, _, ok := plainSchema(in2)
			raw, err := json.Marshal(got)
			if !ok || err != nil || len(raw) > 200_000 || strings.Contains(string(raw), "$ref") {
				t.Errorf("ok = %t, %v, %d bytes", ok, err, len(raw))
			}
		})
	}
}

func TestPlainNames(t *testing.T) {
	for in, want := range map[string]string{
		"roll": "roll", "ring-bell": "ring_bell", "21_bells": "t_21_bells", "_hidden": "hidden", "-": "t_", strings.Repeat("a", 64): strings.Repeat("a", 63),
	} {
		if got := plainName(in); got != want {
			t.Errorf("plainName(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestToolNames(t *testing.T) {
	o := &offer{names: []string{"roll", "query_entities", "21_bells", "Look", "look"}, sent: map[string]string{"21_bells": "t_21_bells"}}
	for in, want := range map[string]string{
		"roll":                   "roll",
		" roll ":                 "roll",
		"Roll":                   "roll",
		"functions.roll":         "roll",
		"functions.roll:0":       "roll",
		"default_api:roll":       "roll",
		"a/b.roll":               "roll",
		"roll<|channel|>json":    "roll",
		"t_21_bells":             "21_bells",
		"tools.query_entities:2": "query_entities",
		"LOOK":                   "LOOK", // two tools
		"look":                   "look",
		"fly":                    "fly",
		"":                       "",
	} {
		if got := o.toolName(in); got != want {
			t.Errorf("toolName(%q) = %q, want %q", in, got, want)
		}
	}
}
