package workflow

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// maxDepth is how deep values in a file may be nested.
const maxDepth = 32

// template is a value with expressions in its texts. Exactly one of its forms
// is set, or none for a plain value.
type template struct {
	plain  any
	parts  []part
	list   []*template
	fields []entry
	kind   yaml.Kind // what it is: scalar, sequence or mapping
}

// part is a piece of a text: words, or an expression.
type part struct {
	words string
	expr  *expression
}

type entry struct {
	key   string
	value *template
}

// template reads a value, templates in its texts included.
func (g *grammar) template(n *yaml.Node, what string, in *scope, depth int) *template {
	t := &template{kind: n.Kind}
	if depth > maxDepth {
		g.add(n, fmt.Sprintf("%s is nested more than %d deep", what, maxDepth), "")
		return t
	}
	switch n.Kind {
	case yaml.MappingNode:
		g.pairs(n, what, func(key, value *yaml.Node) {
			t.fields = append(t.fields, entry{key.Value, g.template(value, what, in, depth+1)})
		})
	case yaml.SequenceNode:
		for _, c := range n.Content {
			t.list = append(t.list, g.template(c, what, in, depth+1))
		}
	default:
		t.plain, _ = g.scalar(n, what)
		if text, ok := t.plain.(string); ok {
			t.parts = g.parts(text, n, in)
		}
	}
	return t
}

// parts splits a text at its expressions; nil if it has none.
func (g *grammar) parts(text string, n *yaml.Node, in *scope) []part {
	if !strings.Contains(text, "{{") {
		return nil
	}
	var parts []part
	for rest := text; rest != ""; {
		start := strings.Index(rest, "{{")
		if start < 0 {
			return append(parts, part{words: rest})
		}
		if start > 0 {
			parts = append(parts, part{words: rest[:start]})
		}
		at := len(text) - len(rest) + start
		line := firstLine(n)
		if n.Style&yaml.LiteralStyle != 0 {
			line += strings.Count(text[:at], "\n")
		}
		size := closing(rest[start+2:])
		if size < 0 {
			g.problems.Add(g.file, line, "{{ has no }}", "close the expression, or write {{ \"{{\" }} for the braces")
			return nil
		}
		source := rest[start+2 : start+2+size]
		e := g.expression(strings.TrimSpace(source), line, in)
		if e == nil {
			return nil
		}
		parts = append(parts, part{expr: e})
		rest = rest[start+2+size+2:]
	}
	return parts
}

// closing returns where the }} that ends an expression is, -1 if nowhere. Braces
// within the expression come in pairs, and do not count in quotes.
func closing(s string) int {
	depth := 0
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '"', '\'', '`':
			for i++; i < len(s) && s[i] != c; i++ {
				if s[i] == '\\' && c != '`' {
					i++
				}
			}
		case '{':
			depth++
		case '}':
			if depth == 0 && strings.HasPrefix(s[i:], "}}") {
				return i
			}
			depth--
		}
	}
	return -1
}

// whole reports whether the template is one expression, whose type is kept.
func (t *template) whole() bool { return len(t.parts) == 1 && t.parts[0].expr != nil }

// render computes the value. If lean, keys whose expression is nil are left out.
func (t *template) render(ctx context.Context, v values, lean bool) (any, error) {
	switch {
	case t.kind == yaml.MappingNode:
		m := make(map[string]any, len(t.fields))
		for _, f := range t.fields {
			value, err := f.value.render(ctx, v, lean)
			if err != nil {
				return nil, err
			}
			if value != nil || !lean || !f.value.whole() {
				m[f.key] = value
			}
		}
		return m, nil
	case t.kind == yaml.SequenceNode:
		list := make([]any, len(t.list))
		for i, item := range t.list {
			value, err := item.render(ctx, v, lean)
			if err != nil {
				return nil, err
			}
			list[i] = value
		}
		return list, nil
	case t.whole():
		return t.parts[0].expr.eval(ctx, v)
	case t.parts != nil:
		return t.splice(ctx, v)
	}
	return t.plain, nil
}

// splice puts the expressions' values into the text.
func (t *template) splice(ctx context.Context, v values) (string, error) {
	var b strings.Builder
	for _, p := range t.parts {
		words := p.words
		if p.expr != nil {
			value, err := p.expr.eval(ctx, v)
			if err != nil {
				return "", err
			}
			if words, err = asText(value); err != nil {
				return "", err
			}
		}
		if b.Len()+len(words) > MaxResult {
			return "", errTooLarge
		}
		b.WriteString(words)
	}
	return b.String(), nil
}

var errTooLarge = fmt.Errorf("it is larger than %d KiB", MaxResult>>10)

// asText is how a value stands in a text: nil as nothing, text as it is, all
// else as JSON.
func asText(v any) (string, error) {
	switch x := v.(type) {
	case nil:
		return "", nil
	case string:
		return x, nil
	}
	b, err := encode(v)
	return string(b), err
}

// encode returns v as JSON of at most MaxResult bytes.
func encode(v any) ([]byte, error) {
	left := MaxResult
	if !weigh(v, &left) {
		return nil, errTooLarge
	}
	b, err := marshal(v)
	if err == nil && len(b) > MaxResult {
		return nil, errTooLarge
	}
	return b, err
}

// marshal is json.Marshal for readers who are not browsers.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		var odd *json.UnsupportedValueError
		if errors.As(err, &odd) {
			return nil, fmt.Errorf("JSON knows no number %s", odd.Str)
		}
		return nil, fmt.Errorf("encoding as JSON: %w", err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// weigh takes the size of v from left and reports whether there was enough.
func weigh(v any, left *int) bool {
	*left--
	switch x := v.(type) {
	case string:
		*left -= len(x)
	case []string:
		for _, s := range x {
			if *left -= len(s) + 1; *left < 0 {
				return false
			}
		}
	case []any:
		return !slices.ContainsFunc(x, func(item any) bool { return !weigh(item, left) }) && *left >= 0
	case map[string]any:
		for key, item := range x {
			if *left -= len(key); !weigh(item, left) {
				return false
			}
		}
	}
	return *left >= 0
}

// decode reads JSON; whole numbers become int where they fit, else float64.
func decode(raw []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if d.More() {
		return nil, errors.New("something follows the JSON value")
	}
	return numbers(v), nil
}

func numbers(v any) any {
	switch x := v.(type) {
	case json.Number:
		if i, err := x.Int64(); err == nil && int64(int(i)) == i {
			return int(i)
		}
		f, err := x.Float64()
		if err != nil {
			return x.String() // out of range: better its digits than another number
		}
		return f
	case []any:
		for i := range x {
			x[i] = numbers(x[i])
		}
	case map[string]any:
		for k := range x {
			x[k] = numbers(x[k])
		}
	}
	return v
}
