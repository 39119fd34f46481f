package openai

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

const (
	// deepestSchema bounds the nesting of a plain schema. Deeper parts become free objects, which also ends
	// schemas that refer to themselves.
	deepestSchema = 8
	// largestSchema bounds the number of parts of a plain schema.
	largestSchema = 2000
	// longestDescription is the strictest limit of a vendor for the description of a tool, in bytes.
	longestDescription = 1000
)

// propertyName is what all vendors accept as the name of a property.
var propertyName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,63}$`)

// simplifier reduces a JSON Schema to what all vendors accept: types, properties, items, required names,
// descriptions and enumerations of texts.
type simplifier struct {
	root map[string]any
	// renamed maps the names of properties that a vendor may refuse to those that are sent.
	renamed map[string]string
	taken   map[string]bool // names that are sent
	parts   int             // handled so far
}

// plainSchema returns a plain form of a schema and the properties it renamed: from the declared name to the
// one that is sent. ok is false if the schema is no JSON.
func plainSchema(schema map[string]any) (plain map[string]any, renamed map[string]string, ok bool) {
	raw, err := json.Marshal(schema)
	if err != nil {
		return nil, nil, false
	}
	s := &simplifier{renamed: map[string]string{}, taken: map[string]bool{}}
	if err := json.Unmarshal(raw, &s.root); err != nil {
		return nil, nil, false
	}
	s.collectNames(s.root)
	plain = s.object(s.root, 0)
	if plain["properties"] == nil {
		plain["properties"] = map[string]any{}
	}
	return plain, s.renamed, true
}

// collectNames records the names of properties that need no other name, so that no other property gets them.
func (s *simplifier) collectNames(v any) {
	switch v := v.(type) {
	case map[string]any:
		properties, _ := v["properties"].(map[string]any)
		for name := range properties {
			if propertyName.MatchString(name) {
				s.taken[name] = true
			}
		}
		for _, e := range v {
			s.collectNames(e)
		}
	case []any:
		for _, e := range v {
			s.collectNames(e)
		}
	}
}

// nameOf returns the name under which a property is sent.
func (s *simplifier) nameOf(name string) string {
	if propertyName.MatchString(name) {
		return name
	}
	if other, ok := s.renamed[name]; ok {
		return other
	}
	clean := strings.Trim(validName(name), "_-")
	clean = strings.ReplaceAll(clean, "-", "_")
	if clean == "" || clean[0] >= '0' && clean[0] <= '9' {
		clean = "p_" + clean
	}
	clean = clean[:min(len(clean), 56)]
	free := clean
	for n := 2; s.taken[free]; n++ {
		free = fmt.Sprintf("%s_%d", clean, n)
	}
	s.taken[free], s.renamed[name] = true, free
	return free
}

// schema returns the plain form of a schema of any type.
func (s *simplifier) schema(v any, depth int) map[string]any {
	in, ok := v.(map[string]any)
	if !ok {
		return map[string]any{"type": "string"} // true stands for anything
	}
	in = s.resolve(in)
	var out map[string]any
	switch kind := kindOf(in); {
	case depth >= deepestSchema && (kind == "object" || kind == "array"):
		out = map[string]any{"type": "object"}
	case kind == "object":
		out = s.object(in, depth)
	case kind == "array":
		items := in["items"]
		if list, ok := items.([]any); ok && len(list) > 0 { // one schema for each place
			items = list[0]
		} else if list, ok := in["prefixItems"].([]any); ok && len(list) > 0 && items == nil {
			items = list[0]
		}
		out = map[string]any{"type": "array", "items": s.schema(items, depth+1)}
	default:
		out = map[string]any{"type": kind}
		if values := texts(in); kind == "string" && len(values) > 0 {
			out["enum"] = values
		}
	}
	if text := describe(in, out); text != "" {
		out["description"] = text
	}
	return out
}

// object returns the plain form of a schema of an object.
func (s *simplifier) object(in map[string]any, depth int) map[string]any {
	in = s.resolve(in)
	out := map[string]any{"type": "object"}
	declared, _ := in["properties"].(map[string]any)
	if len(declared) == 0 {
		return out
	}
	properties := make(map[string]any, len(declared))
	for _, name := range slices.Sorted(maps.Keys(declared)) {
		properties[s.nameOf(name)] = s.schema(declared[name], depth+1)
	}
	out["properties"] = properties
	var required []any
	list, _ := in["required"].([]any)
	for _, v := range list {
		name, _ := v.(string)
		if _, ok := declared[name]; ok && !slices.Contains(required, any(s.nameOf(name))) {
			required = append(required, s.nameOf(name))
		}
	}
	if len(required) > 0 {
		out["required"] = required
	}
	return out
}

// resolve replaces references by what they refer to, and combinations of schemas by one schema.
func (s *simplifier) resolve(in map[string]any) map[string]any {
	for range deepestSchema {
		if s.parts++; s.parts > largestSchema {
			break
		}
		switch ref, _ := in["$ref"].(string); {
		case ref != "":
			in = overlay(s.target(ref), in, "$ref")
		case isList(in["allOf"]):
			merged := map[string]any{}
			for _, part := range in["allOf"].([]any) {
				if m, ok := part.(map[string]any); ok {
					merged = overlay(merged, s.resolve(m), "")
				}
			}
			in = overlay(merged, in, "allOf")
		case isList(in["anyOf"]):
			in = s.choose(in, "anyOf")
		case isList(in["oneOf"]):
			in = s.choose(in, "oneOf")
		default:
			return in
		}
	}
	return map[string]any{"type": "object"}
}

func isList(v any) bool {
	list, ok := v.([]any)
	return ok && len(list) > 0
}

// target returns the schema that a reference within the same document names.
func (s *simplifier) target(ref string) map[string]any {
	path, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return map[string]any{}
	}
	var at any = s.root
	for key := range strings.SplitSeq(strings.Trim(path, "/"), "/") {
		if key == "" {
			continue
		}
		m, ok := at.(map[string]any)
		if !ok {
			return map[string]any{}
		}
		at = m[strings.NewReplacer("~1", "/", "~0", "~", "%24", "$").Replace(key)]
	}
	m, _ := at.(map[string]any)
	return m
}

// overlay returns base with the keys of top but one. Properties and required names of both are joined.
func overlay(base, top map[string]any, except string) map[string]any {
	out := maps.Clone(base)
	if out == nil {
		out = map[string]any{}
	}
	for key, value := range top {
		switch {
		case key == except:
		case key == "properties":
			a, _ := out[key].(map[string]any)
			b, _ := value.(map[string]any)
			joined := maps.Clone(a)
			if joined == nil {
				joined = map[string]any{}
			}
			maps.Copy(joined, b)
			out[key] = joined
		case key == "required":
			a, _ := out[key].([]any)
			b, _ := value.([]any)
			out[key] = append(slices.Clip(a), b...)
		default:
			out[key] = value
		}
	}
	return out
}

// choose replaces alternatives by one schema: the only one besides null, all objects joined with what they
// require in common, or the first.
func (s *simplifier) choose(in map[string]any, key string) map[string]any {
	var options []map[string]any
	for _, v := range in[key].([]any) {
		m, ok := v.(map[string]any)
		if !ok {
			continue
		}
		if m = s.resolve(m); m["type"] != "null" {
			options = append(options, m)
		}
	}
	if len(options) == 0 {
		return overlay(nil, in, key)
	}
	chosen := options[0]
	var values []any // of alternatives that each hold one value
	common, _ := chosen["required"].([]any)
	for _, o := range options {
		required, _ := o["required"].([]any)
		common = slices.DeleteFunc(slices.Clone(common), func(name any) bool { return !slices.Contains(required, name) })
		if list, ok := o["enum"].([]any); ok {
			values = append(values, list...)
		} else if v, ok := o["const"]; ok {
			values = append(values, v)
		}
		switch {
		case o["properties"] != nil && chosen["properties"] != nil:
			chosen = overlay(chosen, o, "required")
		case o["type"] == "string" && chosen["properties"] == nil: // a text can hold the others
			chosen = o
		}
	}
	chosen = maps.Clone(chosen)
	chosen["required"] = common
	if len(values) > 1 {
		chosen = overlay(chosen, map[string]any{"enum": values}, "")
		delete(chosen, "const")
	}
	return overlay(chosen, in, key)
}

// kindOf returns the type of a schema, which may have to be inferred.
func kindOf(in map[string]any) string {
	var kinds []any
	switch v := in["type"].(type) {
	case string:
		kinds = []any{v}
	case []any:
		kinds = v
	}
	for _, k := range kinds {
		switch name, _ := k.(string); strings.ToLower(name) {
		case "string", "number", "integer", "boolean", "array", "object":
			return strings.ToLower(name)
		}
	}
	switch {
	case in["properties"] != nil || in["additionalProperties"] != nil:
		return "object"
	case in["items"] != nil || in["prefixItems"] != nil:
		return "array"
	}
	values, _ := in["enum"].([]any)
	if v, ok := in["const"]; ok {
		values = []any{v}
	}
	if len(values) > 0 {
		switch values[0].(type) {
		case float64:
			return "number"
		case bool:
			return "boolean"
		}
	}
	return "string"
}

// texts returns the values of an enumeration of texts, nil if it has others.
func texts(in map[string]any) (out []any) {
	values, _ := in["enum"].([]any)
	if v, ok := in["const"]; ok {
		values = []any{v}
	}
	for _, v := range values {
		switch text, ok := v.(string); {
		case v == nil:
		case !ok:
			return nil
		case text != "" && !slices.Contains(out, v):
			out = append(out, v)
		}
	}
	return out
}

// describe returns the description of a schema, with what the plain form does not express otherwise.
func describe(in, out map[string]any) string {
	text, _ := in["description"].(string)
	if title, _ := in["title"].(string); text == "" {
		text = title
	}
	var more []string
	if in["enum"] != nil && out["enum"] == nil {
		more = append(more, "one of "+compact(in["enum"]))
	}
	for _, key := range []string{"minimum", "maximum", "pattern", "format", "default"} {
		if v := in[key]; v != nil {
			more = append(more, key+" "+compact(v))
		}
	}
	if len(more) > 0 {
		text = strings.TrimSpace(text + " (" + strings.Join(more, ", ") + ")")
	}
	return cutText(text, longestDescription)
}

func compact(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return string(raw)
}

// cutText returns at most n bytes of s, cut between characters.
func cutText(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "")
}
