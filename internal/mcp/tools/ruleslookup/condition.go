package ruleslookup

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// condition is a requirement on a figure of a rule, such as "level<=3" or "type:beast".
type condition struct {
	key    string // "category", or a figure's key
	op     string // one of < <= > >= = !=; texts support only = and !=; "none" means that the rule must not have the figure
	text   string
	number float64
	// isNumber reports whether number is set.
	isNumber bool
}

var written = regexp.MustCompile(`([\p{L}_.]+)(:|\s*(?:<=|>=|!=|=|<|>)\s*)("[^"]*"|[\p{L}\p{N}/+.'_-]+)`)

// extractConditions removes the written conditions from a query and returns them. unknown lists those whose key
// is not known.
func extractConditions(query string, known func(key string) bool) (rest string, list []condition, unknown []string) {
	rest = written.ReplaceAllStringFunc(query, func(m string) string {
		p := written.FindStringSubmatch(m)
		key, op := keyOf(strings.ToLower(p[1])), strings.TrimSpace(p[2])
		if !known(key) {
			if op != ":" { // "fire: what does it do" is a sentence, not a condition
				unknown = append(unknown, p[1])
			}
			return m
		}
		list = append(list, newCondition(key, op, strings.Trim(p[3], `"`)))
		return " "
	})
	return strings.TrimSpace(rest), list, unknown
}

func newCondition(key, op, value string) condition {
	if op == ":" {
		op = "="
	}
	c := condition{key: key, op: op, text: strings.ToLower(strings.TrimSpace(value))}
	if key == "level" && c.text == "cantrip" {
		c.text = "0"
	}
	c.number, c.isNumber = number(c.text)
	return c
}

// keyOf returns the canonical key of a figure for any of its names.
func keyOf(key string) string {
	switch key {
	case "kategorie", "cat":
		return "category"
	case "grad", "stufe", "lvl":
		return "level"
	case "schule":
		return "school"
	case "klasse", "classes":
		return "class"
	case "cr", "hg", "herausforderungsgrad":
		return "challenge"
	case "typ":
		return "type"
	case "größe", "groesse":
		return "size"
	case "seltenheit":
		return "rarity"
	case "preis", "kosten", "price", "gp", "gm":
		return "cost"
	case "schaden", "damage_type":
		return "damage"
	case "ac", "rk":
		return "armor_class"
	case "hp", "tp":
		return "hit_points"
	case "konzentration":
		return "concentration"
	case "eigenschaft", "property":
		return "properties"
	}
	return key
}

// satisfies reports whether a rule's figures satisfy a condition.
func (ix *index) satisfies(doc int32, c condition) bool {
	if c.key == "category" {
		same := c.text == ix.categories[doc] || c.text == "rule" && isPlainRule(ix.categories[doc])
		return same == (c.op != "!=")
	}
	for i := range ix.figures[doc] {
		f := &ix.figures[doc][i]
		if f.Key != c.key {
			continue
		}
		if c.op == "none" {
			return false
		}
		if f.is(c) {
			return c.op != "!="
		}
	}
	return c.op == "!=" || c.op == "none"
}

func isPlainRule(category string) bool { return category == "combat" || category == "general" }

// is reports whether a figure satisfies c.
func (f *figure) is(c condition) bool {
	if c.isNumber && f.IsNumber {
		switch c.op {
		case "<":
			return f.Number < c.number
		case "<=":
			return f.Number <= c.number
		case ">":
			return f.Number > c.number
		case ">=":
			return f.Number >= c.number
		}
		return f.Number == c.number
	}
	if c.key == "rarity" && c.text == "rare" {
		return f.Text == c.text // "very rare" must not match "rare"
	}
	return f.Text != "" && containsWords(f.Text, c.text)
}

// containsWords reports whether words occurs in text. Its last word may be only the beginning of one.
func containsWords(text, words string) bool {
	if words == "" {
		return false
	}
	for from := 0; ; {
		at := strings.Index(text[from:], words)
		if at < 0 {
			return false
		}
		at += from
		if at == 0 || text[at-1] == ' ' || text[at-1] == '-' || text[at-1] == '(' {
			return true
		}
		from = at + 1
	}
}

// dropUnsatisfying drops all rules that do not meet all conditions. Those that do count as found even if the query
// asks for nothing else.
func (ix *index) dropUnsatisfying(s *scratch, conditions []condition) {
	for doc := range s.total {
		if slices.ContainsFunc(conditions, func(c condition) bool { return !ix.satisfies(int32(doc), c) }) {
			s.total[doc], s.exact[doc] = 0, related
			continue
		}
		s.total[doc] += matching
	}
}

// matching is the score of a rule that meets all conditions.
const matching = 8

// structured converts the arguments of the tool to conditions.
func (a searchArgs) structured() (list []condition, err error) {
	for _, arg := range [...]struct{ key, value string }{
		{"category", a.Category}, {"level", a.Level}, {"school", a.School}, {"class", a.Class}, {"challenge", a.Challenge},
		{"type", a.Type}, {"rarity", a.Rarity}, {"cost", a.Cost},
	} {
		value := strings.TrimSpace(arg.value)
		if value == "" {
			continue
		}
		op := "="
		for _, o := range [...]string{"<=", ">=", "!=", "<", ">", "="} {
			if rest, ok := strings.CutPrefix(value, o); ok {
				op, value = o, strings.TrimSpace(rest)
				break
			}
		}
		c := newCondition(arg.key, op, value)
		if strings.ContainsAny(op, "<>") && !c.isNumber {
			return nil, fmt.Errorf("%s %q is no number; write it as \"<=3\" or \"1/2\"", arg.key, arg.value)
		}
		list = append(list, c)
	}
	return list, nil
}
