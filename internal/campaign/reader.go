package campaign

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"gopkg.in/yaml.v3"

	"github.com/MrWong99/glyphoxa/internal/document"
	"github.com/MrWong99/glyphoxa/internal/problem"
)

// maxID is the longest id and type, in bytes.
const maxID = 64

var (
	slugForm = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	wordForm = regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`)
)

// reader turns YAML nodes into values and collects what is wrong with them.
type reader struct {
	file     string
	problems problem.List
	// at names the value being read in problems.
	at string
}

// field is a key of a mapping. read is called with its value.
type field struct {
	name     string
	required bool
	read     func(*yaml.Node)
}

func (r *reader) add(n *yaml.Node, what, fix string) {
	r.problems.Add(r.file, n.Line, what, fix)
}

// document returns the root of the one document in data, nil if there is none
// to work with.
func (r *reader) document(data []byte) *yaml.Node {
	root, flaw := document.Parse(data, MaxSize)
	switch {
	case flaw != nil:
		r.problems.Add(r.file, flaw.Line, flaw.What, flaw.Fix)
	case root == nil:
		r.problems.Add(r.file, 0, "the file is empty", "start with name: and entities:")
	}
	return root
}

// object reads a mapping with the given keys. what names it in problems.
func (r *reader) object(n *yaml.Node, what string, fields ...field) {
	if !r.kind(n, yaml.MappingNode, what) {
		return
	}
	seen := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		f := find(fields, key.Value)
		if f == nil || key.Kind != yaml.ScalarNode {
			r.add(key, fmt.Sprintf("%s has no key %q", what, key.Value), suggestKey(fields, key.Value))
			continue
		}
		if first, ok := seen[f.name]; ok {
			r.add(key, fmt.Sprintf("%q is already given on line %d", f.name, first), "remove one of the two")
			continue
		}
		seen[f.name] = key.Line
		r.at = strconv.Quote(f.name)
		f.read(value)
	}
	for _, f := range fields {
		if _, ok := seen[f.name]; f.required && !ok {
			r.add(n, fmt.Sprintf("%s has no %q", what, f.name), fmt.Sprintf("add %s:", f.name))
		}
	}
}

func find(fields []field, name string) *field {
	for i := range fields {
		if fields[i].name == name {
			return &fields[i]
		}
	}
	return nil
}

func suggestKey(fields []field, name string) string {
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.name
	}
	if near := problem.Nearest(name, names); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return "use " + strings.Join(names, ", ")
}

// kind reports whether n is of the wanted kind, and a problem if not.
func (r *reader) kind(n *yaml.Node, want yaml.Kind, what string) bool {
	if n.Kind == want {
		return true
	}
	if n.Kind == yaml.AliasNode {
		r.add(n, fmt.Sprintf("%s is a YAML alias (*%s)", what, n.Value), "write it out")
		return false
	}
	r.add(n, fmt.Sprintf("%s must be %s, not %s", what, kindName(want), describe(n)), "")
	return false
}

func kindName(k yaml.Kind) string {
	switch k {
	case yaml.MappingNode:
		return "a mapping (key: value)"
	case yaml.SequenceNode:
		return "a list"
	}
	return "text"
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

// each reads a list.
func (r *reader) each(item func(*yaml.Node)) func(*yaml.Node) {
	return func(n *yaml.Node) {
		if n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" {
			return // "relations:" with nothing below it
		}
		if !r.kind(n, yaml.SequenceNode, r.at) {
			return
		}
		at := "an entry of " + r.at
		for _, c := range n.Content {
			r.at = at
			item(c)
		}
	}
}

// scalar reads text that is not blank, trimmed.
func (r *reader) scalar(n *yaml.Node, dst *string) bool {
	if !r.kind(n, yaml.ScalarNode, r.at) {
		return false
	}
	switch n.ShortTag() {
	case "!!str":
	case "!!null":
		r.add(n, r.at+" has no value", "write one, or leave it out")
		return false
	default:
		r.add(n, fmt.Sprintf("%s must be text, not %s", r.at, describe(n)), fmt.Sprintf("put it in quotes: %q", n.Value))
		return false
	}
	v := strings.TrimSpace(n.Value)
	if v == "" {
		r.add(n, r.at+" is blank", "write one, or leave it out")
		return false
	}
	*dst = v
	return true
}

func (r *reader) text(dst *string) func(*yaml.Node) {
	return func(n *yaml.Node) { r.scalar(n, dst) }
}

func (r *reader) texts(dst *[]string) func(*yaml.Node) {
	return r.each(func(n *yaml.Node) {
		var s string
		if r.scalar(n, &s) {
			*dst = append(*dst, s)
		}
	})
}

// slug reads an id such as "rusty-flagon".
func (r *reader) slug(dst *string) func(*yaml.Node) {
	return func(n *yaml.Node) {
		var s string
		if !r.scalar(n, &s) {
			return
		}
		if len(s) <= maxID && slugForm.MatchString(s) {
			*dst = s
			return
		}
		fix := fmt.Sprintf("use at most %d small letters, digits and single dashes", maxID)
		if better := slugify(s); better != "" {
			fix += fmt.Sprintf(", such as %q", better)
		}
		r.add(n, fmt.Sprintf("%q cannot be an id", s), fix)
	}
}

// word reads a type such as "lives_in".
func (r *reader) word(dst *string) func(*yaml.Node) {
	return func(n *yaml.Node) {
		var s string
		if !r.scalar(n, &s) {
			return
		}
		if len(s) <= maxID && wordForm.MatchString(s) {
			*dst = s
			return
		}
		fix := fmt.Sprintf("use at most %d small letters, digits and single underscores", maxID)
		if better := strings.ReplaceAll(slugify(s), "-", "_"); wordForm.MatchString(better) {
			fix += fmt.Sprintf(", such as %q", better)
		}
		r.add(n, fmt.Sprintf("%q cannot be a type", s), fix)
	}
}

// attributes reads a mapping of free keys to values, which are kept as written.
func (r *reader) attributes(dst *map[string]string) func(*yaml.Node) {
	return func(n *yaml.Node) {
		if !r.kind(n, yaml.MappingNode, r.at) {
			return
		}
		values := make(map[string]string, len(n.Content)/2)
		for i := 0; i+1 < len(n.Content); i += 2 {
			key, value := n.Content[i], n.Content[i+1]
			switch {
			case key.Kind != yaml.ScalarNode || strings.TrimSpace(key.Value) == "":
				r.add(key, "an attribute needs a name", "write name: value")
			case value.Kind != yaml.ScalarNode || value.ShortTag() == "!!null":
				r.add(value, fmt.Sprintf("attribute %q must be a single value, not %s", key.Value, describe(value)), "")
			default:
				if _, ok := values[key.Value]; ok {
					r.add(key, fmt.Sprintf("attribute %q is given twice", key.Value), "remove one of the two")
				}
				values[key.Value] = value.Value
			}
		}
		*dst = values
	}
}

// slugify makes an id of s: "The Rusty Flagon" becomes
// "the-rusty-flagon".
func slugify(s string) string {
	var b strings.Builder
	s = strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue", "ß", "ss").Replace(strings.ToLower(s))
	for _, c := range s {
		switch {
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9':
			b.WriteRune(c)
		case c == '\'' || c == '’' || unicode.IsMark(c):
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
		if b.Len() == maxID {
			break
		}
	}
	return strings.Trim(b.String(), "-")
}
