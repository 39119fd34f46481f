package tools

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
)

// Bounds holds JSON Schema keywords that a struct cannot express, such as minLength or default, keyed by
// property. Nested properties, including those of list items, are written with dots: "area.radius".
type Bounds map[string]map[string]any

// SchemaOf returns the JSON Schema of the struct T. Callers must not modify it. Names come from the json tags
// and descriptions from the jsonschema tags. A field without omitempty or omitzero is required. Additional
// properties are not allowed, and no property accepts null. SchemaOf panics if bounds name a property that T
// does not have, or if JSON Schema cannot represent T.
func SchemaOf[T any](bounds Bounds) map[string]any {
	s, err := jsonschema.For[T](&jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[time.Time](): {Type: "string", Format: "date-time"},
	}})
	if err != nil {
		panic(err)
	}
	raw, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	var tree map[string]any
	if err := json.Unmarshal(raw, &tree); err != nil {
		panic(err)
	}
	dropNull(tree)
	if len(s.Required) > 0 {
		tree["required"] = s.Required
	}
	if tree["properties"] == nil { // some vendors reject a schema without properties
		tree["properties"] = map[string]any{}
	}
	for path, keywords := range bounds {
		maps.Copy(property(tree, path), keywords)
	}
	return tree
}

// property returns the schema of the property at a path within an object schema.
func property(object map[string]any, path string) map[string]any {
	for name := range strings.SplitSeq(path, ".") {
		if items, ok := object["items"].(map[string]any); ok {
			object = items
		}
		properties, _ := object["properties"].(map[string]any)
		p, ok := properties[name].(map[string]any)
		if !ok {
			panic(fmt.Sprintf("there is no property %q", path))
		}
		object = p
	}
	return object
}

// dropNull removes null from the types that pointers and slices produce.
func dropNull(tree map[string]any) {
	if types, ok := tree["type"].([]any); ok && len(types) == 2 && types[0] == "null" {
		tree["type"] = types[1]
	}
	for _, v := range tree {
		if sub, ok := v.(map[string]any); ok {
			dropNull(sub)
		}
	}
}
