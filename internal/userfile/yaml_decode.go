package userfile

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// Limits on a file and on its size after alias expansion.
const (
	maxSize     = 4 << 20 // bytes
	maxNodes    = 100_000
	maxDepth    = 24
	maxKey      = 100      // bytes
	maxExpanded = 16 << 20 // bytes of text after ${} expansion
	maxProblems = 500
)

// decoder fills structs from the nodes of one file and collects the problems it finds.
type decoder struct {
	file     string
	opts     Options
	problems *Problems
	// lines holds the line of each path.
	lines map[Path]int
	// keyLines holds the lines of map keys, because their values may begin on the next line.
	keyLines map[Path]int
	// broken holds the paths that already have a problem.
	broken map[Path]bool
	// expanded holds the paths whose value came, or may have come, from a variable.
	expanded map[Path]bool
	shapes   map[reflect.Type]*shape
	nodes    int // values and keys visited
	bytes    int // of expanded text
	found    int // problems of this file
	// exhausted is set when a limit is exceeded. The rest of the file is then skipped.
	exhausted bool
}

func newDecoder(file string, opts *Options, problems *Problems) *decoder {
	d := &decoder{
		file: file, problems: problems,
		lines: map[Path]int{}, keyLines: map[Path]int{}, broken: map[Path]bool{}, expanded: map[Path]bool{},
		shapes: map[reflect.Type]*shape{},
	}
	if opts != nil {
		d.opts = *opts
	}
	return d
}

// at is a position in the file: its path and its depth.
type at struct {
	path  Path
	depth int
	// alias is the line of the alias through which the position was reached, or 0.
	alias int
}

func (a at) key(k string) at { return at{a.path.Key(k), a.depth + 1, a.alias} }
func (a at) item(i int) at   { return at{a.path.Item(i), a.depth + 1, a.alias} }

// deeper returns the same path one level deeper, for nodes without a key of their own.
func (a at) deeper() at { return at{a.path, a.depth + 1, a.alias} }

// addProblem reports a problem at a position. The message begins with the name of the key.
func (d *decoder) addProblem(a at, line int, what, fix string) {
	if n := a.path.Name(); n != "" {
		what = n + ": " + what
	}
	d.addSentence(a, line, what, fix)
}

// addSentence reports a problem at a position, with a message that says by itself where it is.
func (d *decoder) addSentence(a at, line int, what, fix string) {
	d.broken[a.path] = true
	if d.found++; d.found > cmp.Or(d.opts.MaxProblems, maxProblems) {
		if !d.exhausted {
			d.problems.Add(d.file, max(line, 1), "too many problems; the rest of the file was not checked", "")
		}
		d.exhausted = true
		return
	}
	d.problems.Add(d.file, max(line, 1), what, fix)
}

// line returns the line of path, or of the closest value that contains it.
func (d *decoder) line(path Path) int {
	for {
		if n, ok := d.lines[path]; ok {
			return n
		}
		i := strings.LastIndexAny(string(path), ".[")
		if i < 0 {
			return max(d.lines[""], 1)
		}
		path = path[:i]
	}
}

// enterNode counts n towards the limits and follows aliases. It returns nil if n must be skipped.
func (d *decoder) enterNode(n *yaml.Node, a at) *yaml.Node {
	line := max(n.Line, 1)
	if n.Kind == yaml.AliasNode && d.opts.Literal {
		d.lines[a.path] = line
		d.addProblem(a, line, "is a YAML alias (*"+n.Value+")", "write it out")
		return nil
	}
	n = followAlias(n)
	deepest := cmp.Or(d.opts.MaxDepth, maxDepth)
	switch {
	case !d.chargeNodes(1, line):
		return nil
	case a.depth > deepest:
		d.exhausted = true
		d.addProblem(at{}, line, fmt.Sprintf("lists and keys nested more than %d deep", deepest),
			"flatten them; an alias (*) must not contain itself")
		return nil
	}
	d.lines[a.path] = cmp.Or(a.alias, line)
	return n
}

// chargeNodes counts n more values and reports whether the limit is still met. Without aliases, the limit on
// the file size is enough.
func (d *decoder) chargeNodes(n, line int) bool {
	d.nodes += n
	if !d.exhausted && !d.opts.Literal && d.nodes > maxNodes {
		d.exhausted = true
		d.addProblem(at{}, line, fmt.Sprintf("the file holds more than %d values", maxNodes),
			"split it, or use fewer aliases (*)")
	}
	return !d.exhausted
}

// followAlias returns the node that alias n refers to, or n itself if it is not an alias.
func followAlias(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode && n.Alias != nil {
		return n.Alias
	}
	return n
}

// readValue fills v from n.
func (d *decoder) readValue(n *yaml.Node, v reflect.Value, a at, r rules) {
	if n.Kind == yaml.AliasNode && a.alias == 0 {
		a.alias = n.Line
	}
	n = d.enterNode(n, a)
	if n == nil {
		return
	}
	t := v.Type()
	if t.Kind() == reflect.Pointer {
		if isNull(n) {
			return
		}
		fresh := reflect.New(t.Elem())
		v.Set(fresh)
		v, t = fresh.Elem(), t.Elem()
	}
	switch {
	case t == typeValue:
		v.Set(reflect.ValueOf(*d.readTree(n, a)))
	case t.Kind() == reflect.Interface:
		if x := d.readTree(n, a).Plain(); x != nil {
			v.Set(reflect.ValueOf(x))
		}
	case readsText(t):
		d.readScalar(n, v, a, r)
	case t.Kind() == reflect.Struct:
		d.readStruct(n, v, a, r)
	case t.Kind() == reflect.Slice:
		d.readList(n, v, a, r)
	case t.Kind() == reflect.Map:
		d.readMap(n, v, a, r)
	default:
		d.readScalar(n, v, a, r)
	}
}

// isNull reports whether n is an empty value, which leaves the key at its default.
func isNull(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null"
}

// shapeOf returns the shape of struct type t.
func (d *decoder) shapeOf(t reflect.Type) *shape {
	s := d.shapes[t]
	if s == nil {
		s = newShape(t)
		d.shapes[t] = s
	}
	return s
}

// readStruct fills a struct, key by key.
func (d *decoder) readStruct(n *yaml.Node, v reflect.Value, a at, r rules) {
	if u, ok := v.Addr().Interface().(Union); ok {
		i := u.PickShape(func(key string) bool { return hasKey(n, key) })
		v = reflect.ValueOf(u.Shapes()[i]).Elem()
	}
	s := d.shapeOf(v.Type())
	if s.line != nil {
		v.FieldByIndex(s.line).SetInt(int64(d.lines[a.path]))
	}
	if f := s.short(); f != nil && n.Kind == yaml.ScalarNode {
		d.readScalar(n, v.FieldByIndex(f.index), a, f.rules.inheritFrom(r))
		return
	}
	pairs, ok := d.readPairs(n, a)
	if !ok {
		return
	}
	seen := make(map[string]bool, len(pairs))
	for len(pairs) > 0 {
		p := pairs[0]
		pairs = pairs[1:]
		f := s.field(p.key)
		if f == nil {
			d.addUnknownKey(p, v, a, s)
			continue
		}
		seen[f.key] = true
		if loose := d.looseKeys(n, p.value, v.FieldByIndex(f.index).Type(), f.rules, pairs); len(loose) > 0 {
			d.addProblem(a.key(f.key), pairs[0].line, fmt.Sprintf("holds nothing, since %q is not indented below it", loose[0]),
				"put two more spaces before "+strings.Join(loose, ", "))
			pairs = pairs[len(loose):]
			continue
		}
		d.readValue(p.value, v.FieldByIndex(f.index), a.key(f.key), f.rules.inheritFrom(r))
	}
	for i := range s.fields {
		f := &s.fields[i]
		sub := a.key(f.key)
		switch {
		case !f.rules.required || d.exhausted || d.broken[sub.path] || !v.FieldByIndex(f.index).IsZero():
		case seen[f.key]:
			d.addProblem(sub, d.line(sub.path), "is empty", "give it a value")
		case s.noun != "":
			d.addSentence(sub, n.Line, fmt.Sprintf("%s has no %q", s.noun, f.key), fmt.Sprintf("add %s:", f.key))
		default:
			d.addProblem(sub, n.Line, "is missing", "add it: "+f.doc)
		}
	}
}

// looseKeys returns the keys that were probably meant to be nested below an empty key but lack the
// indentation: those that follow it directly and that the type of the empty key knows.
func (d *decoder) looseKeys(n, value *yaml.Node, t reflect.Type, r rules, next []pair) []string {
	if n.Style&yaml.FlowStyle != 0 || value.Kind != yaml.ScalarNode || value.Value != "" || !isNull(value) {
		return nil
	}
	known := r.keys
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() == reflect.Struct && t != typeValue {
		known = d.shapeOf(t).keys()
	}
	var loose []string
	for _, p := range next {
		if !slices.Contains(known, p.key) {
			break
		}
		loose = append(loose, p.key)
	}
	return loose
}

// hasKey reports whether mapping n has a key.
func hasKey(n *yaml.Node, key string) bool {
	for i := 0; n.Kind == yaml.MappingNode && i < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return true
		}
	}
	return false
}

// addUnknownKey reports a key that struct v does not have.
func (d *decoder) addUnknownKey(p pair, v reflect.Value, a at, s *shape) {
	fix := ""
	if h, ok := v.Addr().Interface().(KeyHinter); ok {
		fix = h.HintKey(p.key)
	}
	if fix == "" {
		fix = suggestOneOf(p.key, s.keys())
	}
	if s.noun != "" {
		d.addSentence(a, p.line, s.noun+" has no key "+Quote(p.key), fix)
		return
	}
	d.addProblem(a, p.line, "unknown key "+Quote(p.key), fix)
}

// suggestOneOf says what to write instead of a word: the most similar known word, or any of them.
func suggestOneOf(word string, known []string) string {
	return Suggest(word, known, "use one of "+strings.Join(known, ", "))
}

// readList fills a slice.
func (d *decoder) readList(n *yaml.Node, v reflect.Value, a at, r rules) {
	switch {
	case (isNull(n) || n.Kind == yaml.SequenceNode && len(n.Content) == 0) && r.nonempty != "":
		d.addProblem(a, n.Line, "is empty", r.nonempty)
		return
	case isNull(n):
		return
	case n.Kind != yaml.SequenceNode:
		d.addProblem(a, n.Line, "expected a list, got "+describeNode(n), "put each entry on a line of its own after a dash")
		return
	}
	r.nonempty = ""
	out := reflect.MakeSlice(v.Type(), 0, min(len(n.Content), 1024))
	for i, c := range n.Content {
		elem := defaultElement(v.Type().Elem())
		sub := a.item(i)
		d.readValue(c, elem, sub, r)
		if d.exhausted {
			break
		}
		if elem.Kind() == reflect.String && elem.Len() == 0 && !d.broken[sub.path] {
			d.addProblem(sub, d.line(sub.path), "is empty", "write something after the dash or remove it")
		}
		out = reflect.Append(out, elem)
	}
	v.Set(out)
}

// defaultElement returns the value that a new element of type t starts with.
func defaultElement(t reflect.Type) reflect.Value {
	v := reflect.New(t)
	if f, ok := v.Interface().(Defaulter); ok {
		f.SetDefaults()
	}
	return v.Elem()
}

// readMap fills a map, whose keys the user chooses.
func (d *decoder) readMap(n *yaml.Node, v reflect.Value, a at, r rules) {
	pairs, _ := d.readPairs(n, a)
	out := reflect.MakeMapWithSize(v.Type(), min(len(pairs), 1024))
	for _, p := range pairs {
		if len(r.keys) > 0 && !slices.Contains(r.keys, p.key) {
			d.addProblem(a, p.line, "unknown key "+Quote(p.key), suggestOneOf(p.key, r.keys))
			continue
		}
		if strings.TrimSpace(p.key) == "" {
			d.addProblem(a, p.line, "a key is blank", "write name: value")
			continue
		}
		elem := defaultElement(v.Type().Elem())
		d.keyLines[a.path.Key(p.key)] = p.line
		d.readValue(p.value, elem, a.key(p.key), r)
		out.SetMapIndex(reflect.ValueOf(p.key), elem)
	}
	if len(pairs) > 0 {
		v.Set(out)
	}
}
