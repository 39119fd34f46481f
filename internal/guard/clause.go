package guard

import "strings"

// isSupposed reports whether the clauses of two words state no fact, but a condition, a wish or a habit.
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

// endsAsQuestion reports whether the sentence part with a word ends with a question mark.
func (s *sentence) endsAsQuestion(i int) bool {
	for i++; i <= len(s.words); i++ {
		if gap := s.gap(i); strings.ContainsAny(gap, ".!?…") {
			return strings.Contains(gap, "?")
		}
	}
	return false
}

// isPriced reports whether the words from i on give a price for what precedes them: "two for a copper".
func (s *sentence) isPriced(i int) bool {
	w, next := s.at(i), s.at(i+1)
	return (w == "for" || w == "fur") && (articleBefore(next) || articleNumber(next) || i+1 < len(s.words) && s.words[i+1].number >= 0)
}

// Words that state the outcome of a player's attempt, and named dice throws.
var (
	trying    = newWordSet(`try tries trying attempt manage succeed versuche versuchen versuch schaffe schaffen gelingt klappt`)
	announced = newWordSet(`success failure failed succeeded misslungen gelungen geschafft fehlgeschlagen bestanden fehlschlag erfolg`)
	attempts  = newWordSet(`bluff lie attempt blow strike shot schlag hieb stich versuch lüge`)
	throws    = newWordSet(`pasch boxcars einerpasch zweierpasch dreierpasch viererpasch fünferpasch sechserpasch doppelsechs doppeleins`)
)

// announces reports whether a sentence states an outcome, or a throw by its name.
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

// tales are words for past or habitual events.
var tales = newWordSet(`
	once ever never always ago yesterday last used every each einmal letzten letztes letzte letzter damals früher gestern
	seit nie niemals immer jedes jeder heißt bedeutet zählt schlägt means counts beats called`)

// isDiceWord reports whether a word is about dice: "roll" is, "roll up" is not.
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
