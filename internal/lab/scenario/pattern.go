package scenario

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/google/shlex"

	"github.com/MrWong99/glyphoxa/internal/userfile"
)

// pattern selects entries of the log: a kind, conditions on fields, which match
// to take, and a time offset. As text:
//
//	sentence npc=Bart text~"well met" @2 +300ms
type pattern struct {
	kind  string
	where []condition
	nth   int // from 1; 0 means any, -1 the last
	shift time.Duration
}

// condition compares one field.
type condition struct{ field, op, value string }

var (
	conditionForm = regexp.MustCompile(`^([a-z_]+(?:\.[a-z_]+)*)(!=|<=|>=|=|<|>|~)(.*)$`)
	kindForm      = regexp.MustCompile(`^[a-z][a-z0-9]*(\.[a-z]+)*$`)
)

// Words for moments instead of events.
const (
	atStart = "start"
	atEnd   = "end"
)

func parsePattern(text string) (pattern, error) {
	words, err := shlex.Split(text)
	if err != nil {
		return pattern{}, errors.New("a quote is opened and never closed")
	}
	if len(words) == 0 {
		return pattern{}, errors.New("names no event")
	}
	p := pattern{kind: words[0]}
	if !kindForm.MatchString(p.kind) {
		return pattern{}, fmt.Errorf("%q is no kind of event", p.kind)
	}
	for _, w := range words[1:] {
		if err := p.addCondition(w); err != nil {
			return pattern{}, err
		}
	}
	return p, p.known()
}

// addCondition adds one word after the kind.
func (p *pattern) addCondition(w string) error {
	if number, ok := strings.CutPrefix(w, "@"); ok {
		if number == "last" {
			p.nth = -1
			return nil
		}
		n, err := strconv.Atoi(number)
		if err != nil || n < 1 {
			return fmt.Errorf("%q is no number of an event: write @1, @2 or @last", w)
		}
		p.nth = n
		return nil
	}
	if strings.HasPrefix(w, "+") || strings.HasPrefix(w, "-") {
		d, err := time.ParseDuration(w)
		if err != nil {
			return fmt.Errorf("%q is no time: write +300ms", w)
		}
		p.shift = d
		return nil
	}
	m := conditionForm.FindStringSubmatch(w)
	if m == nil {
		return fmt.Errorf("%q is no condition: write field=value", w)
	}
	c := condition{m[1], m[2], m[3]}
	if strings.ContainsAny(c.op, "<>") {
		if _, err := strconv.ParseFloat(c.value, 64); err != nil {
			return fmt.Errorf("%q is no number", c.value)
		}
	}
	p.where = append(p.where, c)
	return nil
}

// known rejects kinds and fields that no event has.
func (p *pattern) known() error {
	kinds := vocabulary()
	fields, ok := kinds[p.kind]
	if !ok {
		return fmt.Errorf("there is no event %q%s", p.kind, suggest(p.kind, sortedKeys(kinds)))
	}
	for _, c := range p.where {
		if !fields[c.field] {
			return fmt.Errorf("%s has no field %q%s", p.kind, c.field, suggest(c.field, sortedKeys(fields)))
		}
	}
	return nil
}

func suggest(word string, known []string) string {
	if near := userfile.Nearest(word, known); near != "" {
		return fmt.Sprintf("; did you mean %q?", near)
	}
	return "; there are " + strings.Join(known, ", ")
}

// fits reports whether an entry has the kind and meets the conditions.
func (p *pattern) fits(e Entry) bool {
	if e.Kind != p.kind {
		return false
	}
	for _, c := range p.where {
		if !c.holds(e.Fields[c.field]) {
			return false
		}
	}
	return true
}

func (c condition) holds(value string) bool {
	switch c.op {
	case "=":
		return value == c.value
	case "!=":
		return value != c.value
	case "~":
		return strings.Contains(strings.ToLower(value), strings.ToLower(c.value))
	}
	return compare(value, c.op, c.value)
}

// compare compares numbers with a bound; other text never meets one.
func compare(value, op, bound string) bool {
	v, err := strconv.ParseFloat(value, 64)
	b, err2 := strconv.ParseFloat(bound, 64)
	if err != nil || err2 != nil {
		return false
	}
	switch op {
	case "<":
		return v < b
	case "<=":
		return v <= b
	case ">":
		return v > b
	case ">=":
		return v >= b
	}
	return v == b
}

var boundForm = regexp.MustCompile(`^(<=|>=|<|>|=)?\s*(-?[0-9]+(?:\.[0-9]+)?)$`)

// bound is a limit such as "<1200", or a word that a field must equal.
type bound struct{ op, value string }

func parseBound(text string) bound {
	if m := boundForm.FindStringSubmatch(strings.TrimSpace(text)); m != nil {
		if m[1] == "" {
			m[1] = "="
		}
		return bound{m[1], m[2]}
	}
	return bound{"", text}
}

// numeric reports whether b is a limit, not a word.
func (b bound) numeric() bool { return b.op != "" }

func (b bound) holds(value string) bool {
	if !b.numeric() {
		return value == b.value
	}
	return compare(value, b.op, b.value)
}
