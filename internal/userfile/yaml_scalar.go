package userfile

import (
	"cmp"
	"encoding"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// scalarText is a scalar after expansion.
type scalarText struct {
	// text is the value, and raw what the file contains. Messages may show only raw.
	text, raw string
	// tag is the YAML type of text: !!str, !!int, !!float, !!bool or !!null. A quoted scalar is always a
	// text.
	tag string
	// changed reports whether text is the result of an expansion.
	changed bool
}

// readText expands scalar n and determines its type.
func (d *decoder) readText(n *yaml.Node, a at) (scalarText, bool) {
	if n.Kind != yaml.ScalarNode || !d.checkTag(n, a) {
		return scalarText{}, false
	}
	x, what, fix := expansion{text: n.Value}, "", ""
	if !d.opts.Literal {
		x, what, fix = expandVariables(n.Value, d.opts.LookupEnv)
	}
	if what != "" {
		d.addProblem(a, n.Line, what, fix)
		return scalarText{}, false
	}
	if x.changed {
		d.expanded[a.path] = true
		d.bytes += len(x.text)
	}
	if d.bytes > maxExpanded {
		d.exhausted = true
		d.addProblem(at{}, n.Line, fmt.Sprintf("the file expands to more than %d MiB", maxExpanded>>20), "use fewer aliases (*) and shorter variables")
		return scalarText{}, false
	}
	s := scalarText{text: x.text, raw: n.Value, tag: "!!str", changed: x.changed}
	quoted := n.Style & (yaml.SingleQuotedStyle | yaml.DoubleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle)
	if quoted == 0 && !(n.Style&yaml.TaggedStyle != 0 && n.ShortTag() == "!!str") {
		s.tag = (&yaml.Node{Kind: yaml.ScalarNode, Value: x.text}).ShortTag()
	}
	return s, true
}

// checkTag rejects explicit tags other than YAML's own basic types.
func (d *decoder) checkTag(n *yaml.Node, a at) bool {
	if n.Style&yaml.TaggedStyle == 0 {
		return true
	}
	switch n.ShortTag() {
	case "!!str", "!!int", "!!float", "!!bool", "!!null", "!!map", "!!seq", "!!merge":
		return true
	}
	d.addProblem(a, n.Line, "the tag "+Quote(n.Tag)+" means nothing here", "remove it")
	return false
}

// shown quotes the scalar for a message. It never shows a value from the environment.
func (s scalarText) shown() string {
	if s.changed {
		return "the value of " + Quote(s.raw)
	}
	return Quote(s.raw)
}

// plain returns the scalar as the Go value closest to its YAML type: nil, bool, int64, float64 or string. ok
// is false for an invalid number.
func (s scalarText) plain() (v any, ok bool) {
	switch s.tag {
	case "!!null":
		return nil, true
	case "!!bool":
		return strings.EqualFold(s.text, "true"), true
	case "!!int", "!!float":
		if i, ok := s.int(); ok {
			return i, true
		}
		return s.float()
	}
	return s.text, true
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

// readScalar fills a text, number, bool or duration, or a type that parses its text itself.
func (d *decoder) readScalar(n *yaml.Node, v reflect.Value, a at, r rules) {
	if n.Kind != yaml.ScalarNode {
		d.addProblem(a, n.Line, "expected "+expectedType(v.Type(), r)+", got "+describeNode(n), "")
		return
	}
	s, ok := d.readText(n, a)
	switch {
	case !ok:
		return
	case s.tag == "!!null":
		if d.opts.Literal {
			d.addProblem(a, n.Line, "is empty", emptyRemedy(r))
		}
		return
	case v.Type() == typeDuration:
		d.readDuration(s, v, a, n.Line, r)
		return
	case readsText(v.Type()):
		if v.Addr().Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(s.text)) != nil {
			d.checkWord(s.text, r.enum, a, n.Line, s.raw)
		}
		return
	}
	switch v.Kind() {
	case reflect.String:
		d.readString(s, v, a, n.Line, r)
	case reflect.Bool:
		if s.tag != "!!bool" {
			d.addWrongType(s, v, a, n.Line, r)
			return
		}
		v.SetBool(strings.EqualFold(s.text, "true"))
	case reflect.Float64:
		f, ok := s.float()
		if !ok && s.tag == "!!float" {
			d.addProblem(a, n.Line, s.shown()+" is no finite number", "write it in digits")
		} else if !ok {
			d.addWrongType(s, v, a, n.Line, r)
		} else if inRange(d, f, parseFloat, s, a, n.Line, r) {
			v.SetFloat(f)
		}
	default:
		d.readWhole(s, v, a, n.Line, r)
	}
}

// readWhole fills an integer.
func (d *decoder) readWhole(s scalarText, v reflect.Value, a at, line int, r rules) {
	i, ok := s.int()
	switch {
	case !ok && s.tag != "!!str" && strings.Trim(s.text, "+-0123456789") == "" || ok && v.OverflowInt(i):
		d.addProblem(a, line, s.shown()+" is too large", "use a smaller number")
	case !ok:
		d.addWrongType(s, v, a, line, r)
	default:
		limit := func(t string) int64 { return int64(parseFloat(t)) }
		if inRange(d, i, limit, s, a, line, r) {
			v.SetInt(i)
		}
	}
}

// addWrongType reports a scalar whose type does not match v's.
func (d *decoder) addWrongType(s scalarText, v reflect.Value, a at, line int, r rules) {
	got := describeNode(&yaml.Node{Kind: yaml.ScalarNode, Tag: s.tag})
	if s.changed {
		got += " in " + Quote(s.raw)
	}
	fix := ""
	if plain := (&yaml.Node{Kind: yaml.ScalarNode, Value: s.text}).ShortTag(); s.tag == "!!str" && plain != "!!str" {
		fix = "remove the quotes"
	} else if v.Kind() == reflect.String {
		fix = "put it in quotes: " + Quote(s.text)
	}
	d.addProblem(a, line, "expected "+expectedType(v.Type(), r)+", got "+got, fix)
}

// readString fills a string. A string of a named type takes any scalar as it is written.
func (d *decoder) readString(s scalarText, v reflect.Value, a at, line int, r rules) {
	if d.opts.Literal && v.Type().PkgPath() == "" {
		if s.tag == "!!int" || s.tag == "!!float" || s.tag == "!!bool" {
			d.addWrongType(s, v, a, line, r)
			return
		}
		if s.text = strings.TrimSpace(s.text); s.text == "" {
			d.addProblem(a, line, "is blank", emptyRemedy(r))
			return
		}
	}
	if len(r.enum) > 0 && !d.checkWord(s.text, r.enum, a, line, s.raw) {
		return
	}
	if most, err := strconv.Atoi(r.max); err == nil && utf8.RuneCountInString(s.text) > most {
		d.addProblem(a, line, fmt.Sprintf("is longer than %d letters", most), "shorten it")
		return
	}
	if r.format != "" && s.text != "" {
		what, fix := checkFormat(r.format, s)
		if check := d.opts.Formats[r.format]; check != nil {
			what, fix = check(s.text)
		}
		if what != "" {
			d.addProblem(a, line, what, fix)
			return
		}
	}
	v.SetString(s.text)
}

// checkWord reports whether text is one of the allowed words, and adds a problem if not.
func (d *decoder) checkWord(text string, allowed []string, a at, line int, raw string) bool {
	for _, w := range allowed {
		if text == w {
			return true
		}
	}
	fix := Suggest(text, allowed, "use "+joinOr(allowed))
	shown := scalarText{raw: raw, changed: raw != text}.shown()
	d.addProblem(a, line, shown+" is not one of "+strings.Join(allowed, ", "), fix)
	return false
}

// readDuration fills a duration.
func (d *decoder) readDuration(s scalarText, v reflect.Value, a at, line int, r rules) {
	var got Duration
	if got.UnmarshalText([]byte(s.text)) != nil {
		fix := durationRemedy(s.text)
		if s.changed { // do not reveal the value
			fix = "it needs a unit, as in 60s or 60ms"
		}
		d.addProblem(a, line, "expected a duration, got "+s.shown(), fix)
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

// inRange reports whether got is within the range of r, and adds a problem if not.
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
	d.addProblem(a, line, s.shown()+what, fix)
	return false
}

func parseFloat(s string) float64 {
	f, _ := strconv.ParseFloat(s, 64)
	return f
}

// emptyRemedy says what to do about a key without a value.
func emptyRemedy(r rules) string {
	if r.required {
		return "give it a value"
	}
	return "write something, or leave it out"
}

// expectedType describes the values that a type accepts.
func expectedType(t reflect.Type, r rules) string {
	switch {
	case t == typeDuration:
		return "a duration such as 500ms"
	case readsText(t):
		return joinOr(r.enum)
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

// joinOr joins words as "a, b or c".
func joinOr(w []string) string {
	if len(w) < 2 {
		return strings.Join(w, "")
	}
	return strings.Join(w[:len(w)-1], ", ") + " or " + w[len(w)-1]
}
