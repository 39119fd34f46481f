package userfile

import (
	"strings"

	"gopkg.in/yaml.v3"
)

// Kind is the kind of a [Value].
type Kind int

// The kinds of values. The zero Value stands for a missing value.
const (
	Missing Kind = iota
	Single
	List
	Mapping
)

// Value is a value of any type, with the line numbers of its parts.
type Value struct {
	Kind Kind
	// Line counts from 1.
	Line int
	// Single is nil, bool, int64, float64 or string.
	Single any
	List   []Value
	// Keys are the keys of a mapping, in file order.
	Keys []KeyValue

	style yaml.Style
}

// KeyValue is a key of a mapping.
type KeyValue struct {
	Key   string
	Line  int
	Value Value
}

// LineAt returns the line of byte i of a text value.
func (v *Value) LineAt(i int) int {
	line := v.Line
	if v.style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
		line++ // the text begins below the | or >
	}
	if text, ok := v.Single.(string); ok && v.style&yaml.LiteralStyle != 0 {
		line += strings.Count(text[:i], "\n")
	}
	return line
}

// Plain returns the value without line numbers: nil, bool, int64, float64, string, []any or map[string]any.
func (v *Value) Plain() any {
	switch v.Kind {
	case List:
		out := make([]any, len(v.List))
		for i := range v.List {
			out[i] = v.List[i].Plain()
		}
		return out
	case Mapping:
		out := make(map[string]any, len(v.Keys))
		for i := range v.Keys {
			out[v.Keys[i].Key] = v.Keys[i].Value.Plain()
		}
		return out
	}
	return v.Single
}

// readTree reads a value of any type.
func (d *decoder) readTree(n *yaml.Node, a at) *Value {
	v := &Value{Kind: Single, Line: n.Line, style: n.Style}
	child := func(n *yaml.Node, a at) Value {
		if n = d.enterNode(n, a); n == nil {
			return Value{Kind: Single, Line: d.line(a.path)}
		}
		return *d.readTree(n, a)
	}
	switch n.Kind {
	case yaml.MappingNode:
		v.Kind = Mapping
		pairs, _ := d.readPairs(n, a)
		for _, p := range pairs {
			v.Keys = append(v.Keys, KeyValue{p.key, p.line, child(p.value, a.key(p.key))})
		}
	case yaml.SequenceNode:
		v.Kind = List
		for i, c := range n.Content {
			if d.exhausted {
				break
			}
			v.List = append(v.List, child(c, a.item(i)))
		}
	default:
		s, ok := d.readText(n, a)
		if !ok {
			break
		}
		if v.Single, ok = s.plain(); !ok {
			d.addProblem(a, n.Line, s.shown()+" is no finite number", "write it in digits")
			v.Single = nil
		}
	}
	return v
}
