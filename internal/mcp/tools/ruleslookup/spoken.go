package ruleslookup

import (
	"slices"
	"strconv"
	"strings"
)

// spokenQuery is what a question says about figures: "third level evocation spells".
type spokenQuery struct {
	kinds      []condition // of the thing asked for: any of them
	conditions []condition // all of them
}

// scoreSpoken rewards the rules a question describes by kind and figures.
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
		if ix.meetsSpoken(int32(doc), spoken) {
			s.total[doc] += bonus
		} else if isPlainRule(ix.categories[doc]) {
			s.total[doc] *= ruleInstead
		}
	}
}

func (ix *index) meetsSpoken(doc int32, q spokenQuery) bool {
	unmet := func(c condition) bool { return !ix.meets(doc, c) }
	return !slices.ContainsFunc(q.kinds, unmet) && !slices.ContainsFunc(q.conditions, unmet)
}

// isPart reports whether a word is a class or a value.
func isPart(w string) bool {
	_, class := classWords()[w]
	_, value := valueWords()[w]
	return class || value
}

// readSpoken reads what kind of thing is asked for, and by which figures. Questions of
// what happens and what may be done ask for a rule.
func readSpoken(q *question) (out spokenQuery, ok bool) {
	for _, w := range q.all[:min(len(q.all), 2)] {
		switch w.raw {
		case "can", "how", "does", "do", "if", "when", "kann", "wie", "darf", "wann", "muss", "wenn", "ab", "hat":
			return out, false
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
	return r.out, len(r.out.kinds) > 0 && len(r.out.kinds)+len(r.out.conditions) > 1
}

// fitKinds takes conditions for what they are of the kind that is asked for.
func (r *figureReader) fitKinds() {
	if len(r.out.kinds) == 0 {
		for _, c := range r.out.conditions {
			switch c.key {
			case "rarity":
				r.out.kinds = append(r.out.kinds, newCondition("category", "=", "item"))
			case "level":
				r.out.kinds = append(r.out.kinds, newCondition("category", "=", "spell"))
			}
		}
	}
	armor := false
	for _, c := range r.out.kinds {
		armor = armor || c.text == "armor"
	}
	switch {
	case hasKind(r.out.kinds, "spell"):
		for _, c := range r.classes {
			r.add("class", "=", c)
		}
	case hasKind(r.out.kinds, "class") && r.saves:
		for _, a := range r.abilities {
			r.add("saves", "=", a)
		}
	case hasKind(r.out.kinds, "race"):
		for _, a := range r.abilities {
			r.add("bonus", "=", a)
		}
	}
	if r.weight != "" && armor {
		r.add("group", "=", r.weight)
	}
	if r.stealth && armor {
		r.add("stealth_disadvantage", "!=", "true")
	}
	r.out.conditions = slices.DeleteFunc(r.out.conditions, func(c condition) bool { return !fits(c.key, r.out.kinds) })
}

// fits reports whether things of these kinds have a figure at all.
func fits(key string, kinds []condition) bool {
	switch key {
	case "level", "school", "damage", "casting_time", "concentration", "ritual":
		return hasKind(kinds, "spell") || key == "damage" && hasKind(kinds, "equipment")
	case "challenge", "hit_points":
		return hasKind(kinds, "monster")
	case "rarity":
		return hasKind(kinds, "item")
	case "properties", "group", "cost":
		return hasKind(kinds, "equipment")
	case "speed":
		return hasKind(kinds, "monster")
	}
	return true
}

// figureReader reads kinds, figures and comparisons word by word.
type figureReader struct {
	words   []word
	at      int
	out     spokenQuery
	classes []string
	// abilities, weight, stealth and saves are words that mean something with some kinds.
	abilities []string
	weight    string
	stealth   bool
	saves     bool
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

// readWord takes a word for a kind, or for a figure that stands for itself; a German
// compound may be both: "Blitzzauber".
func (r *figureReader) readWord() {
	w := r.word(r.at)
	if r.readPart(w) {
		return
	}
	switch w {
	case "light", "leicht", "leichte", "leichten":
		r.weight = "light"
	case "medium", "mittelschwer", "mittelschwere", "mittelschweren", "mittlere":
		r.weight = "medium"
	case "heavy", "schwer", "schwere", "schweren":
		r.weight = "heavy"
	case "stealth", "heimlichkeit":
		r.stealth = true
	case "saving", "save", "saves", "rettungswurf", "rettungswurfe", "rettungswurfen":
		r.saves = true
	case "bonus":
		if next := r.word(r.at + 1); next == "action" || next == "actions" {
			r.add("casting_time", "=", "bonus action")
		}
	case "two", "zweihandig", "zweihandige", "zweihandigen":
		if w != "two" || strings.HasPrefix(r.word(r.at+1), "hand") {
			r.add("properties", "=", "two-handed")
		}
	case "d6", "d8", "d10", "d12", "w6", "w8", "w10", "w12":
		if len(r.out.kinds) > 0 && hasKind(r.out.kinds, "class") {
			r.add("hit_die", "=", w[1:])
		}
	}
	if a := abilityOf(w); a != "" {
		r.abilities = append(r.abilities, a)
	}
	for i := 3; i < len(w)-2; i++ {
		head, tail := w[:i], w[i:]
		if kindOf(tail) == nil && !(tail == "schaden") {
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

func (r *figureReader) readPart(w string) bool {
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
		r.out.conditions = append(r.out.conditions, v)
		return true
	}
	return false
}

// readFigure reads a number with what it counts and how it is compared: "third level",
// "challenge one half or less", "unter 15 Gold".
func (r *figureReader) readFigure() {
	n, length := readNumber(r.words[r.at:])
	if length == 0 {
		return
	}
	key := figureKey(r.word(r.at + length))
	from, to := r.at-1, r.at+length
	switch {
	case key != "":
		to++
	case figureKey(r.word(from)) != "":
		key = figureKey(r.word(from))
		from--
	case figureKey(r.word(from-1)) != "":
		key = figureKey(r.word(from - 1))
	}
	if key == "" || key == "level" && r.word(from) == "rating" {
		return
	}
	op := "="
	for _, at := range [...]int{r.at - 1, r.at - 2, r.at - 3, to, to + 1, to + 2} {
		if o := comparison(r.word(at)); o != "" {
			op = o
			break
		}
	}
	r.add(key, op, strconv.FormatFloat(n, 'f', -1, 64))
	r.at = to
}

// figureKey returns what a word counts.
func figureKey(w string) string {
	switch w {
	case "level", "grad", "grades", "grads", "leveled":
		return "level"
	case "challenge", "cr", "hg", "herausforderungsgrad", "rating", "herausforderung":
		return "challenge"
	case "gp", "gold", "gm", "goldstucke", "goldstucken", "goldstuck", "goldmunzen":
		return "cost"
	case "hp":
		return "hit_points"
	case "ac", "rk":
		return "armor_class"
	}
	return ""
}

func comparison(w string) string {
	switch w {
	case "below", "under", "less", "lower", "fewer", "cheaper", "unter", "weniger":
		return "<"
	case "most", "max", "maximum", "hochstens", "maximal", "bis":
		return "<="
	case "over", "above", "higher", "uber", "mehr", "exceeding":
		return ">"
	case "least", "minimum", "min", "mindestens", "ab", "wenigstens":
		return ">="
	}
	return ""
}

// readNumber reads a number from the beginning of words and tells how many it took.
func readNumber(ws []word) (n float64, length int) {
	w := ws[0].raw
	if w == "one" || w == "a" || w == "ein" || w == "eine" || w == "einem" {
		if len(ws) > 1 {
			switch ws[1].raw {
			case "half", "halb", "halbes", "halben":
				return 0.5, 2
			case "quarter", "fourth", "viertel":
				return 0.25, 2
			case "eighth", "achtel":
				return 0.125, 2
			}
		}
		if w == "a" {
			return 1, 1
		}
	}
	if v, err := strconv.Atoi(w); err == nil {
		// "1/4" is read as two words.
		if len(ws) > 1 && v == 1 && (ws[1].raw == "2" || ws[1].raw == "4" || ws[1].raw == "8") {
			d, _ := strconv.Atoi(ws[1].raw)
			return 1 / float64(d), 2
		}
		return float64(v), 1
	}
	if len(w) > 2 {
		if v, err := strconv.Atoi(w[:len(w)-2]); err == nil {
			switch w[len(w)-2:] {
			case "st", "nd", "rd", "th":
				return float64(v), 1
			}
		}
	}
	if v, ok := numberWords()[w]; ok {
		return v, 1
	}
	return 0, 0
}

func hasKind(kinds []condition, category string) bool {
	return slices.ContainsFunc(kinds, func(c condition) bool { return c.key == "category" && c.text == category })
}
