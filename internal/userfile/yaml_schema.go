package userfile

import (
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// variablePattern matches texts that [ReadYAML] expands before it determines their type.
const variablePattern = `\$\{`

// durationPattern matches the non-negative durations that time.ParseDuration accepts.
const durationPattern = `^(0|([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|ms|s|m|h))+$`

// Schema returns the JSON Schema (draft 2020-12) of the files that [ReadYAML] reads into into, for use by
// editors. into points to a struct with the defaults. Constraints that involve several keys are not part of
// the schema.
func Schema(title string, into any, opts *Options) (*jsonschema.Schema, error) {
	w := &schemaWriter{}
	if opts != nil {
		w.Options = *opts
	}
	s, err := w.describeStruct(reflect.ValueOf(into).Elem(), rules{})
	if err != nil {
		return nil, fmt.Errorf("describing %s: %w", title, err)
	}
	s.Schema = "https://json-schema.org/draft/2020-12/schema"
	s.Title = title
	return s, nil
}

// schemaWriter describes types according to the options of the file.
type schemaWriter struct{ Options }

// describeStruct describes the mapping that fills a struct. v holds the defaults.
func (w *schemaWriter) describeStruct(v reflect.Value, r rules) (*jsonschema.Schema, error) {
	s := &jsonschema.Schema{
		Types:                []string{"object", "null"},
		Properties:           map[string]*jsonschema.Schema{},
		AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}},
	}
	for _, f := range newShape(v.Type()).fields {
		p, err := w.describeValue(v.FieldByIndex(f.index), f.rules.inheritFrom(r))
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

// describeValue describes one value; v is its default.
func (w *schemaWriter) describeValue(v reflect.Value, r rules) (*jsonschema.Schema, error) {
	t := v.Type()
	if t.Kind() == reflect.Pointer {
		v, t = reflect.New(t.Elem()).Elem(), t.Elem()
	}
	switch {
	case t == typeValue, t.Kind() == reflect.Interface:
		return &jsonschema.Schema{}, nil
	case readsText(t):
		return w.describeScalar(v, r)
	case t.Kind() == reflect.Struct:
		return w.describeEither(v, r)
	case t.Kind() == reflect.Slice:
		return w.describeList(v, r)
	case t.Kind() == reflect.Map:
		return w.describeMap(t, r)
	}
	return w.describeScalar(v, r)
}

// describeEither describes a struct in all its forms: the shapes of a union, and the single value that can be
// given instead.
func (w *schemaWriter) describeEither(v reflect.Value, r rules) (*jsonschema.Schema, error) {
	var forms []*jsonschema.Schema
	if u, ok := reflect.New(v.Type()).Interface().(Union); ok {
		for _, shape := range u.Shapes() {
			s, err := w.describeStruct(reflect.ValueOf(shape).Elem(), r)
			if err != nil {
				return nil, err
			}
			forms = append(forms, s)
		}
		return &jsonschema.Schema{AnyOf: forms}, nil
	}
	long, err := w.describeStruct(v, r)
	f := newShape(v.Type()).short()
	if err != nil || f == nil {
		return long, err
	}
	short, err := w.describeScalar(v.FieldByIndex(f.index), f.rules.inheritFrom(r))
	if err != nil {
		return nil, err
	}
	short.Default = nil
	return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{short, long}}, nil
}

func (w *schemaWriter) describeList(v reflect.Value, r rules) (*jsonschema.Schema, error) {
	filled := r.required || r.nonempty != ""
	r.required, r.nonempty = false, ""
	items, err := w.describeValue(defaultElement(v.Type().Elem()), r)
	if err != nil {
		return nil, err
	}
	s := &jsonschema.Schema{Types: []string{"array", "null"}, Items: items}
	if filled {
		one := 1
		s.Type, s.Types, s.MinItems = "array", nil, &one
	}
	if v.Len() > 0 {
		s.Default, err = json.Marshal(v.Interface())
	}
	return s, err
}

func (w *schemaWriter) describeMap(t reflect.Type, r rules) (*jsonschema.Schema, error) {
	elem, err := w.describeValue(defaultElement(t.Elem()), r)
	if err != nil {
		return nil, err
	}
	s := &jsonschema.Schema{Types: []string{"object", "null"}, AdditionalProperties: elem}
	if len(r.keys) > 0 {
		s.PropertyNames = &jsonschema.Schema{Enum: anySlice(r.keys)}
	}
	return s, nil
}

// describeScalar describes a single value. If variables are expanded, a text with a variable is valid for any
// type. If a key may be left empty, so is null.
func (w *schemaWriter) describeScalar(v reflect.Value, r rules) (*jsonschema.Schema, error) {
	var def json.RawMessage
	if !v.IsZero() {
		b, err := json.Marshal(v.Interface())
		if err != nil {
			return nil, err
		}
		def = b
	}
	plain := scalarType(v.Type(), r, w.Literal)
	switch {
	case w.Literal:
		plain.Default = def
		return plain, nil
	case isFreeText(plain):
		plain.Types = append(plain.Types, "null")
		plain.Default = def
		return plain, nil
	}
	variable := &jsonschema.Schema{Type: "string", Pattern: variablePattern}
	empty := &jsonschema.Schema{Type: "null"}
	return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{plain, variable, empty}, Default: def}, nil
}

// isFreeText reports whether s accepts any text, so that variables need no separate mention.
func isFreeText(s *jsonschema.Schema) bool { return len(s.Types) > 0 && s.Types[0] == "string" }

func scalarType(t reflect.Type, r rules, literal bool) *jsonschema.Schema {
	switch {
	case t == typeDuration:
		text := &jsonschema.Schema{Type: "string", Pattern: durationPattern}
		return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{text, {Type: "integer", Minimum: number("0"), Maximum: number("0")}}}
	case len(r.enum) > 0:
		return &jsonschema.Schema{Type: "string", Enum: anySlice(r.enum)}
	}
	switch t.Kind() {
	case reflect.String:
		s := &jsonschema.Schema{Types: []string{"string"}}
		if t.PkgPath() != "" || !literal { // any single value, as it is written
			s.Types = append(s.Types, "number", "boolean")
		}
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

// number parses the limit in a tag. It returns nil if there is none.
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

// WriteSchema writes a schema as indented JSON. The dialect and the title come first, because people look for
// them there.
func WriteSchema(w io.Writer, s *jsonschema.Schema) error {
	head, err := json.Marshal(struct {
		Schema string `json:"$schema"`
		Title  string `json:"title"`
	}{s.Schema, s.Title})
	if err != nil {
		return err
	}
	rest := *s
	rest.Schema, rest.Title = "", ""
	body, err := json.Marshal(&rest)
	if err != nil {
		return err
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(json.RawMessage(slices.Concat(head[:len(head)-1], []byte(","), body[1:])))
}
