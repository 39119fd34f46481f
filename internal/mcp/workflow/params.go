package workflow

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"reflect"
	"regexp"
	"slices"

	"github.com/MrWong99/glyphoxa/internal/userfile"
)

// maxParams is how many parameters a workflow may have.
const maxParams = 64

var paramForm = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,63}$`)

// param is a parameter of a workflow, or the item type of an array.
type param struct {
	name, kind, description string
	required                bool
	fallback                any // nil: none
	enum                    []any
	minimum, maximum        *float64
	items                   *param
}

// paramDecl is the declaration of a parameter in the file.
type paramDecl struct {
	_           struct{}         `noun:"a parameter"`
	Line        int              `line:"true"`
	Type        string           `yaml:"type" required:"true" enum:"string|integer|number|boolean|array|object" doc:"What it is."`
	Description string           `yaml:"description" doc:"What it is for."`
	Enum        []userfile.Value `yaml:"enum" doc:"The values it may have."`
	Minimum     *float64         `yaml:"minimum" doc:"The least it may be, for numbers."`
	Maximum     *float64         `yaml:"maximum" doc:"The most it may be, for numbers."`
	Required    bool             `yaml:"required" doc:"Whether it must be given."`
	Default     userfile.Value   `yaml:"default" doc:"What it is if it is not given."`
	Items       *itemsDecl       `yaml:"items" doc:"What an array holds."`
}

// itemsDecl is the declaration of an array's items in the file.
type itemsDecl struct {
	_           struct{}         `noun:"items"`
	Type        string           `yaml:"type" required:"true" enum:"string|integer|number|boolean" doc:"What each is."`
	Description string           `yaml:"description" doc:"What they are for."`
	Enum        []userfile.Value `yaml:"enum" doc:"The values they may have."`
	Minimum     *float64         `yaml:"minimum" doc:"The least they may be, for numbers."`
	Maximum     *float64         `yaml:"maximum" doc:"The most they may be, for numbers."`
}

// addParams compiles the parameters in file order.
func (c *compiler) addParams(decls map[string]*paramDecl) {
	names := slices.SortedFunc(maps.Keys(decls), func(a, b string) int {
		return cmp.Or(cmp.Compare(c.doc.KeyLine(paramsPath.Key(a)), c.doc.KeyLine(paramsPath.Key(b))), cmp.Compare(a, b))
	})
	for i, name := range names {
		path := paramsPath.Key(name)
		switch {
		case !paramForm.MatchString(name):
			c.doc.AddSentence(path, c.doc.KeyLine(path), fmt.Sprintf("%q cannot be a parameter's name", name), "use letters, digits and _, and begin with no digit")
			continue
		case i == maxParams:
			c.doc.AddSentence(path, c.doc.KeyLine(path), fmt.Sprintf("the workflow has more than %d parameters", maxParams), "take an object instead")
		}
		d := decls[name]
		if d == nil {
			c.doc.AddProblem(path, "is empty", "give it a type:")
			d = &paramDecl{}
		}
		c.w.params = append(c.w.params, c.param(path, name, d))
		c.scope.params = append(c.scope.params, name)
	}
}

const paramsPath userfile.Path = "parameters"

func (c *compiler) param(path userfile.Path, name string, d *paramDecl) param {
	p := param{name: name, kind: d.Type, description: d.Description, required: d.Required, minimum: d.Minimum, maximum: d.Maximum}
	if p.kind == "" {
		return p // already reported
	}
	if d.Items != nil {
		sub := path.Key("items")
		p.items = &param{kind: d.Items.Type, description: d.Items.Description, minimum: d.Items.Minimum, maximum: d.Items.Maximum}
		if p.items.kind != "" {
			c.checkParam(sub, p.items)
			p.items.enum = c.choices(sub, d.Items.Enum, p.items)
		}
	}
	c.checkParam(path, &p)
	p.enum = c.choices(path, d.Enum, &p)
	if sub := path.Key("default"); d.Default.Kind != userfile.Missing {
		p.fallback, _ = c.fitting(sub, &d.Default, &p)
		if p.required {
			c.doc.AddSentence(path, d.Default.Line, fmt.Sprintf("%s is required and has a default", p.title()), "remove one of the two")
		}
	}
	return p
}

// checkParam reports keys that do not apply to the parameter's type.
func (c *compiler) checkParam(path userfile.Path, p *param) {
	numeric := p.kind == "integer" || p.kind == "number"
	if !numeric && (p.minimum != nil || p.maximum != nil) {
		c.doc.AddSentence(path, 0, p.title()+" has a minimum or maximum, but is no number", "remove it")
		p.minimum, p.maximum = nil, nil
	}
	if p.minimum != nil && p.maximum != nil && *p.minimum > *p.maximum {
		c.doc.AddSentence(path, 0, p.title()+" has a minimum above its maximum", "swap them")
	}
	if p.items != nil && p.kind != "array" {
		c.doc.AddSentence(path, 0, p.title()+" has items, but is no array", "remove them")
		p.items = nil
	}
}

// title returns how messages refer to the parameter.
func (p *param) title() string {
	if p.name == "" {
		return "items"
	}
	return fmt.Sprintf("parameter %q", p.name)
}

// choices returns the values that are valid for the parameter and reports the others.
func (c *compiler) choices(path userfile.Path, values []userfile.Value, p *param) []any {
	var allowed []any
	for i := range values {
		if v, ok := c.fitting(path.Key("enum").Item(i), &values[i], p); ok {
			allowed = append(allowed, v)
		}
	}
	return allowed
}

// fitting returns a value from the file if it is valid for the parameter.
func (c *compiler) fitting(path userfile.Path, from *userfile.Value, p *param) (any, bool) {
	v := asJSON(from.Plain())
	why := p.misfit(v)
	if why != "" {
		c.doc.AddSentence(path, from.Line, fmt.Sprintf("%s cannot be this value: %s", p.title(), why), "")
	}
	return v, why == ""
}

// asJSON returns a plain value with its whole numbers converted to the type that expressions use.
func asJSON(v any) any {
	switch x := v.(type) {
	case int64:
		return int(x)
	case []any:
		for i := range x {
			x[i] = asJSON(x[i])
		}
	case map[string]any:
		for k := range x {
			x[k] = asJSON(x[k])
		}
	}
	return v
}

// misfit returns why v is not a valid value for the parameter, or "" if it is valid.
func (p *param) misfit(v any) string {
	if !p.typed(v) {
		return "it is not of type " + p.kind
	}
	if f, ok := asFloat(v); ok {
		if p.minimum != nil && f < *p.minimum {
			return fmt.Sprintf("it is below the minimum of %v", *p.minimum)
		}
		if p.maximum != nil && f > *p.maximum {
			return fmt.Sprintf("it is above the maximum of %v", *p.maximum)
		}
	}
	if len(p.enum) > 0 && !slices.ContainsFunc(p.enum, func(e any) bool { return equalJSON(e, v) }) {
		return fmt.Sprintf("it is none of %v", p.enum)
	}
	if list, ok := v.([]any); ok && p.items != nil {
		for _, item := range list {
			if why := p.items.misfit(item); why != "" {
				return "an item is wrong: " + why
			}
		}
	}
	return ""
}

func (p *param) typed(v any) bool {
	switch x := v.(type) {
	case string:
		return p.kind == "string"
	case bool:
		return p.kind == "boolean"
	case int:
		return p.kind == "integer" || p.kind == "number"
	case float64:
		return p.kind == "number" || p.kind == "integer" && x == math.Trunc(x)
	case []any:
		return p.kind == "array"
	case map[string]any:
		return p.kind == "object"
	}
	return false
}

// equalJSON reports whether two JSON values are equal. 1 equals 1.0.
func equalJSON(a, b any) bool {
	x, isNumber := asFloat(a)
	y, both := asFloat(b)
	if isNumber && both {
		return x == y
	}
	return reflect.DeepEqual(a, b)
}

func asFloat(v any) (float64, bool) {
	switch x := v.(type) {
	case int:
		return float64(x), true
	case float64:
		return x, true
	}
	return 0, false
}

// schema returns the parameter's JSON Schema.
func (p *param) schema() map[string]any {
	s := map[string]any{"type": p.kind}
	if p.description != "" {
		s["description"] = p.description
	}
	if p.fallback != nil {
		s["default"] = p.fallback
	}
	if len(p.enum) > 0 {
		s["enum"] = p.enum
	}
	if p.minimum != nil {
		s["minimum"] = *p.minimum
	}
	if p.maximum != nil {
		s["maximum"] = *p.maximum
	}
	if p.items != nil {
		s["items"] = p.items.schema()
	}
	return s
}
