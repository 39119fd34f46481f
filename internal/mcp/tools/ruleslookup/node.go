package ruleslookup

import (
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/MrWong99/glyphoxa/internal/userfile"
)

// mapping passes each value of n to the setter of its key. Unknown, repeated and missing keys are reported as
// problems. mapping reports whether n is a mapping at all.
func (p *parser) mapping(n *yaml.Node, set map[string]func(*yaml.Node), required ...string) bool {
	if n.Kind != yaml.MappingNode {
		p.addProblem(n.Line, "", "expected keys and values, got %s", kind(n))
		return false
	}
	seen := make([]string, 0, len(set))
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		assign, ok := set[key.Value]
		switch {
		case key.Kind != yaml.ScalarNode || !ok:
			unknown(p, key, set)
		case slices.Contains(seen, key.Value):
			p.addProblem(key.Line, "remove one of them", "key %q is given twice", key.Value)
		default:
			seen = append(seen, key.Value)
			assign(value)
		}
	}
	for _, key := range required {
		if !slices.Contains(seen, key) {
			p.addProblem(n.Line, "", "key %q is missing", key)
		}
	}
	return true
}

// unknown reports a key that is not in known.
func unknown[T any](p *parser, key *yaml.Node, known map[string]T) {
	names := make([]string, 0, len(known))
	for name := range known {
		names = append(names, name)
	}
	slices.Sort(names)
	fix := "use one of " + strings.Join(names, ", ")
	if near := userfile.Nearest(key.Value, names); near != "" {
		fix = "did you mean " + strconv.Quote(near) + "?"
	}
	p.addProblem(key.Line, fix, "there is no key %q", key.Value)
}

// readText returns a setter for a text that must not be blank.
func (p *parser) readText(into *string) func(*yaml.Node) {
	return func(n *yaml.Node) {
		if n.Kind != yaml.ScalarNode || n.Tag == "!!null" || strings.TrimSpace(n.Value) == "" {
			p.addProblem(n.Line, "", "expected text, got %s", kind(n))
			return
		}
		*into = p.interned.intern(strings.TrimSpace(n.Value))
	}
}

// readTexts returns a setter for a list of texts. The list may be empty.
func (p *parser) readTexts(into *[]string) func(*yaml.Node) {
	return func(n *yaml.Node) {
		if n.Kind != yaml.SequenceNode {
			p.addProblem(n.Line, "write it as [one, two]", "expected a list, got %s", kind(n))
			return
		}
		out := make([]string, len(n.Content))
		for i, item := range n.Content {
			p.readText(&out[i])(item)
		}
		*into = out
	}
}

func (p *parser) flag(into *bool) func(*yaml.Node) {
	return func(n *yaml.Node) {
		if n.Kind != yaml.ScalarNode || n.Tag != "!!bool" {
			p.addProblem(n.Line, "write true or false", "expected true or false, got %s", kind(n))
			return
		}
		*into = strings.EqualFold(n.Value, "true")
	}
}

func (p *parser) level(into *int) func(*yaml.Node) {
	return func(n *yaml.Node) {
		level, err := strconv.Atoi(n.Value)
		if n.Kind != yaml.ScalarNode || err != nil || level < 0 || level > maxSpellLevel {
			p.addProblem(n.Line, "write 0 for a cantrip", "expected a level from 0 to %d, got %s", maxSpellLevel, kind(n))
			return
		}
		*into = level
	}
}

// kind returns what n is, for use in messages.
func kind(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "keys and values"
	case yaml.SequenceNode:
		return "a list"
	case yaml.AliasNode:
		return "an alias"
	}
	if strings.TrimSpace(n.Value) == "" || n.Tag == "!!null" {
		return "nothing"
	}
	const shown = 40
	if r := []rune(n.Value); len(r) > shown {
		return strconv.Quote(string(r[:shown]) + "…")
	}
	return strconv.Quote(n.Value)
}
