package ruleslookup

import (
	"slices"
	"strings"
)

// spokenQuery holds the figures in a question, as in "third level evocation spells".
type spokenQuery struct {
	kinds      []condition // kinds of the thing asked for; any of them may match
	conditions []condition // all of them must match
}

// scoreSpoken raises the score of rules whose kind and figures match the question's description.
func (ix *index) scoreSpoken(s *scratch, q *question) {
	spoken, ok := readSpoken(q)
	if !ok {
		return
	}
	bonus := spokenBonus + eachCondition*float32(len(spoken.conditions)+len(spoken.kinds)-1)
	if len(spoken.conditions) == 0 {
		bonus /= 2
	}
	for doc := range s.total {
		if ix.satisfiesSpoken(int32(doc), spoken) {
			s.total[doc] += bonus
		} else if isPlainRule(ix.categories[doc]) {
			s.total[doc] *= ruleInstead
		}
	}
}

func (ix *index) satisfiesSpoken(doc int32, q spokenQuery) bool {
	unmet := func(c condition) bool { return !ix.satisfies(doc, c) }
	return !slices.ContainsFunc(q.kinds, unmet) && !slices.ContainsFunc(q.conditions, unmet)
}

// isPart reports whether a word is a class or a value.
func isPart(w string) bool {
	_, class := classWords()[w]
	_, value := valueWords()[w]
	return class || value
}

// readSpoken reads which kind of thing a question asks for, and with which figures. It ignores questions
// about consequences or permission, because those ask for a rule.
func readSpoken(q *question) (out spokenQuery, ok bool) {
	for i, w := range q.all[:min(len(q.all), 2)] {
		switch w.raw {
		case "can", "how", "does", "do", "if", "when", "kann", "wie", "darf", "wann", "muss", "wenn", "hat":
			return out, false
		case "ab":
			if i == 0 {
				return out, false
			}
		}
	}
	for _, w := range q.all {
		switch w.raw {
		case "xp", "ep", "experience", "erfahrungspunkte", "proficiency":
			return out, false // questions about challenge are answered by tables
		}
	}
	r := figureReader{words: q.all}
	for r.at < len(r.words) {
		before := r.at
		r.readFigure()
		if r.at == before {
			r.readWord()
			r.at++
		}
	}
	r.fitKinds()
	return r.out, len(r.out.kinds) > 0 && (len(r.out.conditions) > 0 || len(r.out.kinds) > 1 && len(q.ws) <= 2)
}

// figureReader reads kinds, figures and comparisons word by word.
type figureReader struct {
	words   []word
	at      int
	out     spokenQuery
	classes []string
	// The remaining fields hold words whose meaning depends on the kind: abilities, the weight of armour and
	// weapons, the key that "against" refers to for creatures, and a creature type in the singular.
	abilities                             []string
	weight, against, one                  string
	stealth, worse, saves, casts, negated bool
}

func (r *figureReader) add(key, op, value string) {
	r.out.conditions = append(r.out.conditions, newCondition(key, op, value))
}

func (r *figureReader) word(i int) string {
	if i < 0 || i >= len(r.words) {
		return ""
	}
	return r.words[i].raw
}

// readWord reads a word as a kind, or as a figure that needs no number. A German compound such as
// "Blitzzauber" may be both.
func (r *figureReader) readWord() {
	w := r.word(r.at)
	if r.readHint(w) || r.readPart(w) {
		return
	}
	switch w {
	case "bonus":
		if next := r.word(r.at + 1); next == "action" || next == "actions" {
			r.add("casting_time", "=", "bonus action")
		}
	case "poison":
		if r.against != "" || r.word(r.at+1) == "damage" {
			r.add("damage", "=", "poison")
		}
	case "two", "zweihandig", "zweihandige", "zweihandigen":
		if w != "two" || strings.HasPrefix(r.word(r.at+1), "hand") {
			r.add("properties", "=", "two-handed")
		}
	}
	if sides, ok := dice(w); ok {
		switch {
		case r.hasKind("class"):
			r.add("hit_die", "=", sides[strings.IndexByte(sides, 'd')+1:])
		default:
			r.add("damage", "=", sides)
		}
	}
	if a := abilityOf(w); a != "" {
		r.abilities = append(r.abilities, a)
		if n := r.word(r.at - 1); n == "1" || n == "2" {
			r.add("bonus."+a, "=", n)
		}
	}
	r.readCompound(w)
}

// readHint reads a word that has a meaning only together with the kind that is asked for.
func (r *figureReader) readHint(w string) bool {
	switch w {
	case "light", "leicht", "leichte", "leichten":
		r.weight = "light"
	case "medium", "mittelschwer", "mittelschwere", "mittelschweren", "mittlere":
		r.weight = "medium"
	case "heavy", "schwer", "schwere", "schweren":
		r.weight = "heavy"
	case "cast", "casts", "casting", "zaubern", "zaubert", "zauberattribut":
		r.casts = true
		return false
	case "armor", "armour":
		return r.word(r.at+1) == "class" // a figure
	case "stealth", "heimlichkeit", "schleichen", "sneaking":
		r.stealth = true
	case "disadvantage", "nachteil":
		r.worse = true
	case "saving", "save", "saves", "rettungswurf", "rettungswurfe", "rettungswurfen":
		r.saves = true
	case "no", "not", "without", "doesnt", "dont", "ohne", "kein", "keine", "keinen", "keiner", "nicht", "isnt", "arent":
		r.negated = true
	case "immune", "immun", "immunity", "immunities", "immunitat", "immunitaten":
		r.against = "immunities"
	case "resistant", "resist", "resists", "resistance", "resistances", "resistenz", "resistenzen", "resistent", "widerstand":
		r.against = "resistances"
	case "vulnerable", "vulnerability", "weak", "verwundbar", "verwundbarkeit", "anfallig", "empfindlich":
		r.against = "vulnerabilities"
	case "beast", "tier", "bestie":
		r.one = "beast"
	case "giant", "riese":
		r.one = "giant"
	case "dragon", "drache":
		r.one = "dragon"
	case "fiend", "unhold":
		r.one = "fiend"
	default:
		return false
	}
	return true
}

// readCompound reads the parts of a German compound.
func (r *figureReader) readCompound(w string) {
	for i := 3; i < len(w)-2; i++ {
		head, tail := w[:i], w[i:]
		if kindOf(tail) == nil && tail != "schaden" {
			continue
		}
		for _, link := range [...]string{"", "s", "en", "n"} {
			if cut, ok := strings.CutSuffix(head, link); ok && (isPart(cut) || kindOf(cut) != nil) {
				r.readPart(cut)
				r.readPart(tail)
				return
			}
		}
	}
}

// dice returns the dice that a word names, such as "2d6". It also accepts the German "2w6".
func dice(w string) (string, bool) {
	at := strings.IndexAny(w, "dw")
	if at < 0 || at+1 == len(w) || strings.Trim(w[:at]+w[at+1:], "0123456789") != "" {
		return "", false
	}
	n := w[:at]
	if n == "" {
		n = "1"
	}
	return n + "d" + w[at+1:], true
}

// denied reports whether one of the three preceding words negates the following ones.
func (r *figureReader) denied() bool {
	for i := r.at - 3; i < r.at; i++ {
		switch r.word(i) {
		case "no", "not", "without", "doesnt", "dont", "ohne", "kein", "keine", "keinen", "keiner", "nicht":
			return true
		}
	}
	return false
}

func (r *figureReader) readPart(w string) bool {
	if before := r.word(r.at - 1); w == "class" && (before == "armor" || before == "armour") {
		return true
	}
	if k := kindOf(w); k != nil {
		r.out.kinds = append(r.out.kinds, k...)
		if w == "cantrip" || w == "cantrips" || strings.HasPrefix(w, "zaubertrick") {
			r.add("level", "=", "0")
		}
		return true
	}
	if c, ok := classWords()[w]; ok {
		r.classes = append(r.classes, c)
		return true
	}
	if v, ok := valueWords()[w]; ok {
		if v.text == "rare" && (r.word(r.at-1) == "very" || r.word(r.at-1) == "sehr") {
			v.text = "very rare"
		}
		if v.text == "true" && r.denied() {
			v = newCondition(v.key, "!=", "true")
		}
		r.out.conditions = append(r.out.conditions, v)
		return true
	}
	return false
}

func hasKind(kinds []condition, category string) bool {
	return slices.ContainsFunc(kinds, func(c condition) bool { return c.key == "category" && c.text == category })
}
