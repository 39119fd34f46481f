package mcphost

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// maxCoerced is the maximum length in bytes of arguments that are coerced. Models write far shorter ones, and decoding
// what a stranger sends would cost much memory.
const maxCoerced = 64 << 10

// maxFollowed bounds how deep coercion follows alternatives and references of one value.
const maxFollowed = 16

// coerceArguments returns args with values that models write as texts ("3", "true", "[1]") decoded where the
// schema wants a number, a boolean, an array or an object and allows no text. It returns args itself if there
// is nothing to change.
func (s *Schema) coerceArguments(args string) string {
	if len(args) > maxCoerced {
		return args
	}
	d := json.NewDecoder(strings.NewReader(args))
	d.UseNumber() // so that other numbers stay as they are
	var value any
	if d.Decode(&value) != nil {
		return args
	}
	c := coercer{root: s.root}
	coerced := c.coerce(s.root, value, 0)
	if !c.changed {
		return args
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if e.Encode(coerced) != nil {
		return args
	}
	return strings.TrimSuffix(out.String(), "\n")
}

type coercer struct {
	root    *jsonschema.Schema
	changed bool
}

// coerce returns a value in the type that its schema wants.
func (c *coercer) coerce(s *jsonschema.Schema, value any, depth int) any {
	if s == nil || depth > maxSchemaDepth {
		return value
	}
	if text, ok := value.(string); ok {
		decoded, ok := decodeAs(strings.TrimSpace(text), c.kinds(s, 0))
		if !ok {
			return value
		}
		c.changed, value = true, decoded
	}
	parts := c.alternatives(s, nil, 0)
	switch v := value.(type) {
	case map[string]any:
		for name, inner := range v {
			for _, p := range parts {
				if known, ok := p.Properties[name]; ok {
					v[name] = c.coerce(known, inner, depth+1)
					break
				} else if p.AdditionalProperties != nil && !isFalse(p.AdditionalProperties) && len(p.PatternProperties) == 0 {
					v[name] = c.coerce(p.AdditionalProperties, inner, depth+1)
					break
				}
			}
		}
	case []any:
		for i, inner := range v {
			for _, p := range parts {
				if p.Items != nil && i >= len(p.PrefixItems) {
					v[i] = c.coerce(p.Items, inner, depth+1)
					break
				}
			}
		}
	}
	return value
}

// alternatives appends s and the schemas that apply to the same value. If several alternatives describe the
// same member, the first counts.
func (c *coercer) alternatives(s *jsonschema.Schema, all []*jsonschema.Schema, depth int) []*jsonschema.Schema {
	if s == nil || depth > maxFollowed || len(all) > maxFollowed {
		return all
	}
	all = append(all, s)
	if s.Ref != "" {
		all = c.alternatives((misfits{root: c.root}).target(s.Ref), all, depth+1)
	}
	for _, inner := range slices.Concat(s.AllOf, s.AnyOf, s.OneOf) {
		all = c.alternatives(inner, all, depth+1)
	}
	return all
}

// anyKind means that a schema does not restrict the type of a value.
var anyKind = []string{"string"}

// kinds returns the types that a schema allows. A schema that does not restrict them allows texts.
func (c *coercer) kinds(s *jsonschema.Schema, depth int) []string {
	switch {
	case s == nil || depth > maxFollowed:
		return anyKind
	case s.Type != "":
		return []string{s.Type}
	case len(s.Types) > 0:
		return s.Types
	case s.Ref != "":
		return c.kinds((misfits{root: c.root}).target(s.Ref), depth+1)
	case s.Const != nil || len(s.Enum) > 0:
		return kindsOf(s)
	}
	for _, list := range [][]*jsonschema.Schema{s.AnyOf, s.OneOf} {
		if len(list) == 0 {
			continue
		}
		var all []string
		for _, inner := range list {
			all = append(all, c.kinds(inner, depth+1)...)
		}
		return all
	}
	for _, inner := range s.AllOf {
		if kinds := c.kinds(inner, depth+1); !slices.Contains(kinds, "string") {
			return kinds
		}
	}
	switch {
	case s.Properties != nil:
		return []string{"object"}
	case s.Items != nil:
		return []string{"array"}
	}
	return anyKind
}

// kindsOf returns the types of the values that a schema lists.
func kindsOf(s *jsonschema.Schema) []string {
	values := s.Enum
	if s.Const != nil {
		values = []any{*s.Const}
	}
	var all []string
	for _, kind := range schemaTypes {
		if slices.ContainsFunc(values, func(v any) bool { return isKind(v, kind) }) {
			all = append(all, kind)
		}
	}
	return all
}

// decodeAs decodes a text as one of the given types, unless text is one of them.
func decodeAs(text string, kinds []string) (value any, ok bool) {
	if slices.Contains(kinds, "string") || text == "" {
		return nil, false
	}
	for _, kind := range kinds {
		switch kind {
		case "integer":
			if f, err := strconv.ParseFloat(text, 64); isNumber(text) && err == nil && f == float64(int64(f)) && f < 1<<53 && f > -1<<53 {
				return json.Number(strconv.FormatInt(int64(f), 10)), true
			}
		case "number":
			if isNumber(text) {
				return json.Number(text), true
			}
		case "boolean":
			if lower := strings.ToLower(text); lower == "true" || lower == "false" {
				return lower == "true", true
			}
		case "array", "object":
			d := json.NewDecoder(strings.NewReader(text))
			d.UseNumber()
			if d.Decode(&value) != nil || d.More() {
				continue
			}
			if _, list := value.([]any); list && kind == "array" {
				return value, true
			}
			if _, object := value.(map[string]any); object && kind == "object" {
				return value, true
			}
		}
	}
	return nil, false
}

// isNumber reports whether a text is a number in JSON.
func isNumber(text string) bool {
	return (text[0] == '-' || '0' <= text[0] && text[0] <= '9') && json.Valid([]byte(text))
}
