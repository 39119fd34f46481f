package workflow

import (
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"

	"gopkg.in/yaml.v3"
)

// maxParams is how many parameters a workflow may have.
const maxParams = 64

var (
	paramForm = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,63}$`)
	typeNames = []string{"string", "integer", "number", "boolean", "array", "object"}
)

// param is a parameter of a workflow, or what an array's items are.
type param struct {
	name, kind, description string
	required                bool
	fallback                any // nil: none
	enum                    []any
	minimum, maximum        *float64
	items                   *param
}

func (g *grammar) parameters(n *yaml.Node) {
	g.pairs(n, "parameters", func(key, value *yaml.Node) {
		if !paramForm.MatchString(key.Value) {
			g.add(key, fmt.Sprintf("%q cannot be a parameter's name", key.Value), "use letters, digits and _, and begin with no digit")
			return
		}
		if len(g.w.params) == maxParams {
			g.add(key, fmt.Sprintf("the workflow has more than %d parameters", maxParams), "take an object instead")
		}
		p := g.param(value, fmt.Sprintf("parameter %q", key.Value), true)
		p.name = key.Value
		g.w.params = append(g.w.params, p)
		g.scope.params = append(g.scope.params, p.name)
	})
}

// param reads a declaration. What an array's items are is told in the same
// words, without default, required and items of their own.
func (g *grammar) param(n *yaml.Node, what string, whole bool) param {
	var p param
	var fallback *yaml.Node
	var enum []*yaml.Node
	fields := []field{
		{"type", true, func(n *yaml.Node) { g.paramType(n, what, whole, &p) }},
		{"description", false, g.textInto(&p.description, "description")},
		{"enum", false, func(n *yaml.Node) { g.list(n, "enum", func(c *yaml.Node) { enum = append(enum, c) }) }},
		{"minimum", false, func(n *yaml.Node) { p.minimum = g.number(n, "minimum") }},
		{"maximum", false, func(n *yaml.Node) { p.maximum = g.number(n, "maximum") }},
	}
	if whole {
		fields = append(fields,
			field{"required", false, g.boolInto(&p.required, "required")},
			field{"default", false, func(n *yaml.Node) { fallback = n }},
			field{"items", false, func(n *yaml.Node) {
				items := g.param(n, "items", false)
				p.items = &items
			}})
	}
	g.object(n, what, fields...)
	if p.kind == "" {
		return p // there is a problem already
	}
	g.checkParam(n, what, &p)
	var allowed []any
	for _, c := range enum {
		if v, ok := g.valueOf(c, what, &p); ok {
			allowed = append(allowed, v)
		}
	}
	p.enum = allowed
	if fallback != nil {
		p.fallback, _ = g.valueOf(fallback, what, &p)
		if p.required {
			g.add(fallback, what+" is required and has a default", "remove one of the two")
		}
	}
	return p
}

func (g *grammar) paramType(n *yaml.Node, what string, whole bool, p *param) {
	known := typeNames
	if !whole {
		known = typeNames[:4]
	}
	kind, ok := g.text(n, "type")
	if ok && !slices.Contains(known, kind) {
		g.add(n, fmt.Sprintf("%s cannot be of type %q", what, kind), suggest(kind, known))
	} else if ok {
		p.kind = kind
	}
}

func (g *grammar) number(n *yaml.Node, what string) *float64 {
	v, ok := g.scalar(n, what)
	if !ok {
		return nil
	}
	f, ok := asFloat(v)
	if !ok {
		g.add(n, fmt.Sprintf("%s must be a number, not %s", what, describe(n)), "")
		return nil
	}
	return &f
}

// checkParam reports keys that do not go with the type.
func (g *grammar) checkParam(n *yaml.Node, what string, p *param) {
	numeric := p.kind == "integer" || p.kind == "number"
	if !numeric && (p.minimum != nil || p.maximum != nil) {
		g.add(n, fmt.Sprintf("%s has a minimum or maximum, but is no number", what), "remove it")
		p.minimum, p.maximum = nil, nil
	}
	if p.minimum != nil && p.maximum != nil && *p.minimum > *p.maximum {
		g.add(n, what+" has a minimum above its maximum", "swap them")
	}
	if p.items != nil && p.kind != "array" {
		g.add(n, fmt.Sprintf("%s has items, but is no array", what), "remove them")
		p.items = nil
	}
}

// valueOf reads a value the parameter may have.
func (g *grammar) valueOf(n *yaml.Node, what string, p *param) (any, bool) {
	v, ok := g.literal(n, what, 0)
	if !ok {
		return nil, false
	}
	if why := p.misfit(v); why != "" {
		g.add(n, fmt.Sprintf("%s cannot be this value: %s", what, why), "")
		return nil, false
	}
	return v, true
}

// literal reads a value in which nothing is templated.
func (r *reader) literal(n *yaml.Node, what string, depth int) (v any, ok bool) {
	if depth > maxDepth {
		r.add(n, fmt.Sprintf("%s is nested more than %d deep", what, maxDepth), "")
		return nil, false
	}
	ok = true
	switch n.Kind {
	case yaml.MappingNode:
		m := map[string]any{}
		_, ok = r.pairs(n, what, func(key, value *yaml.Node) {
			item, fine := r.literal(value, what, depth+1)
			m[key.Value], ok = item, ok && fine
		})
		return m, ok
	case yaml.SequenceNode:
		list := []any{}
		for _, c := range n.Content {
			item, fine := r.literal(c, what, depth+1)
			list, ok = append(list, item), ok && fine
		}
		return list, ok
	}
	return r.scalar(n, what)
}

// misfit says why the parameter cannot have the value v, empty if it can.
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
	if len(p.enum) > 0 && !slices.ContainsFunc(p.enum, func(e any) bool { return same(e, v) }) {
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

// same reports whether two JSON values are equal; 1 and 1.0 are.
func same(a, b any) bool {
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

// schema is the JSON Schema of the parameter.
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
