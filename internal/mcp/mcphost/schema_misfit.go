package mcphost

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/MrWong99/glyphoxa/internal/untrusted"
)

// noFit describes a misfit if the place is unknown.
const noFit = "they do not fit the schema"

// misfit is the first place at which a value does not fit its schema. It says what is expected there and
// never what was given, because the value may be a secret or longer than any message.
type misfit struct {
	path, expected string
	kinds          []string // the expected types, if the type is wrong
}

// String names the place and what is expected there.
func (m *misfit) String() string {
	if m.path == "" {
		return "the whole " + m.expected
	}
	return "`" + untrusted.Line(strings.ReplaceAll(m.path, "`", "'"), maxShownName) + "` " + m.expected
}

// misfits finds the first misfit of a value. The validator rejects every value for which it finds one, but
// misfits ignores keywords that few schemas use.
type misfits struct {
	root  *jsonschema.Schema
	older bool // draft-07, where $ref overrides all keywords beside it
}

func misfitsOf(root *jsonschema.Schema) misfits {
	return misfits{root, strings.Contains(root.Schema, "draft-07")}
}

// in returns the first misfit of value, whose path is at, or nil if it finds none.
func (f misfits) in(s *jsonschema.Schema, value any, at string) *misfit {
	if s == nil {
		return nil
	}
	if s.Ref != "" {
		if m := f.in(f.target(s.Ref), value, at); m != nil || f.older {
			return m
		}
	}
	if m := misfitType(s, value, at); m != nil {
		return m
	}
	if says := unlisted(s, value); says != "" {
		return &misfit{path: at, expected: says}
	}
	if m := f.ofKind(s, value, at); m != nil {
		return m
	}
	for _, all := range s.AllOf {
		if m := f.in(all, value, at); m != nil {
			return m
		}
	}
	if m := f.alternatives(s.AnyOf, value, at); m != nil {
		return m
	}
	return f.alternatives(s.OneOf, value, at)
}

// ofKind checks the keywords that apply to one type of value.
func (f misfits) ofKind(s *jsonschema.Schema, value any, at string) *misfit {
	says := ""
	switch v := value.(type) {
	case string:
		says = misfitText(s, v)
	case float64:
		says = misfitNumber(s, v)
	case []any:
		if says = misfitCount(len(v), s.MinItems, s.MaxItems, "items"); says == "" {
			return f.inItems(s, v, at)
		}
	case map[string]any:
		if says = misfitCount(len(v), s.MinProperties, s.MaxProperties, "members"); says == "" {
			return f.inMembers(s, v, at)
		}
	}
	if says == "" {
		return nil
	}
	return &misfit{path: at, expected: says}
}

func (f misfits) inItems(s *jsonschema.Schema, items []any, at string) *misfit {
	for i, item := range items {
		inner := s.Items
		if i < len(s.PrefixItems) && !f.older {
			inner = s.PrefixItems[i]
		}
		if len(s.ItemsArray) > 0 {
			inner = nil // a list of item schemas, from draft-07, is not checked
		}
		if m := f.in(inner, item, at+"["+strconv.Itoa(i)+"]"); m != nil {
			return m
		}
	}
	return nil
}

func (f misfits) inMembers(s *jsonschema.Schema, members map[string]any, at string) *misfit {
	for _, name := range s.Required {
		if _, given := members[name]; !given {
			return &misfit{path: at + separator(at) + name, expected: "is missing"}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		if value, given := members[name]; given {
			if m := f.in(s.Properties[name], value, at+separator(at)+name); m != nil {
				return m
			}
		}
	}
	if s.AdditionalProperties == nil || len(s.PatternProperties) > 0 {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if _, known := s.Properties[name]; !known {
			if m := f.in(s.AdditionalProperties, members[name], at+separator(at)+name); m != nil {
				return m
			}
		}
	}
	return nil
}

// alternatives returns nil if the value fits one of the schemas. Otherwise it returns the misfit of the only
// schema that accepts the value's type, or a general one.
func (f misfits) alternatives(schemas []*jsonschema.Schema, value any, at string) *misfit {
	if len(schemas) == 0 {
		return nil
	}
	var kinds []string
	var closer []*misfit
	for _, s := range schemas {
		m := f.in(s, value, at)
		switch {
		case m == nil:
			return nil
		case m.kinds != nil && m.path == at:
			kinds = append(kinds, m.kinds...)
		default:
			closer = append(closer, m)
		}
	}
	switch len(closer) {
	case 0:
		return expectsType(kinds, at)
	case 1:
		return closer[0]
	}
	return &misfit{path: at, expected: "fits none of the forms that its schema allows"}
}

// target resolves a reference to the root or to a definition. It returns nil for any other reference.
func (f misfits) target(ref string) *jsonschema.Schema {
	if ref == "#" {
		return f.root
	}
	if name, ok := strings.CutPrefix(ref, "#/$defs/"); ok {
		return f.root.Defs[name]
	}
	if name, ok := strings.CutPrefix(ref, "#/definitions/"); ok {
		return f.root.Definitions[name]
	}
	return nil
}

// kindNames are the JSON types as error messages name them.
var kindNames = map[string]string{
	"string": "a string", "integer": "an integer", "number": "a number", "boolean": "true or false",
	"array": "an array", "object": "an object", "null": "null",
}

func misfitType(s *jsonschema.Schema, value any, at string) *misfit {
	kinds := s.Types
	if s.Type != "" {
		kinds = []string{s.Type}
	}
	if len(kinds) == 0 || slices.ContainsFunc(kinds, func(kind string) bool { return isKind(value, kind) }) {
		return nil
	}
	return expectsType(kinds, at)
}

func expectsType(kinds []string, at string) *misfit {
	var names []string
	for _, kind := range kinds {
		if name := kindNames[kind]; name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return &misfit{path: at, expected: "must be " + strings.Join(names, " or "), kinds: kinds}
}

// WrongType returns the message for a value at path that cannot be decoded into the Go type want.
func WrongType(path string, want reflect.Type) string {
	kind := ""
	switch want.Kind() {
	case reflect.String:
		kind = "string"
	case reflect.Bool:
		kind = "boolean"
	case reflect.Slice, reflect.Array:
		kind = "array"
	case reflect.Struct, reflect.Map:
		kind = "object"
	case reflect.Float32, reflect.Float64:
		kind = "number"
	case reflect.Int, reflect.Int64, reflect.Uint, reflect.Uint64:
		kind = "integer"
	default:
		return (&misfit{path: path, expected: "has the wrong type"}).String()
	}
	return expectsType([]string{kind}, path).String()
}

// isKind reports whether a decoded value has the given JSON Schema type.
func isKind(value any, kind string) bool {
	switch v := value.(type) {
	case nil:
		return kind == "null"
	case bool:
		return kind == "boolean"
	case string:
		return kind == "string"
	case float64:
		return kind == "number" || kind == "integer" && v == math.Trunc(v)
	case []any:
		return kind == "array"
	case map[string]any:
		return kind == "object"
	}
	return true // not a type that JSON decodes to
}

// unlisted returns a message that lists the allowed values, or "" if the value is one of them.
func unlisted(s *jsonschema.Schema, value any) string {
	isThat := func(listed any) bool { return reflect.DeepEqual(listed, value) }
	switch {
	case s.Const != nil && !isThat(*s.Const):
		return "must be " + quoteListed([]any{*s.Const})
	case s.Enum != nil && !slices.ContainsFunc(s.Enum, isThat):
		return "must be one of " + quoteListed(s.Enum)
	}
	return ""
}

// quoteListed formats the values that a schema lists, bounded for a message.
func quoteListed(values []any) string {
	var quoted []string
	for _, v := range values[:min(len(values), maxNamed)] {
		raw, err := json.Marshal(v)
		if err != nil {
			continue
		}
		quoted = append(quoted, untrusted.Line(string(raw), maxShownName))
	}
	if len(values) > maxNamed {
		quoted = append(quoted, "…")
	}
	return strings.Join(quoted, ", ")
}

func misfitText(s *jsonschema.Schema, text string) string {
	if s.MinLength == nil && s.MaxLength == nil && s.Pattern == "" {
		return ""
	}
	switch n := utf8.RuneCountInString(text); {
	case s.MinLength != nil && n < *s.MinLength:
		return fmt.Sprintf("has %d characters, at least %d are needed", n, *s.MinLength)
	case s.MaxLength != nil && n > *s.MaxLength:
		return fmt.Sprintf("has %d characters, at most %d are allowed", n, *s.MaxLength)
	}
	if s.Pattern != "" {
		if re, err := regexp.Compile(s.Pattern); err == nil && !re.MatchString(text) {
			return "must match the pattern " + untrusted.Line(s.Pattern, maxShownName)
		}
	}
	return ""
}

func misfitNumber(s *jsonschema.Schema, n float64) string {
	number := func(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }
	switch {
	case s.Minimum != nil && n < *s.Minimum:
		return "must be at least " + number(*s.Minimum)
	case s.Maximum != nil && n > *s.Maximum:
		return "must be at most " + number(*s.Maximum)
	case s.ExclusiveMinimum != nil && n <= *s.ExclusiveMinimum:
		return "must be above " + number(*s.ExclusiveMinimum)
	case s.ExclusiveMaximum != nil && n >= *s.ExclusiveMaximum:
		return "must be below " + number(*s.ExclusiveMaximum)
	}
	return ""
}

func misfitCount(n int, least, most *int, what string) string {
	switch {
	case least != nil && n < *least:
		return fmt.Sprintf("has %d %s, at least %d are needed", n, what, *least)
	case most != nil && n > *most:
		return fmt.Sprintf("has %d %s, at most %d are allowed", n, what, *most)
	}
	return ""
}
