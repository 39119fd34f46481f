package workflow

import (
	"fmt"
	"math"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/MrWong99/glyphoxa/internal/problem"
	"github.com/MrWong99/glyphoxa/internal/strictyaml"
)

// reader turns YAML nodes into values and collects what is wrong with them.
type reader struct {
	file     string
	problems problem.List
}

// field is a key of a mapping. read is called with its value.
type field struct {
	name     string
	required bool
	read     func(*yaml.Node)
}

func (r *reader) add(n *yaml.Node, what, fix string) { r.problems.Add(r.file, n.Line, what, fix) }

// document returns the root of the one document in data, nil if there is none
// to work with.
func (r *reader) document(data []byte) *yaml.Node {
	root, flaw := strictyaml.Parse(data, MaxFile)
	switch {
	case flaw != nil:
		r.problems.Add(r.file, flaw.Line, flaw.What, flaw.Fix)
	case root == nil:
		r.problems.Add(r.file, 0, "the file is empty", "start with description: and steps:")
	}
	return root
}

// object reads a mapping with the given keys. what names it in problems.
func (r *reader) object(n *yaml.Node, what string, fields ...field) {
	read := func(key, value *yaml.Node) {
		for _, f := range fields {
			if f.name == key.Value {
				f.read(value)
				return
			}
		}
		r.add(key, fmt.Sprintf("%s has no key %q", what, key.Value), suggest(key.Value, names(fields)))
	}
	seen, ok := r.pairs(n, what, read)
	for _, f := range fields {
		if ok && f.required && !seen[f.name] {
			r.add(n, fmt.Sprintf("%s has no %q", what, f.name), fmt.Sprintf("add %s:", f.name))
		}
	}
}

func names(fields []field) []string {
	out := make([]string, len(fields))
	for i, f := range fields {
		out[i] = f.name
	}
	return out
}

// suggest says which of the names was likely meant, or which there are.
func suggest(name string, known []string) string {
	if near := problem.Nearest(name, known); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	if len(known) == 0 {
		return ""
	}
	return "use " + strings.Join(known, ", ")
}

// pairs reads a mapping of text keys, each once, and returns them.
func (r *reader) pairs(n *yaml.Node, what string, read func(key, value *yaml.Node)) (seen map[string]bool, ok bool) {
	if !r.kind(n, yaml.MappingNode, what) {
		return nil, false
	}
	first := map[string]int{}
	seen = map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if key.Kind != yaml.ScalarNode || key.ShortTag() != "!!str" {
			r.add(key, fmt.Sprintf("a key of %s is no text", what), "put it in quotes")
			continue
		}
		if line, twice := first[key.Value]; twice {
			r.add(key, fmt.Sprintf("%q is already given on line %d", key.Value, line), "remove one of the two")
			continue
		}
		first[key.Value], seen[key.Value] = key.Line, true
		read(key, value)
	}
	return seen, true
}

// list reads a sequence.
func (r *reader) list(n *yaml.Node, what string, item func(*yaml.Node)) {
	if !r.kind(n, yaml.SequenceNode, what) {
		return
	}
	for _, c := range n.Content {
		item(c)
	}
}

// kind reports whether n is of the wanted kind, and a problem if not.
func (r *reader) kind(n *yaml.Node, want yaml.Kind, what string) bool {
	switch n.Kind {
	case want:
		return true
	case yaml.AliasNode:
		r.add(n, fmt.Sprintf("%s is a YAML alias (*%s)", what, n.Value), "write it out")
	default:
		r.add(n, fmt.Sprintf("%s must be %s, not %s", what, kindName(want), describe(n)), "")
	}
	return false
}

func kindName(k yaml.Kind) string {
	switch k {
	case yaml.MappingNode:
		return "a mapping (key: value)"
	case yaml.SequenceNode:
		return "a list"
	}
	return "a single value"
}

func describe(n *yaml.Node) string {
	if n.Kind != yaml.ScalarNode {
		return kindName(n.Kind)
	}
	switch n.ShortTag() {
	case "!!null":
		return "empty"
	case "!!int", "!!float":
		return "a number"
	case "!!bool":
		return "true or false"
	}
	return "text"
}

// text reads text that is not blank, trimmed.
func (r *reader) text(n *yaml.Node, what string) (string, bool) {
	if !r.kind(n, yaml.ScalarNode, what) {
		return "", false
	}
	if tag := n.ShortTag(); tag != "!!str" {
		fix := fmt.Sprintf("put it in quotes: %q", n.Value)
		if tag == "!!null" {
			fix = "write one, or leave the key out"
		}
		r.add(n, fmt.Sprintf("%s must be text, not %s", what, describe(n)), fix)
		return "", false
	}
	s := strings.TrimSpace(n.Value)
	if s == "" {
		r.add(n, what+" is blank", "write one, or leave the key out")
	}
	return s, s != ""
}

func (r *reader) textInto(dst *string, what string) func(*yaml.Node) {
	return func(n *yaml.Node) {
		if s, ok := r.text(n, what); ok {
			*dst = s
		}
	}
}

func (r *reader) boolInto(dst *bool, what string) func(*yaml.Node) {
	return func(n *yaml.Node) {
		if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!bool" || n.Decode(dst) != nil {
			r.add(n, fmt.Sprintf("%s must be true or false, not %s", what, describe(n)), "")
		}
	}
}

func (r *reader) durationInto(dst *time.Duration, what string) func(*yaml.Node) {
	return func(n *yaml.Node) {
		s, ok := r.text(n, what)
		if !ok {
			return
		}
		d, err := time.ParseDuration(s)
		if err != nil || d < time.Millisecond || d > MaxTimeout {
			r.add(n, fmt.Sprintf("%s %q is no duration of 1ms to %s", what, s, MaxTimeout), "write one such as 20s")
			return
		}
		*dst = d
	}
}

// scalar returns a single value as JSON knows it: nil, bool, int, float64 or
// string.
func (r *reader) scalar(n *yaml.Node, what string) (any, bool) {
	if !r.kind(n, yaml.ScalarNode, what) {
		return nil, false
	}
	var v any
	switch n.ShortTag() {
	case "!!null":
		return nil, true
	case "!!bool", "!!int", "!!float":
		if err := n.Decode(&v); err != nil {
			r.add(n, fmt.Sprintf("%s cannot be read: %v", what, err), "")
			return nil, false
		}
	default:
		return n.Value, true
	}
	switch x := v.(type) {
	case int64:
		return float64(x), true
	case uint64:
		return float64(x), true
	case float64:
		if math.IsInf(x, 0) || math.IsNaN(x) {
			r.add(n, fmt.Sprintf("%s is no number JSON knows", what), "")
			return nil, false
		}
	}
	return v, true
}
