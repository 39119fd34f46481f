package workflow

import (
	"context"
	"strings"

	"github.com/MrWong99/glyphoxa/internal/userfile"
)

// template is a value whose texts may contain expressions. Exactly one of its forms is set, or none for a
// plain value.
type template struct {
	plain  any
	parts  []part
	list   []*template
	fields []entry
	kind   userfile.Kind
}

// part is a piece of a text: either literal text or an expression.
type part struct {
	words string
	expr  *expression
}

type entry struct {
	key   string
	value *template
}

// template compiles a value, including the expressions in its texts.
func (c *compiler) template(path userfile.Path, v *userfile.Value, in *scope) *template {
	t := &template{kind: v.Kind}
	switch v.Kind {
	case userfile.Mapping:
		for i := range v.Keys {
			k := &v.Keys[i]
			t.fields = append(t.fields, entry{k.Key, c.template(path.Key(k.Key), &k.Value, in)})
		}
	case userfile.List:
		for i := range v.List {
			t.list = append(t.list, c.template(path.Item(i), &v.List[i], in))
		}
	default:
		t.plain = asJSON(v.Single)
		if text, ok := t.plain.(string); ok {
			t.parts = c.parts(path, text, v, in)
		}
	}
	return t
}

// parts splits a text at its expressions. It returns nil if there are none.
func (c *compiler) parts(path userfile.Path, text string, v *userfile.Value, in *scope) []part {
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
		line := v.LineAt(len(text) - len(rest) + start)
		size := closingBraces(rest[start+2:])
		if size < 0 {
			c.doc.AddSentence(path, line, "{{ has no }}", "close the expression, or write {{ \"{{\" }} for the braces")
			return nil
		}
		source := rest[start+2 : start+2+size]
		e := c.expression(path, strings.TrimSpace(source), line, in)
		if e == nil {
			return nil
		}
		parts = append(parts, part{expr: e})
		rest = rest[start+2+size+2:]
	}
	return parts
}

// closingBraces returns the index of the }} that ends an expression, or -1. Braces within the expression must
// be balanced; those inside quotes do not count.
func closingBraces(s string) int {
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

// isExpression reports whether the template is a single expression. Its value keeps its type.
func (t *template) isExpression() bool { return len(t.parts) == 1 && t.parts[0].expr != nil }

// render evaluates the template. If lean, keys whose expression is nil are left out.
func (t *template) render(ctx context.Context, v values, lean bool) (any, error) {
	switch {
	case t.kind == userfile.Mapping:
		m := make(map[string]any, len(t.fields))
		for _, f := range t.fields {
			value, err := f.value.render(ctx, v, lean)
			if err != nil {
				return nil, err
			}
			if value != nil || !lean || !f.value.isExpression() {
				m[f.key] = value
			}
		}
		return m, nil
	case t.kind == userfile.List:
		list := make([]any, len(t.list))
		for i, item := range t.list {
			value, err := item.render(ctx, v, lean)
			if err != nil {
				return nil, err
			}
			list[i] = value
		}
		return list, nil
	case t.isExpression():
		return t.parts[0].expr.eval(ctx, v)
	case t.parts != nil:
		return t.splice(ctx, v)
	}
	return t.plain, nil
}

// splice inserts the values of the expressions into the text.
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
