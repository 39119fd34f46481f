package mcphost

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// CompileForeign compiles the parameters of an external server's tool. Other than [CompileArguments], it
// accepts any parameters, because the server checks the arguments itself: a keyword that is malformed is
// removed from the parameters, and one that cannot be checked here is left to the server. notes says which.
func CompileForeign(parameters map[string]any) (shown map[string]any, s *Schema, notes []string) {
	if raw, err := json.Marshal(parameters); err != nil || json.Unmarshal(raw, &shown) != nil || shown == nil {
		shown = map[string]any{}
	}
	r := repairer{}
	r.repairRoot(shown)
	notes = r.notes
	if s, err := CompileArguments(shown); err == nil {
		return shown, s, notes
	}
	raw := encodeObject(shown)
	var checked map[string]any
	if json.Unmarshal(raw, &checked) != nil {
		checked = map[string]any{}
	}
	c := repairer{unsupported: true, root: shown}
	c.repairSchema("", checked)
	if c.notes != nil && !hasAny(checked, "not", "oneOf", "if", "maxContains", "unevaluatedProperties", "unevaluatedItems") {
		// Without those keywords, a schema from which parts were removed accepts more than before, never less.
		if s, err := CompileArguments(checked); err == nil {
			return shown, s, append(notes, c.notes...)
		}
	}
	s = &Schema{root: &jsonschema.Schema{}}
	var root jsonschema.Schema
	if json.Unmarshal(raw, &root) == nil {
		s.root = &root
	}
	_, err := CompileArguments(shown)
	return shown, s, append(notes, "the check of its arguments ("+cleanLine(err.Error())+")")
}

// hasAny reports whether a schema contains one of the keywords anywhere.
func hasAny(v any, keywords ...string) bool {
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			if slices.Contains(keywords, key) || hasAny(value, keywords...) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(v, func(item any) bool { return hasAny(item, keywords...) })
	}
	return false
}

// repairer walks through a schema and removes keywords. By default it removes malformed ones, because model
// vendors refuse a request with a malformed schema. If unsupported is set, it removes those that the validator
// does not support.
type repairer struct {
	unsupported bool
	root        map[string]any // for references, if unsupported is set
	notes       []string
}

// drop records that something at a place in the schema is left out.
func (r *repairer) drop(at, what string) {
	place := strings.TrimPrefix(strings.NewReplacer("/properties/", ".", "/items", "[]").Replace(at), ".")
	if place != "" {
		what += " of " + cleanLine(place)
	}
	if r.unsupported {
		what = "the check of " + what
	}
	if !slices.Contains(r.notes, what) {
		r.notes = append(r.notes, what)
	}
}

// repairRoot repairs the schema of all arguments, which is that of an object.
func (r *repairer) repairRoot(s map[string]any) {
	r.repairSchema("", s)
	if kind, given := s["type"]; kind != "object" {
		if kinds, ok := kind.([]any); given && (!ok || !slices.Contains(kinds, any("object"))) {
			r.drop("", "the type of its arguments")
		}
		s["type"] = "object"
	}
}

var schemaTypes = []string{"string", "integer", "number", "boolean", "array", "object", "null"}

// repairSchema repairs a schema, whose place is at, and everything within it.
func (r *repairer) repairSchema(at string, s map[string]any) {
	if strings.Count(at, "/") > 2*maxSchemaDepth {
		return // CompileArguments refuses it
	}
	if r.unsupported {
		r.dropUnsupported(at, s)
	} else {
		r.dropMalformed(at, s)
	}
	for _, key := range slices.Sorted(maps.Keys(s)) {
		switch inner := s[key].(type) {
		case map[string]any:
			switch keywordForms[key] {
			case formSchema, formSchemaOrList:
				r.repairSchema(at+"/"+key, inner)
			case formSchemas:
				for _, name := range slices.Sorted(maps.Keys(inner)) {
					if one, ok := inner[name].(map[string]any); ok {
						r.repairSchema(at+"/"+key+"/"+name, one)
					}
				}
			}
		case []any:
			if form := keywordForms[key]; form == formList || form == formSchemaOrList {
				for _, one := range inner {
					if one, ok := one.(map[string]any); ok {
						r.repairSchema(at+"/"+key, one)
					}
				}
			}
		}
	}
}

// form is the form of a keyword's value.
type form int

const (
	formOther form = iota // any value, or a keyword that is not defined
	formSchema
	formSchemas // schemas by name
	formList    // a list of schemas
	formSchemaOrList
	formText
	formCount
	formNumber
	formBool
	formValues
	formNames
)

// keywordForms are the keywords of JSON Schema up to draft 2020-12 whose values have a form.
var keywordForms = map[string]form{
	"additionalItems": formSchema, "additionalProperties": formSchema, "contains": formSchema, "contentSchema": formSchema, "else": formSchema,
	"if": formSchema, "not": formSchema, "propertyNames": formSchema, "then": formSchema, "unevaluatedItems": formSchema, "unevaluatedProperties": formSchema,
	"items": formSchemaOrList, "allOf": formList, "anyOf": formList, "oneOf": formList, "prefixItems": formList,
	"$defs": formSchemas, "definitions": formSchemas, "dependentSchemas": formSchemas, "patternProperties": formSchemas, "properties": formSchemas,
	"$ref": formText, "$schema": formText, "$anchor": formText, "$comment": formText, "title": formText, "description": formText, "format": formText,
	"pattern": formText, "contentEncoding": formText, "contentMediaType": formText, "$id": formText, "$dynamicRef": formText, "$dynamicAnchor": formText,
	"minLength": formCount, "maxLength": formCount, "minItems": formCount, "maxItems": formCount, "minProperties": formCount, "maxProperties": formCount,
	"minContains": formCount, "maxContains": formCount,
	"minimum": formNumber, "maximum": formNumber, "exclusiveMinimum": formNumber, "exclusiveMaximum": formNumber, "multipleOf": formNumber,
	"uniqueItems": formBool, "deprecated": formBool, "readOnly": formBool, "writeOnly": formBool,
	"enum": formValues, "examples": formValues, "required": formNames,
}

// dropMalformed repairs one schema in itself. Older drafts and the way PHP encodes an empty object are
// converted without a note, because nothing is lost.
func (r *repairer) dropMalformed(at string, s map[string]any) {
	convertBounds(s)
	for _, key := range slices.Sorted(maps.Keys(s)) {
		form, known := keywordForms[key]
		if !known {
			continue
		}
		if s[key] == nil {
			delete(s, key)
			continue
		}
		if m, ok := s[key].(map[string]any); ok && (form == formList || form == formValues || form == formNames) {
			if raw, err := json.Marshal(m); err == nil && len(m) > 0 {
				var list []any
				for _, item := range listOf(raw) {
					var v any
					_ = json.Unmarshal(item, &v) // it was decoded before
					list = append(list, v)
				}
				s[key] = list
			}
		}
		if list, ok := s[key].([]any); ok && len(list) == 0 && (form == formSchema || form == formSchemas) {
			s[key] = map[string]any{}
		}
		if !fitsForm(form, s[key]) {
			delete(s, key)
			r.drop(at, key)
		}
	}
	switch kind := s["type"].(type) {
	case nil:
		delete(s, "type")
	case string:
		if kind == "any" {
			delete(s, "type")
		} else if !slices.Contains(schemaTypes, kind) {
			delete(s, "type")
			r.drop(at, fmt.Sprintf("type %q", cleanLine(kind)))
		}
	case []any:
		if len(kind) == 0 || slices.ContainsFunc(kind, func(k any) bool { name, _ := k.(string); return !slices.Contains(schemaTypes, name) }) {
			delete(s, "type")
			r.drop(at, "type")
		}
	default:
		delete(s, "type")
		r.drop(at, "type")
	}
	if list, ok := s["enum"].([]any); ok && len(list) == 0 {
		delete(s, "enum")
		r.drop(at, "empty enum")
	}
}

// convertBounds converts exclusive bounds of draft-04 to today's.
func convertBounds(s map[string]any) {
	for _, one := range [][2]string{{"exclusiveMinimum", "minimum"}, {"exclusiveMaximum", "maximum"}} {
		if exclusive, ok := s[one[0]].(bool); ok {
			delete(s, one[0])
			if bound, given := s[one[1]]; given && exclusive {
				s[one[0]] = bound
				delete(s, one[1])
			}
		}
	}
}

// fitsForm reports whether a keyword's value has the form that it should have.
func fitsForm(f form, v any) bool {
	isSchema := func(v any) bool {
		switch v.(type) {
		case map[string]any, bool:
			return true
		}
		return false
	}
	switch v := v.(type) {
	case map[string]any:
		if f == formSchemas {
			for name, one := range v {
				if list, ok := one.([]any); ok && len(list) == 0 || one == nil {
					v[name] = map[string]any{}
				} else if !isSchema(one) {
					return false
				}
			}
			return true
		}
		return f == formSchema || f == formSchemaOrList || f == formOther
	case bool:
		return f == formBool || f == formSchema || f == formSchemaOrList || f == formOther
	case string:
		return f == formText || f == formOther
	case float64:
		return f == formNumber || f == formCount && v >= 0 && v == float64(int64(v)) || f == formOther
	case []any:
		switch f {
		case formList:
			return len(v) > 0 && !slices.ContainsFunc(v, func(one any) bool { return !isSchema(one) })
		case formSchemaOrList:
			return !slices.ContainsFunc(v, func(one any) bool { return !isSchema(one) })
		case formNames:
			return !slices.ContainsFunc(v, func(one any) bool { _, ok := one.(string); return !ok })
		}
		return f == formValues || f == formOther
	}
	return f == formOther
}

// dropUnsupported removes from one schema what the validator does not support: other patterns than those of
// Go, and references out of the schema.
func (r *repairer) dropUnsupported(at string, s map[string]any) {
	if pattern, ok := s["pattern"].(string); ok {
		if _, err := regexp.Compile(pattern); err != nil {
			delete(s, "pattern")
			r.drop(at, "the pattern")
		}
	}
	patterns, _ := s["patternProperties"].(map[string]any)
	for pattern := range patterns {
		if _, err := regexp.Compile(pattern); err != nil {
			delete(s, "patternProperties")
			delete(s, "additionalProperties") // it is about the names that no pattern matches
			r.drop(at, "patternProperties")
			break
		}
	}
	for _, key := range []string{"$dynamicRef", "$recursiveRef"} {
		if s[key] != nil {
			delete(s, key)
			r.drop(at, "a reference")
		}
	}
	if ref, ok := s["$ref"].(string); ok {
		if _, _, err := (&walk{root: r.root}).follow(ref); err != nil {
			delete(s, "$ref")
			r.drop(at, "a reference")
		}
	}
	if at != "" && s["$id"] != nil && !hasAny(s, "$ref") {
		delete(s, "$id")
	}
}
