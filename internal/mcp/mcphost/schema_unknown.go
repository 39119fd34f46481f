package mcphost

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/MrWong99/glyphoxa/internal/untrusted"
	"github.com/MrWong99/glyphoxa/internal/userfile"
)

const (
	// maxNamed is how many arguments a message lists.
	maxNamed = 16
	// maxShownName bounds a name in a message, in characters.
	maxShownName = 100
)

// UnknownArgument returns a message about the first of the decoded arguments that the schema does not know,
// and suggests known names. It returns "" if all are known. A model that guesses a name learns the right one
// only from this message.
func UnknownArgument(s *jsonschema.Schema, args any) string { return unknownArgument(s, args, "") }

// unknownArgument checks value, whose path is at.
func unknownArgument(s *jsonschema.Schema, value any, at string) string {
	switch v := value.(type) {
	case map[string]any:
		least, unknown := leastUnknown(s, v)
		for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
			if unknown && name > least {
				break
			}
			if inner, given := v[name]; given {
				if says := unknownArgument(s.Properties[name], inner, at+name+"."); says != "" {
					return says
				}
			}
		}
		if unknown {
			return fmt.Sprintf("unknown argument %q; %s", untrusted.Clean(at+least, maxShownName), rightName(s, least))
		}
	case []any:
		if s.Items == nil {
			return ""
		}
		for i, item := range v {
			if i < len(s.PrefixItems) {
				continue // Items applies only to the items after PrefixItems
			}
			if says := unknownArgument(s.Items, item, fmt.Sprintf("%s[%d].", strings.TrimSuffix(at, "."), i)); says != "" {
				return says
			}
		}
	}
	return ""
}

// leastUnknown returns the alphabetically first name in value that s does not allow.
func leastUnknown(s *jsonschema.Schema, value map[string]any) (least string, found bool) {
	if !isFalse(s.AdditionalProperties) || len(s.PatternProperties) > 0 {
		return "", false
	}
	for name := range value {
		if _, known := s.Properties[name]; !known && (!found || name < least) {
			least, found = name, true
		}
	}
	return least, found
}

// separator returns the separator between a path and a name appended to it.
func separator(path string) string {
	if path == "" {
		return ""
	}
	return "."
}

// isFalse reports whether a schema is the boolean schema false, which no value fits.
func isFalse(s *jsonschema.Schema) bool {
	return s != nil && reflect.DeepEqual(*s, jsonschema.Schema{Not: &jsonschema.Schema{}})
}

// rightName suggests the known name nearest to name, or else lists the known names.
func rightName(s *jsonschema.Schema, name string) string {
	names := slices.Sorted(maps.Keys(s.Properties))
	if near := userfile.Nearest(name, names); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	quoted := make([]string, 0, maxNamed)
	for _, n := range names[:min(len(names), maxNamed)] {
		quoted = append(quoted, fmt.Sprintf("%q", n))
	}
	switch {
	case len(names) == 0:
		return "there are no arguments to give"
	case len(names) == 1:
		return "the only one is " + quoted[0]
	case len(names) > maxNamed:
		quoted = append(quoted, "…")
	}
	return "the known ones are " + strings.Join(quoted, ", ")
}
