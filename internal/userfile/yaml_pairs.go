package userfile

import (
	"fmt"

	"gopkg.in/yaml.v3"
)

// pair is a key of a mapping with its value.
type pair struct {
	key   string
	line  int
	value *yaml.Node
}

// readPairs returns the keys of mapping n in order, with those merged by << last. It reports everything that
// is invalid in the mapping; the result is usable in any case. ok is false if n is not a mapping. An empty
// value counts as a mapping.
func (d *decoder) readPairs(n *yaml.Node, a at) (out []pair, ok bool) {
	switch {
	case isNull(n):
		return nil, true
	case n.Kind != yaml.MappingNode:
		d.addProblem(a, n.Line, "expected keys and values, got "+describeNode(n), `write "key: value" lines below it`)
		return nil, false
	case !d.checkTag(n, a) || !d.chargeNodes(len(n.Content)/2, n.Line):
		return nil, false
	}
	var merges []*yaml.Node
	first := make(map[string]int, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, value := n.Content[i], n.Content[i+1]
		if k.ShortTag() == "!!merge" && !d.opts.Literal {
			merges = append(merges, value)
			continue
		}
		text, ok := d.keyText(k, a)
		if !ok {
			continue
		}
		if line, dup := first[text]; dup {
			d.addProblem(a, k.Line, fmt.Sprintf("the key %s is here twice, first on line %d", Quote(text), line), "keep one of them")
			continue
		}
		first[text] = k.Line
		out = append(out, pair{text, k.Line, value})
	}
	for _, m := range merges {
		out = d.mergePairs(m, a.deeper(), out, first)
	}
	return out, true
}

// mergePairs appends the keys of m, the value of a << key, that are not present yet.
func (d *decoder) mergePairs(m *yaml.Node, a at, out []pair, first map[string]int) []pair {
	line := d.lines[a.path]
	m = d.enterNode(m, a)
	d.lines[a.path] = line // merged values have no position of their own
	if m == nil {
		return out
	}
	if m.Kind == yaml.SequenceNode {
		for _, c := range m.Content {
			out = d.mergePairs(c, a.deeper(), out, first)
		}
		return out
	}
	pairs, _ := d.readPairs(m, a)
	for _, p := range pairs {
		if _, there := first[p.key]; !there {
			first[p.key] = p.line
			out = append(out, p)
		}
	}
	return out
}

// keyText returns the text of a key.
func (d *decoder) keyText(n *yaml.Node, a at) (string, bool) {
	line := n.Line
	n = followAlias(n)
	switch {
	case n.Kind != yaml.ScalarNode:
		d.addProblem(a, line, "expected a key, got "+describeNode(n), "a key is a word or a text")
		return "", false
	case len(n.Value) > maxKey:
		d.addProblem(a, line, fmt.Sprintf("the key %s is longer than %d letters", Quote(n.Value), maxKey), "shorten it")
		return "", false
	}
	return n.Value, true
}

// describeNode returns what n is, for use in messages.
func describeNode(n *yaml.Node) string {
	switch n.Kind {
	case yaml.SequenceNode:
		return "a list"
	case yaml.MappingNode:
		return "keys and values"
	}
	switch n.ShortTag() {
	case "!!null":
		return "nothing"
	case "!!int":
		return "a number"
	case "!!float":
		return "a fraction"
	case "!!bool":
		return "true or false"
	}
	return "a text"
}
