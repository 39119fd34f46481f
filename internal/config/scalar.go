package config

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/problem"
)

// scalarText is a scalar after expansion.
type scalarText struct {
	// text is the value; raw is what the file says. Only raw may be shown.
	text, raw string
	// tag is the YAML type of text: !!str, !!int, !!float, !!bool or !!null.
	// Quoted scalars are always texts.
	tag string
	// changed reports whether text came about by expansion.
	changed bool
}

// text expands n, which is no list or mapping, and finds its type.
func (d *decoder) text(n *yaml.Node, a at) (scalarText, bool) {
	if n.Kind != yaml.ScalarNode || !d.checkTag(n, a) {
		return scalarText{}, false
	}
	x, what, fix := expand(n.Value, d.lookup)
	if what != "" {
		d.problem(a, n.Line, what, fix)
		return scalarText{}, false
	}
	if x.changed {
		d.expanded[a.path] = true
		d.bytes += len(x.text)
	}
	if d.bytes > maxExpanded {
		d.exhausted = true
		d.problem(at{}, n.Line, fmt.Sprintf("the file expands to more than %d MiB", maxExpanded>>20), "use fewer aliases (*) and shorter variables")
		return scalarText{}, false
	}
	s := scalarText{text: x.text, raw: n.Value, tag: "!!str", changed: x.changed}
	quoted := n.Style & (yaml.SingleQuotedStyle | yaml.DoubleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle)
	if quoted == 0 && !(n.Style&yaml.TaggedStyle != 0 && n.ShortTag() == "!!str") {
		s.tag = (&yaml.Node{Kind: yaml.ScalarNode, Value: x.text}).ShortTag()
	}
	return s, true
}

// checkTag refuses explicit tags other than those of YAML's own basic types.
func (d *decoder) checkTag(n *yaml.Node, a at) bool {
	if n.Style&yaml.TaggedStyle == 0 {
		return true
	}
	switch n.ShortTag() {
	case "!!str", "!!int", "!!float", "!!bool", "!!null", "!!map", "!!seq", "!!merge":
		return true
	}
	d.problem(a, n.Line, "the tag "+quote(n.Tag)+" means nothing here", "remove it")
	return false
}

// shown quotes the scalar for a message; a value from the environment is never
// shown.
func (s scalarText) shown() string {
	if s.changed {
		return "the value of " + quote(s.raw)
	}
	return quote(s.raw)
}

// any returns the scalar as the Go value closest to its YAML type.
func (s scalarText) any() any {
	switch s.tag {
	case "!!null":
		return nil
	case "!!bool":
		return strings.EqualFold(s.text, "true")
	case "!!int":
		if i, ok := s.int(); ok {
			return i
		}
	case "!!float":
		if f, ok := s.float(); ok {
			return f
		}
	}
	return s.text
}

func (s scalarText) int() (int64, bool) {
	var i int64
	if s.tag != "!!int" || (&yaml.Node{Kind: yaml.ScalarNode, Value: s.text}).Decode(&i) != nil {
		return 0, false
	}
	return i, true
}

func (s scalarText) float() (float64, bool) {
	var f float64
	if s.tag != "!!int" && s.tag != "!!float" || (&yaml.Node{Kind: yaml.ScalarNode, Value: s.text}).Decode(&f) != nil {
		return 0, false
	}
	return f, !math.IsNaN(f) && !math.IsInf(f, 0)
}

// scalar fills a text, number, bool, duration or tier.
func (d *decoder) scalar(n *yaml.Node, v reflect.Value, a at, r rules) {
	if n.Kind != yaml.ScalarNode {
		d.problem(a, n.Line, "expected "+expected(v.Type())+", got "+describe(n), "")
		return
	}
	s, ok := d.text(n, a)
	if !ok || s.tag == "!!null" {
		return
	}
	switch v.Type() {
	case typeSecret:
		v.SetString(s.text)
		return
	case typeDuration:
		d.duration(s, v, a, n.Line, r)
		return
	case typeTier:
		d.tier(s, v, a, n.Line)
		return
	}
	switch v.Kind() {
	case reflect.String:
		d.string(s, v, a, n.Line, r)
	case reflect.Bool:
		if s.tag != "!!bool" {
			d.wrongType(s, v, a, n.Line)
			return
		}
		v.SetBool(strings.EqualFold(s.text, "true"))
	case reflect.Float64:
		f, ok := s.float()
		if !ok && s.tag == "!!float" {
			d.problem(a, n.Line, s.shown()+" is no finite number", "write it in digits")
		} else if !ok {
			d.wrongType(s, v, a, n.Line)
		} else if inRange(d, f, parseFloat, s, a, n.Line, r) {
			v.SetFloat(f)
		}
	default:
		d.whole(s, v, a, n.Line, r)
	}
}

// whole fills an integer.
func (d *decoder) whole(s scalarText, v reflect.Value, a at, line int, r rules) {
	i, ok := s.int()
	switch {
	case !ok && s.tag != "!!str" && strings.Trim(s.text, "+-0123456789") == "" || ok && v.OverflowInt(i):
		d.problem(a, line, s.shown()+" is too large", "use a smaller number")
	case !ok:
		d.wrongType(s, v, a, line)
	default:
		limit := func(t string) int64 { return int64(parseFloat(t)) }
		if inRange(d, i, limit, s, a, line, r) {
			v.SetInt(i)
		}
	}
}

// wrongType reports a scalar of another type than v's.
func (d *decoder) wrongType(s scalarText, v reflect.Value, a at, line int) {
	got := describe(&yaml.Node{Kind: yaml.ScalarNode, Tag: s.tag})
	if s.changed {
		got += " in " + quote(s.raw)
	}
	fix := ""
	if plain := (&yaml.Node{Kind: yaml.ScalarNode, Value: s.text}).ShortTag(); s.tag == "!!str" && plain != "!!str" {
		fix = "remove the quotes"
	}
	d.problem(a, line, "expected "+expected(v.Type())+", got "+got, fix)
}

// string fills a text.
func (d *decoder) string(s scalarText, v reflect.Value, a at, line int, r rules) {
	if len(r.enum) > 0 && !d.oneOf(s.text, r.enum, a, line, s.raw) {
		return
	}
	if most, err := strconv.Atoi(r.max); err == nil && utf8.RuneCountInString(s.text) > most {
		d.problem(a, line, fmt.Sprintf("is longer than %d letters", most), "shorten it")
		return
	}
	if r.format != "" && s.text != "" {
		if what, fix := checkFormat(r.format, s); what != "" {
			d.problem(a, line, what, fix)
			return
		}
	}
	v.SetString(s.text)
}

// oneOf reports whether text is one of the allowed words and says so if not.
func (d *decoder) oneOf(text string, allowed []string, a at, line int, raw string) bool {
	for _, w := range allowed {
		if text == w {
			return true
		}
	}
	fix := "use " + orList(allowed)
	if near := problem.Nearest(text, allowed); near != "" {
		fix = fmt.Sprintf("did you mean %q?", near)
	}
	shown := scalarText{raw: raw, changed: raw != text}.shown()
	d.problem(a, line, shown+" is not one of "+strings.Join(allowed, ", "), fix)
	return false
}

func (d *decoder) duration(s scalarText, v reflect.Value, a at, line int, r rules) {
	var got Duration
	if got.UnmarshalText([]byte(s.text)) != nil {
		fix := durationRemedy(s.text)
		if s.changed { // the value stays unsaid
			fix = "it needs a unit, as in 60s or 60ms"
		}
		d.problem(a, line, "expected a duration, got "+s.shown(), fix)
		return
	}
	limit := func(t string) Duration {
		l, _ := time.ParseDuration(t)
		return Duration(l)
	}
	if inRange(d, got, limit, s, a, line, r) {
		v.SetInt(int64(got))
	}
}

func (d *decoder) tier(s scalarText, v reflect.Value, a at, line int) {
	tier, err := mcp.ParseTier(s.text)
	if err != nil {
		d.oneOf(s.text, tierNames(), a, line, s.raw)
		return
	}
	v.SetInt(int64(tier))
}

// inRange reports whether got is within r and says so if not.
func inRange[T cmp.Ordered](d *decoder, got T, limit func(string) T, s scalarText, a at, line int, r rules) bool {
	low := r.min != "" && got < limit(r.min)
	high := r.max != "" && got > limit(r.max)
	if !low && !high {
		return true
	}
	fix := "use a value from " + r.min + " to " + r.max
	if r.max == "" {
		fix = "use " + r.min + " or more"
	}
	what := " is too small"
	if high {
		what = " is too large"
	}
	d.problem(a, line, s.shown()+what, fix)
	return false
}

func parseFloat(s string) float64 {
	f, _ := strconv.ParseFloat(s, 64)
	return f
}

func expected(t reflect.Type) string {
	switch t {
	case typeSecret:
		return "a text"
	case typeDuration:
		return "a duration such as 500ms"
	case typeTier:
		return "fast, standard or deep"
	}
	switch t.Kind() {
	case reflect.String:
		return "a text"
	case reflect.Bool:
		return "true or false"
	case reflect.Float64:
		return "a number"
	}
	return "a whole number"
}

func tierNames() []string {
	var out []string
	for _, t := range mcp.Tiers() {
		out = append(out, t.String())
	}
	return out
}

// orList joins words as "a, b or c".
func orList(w []string) string {
	if len(w) < 2 {
		return strings.Join(w, "")
	}
	return strings.Join(w[:len(w)-1], ", ") + " or " + w[len(w)-1]
}
