package mcphost

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// errNoProbe means that the host could not make up a valid input.
var errNoProbe = errors.New("no valid input can be made from its schema")

// maxProbeDepth bounds the nesting of a made-up input, and maxProbeParts the number of its values, because
// nested lists multiply.
const (
	maxProbeDepth = 8
	maxProbeParts = 1000
)

// MakeInput returns a minimal valid input for a tool's parameters (docs/adr/0003). It contains only required
// properties, each with its const, default, first enum value or example, or else the smallest value that its
// type, format and bounds allow. A schema without required properties yields {}. invented reports whether the
// input contains a made-up string or number, because the tool may well reject those.
func (s *Schema) MakeInput() (input string, invented bool, err error) {
	m := maker{left: maxProbeParts}
	value, err := m.makeValue(s.root, 0)
	if err != nil {
		return "", false, err
	}
	out, err := json.Marshal(value)
	if err != nil {
		return "", false, fmt.Errorf("encoding a made-up input: %w", err)
	}
	if s.CheckArguments(string(out)) != nil {
		return "", false, errNoProbe
	}
	return string(out), m.invented, nil
}

// maker makes up values, at most left of them.
type maker struct {
	left     int
	invented bool // a value was made up
}

func (m *maker) makeValue(s *jsonschema.Schema, depth int) (any, error) {
	if m.left--; m.left < 0 || depth > maxProbeDepth {
		return nil, errNoProbe
	}
	switch {
	case s.Const != nil:
		return *s.Const, nil
	case s.Default != nil:
		var v any
		err := json.Unmarshal(s.Default, &v)
		return v, err
	case len(s.Enum) > 0:
		return s.Enum[0], nil
	case len(s.Examples) > 0:
		return s.Examples[0], nil
	}
	switch typeOf(s) {
	case "object":
		return m.makeObject(s, depth)
	case "array":
		return m.makeArray(s, depth)
	case "string":
		m.invented = true
		return sampleString(s), nil
	case "integer", "number":
		m.invented = true
		return sampleNumber(s), nil
	case "boolean":
		return false, nil
	case "null":
		return nil, nil
	}
	for _, alternative := range slices.Concat(s.AnyOf, s.OneOf, s.AllOf) {
		if v, err := m.makeValue(alternative, depth+1); err == nil {
			return v, nil
		}
	}
	if s.Ref != "" {
		return nil, errNoProbe
	}
	m.invented = true
	return "a", nil // a schema without any constraint accepts anything
}

func typeOf(s *jsonschema.Schema) string {
	switch {
	case s.Type != "":
		return s.Type
	case len(s.Types) > 0:
		return s.Types[0]
	case len(s.Properties) > 0 || len(s.Required) > 0:
		return "object"
	case s.Items != nil:
		return "array"
	}
	return ""
}

func (m *maker) makeObject(s *jsonschema.Schema, depth int) (any, error) {
	object := map[string]any{}
	for _, name := range s.Required {
		p := cmp.Or(s.Properties[name], s.AdditionalProperties, &jsonschema.Schema{})
		v, err := m.makeValue(p, depth+1)
		if err != nil {
			return nil, err
		}
		object[name] = v
	}
	if s.MinProperties != nil {
		for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
			if len(object) >= *s.MinProperties {
				break
			}
			if _, ok := object[name]; ok {
				continue
			}
			v, err := m.makeValue(s.Properties[name], depth+1)
			if err != nil {
				return nil, err
			}
			object[name] = v
		}
	}
	return object, nil
}

func (m *maker) makeArray(s *jsonschema.Schema, depth int) (any, error) {
	array := []any{}
	if s.MinItems == nil {
		return array, nil
	}
	for range min(*s.MinItems, 16) {
		v, err := m.makeValue(cmp.Or(s.Items, &jsonschema.Schema{}), depth+1)
		if err != nil {
			return nil, err
		}
		array = append(array, v)
	}
	return array, nil
}

func sampleString(s *jsonschema.Schema) string {
	formats := map[string]string{
		"date": "2000-01-01", "time": "12:00:00Z", "date-time": "2000-01-01T12:00:00Z", "duration": "PT1S",
		"email": "a@example.com", "hostname": "example.com", "ipv4": "192.0.2.1", "ipv6": "2001:db8::1",
		"uri": "https://example.com/", "uri-reference": "/", "uuid": "00000000-0000-4000-8000-000000000000",
		"json-pointer": "/a", "regex": "a",
	}
	if f, ok := formats[s.Format]; ok {
		return f
	}
	n := 1
	if s.MinLength != nil {
		n = max(n, min(*s.MinLength, 1<<12))
	}
	return strings.Repeat("a", n)
}

func sampleNumber(s *jsonschema.Schema) any {
	v := 0.0
	if s.Minimum != nil {
		v = *s.Minimum
	} else if s.ExclusiveMinimum != nil {
		v = math.Floor(*s.ExclusiveMinimum) + 1
	} else if s.Maximum != nil && *s.Maximum < 0 {
		v = *s.Maximum
	}
	if typeOf(s) == "integer" {
		v = math.Ceil(v)
	}
	if s.MultipleOf != nil && *s.MultipleOf > 0 {
		v = math.Ceil(v / *s.MultipleOf) * *s.MultipleOf
	}
	return v
}
