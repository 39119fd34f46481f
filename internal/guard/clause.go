package guard

import "strings"

// isSupposed reports whether what stands in the clauses of two words is no fact, but a
// condition, a wish or what is always so.
func (s *sentence) isSupposed(a, b int) bool {
	if conditions[s.at(0)] {
		return true
	}
	from, to := min(a, b), max(a, b)+1
	for from > 0 && !strings.ContainsAny(s.gap(from), ",;:") {
		from--
	}
	for to < len(s.words) && !strings.ContainsAny(s.gap(to), ",;:") {
		to++
	}
	for i := from; i < to; i++ {
		if hypothetical[s.at(i)] {
			return true
		}
	}
	return false
}

// asks reports whether a question mark ends what a word stands in.
func (s *sentence) asks(i int) bool {
	for i++; i <= len(s.words); i++ {
		if gap := s.gap(i); strings.ContainsAny(gap, ".!?…") {
			return strings.Contains(gap, "?")
		}
	}
	return false
}

// isPriced reports whether what stands before a word is sold: "two for a copper".
func (s *sentence) isPriced(i int) bool {
	w, next := s.at(i), s.at(i+1)
	return (w == "for" || w == "fur") && (articleBefore(next) || articleNumber(next) || i+1 < len(s.words) && s.words[i+1].number >= 0)
}

// Words that tell the outcome of what a player tries by themselves, and throws that have
// names.
var (
	trying    = newWordSet(`try tries trying attempt manage succeed versuche versuchen versuch schaffe schaffen gelingt klappt`)
	announced = newWordSet(`success failure failed succeeded misslungen gelungen geschafft fehlgeschlagen bestanden fehlschlag erfolg`)
	attempts  = newWordSet(`bluff lie attempt blow strike shot schlag hieb stich versuch lüge`)
	throws    = newWordSet(`pasch boxcars einerpasch zweierpasch dreierpasch viererpasch fünferpasch sechserpasch doppelsechs doppeleins`)
)

// announces reports whether a sentence is an outcome, or a throw by its name.
func (r *rolls) announces(s *sentence) bool {
	if conditions[s.at(0)] || strings.Contains(s.raw, "?") || !r.about && !r.tries {
		return false
	}
	for i := range s.words {
		w, alone := s.at(i), strings.ContainsAny(s.gap(i+1), ",.!;:") || i+1 == len(s.words)
		switch {
		case announced[w] && alone && (i == 0 || i <= 3 && (articleBefore(s.at(i-1)) || s.at(i-1) == "ein")):
			return true
		case r.about && (throws[w] || w == "snake" && s.at(i+1) == "eyes") && !s.has(hypothetical):
			return true
		}
	}
	return false
}

// tales tell of what was, or is always so.
var tales = newWordSet(`
	once ever never always ago yesterday last used every each einmal letzten letztes letzte letzter damals früher gestern
	seit nie niemals immer jedes jeder heißt bedeutet zählt schlägt means counts beats called`)

// isDiceWord reports whether a word speaks of dice: "roll" does, "roll up" does not.
func (s *sentence) isDiceWord(i int) bool {
	w := s.at(i)
	if w == "roll" || w == "rolls" || w == "rolled" {
		switch s.at(i + 1) {
		case "up", "out", "over", "down", "along", "away", "back":
			return false
		}
	}
	return diceWords[w] || isDie(s, i)
}
