package config

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// variablePattern matches texts that [Load] expands before it looks at their
// type.
const variablePattern = `\$\{`

// durationPattern matches what time.ParseDuration reads and is not negative.
const durationPattern = `^(0|([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|ms|s|m|h))+$`

// Schema returns the JSON Schema (draft 2020-12) of glyphoxa.yaml, for editors.
// It says what [Load] accepts key by key; what depends on several keys is left
// to Load.
func Schema() (*jsonschema.Schema, error) {
	return rootSchema(reflect.ValueOf(Default()).Elem(), "Glyphoxa configuration")
}

// NPCSchema returns the JSON Schema of an NPC file.
func NPCSchema() (*jsonschema.Schema, error) {
	return rootSchema(reflect.ValueOf(DefaultNPC()), "Glyphoxa NPC")
}

func rootSchema(defaults reflect.Value, title string) (*jsonschema.Schema, error) {
	s, err := structSchema(defaults, rules{})
	if err != nil {
		return nil, fmt.Errorf("describing %s: %w", title, err)
	}
	s.Schema = "https://json-schema.org/draft/2020-12/schema"
	s.Title = title
	return s, nil
}

// structSchema describes the mapping that fills a struct. v holds the defaults.
func structSchema(v reflect.Value, r rules) (*jsonschema.Schema, error) {
	s := &jsonschema.Schema{
		Types:                []string{"object", "null"},
		Properties:           map[string]*jsonschema.Schema{},
		AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}},
	}
	t := v.Type()
	for _, f := range fieldsOf(t) {
		limits := f.rules
		switch {
		case isPerTier(t):
			limits = r.merge(limits)
		case isProvider(t):
			limits = providerRules(f, r)
		}
		p, err := valueSchema(v.FieldByIndex(f.index), limits)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.key, err)
		}
		p.Description = f.doc
		s.Properties[f.key] = p
		s.PropertyOrder = append(s.PropertyOrder, f.key)
		if f.rules.required {
			s.Required = append(s.Required, f.key)
		}
	}
	if len(s.Required) > 0 {
		s.Type, s.Types = "object", nil
	}
	return s, nil
}

// valueSchema describes one value; v is its default.
func valueSchema(v reflect.Value, r rules) (*jsonschema.Schema, error) {
	switch t := v.Type(); {
	case t == typeOptions:
		return &jsonschema.Schema{Types: []string{"object", "null"}}, nil
	case isProvider(t):
		return providerSchema(v, r)
	case t.Kind() == reflect.Pointer:
		return structSchema(reflect.New(t.Elem()).Elem(), r)
	case t.Kind() == reflect.Struct:
		return structSchema(v, r)
	case t.Kind() == reflect.Slice:
		return listSchema(v, r)
	case t.Kind() == reflect.Map:
		return mapSchema(t, r)
	}
	return scalarSchema(v, r)
}

// providerSchema allows the short form, which is the provider's name alone.
func providerSchema(v reflect.Value, r rules) (*jsonschema.Schema, error) {
	long, err := structSchema(v, r)
	if err != nil {
		return nil, err
	}
	short, err := scalarSchema(v.FieldByName("Name"), r)
	if err != nil {
		return nil, err
	}
	short.Default = nil
	return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{short, long}}, nil
}

func listSchema(v reflect.Value, r rules) (*jsonschema.Schema, error) {
	items, err := valueSchema(defaultElement(v.Type().Elem()), r)
	if err != nil {
		return nil, err
	}
	s := &jsonschema.Schema{Types: []string{"array", "null"}, Items: items}
	if v.Len() > 0 {
		s.Default, err = json.Marshal(v.Interface())
	}
	return s, err
}

func mapSchema(t reflect.Type, r rules) (*jsonschema.Schema, error) {
	elem, err := valueSchema(defaultElement(t.Elem()), r)
	if err != nil {
		return nil, err
	}
	s := &jsonschema.Schema{Types: []string{"object", "null"}, AdditionalProperties: elem}
	if len(r.keys) > 0 {
		s.PropertyNames = &jsonschema.Schema{Enum: anySlice(r.keys)}
	}
	return s, nil
}

// scalarSchema describes a text, number, bool, duration or tier. Whatever the
// type, a text with a variable in it fits.
func scalarSchema(v reflect.Value, r rules) (*jsonschema.Schema, error) {
	var def json.RawMessage
	if !v.IsZero() {
		b, err := json.Marshal(v.Interface())
		if err != nil {
			return nil, err
		}
		def = b
	}
	plain := scalarType(v.Type(), r)
	if isFreeText(plain) {
		plain.Types = append(plain.Types, "null")
		plain.Default = def
		return plain, nil
	}
	variable := &jsonschema.Schema{Type: "string", Pattern: variablePattern}
	empty := &jsonschema.Schema{Type: "null"}
	return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{plain, variable, empty}, Default: def}, nil
}

// isFreeText reports whether s takes any text, so that variables need no
// mention of their own.
func isFreeText(s *jsonschema.Schema) bool { return len(s.Types) > 0 && s.Types[0] == "string" }

func scalarType(t reflect.Type, r rules) *jsonschema.Schema {
	switch t {
	case typeSecret:
		return &jsonschema.Schema{Types: []string{"string", "number", "boolean"}}
	case typeDuration:
		text := &jsonschema.Schema{Type: "string", Pattern: durationPattern}
		return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{text, {Type: "integer", Minimum: number("0"), Maximum: number("0")}}}
	case typeTier:
		return &jsonschema.Schema{Type: "string", Enum: anySlice(tierNames())}
	}
	switch t.Kind() {
	case reflect.String:
		if len(r.enum) > 0 {
			return &jsonschema.Schema{Type: "string", Enum: anySlice(r.enum)}
		}
		s := &jsonschema.Schema{Types: []string{"string"}}
		if n, err := strconv.Atoi(r.max); err == nil {
			s.MaxLength = &n
		}
		return s
	case reflect.Bool:
		return &jsonschema.Schema{Type: "boolean"}
	case reflect.Float64:
		return &jsonschema.Schema{Type: "number", Minimum: number(r.min), Maximum: number(r.max)}
	}
	return &jsonschema.Schema{Type: "integer", Minimum: number(r.min), Maximum: number(r.max)}
}

// number reads the limit in a tag; nil if there is none.
func number(s string) *float64 {
	if strings.TrimSpace(s) == "" {
		return nil
	}
	f := parseFloat(s)
	return &f
}

func anySlice(in []string) []any {
	out := make([]any, len(in))
	for i, s := range in {
		out[i] = s
	}
	return out
}
