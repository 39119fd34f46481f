package mcphost

import (
	"errors"
	"fmt"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

const (
	// maxSchemaDepth bounds the nesting of a schema.
	maxSchemaDepth = 64
	// maxSteps bounds the cost of validating one value, in visits of a subschema. A visit takes about a
	// microsecond.
	maxSteps = 2_000_000
)

var errEndless = errors.New("it refers to itself without end")

// fanOut returns the largest number of subschemas that one subschema applies to the same value, including
// itself. It returns an error for a schema that applies itself to the same value, because the validator would
// recurse until the stack overflows, and for references that it cannot follow.
func fanOut(root map[string]any) (int, error) {
	if depth(root) > maxSchemaDepth {
		return 0, fmt.Errorf("it is nested more than %d levels deep", maxSchemaDepth)
	}
	w := &walk{root: root, cost: map[string]int{}, seen: map[string]bool{}}
	if err := w.visit("", root); err != nil {
		return 0, err
	}
	most := 1
	for _, c := range w.cost {
		most = max(most, c)
	}
	return most, nil
}

// tooCostly reports whether validating v against a schema with that fan-out may take more than maxSteps.
// Every level of the value can multiply the steps.
func tooCostly(fanOut int, v any) bool {
	steps := float64(nodes(v)) * math.Pow(float64(fanOut), float64(depth(v)+1))
	return fanOut > 1 && steps > maxSteps
}

// nodes counts the values in a JSON value, including itself.
func nodes(v any) int {
	n := 1
	switch v := v.(type) {
	case map[string]any:
		for _, item := range v {
			n += nodes(item)
		}
	case []any:
		for _, item := range v {
			n += nodes(item)
		}
	}
	return n
}

// depth returns the nesting depth of a JSON value; a scalar has depth 0.
func depth(v any) int {
	deepest := 0
	switch v := v.(type) {
	case map[string]any:
		for _, item := range v {
			deepest = max(deepest, 1+depth(item))
		}
		return max(deepest, 1)
	case []any:
		for _, item := range v {
			deepest = max(deepest, 1+depth(item))
		}
		return max(deepest, 1)
	}
	return 0
}

// walk traverses a schema. It identifies subschemas by JSON pointer.
type walk struct {
	root map[string]any
	cost map[string]int // see weigh; -1 while it is being computed
	seen map[string]bool
}

// child is a subschema and its pointer.
type child struct {
	at     string
	schema map[string]any
}

// visit checks a schema and everything below it.
func (w *walk) visit(at string, s map[string]any) error {
	if w.seen[at] {
		return nil
	}
	w.seen[at] = true
	if at != "" && s["$id"] != nil {
		return errors.New("it has a $id inside, which moves its references")
	}
	if _, err := w.countSubschemas(at, s); err != nil {
		return err
	}
	same, err := w.alongside(at, s)
	if err != nil {
		return err
	}
	for _, c := range append(same, within(at, s)...) {
		if err := w.visit(c.at, c.schema); err != nil {
			return err
		}
	}
	return nil
}

// countSubschemas counts the subschemas that s applies to one and the same value.
func (w *walk) countSubschemas(at string, s map[string]any) (int, error) {
	switch c := w.cost[at]; {
	case c < 0:
		return 0, errEndless
	case c > 0:
		return c, nil
	}
	w.cost[at] = -1
	same, err := w.alongside(at, s)
	if err != nil {
		return 0, err
	}
	sum := 1
	for _, c := range same {
		n, err := w.countSubschemas(c.at, c.schema)
		if err != nil {
			return 0, err
		}
		if sum += n; sum > maxSteps {
			return 0, errors.New("it takes too many steps to validate")
		}
	}
	w.cost[at] = sum
	return sum, nil
}

// alongside lists the subschemas that apply to the same value as s.
func (w *walk) alongside(at string, s map[string]any) ([]child, error) {
	all := children(at, s, []string{"allOf", "anyOf", "oneOf", "not", "if", "then", "else"}, []string{"dependentSchemas", "dependencies"})
	if s["$dynamicRef"] != nil || s["$recursiveRef"] != nil {
		return nil, errors.New("it has dynamic references")
	}
	ref, ok := s["$ref"].(string)
	if !ok {
		return all, nil
	}
	target, pointer, err := w.follow(ref)
	if err != nil {
		return nil, err
	}
	return append(all, child{pointer, target}), nil
}

// within lists the subschemas that apply to parts of the value, and the definitions.
func within(at string, s map[string]any) []child {
	return children(at, s, []string{
		"items", "prefixItems", "additionalItems", "unevaluatedItems", "contains", "additionalProperties",
		"unevaluatedProperties", "propertyNames", "contentSchema",
	}, []string{"properties", "patternProperties", "$defs", "definitions"})
}

// children lists the schemas under the given keywords. keywords hold a schema or a list of schemas, maps hold
// schemas by name.
func children(at string, s map[string]any, keywords, maps []string) []child {
	var all []child
	add := func(at string, v any) {
		if m, ok := v.(map[string]any); ok {
			all = append(all, child{at, m})
		}
	}
	for _, k := range keywords {
		add(at+"/"+k, s[k])
		list, _ := s[k].([]any)
		for i, v := range list {
			add(at+"/"+k+"/"+strconv.Itoa(i), v)
		}
	}
	for _, k := range maps {
		m, _ := s[k].(map[string]any)
		for name, v := range m {
			add(at+"/"+k+"/"+escapePointer(name), v)
		}
	}
	return all
}

func escapePointer(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "~", "~0"), "/", "~1")
}

// follow resolves a reference within the schema.
func (w *walk) follow(ref string) (target map[string]any, pointer string, err error) {
	fragment, ok := strings.CutPrefix(ref, "#")
	if ok {
		fragment, err = url.PathUnescape(fragment)
	}
	if !ok || err != nil || fragment != "" && fragment[0] != '/' {
		return nil, "", fmt.Errorf("its reference %q does not lead to a place within it", ref)
	}
	var at any = w.root
	for _, step := range strings.Split(fragment, "/")[1:] {
		step = strings.ReplaceAll(strings.ReplaceAll(step, "~1", "/"), "~0", "~")
		switch v := at.(type) {
		case map[string]any:
			at = v[step]
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(v) {
				return nil, "", fmt.Errorf("its reference %q leads nowhere", ref)
			}
			at = v[i]
		default:
			at = nil
		}
		pointer += "/" + escapePointer(step)
	}
	target, ok = at.(map[string]any)
	if !ok && !slices.Contains([]any{true, false}, at) {
		return nil, "", fmt.Errorf("its reference %q leads nowhere", ref)
	}
	return target, pointer, nil
}
