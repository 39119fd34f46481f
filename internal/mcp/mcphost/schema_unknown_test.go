package mcphost

import (
	"errors"
	"strings"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/mcp"
)

func TestUnknownArgumentsAreNamedWithTheRightOne(t *testing.T) {
	text := map[string]any{"type": "string"}
	object := func(properties map[string]any) map[string]any {
		return map[string]any{"type": "object", "properties": properties, "additionalProperties": false}
	}
	point := object(map[string]any{"centre": text, "radius": text})
	some := object(map[string]any{
		"name": text, "type": text, "area": point, "stops": map[string]any{"type": "array", "items": point},
		"free": map[string]any{"type": "object"},
	})
	pairs := object(map[string]any{"pair": map[string]any{
		"type": "array", "prefixItems": []any{map[string]any{"type": "object"}}, "items": point,
	}})
	short := map[string]any{"type": "string", "maxLength": 2000}
	notes := object(map[string]any{"note": short, "notes": map[string]any{
		"type": "array", "items": map[string]any{"properties": map[string]any{"note": short}},
	}})
	long := strings.Repeat("ä", 3000)
	rows := []struct {
		name   string
		schema map[string]any
		args   string
		says   string // empty: the arguments are good
	}{
		{"near a known one", some, `{"nmae":"x"}`, `unknown argument "nmae"; did you mean "name"?`},
		{"near none", some, `{"query":"x"}`, `unknown argument "query"; the known ones are "area", "free", "name", "stops", "type"`},
		{"beside a good one", some, `{"name":"x","query":"y"}`, `unknown argument "query"`},
		{"within an object", some, `{"area":{"center":"x"}}`, `unknown argument "area.center"; did you mean "centre"?`},
		{"within a list", some, `{"stops":[{},{"center":"x"}]}`, `unknown argument "stops[1].center"; did you mean "centre"?`},
		{"empty", some, `{"query":""}`, `unknown argument "query"`},
		{"null is left out", some, `{"query":null,"name":"x"}`, ""},
		{"where anything goes", some, `{"free":{"query":1}}`, ""},
		{"one known", object(map[string]any{"id": text}), `{"query":"x"}`, `unknown argument "query"; the only one is "id"`},
		{"none known", object(map[string]any{}), `{"query":"x"}`, `unknown argument "query"; there are no arguments to give`},
		{"a schema that allows it", map[string]any{"type": "object"}, `{"query":"x"}`, ""},
		{"after a tuple", pairs, `{"pair":[{"query":1},{"centre":"x"}]}`, ""},
		{"within what follows a tuple", pairs, `{"pair":[{},{"query":1}]}`, `unknown argument "pair[1].query"`},
		{"text too long to quote", notes, `{"note":"` + long + `"}`, "`note` has 3000 characters, at most 2000 are allowed"},
		{"such a text in a list", notes, `{"notes":["",{"note":"` + long + `"}]}`, "`notes[1].note` has 3000 characters"},
		{"long text that fits", notes, `{"notes":["` + long + `"]}`, ""},
		{"hostile name", some, `{"a\u001b[2Jb":1}`, `unknown argument "ab"`},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			s, err := CompileArguments(row.schema)
			if err != nil {
				t.Fatal(err)
			}
			_, err = s.FitArguments(row.args)
			if row.says == "" {
				if err != nil {
					t.Errorf("fit = %v, want the arguments to be good", err)
				}
				return
			}
			if !errors.Is(err, mcp.ErrInvalidArguments) || !strings.Contains(err.Error(), row.says) {
				t.Errorf("fit = %v, want invalid arguments that say %q", err, row.says)
			}
		})
	}
}
