package config

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/MrWong99/glyphoxa/internal/problem"
)

// Limits on what one file may expand to through aliases.
const (
	maxNodes    = 100_000
	maxDepth    = 24
	maxKey      = 100      // bytes
	maxExpanded = 16 << 20 // bytes of text after ${} expansion
	// maxProblems is how many problems a file may have before the rest of it is
	// skipped; nobody reads further.
	maxProblems = 500
)

// decoder fills structs from the nodes of one file and collects what is wrong
// on the way.
type decoder struct {
	file     string
	lookup   func(string) (string, bool)
	problems *problem.List
	// lines says where each path, such as "mcp.servers[0].url", was given.
	lines map[string]int
	// broken holds the paths that already have a problem.
	broken map[string]bool
	// expanded holds the paths whose value came from a variable, or may have.
	expanded map[string]bool
	fields   map[reflect.Type][]field
	nodes    int // values and keys visited
	bytes    int // of expanded text
	found    int // problems of this file
	// exhausted is set once a limit is passed: the rest of the file is skipped.
	exhausted bool
}

func newDecoder(file string, lookup func(string) (string, bool), problems *problem.List) *decoder {
	return &decoder{
		file: file, lookup: lookup, problems: problems,
		lines: map[string]int{}, broken: map[string]bool{}, expanded: map[string]bool{},
		fields: map[reflect.Type][]field{},
	}
}

// at is a place in the file: where it is, what leads to it and how deep it is.
type at struct {
	path  string
	depth int
	// alias is the line of the alias that led here, 0 if none did.
	alias int
}

func (a at) key(k string) at {
	if a.path != "" {
		k = a.path + "." + k
	}
	return at{k, a.depth + 1, a.alias}
}

func (a at) item(i int) at {
	return at{a.path + "[" + strconv.Itoa(i) + "]", a.depth + 1, a.alias}
}

// deeper is the same place one level further down, for what has no key.
func (a at) deeper() at { return at{a.path, a.depth + 1, a.alias} }

// name is the last part of the path, for messages.
func (a at) name() string {
	return a.path[strings.LastIndexByte(a.path, '.')+1:]
}

// problem notes what is wrong at a place. The name of the key leads.
func (d *decoder) problem(a at, line int, what, fix string) {
	d.broken[a.path] = true
	if d.found++; d.found > maxProblems {
		if !d.exhausted {
			d.problems.Add(d.file, max(line, 1), "too many problems; the rest of the file was not checked", "")
		}
		d.exhausted = true
		return
	}
	if n := a.name(); n != "" {
		what = n + ": " + what
	}
	d.problems.Add(d.file, max(line, 1), what, fix)
}

// line returns where path was given, or else the closest thing around it.
func (d *decoder) line(path string) int {
	for {
		if n, ok := d.lines[path]; ok {
			return n
		}
		i := strings.LastIndexAny(path, ".[")
		if i < 0 {
			return max(d.lines[""], 1)
		}
		path = path[:i]
	}
}

// given reports whether path has a value in the file, right or wrong.
func (d *decoder) given(path string) bool {
	_, ok := d.lines[path]
	return ok
}

// shown quotes the text at path for a message, unless it came from a variable.
func (d *decoder) shown(path, text string) string {
	if d.expanded[path] {
		return "this value"
	}
	return quote(text)
}

// enter counts n against the limits and follows aliases. It returns nil if n
// must not be looked at.
func (d *decoder) enter(n *yaml.Node, a at) *yaml.Node {
	line := max(n.Line, 1)
	n = follow(n)
	switch {
	case !d.charge(1, line):
		return nil
	case a.depth > maxDepth:
		d.exhausted = true
		d.problem(at{}, line, fmt.Sprintf("lists and keys nested more than %d deep", maxDepth),
			"flatten them; an alias (*) must not contain itself")
		return nil
	}
	d.lines[a.path] = cmp.Or(a.alias, line)
	return n
}

// charge counts n more values and reports whether the limit still holds.
func (d *decoder) charge(n, line int) bool {
	d.nodes += n
	if !d.exhausted && d.nodes > maxNodes {
		d.exhausted = true
		d.problem(at{}, line, fmt.Sprintf("the file holds more than %d values", maxNodes),
			"split it, or use fewer aliases (*)")
	}
	return !d.exhausted
}

// follow returns what alias n stands for, or n itself.
func follow(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode && n.Alias != nil {
		return n.Alias
	}
	return n
}

// value fills v from n.
func (d *decoder) value(n *yaml.Node, v reflect.Value, a at, r rules) {
	if n.Kind == yaml.AliasNode && a.alias == 0 {
		a.alias = n.Line
	}
	n = d.enter(n, a)
	if n == nil {
		return
	}
	switch t := v.Type(); {
	case t == typeOptions:
		d.options(n, v, a)
	case isProvider(t) && n.Kind == yaml.ScalarNode:
		d.scalar(n, v.FieldByName("Name"), a, r)
	case t.Kind() == reflect.Pointer:
		if isNull(n) {
			return
		}
		fresh := reflect.New(t.Elem())
		d.structure(n, fresh.Elem(), a, r)
		v.Set(fresh)
	case t.Kind() == reflect.Struct:
		d.structure(n, v, a, r)
	case t.Kind() == reflect.Slice:
		d.list(n, v, a, r)
	case t.Kind() == reflect.Map:
		d.mapping(n, v, a, r)
	default:
		d.scalar(n, v, a, r)
	}
}

// isNull reports whether n leaves its key empty, which means the default.
func isNull(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null"
}

// structure fills a struct, key by key.
func (d *decoder) structure(n *yaml.Node, v reflect.Value, a at, r rules) {
	t := v.Type()
	fields, ok := d.fields[t]
	if !ok {
		fields = fieldsOf(t)
		d.fields[t] = fields
	}
	seen := map[string]bool{}
	pairs, ok := d.pairs(n, a)
	if !ok {
		return
	}
	for _, p := range pairs {
		f, ok := findField(fields, p.key)
		if !ok {
			d.unknownKey(p, a, keysOf(fields))
			continue
		}
		seen[f.key] = true
		d.value(p.value, v.FieldByIndex(f.index), a.key(f.key), d.fieldRules(t, f, r))
	}
	for _, f := range fields {
		sub := a.key(f.key)
		if !f.rules.required || d.exhausted || d.broken[sub.path] || !v.FieldByIndex(f.index).IsZero() {
			continue
		}
		if seen[f.key] {
			d.problem(sub, d.line(sub.path), "is empty", "give it a value")
		} else {
			d.problem(sub, n.Line, "is missing", "add it: "+f.doc)
		}
	}
}

// fieldRules returns the limits of field f of type t; r are those around t.
func (d *decoder) fieldRules(t reflect.Type, f field, r rules) rules {
	switch {
	case isPerTier(t):
		return r.merge(f.rules)
	case isProvider(t):
		return providerRules(f, r)
	}
	return f.rules
}

func findField(fields []field, key string) (field, bool) {
	for _, f := range fields {
		if f.key == key {
			return f, true
		}
	}
	return field{}, false
}

func (d *decoder) unknownKey(p pair, a at, known []string) {
	fix := "use one of " + strings.Join(known, ", ")
	if near := problem.Nearest(p.key, known); near != "" {
		fix = fmt.Sprintf("did you mean %q?", near)
	}
	if a.path == "" && p.key == "npcs" {
		fix = "an NPC file holds one NPC: put its keys at the left margin"
	}
	d.problem(a, p.line, "unknown key "+quote(p.key), fix)
}

// list fills a slice.
func (d *decoder) list(n *yaml.Node, v reflect.Value, a at, r rules) {
	switch {
	case isNull(n):
		return
	case n.Kind != yaml.SequenceNode:
		d.problem(a, n.Line, "expected a list, got "+describe(n), "put each entry on a line of its own after a dash")
		return
	}
	out := reflect.MakeSlice(v.Type(), 0, min(len(n.Content), 1024))
	for i, c := range n.Content {
		elem := defaultElement(v.Type().Elem())
		sub := a.item(i)
		d.value(c, elem, sub, r)
		if d.exhausted {
			break
		}
		if elem.Kind() == reflect.String && elem.Len() == 0 && !d.broken[sub.path] {
			d.problem(sub, d.line(sub.path), "is empty", "write something after the dash or remove it")
		}
		if elem.Type() == typeNPC {
			elem.Addr().Interface().(*NPC).Line = d.line(sub.path)
		}
		out = reflect.Append(out, elem)
	}
	v.Set(out)
}

// mapping fills a map with keys of the user's choice.
func (d *decoder) mapping(n *yaml.Node, v reflect.Value, a at, r rules) {
	pairs, _ := d.pairs(n, a)
	out := reflect.MakeMapWithSize(v.Type(), min(len(pairs), 1024))
	for _, p := range pairs {
		if len(r.keys) > 0 && !slices.Contains(r.keys, p.key) {
			d.unknownKey(p, a, r.keys)
			continue
		}
		elem := defaultElement(v.Type().Elem())
		d.value(p.value, elem, a.key(p.key), r)
		out.SetMapIndex(reflect.ValueOf(p.key), elem)
	}
	if len(pairs) > 0 {
		v.Set(out)
	}
}
