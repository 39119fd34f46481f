package guard

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode"
)

// rolls holds the known dice of a turn.
type rolls struct {
	about     bool // the player or the NPC mentions dice, or something decided by dice
	tries     bool // the player tries something, or asks whether it works
	rolled    bool // a tool rolled dice
	hasResult bool // a tool returned a result
	known     map[int]bool
	german    bool
	dice      string // the dice that the player named, such as "2d6"
}

// Words about dice, and about what dice decide.
var (
	diceWords = newWordSet(`
		roll rolls rolled rolling reroll dice dices throw throws threw thrown throwing toss tosses tossed bones pips nat initiative
		d4 d6 d8 d10 d12 d20 d100 w4 w6 w8 w10 w12 w20 w100 würfel würfeln würfelt würfle würfelst würfels gewürfelt würfelwurf wurf wurfs
		würfe werfen wirf wirfst wirft werft geworfen warf becher knobeln knobelbecher augen augenzahl`)
	// handWords have other meanings as well, so they count only in talk about dice.
	handWords    = newWordSet(`werfen wirf wirfst wirft werft`)
	contestWords = newWordSet(`
		total sum bonus modifier attack attacks hit hits strike punch stab shoot check save saving throw insight stealth perception
		persuasion deception athletics acrobatics intimidation investigation arcana strength dexterity constitution wisdom
		charisma initiative turn result score initiative damage angriff angreifen greife bonus summe ergebnis probe rettungswurf schlage
		treffe treffer wahrnehmung überreden überzeugen täuschen schleichen heimlichkeit athletik akrobatik einschüchtern lie bluff lüge belüge überrede
		geschick stärke weisheit charisma dran zug schaden jump climb sneak`)
	hypothetical = newWordSet(`
		if unless when whenever whoever would could want need needs needed must once ever never always ago yesterday last used
		every each wager bet higher better than wenn falls wer sobald würde könnte will willst brauchst braucht brauche
		einmal letzten letztes letzte letzter damals früher gestern seit nie niemals immer jedes jeder könnt kannst
		hintereinander beats schlägt means counts zählt heißt bedeutet möchte wollt darf should soll sollte`)
	resultWords = newWordSet(`
		altogether total in on is was and plus minus makes make equals gives for again that that's against versus to so it
		insgesamt zusammen gesamt auf im gegen macht machen ergibt ergeben sind ist also und für von nach gewürfelt geworfen
		gewuerfelt times mal on_the points point pips augen schaden damage schadenspunkte trefferpunkte hp the at showing lying
		up down here there now without ohne even already exactly only flat off a an oh ha yes no my well`)
	outcomeWords = newWordSet(`
		fail fails failed failing succeed succeeds succeeded success failure pass passes passed misses missed botched made
		misslungen misslingt gelungen gelingt geschafft verpatzt verfehlt fehlgeschlagen scheitert gescheitert erfolgreich
		reicht bestanden beats scheiterst schaffst bestehst scheitere low high niedrig klappt glückt geglückt missglückt daneben`)
	checkWords = newWordSet(`
		check checks save saves saving throw roll rolls probe proben rettungswurf wurf attack angriff`)
	naturals   = newWordSet(`nat natural natürliche natürlicher natürlichen natural crit`)
	critical   = newWordSet(`critical kritisch kritischer kritische kritisches crit patzer fumble`)
	criticalOf = newWordSet(`hit failure success treffer fehlschlag erfolg miss fumble patzer`)
	// thrown are words for dice that were rolled, and throwing for dice to be rolled.
	thrown     = newWordSet(`rolled rolling shows showed comes came zeigt gewürfelt geworfen nat`)
	pointing   = newWordSet(`that that's it's das`)
	throwing   = newWordSet(`roll throw toss wirf werft werfen würfle würfel würfelt würfeln score get`)
	conditions = newWordSet(`if unless when would could wenn falls wer würde könnte`)
	hurtWords  = newWordSet(`damage schaden schadenspunkte trefferpunkte trefferpunkten lebenspunkte lebenspunkten hp lp`)
)

func newRolls(asked *sentence, t tongue) rolls {
	r := rolls{known: map[int]bool{}, german: t == german}
	for i := range asked.words {
		w := asked.at(i)
		if d, ok := diceOf(w); ok {
			r.dice, r.about = d, true
		}
		r.tries = r.tries || trying[w]
		r.about = r.about || asked.isDiceWord(i) || contestWords[w] || strings.HasSuffix(w, "wurf") || strings.HasPrefix(w, "wurfel")
	}
	return r
}

// diceOf parses "2d6", "d20" or "3W6", and returns it in the form "2d6".
func diceOf(w string) (string, bool) {
	i := 0
	for i < len(w) && w[i] >= '0' && w[i] <= '9' {
		i++
	}
	if i > 2 || i >= len(w)-1 || w[i] != 'd' && w[i] != 'w' {
		return "", false
	}
	for _, c := range w[i+1:] {
		if c < '0' || c > '9' {
			return "", false
		}
	}
	if len(w)-i > 4 {
		return "", false
	}
	count := w[:i]
	if count == "" {
		count = "1"
	}
	return count + "d" + w[i+1:], true
}

// recordResult records the result of a tool.
func (r *rolls) recordResult(_, arguments, result string) {
	r.hasResult = true
	var fields map[string]any
	if json.Unmarshal([]byte(result), &fields) == nil {
		_, total := fields["total"]
		if _, dice := fields["rolls"]; total || dice {
			r.rolled = true
			for key, value := range fields {
				if key != "expression" {
					r.recordNumbers(value)
				}
			}
			r.recordModifiers(arguments)
			return
		}
	}
	s := readWords(result, nil)
	for i := range s.words {
		if value, size := s.numberAt(i); size > 0 {
			r.known[value] = true
		}
		if d, ok := diceOf(s.at(i)); ok {
			count, sides, _ := strings.Cut(d, "d")
			for _, n := range []string{count, sides} {
				if v, err := strconv.Atoi(n); err == nil {
					r.known[v] = true
				}
			}
		}
	}
}

// recordNumbers records the numbers in a JSON value.
func (r *rolls) recordNumbers(value any) {
	switch v := value.(type) {
	case float64:
		r.known[int(v)] = true
	case string:
		s := readWords(v, nil)
		for i := range s.words {
			if n := s.words[i].number; n >= 0 {
				r.known[n] = true
			}
		}
	case []any:
		for _, e := range v {
			r.recordNumbers(e)
		}
	case map[string]any:
		for _, e := range v {
			r.recordNumbers(e)
		}
	}
}

// recordModifiers records the numbers added to dice.
func (r *rolls) recordModifiers(arguments string) {
	for i := 0; i < len(arguments); i++ {
		if arguments[i] != '+' && arguments[i] != '-' {
			continue
		}
		n, digits := 0, 0
		for j := i + 1; j < len(arguments) && digits < 4 && (arguments[j] == ' ' || arguments[j] >= '0' && arguments[j] <= '9'); j++ {
			if arguments[j] != ' ' {
				n, digits = 10*n+int(arguments[j]-'0'), digits+1
			}
		}
		if digits > 0 {
			r.known[n] = true
		}
	}
}

// recordHeard records that dice were mentioned.
func (r *rolls) recordHeard(s *sentence) {
	for i := range s.words {
		if s.isDiceWord(i) && !s.has(hypothetical) {
			r.about = true
		}
	}
}

// invents returns the dice of a result that a sentence claims but no tool returned, or "" if there is none.
// forOthers means that the sentence states what someone else has.
func (r *rolls) invents(s *sentence, forOthers bool) string {
	if len(s.words) == 0 {
		return ""
	}
	if r.claimsOutcome(s) || r.statesThrow(s) || r.claimsNumber(s, forOthers) || !r.hasResult && s.isBareThrow(r.german) {
		return r.thrownWith(s)
	}
	return ""
}

func (r *rolls) thrownWith(s *sentence) string {
	for i := range s.words {
		if d, ok := diceOf(s.at(i)); ok {
			return d
		}
	}
	if r.dice != "" {
		return r.dice
	}
	return "1d20"
}

// claimsOutcome reports whether a sentence states the outcome of a check, or the damage of something.
func (r *rolls) claimsOutcome(s *sentence) bool {
	if r.hasResult {
		return false
	}
	check, outcome, checked, came := false, false, 0, 0
	if (r.about || s.has(criticalOf)) && s.has(critical) && !s.has(hypothetical) {
		return true
	}
	if r.announces(s) {
		return true
	}
	dice := r.about || s.has(diceWords)
	for i := range s.words {
		w := s.at(i)
		if checkWords[w] || thrown[w] && dice || strings.HasSuffix(w, "wurf") || strings.HasSuffix(w, "probe") || r.about && attempts[w] {
			check, checked = true, i
		}
		if outcomeWords[w] {
			outcome, came = true, i
		}
		value, size := s.numberAt(i)
		if size == 0 || value == 0 || articleNumber(w) {
			continue
		}
		next := s.at(i + size)
		points := (next == "punkte" || next == "punkt") && hurtWords[s.at(i+size+1)] || (next == "points" || next == "point" || next == "hit") && (s.at(i+size+1) == "of" && (hurtWords[s.at(i+size+2)] || hurtWords[s.at(i+size+3)]) || s.at(i+size+1) == "points")
		if (hurtWords[next] || points) && !s.has(conditions) {
			return true
		}
	}
	return check && outcome && !s.isSupposed(checked, came) && !strings.Contains(s.raw, "?")
}

// claimsNumber reports whether a sentence states a number as a result that no tool returned.
func (r *rolls) claimsNumber(s *sentence, forOthers bool) bool {
	dice, claims, unknown := false, false, false
	came := s.has(thrown) // it states the outcome of a throw
	for i := range s.words {
		w := s.at(i)
		_, notation := diceOf(w)
		dice = dice || s.isDiceWord(i) && (r.about || !handWords[w]) || notation || naturals[w] || strings.HasSuffix(w, "wurf")
		came = came || notation && strings.ContainsAny(s.gap(i+1), ":=") || naturals[w] && pointing[s.at(0)]
		claims = claims || r.about && (w == "natural" || w == "nat") && i+1 == len(s.words) && articleBefore(s.at(i-1))
	}
	if claims && !r.hasResult {
		return true
	}
	about := dice || r.about || r.rolled
	if !about && !forOthers {
		return false
	}
	if r.hasResult && !r.rolled && !came || !r.rolled && s.has(tales) {
		return false
	}
	for i := 0; i < len(s.words); i++ {
		value, size := s.numberAt(i)
		if size == 0 || articleNumber(s.at(i)) && s.at(i) != "one" {
			continue
		}
		if !s.endsAsQuestion(i+size-1) && !s.isPriced(i+size) && (r.rolled || !s.isSupposed(i, i)) && s.isResult(i, size, dice, r.german) {
			claims = true
			unknown = unknown || !r.known[value]
		}
		i += size - 1
	}
	return claims && unknown
}

// isResult reports whether a number is used as the result of a throw.
func (s *sentence) isResult(i, size int, dice, german bool) bool {
	before, after := s.at(i-1), s.at(i+size)
	if w := s.at(i); size == 1 && (w == "hundred" || w == "thousand" || w == "dozen" || w == "hundert" || w == "tausend" || w == "dutzend") {
		return false
	}
	end := i + size
	if naturals[before] {
		return true
	}
	if s.isToThrow(i-1) && strings.TrimSpace(s.gap(i)) == "" || articleBefore(before) && s.isToThrow(i-2) {
		return false
	}
	if _, notation := diceOf(before); notation {
		return true
	}
	if before == "nearly" || before == "almost" || before == "fast" || before == "beinahe" || before == "a" && (s.at(i-2) == "nearly" || s.at(i-2) == "almost") {
		return false
	}
	if s.at(i) == "one" && before != "a" {
		return false
	}
	adjacent := end < len(s.words) && strings.TrimSpace(s.gap(end)) == ""
	counts := adjacent && !resultWords[after] && s.words[end].number < 0 && (s.words[end].capital || !german)
	first := []rune(s.raw[s.words[i].start:s.words[i].end])[0]
	noun := unicode.IsUpper(first) && i > 0
	if counts && (noun || articleBefore(before)) && !s.words[end].capital {
		counts = false
	}
	if counts {
		return false
	}
	switch {
	case dice, noun, articleBefore(before), len(s.words) <= 4:
		return true
	}
	return !adjacent || resultWords[after]
}

// isBareThrow reports whether a sentence says little more than "a five", which only makes sense for dice.
func (s *sentence) isBareThrow(german bool) bool {
	if len(s.words) > 6 || s.has(hypothetical) || strings.HasSuffix(strings.TrimSpace(s.raw), "?") {
		return false
	}
	for i := 1; i < len(s.words); i++ {
		_, size := s.numberAt(i)
		before := s.at(i - 1)
		if i > 1 && plainQualities[before] {
			before = s.at(i - 2)
		}
		if size == 0 || articleNumber(s.at(i)) {
			continue
		}
		ended := i+size == len(s.words) || strings.ContainsAny(s.gap(i+size), ",.!…")
		if german {
			mine := (before == "die") && i+size == len(s.words) && s.has(having)
			if s.words[i].capital && ended && (before == "eine" || before == "ne" || mine) {
				return true
			}
		} else if ended && (before == "a" || before == "an") && (i <= 2 || s.has(having)) {
			return true
		}
	}
	return false
}

var (
	plainQualities = newWordSet(`glatte blanke schwache lumpige miese ganze gute schöne mere lousy measly clean solid plain full bare miserable poor good`)
	having         = newWordSet(`got get have hab habe hat hast it's that's is ist das a here's`)
)

// isToThrow reports whether a word is a request to roll. "roll" is one unless it has a subject.
func (s *sentence) isToThrow(i int) bool {
	if !throwing[s.at(i)] {
		return false
	}
	switch s.at(i - 1) {
	case "you", "i", "we", "they", "he", "she", "it", "ich", "du", "ihr", "wir", "sie", "er", "the", "a", "my", "your", "of":
		return false
	}
	return i == 0 || !s.words[i-1].capital
}

// isDie reports whether a word is "die" as in "the die", rather than the German article.
func isDie(s *sentence, i int) bool {
	if s.at(i) != "die" {
		return false
	}
	switch s.at(i - 1) {
	case "the", "a", "my", "your", "that", "this", "big", "last", "little", "our", "one":
		return true
	}
	return false
}

func articleBefore(w string) bool {
	switch w {
	case "a", "an", "eine", "einer", "die", "der", "the":
		return true
	}
	return false
}
