package guard

import "strings"

// Words that only occur in text about programs.
var (
	programWords = newWordSet(`
		api http https url sql sqlstate exception errno stdout stderr todo json xml yaml html endpoint endpunkt traceback stacktrace timeout deadline not_found null undefined tooluse toolcall`)
	toolNouns   = newWordSet(`tool tools function functions werkzeug werkzeuge werkzeugs funktion funktionen api schnittstelle plugin command befehl`)
	toolVerbs   = newWordSet(`use using call calling calls called invoke invoking run running execute executing query querying benutze benutzen nutze nutzen verwende verwenden rufe rufen aufrufen aufruf starte führe ausführen wende frage abfragen`)
	resultNouns = newWordSet(`output result results response error fehler ergebnis ausgabe antwort rückgabe resultat`)
)

// Words for programs that are called, and verbs used with them.
var (
	machineNouns = newWordSet(`function functions funktion funktionen api database datenbank endpoint query abfrage`)
	callVerbs    = newWordSet(`call calling calls called invoke invoking returned returns execute executing ausführen aufrufen rufe aufgerufen liefert lieferte query querying starte abfragen`)
)

var (
	delivered   = newWordSet(`returned returns geliefert liefert zurückgegeben failed fehlgeschlagen errored`)
	pluralTools = newWordSet(`tools functions werkzeuge funktionen plugins`)
	emptyValues = newWordSet(`null undefined nil nan`)
)

// isCommandLine reports whether a sentence is a line of a program or console.
func (t *Turn) isCommandLine(s *sentence) bool {
	if len(s.words) == 0 {
		return false
	}
	first := s.words[0]
	_, dice := diceOf(s.at(1))
	gap := strings.TrimSpace(s.gap(1))
	switch {
	case len(s.words) == 1 && emptyValues[first.text]:
		return true
	case t.card.commands[first.text] && !first.capital && (gap == ":" || gap == "" && dice):
		return true
	case t.card.commands[first.text] && first.start > 0 && strings.ContainsAny(s.gap(0), "/!$@"):
		return true
	case first.text == "import" && len(s.words) == 2 && !first.capital, first.text == "select" && s.has(newFrom) && first.capital && strings.HasPrefix(s.raw[first.start:], "SELECT"):
		return true
	case strings.Contains(s.raw, "=") && s.has(declared):
		return true
	case (first.text == "action" || first.text == "observation") && s.label() > 0:
		return true
	}
	for i := 1; i < len(s.words); i++ {
		if t.card.commands[s.at(i)] && s.gap(i) == ":" {
			return true
		}
	}
	return false
}

var (
	newFrom  = newWordSet(`from`)
	declared = newWordSet(`await const var let result res import`)
)

// beforeCommand are words before the name of a tool that is also an ordinary word.
var beforeCommand = newWordSet(`tool function werkzeug funktion via per mittels aufruf mit calling command befehl`)

// diceTool reports whether a word is a German name for a tool, such as "Würfelwerkzeug".
func diceTool(w string) bool {
	for _, end := range []string{"werkzeug", "funktion", "tool"} {
		if head, ok := strings.CutSuffix(w, end); ok && len(head) >= 3 {
			switch strings.TrimSuffix(head, "-") {
			case "wurfel", "such", "regel", "abfrage", "tabellen", "wurf", "nachschlage":
				return true
			}
		}
	}
	return false
}

// callLength returns the length of a call at the beginning of a text, such as functions.roll(…), or 0.
func (t *Turn) callLength(text string) int {
	n := 0
	for n < len(text) && n < 80 && (text[n] == '_' || text[n] == '.' || text[n] >= '0' && text[n] <= '9' || text[n]|0x20 >= 'a' && text[n]|0x20 <= 'z') {
		n++
	}
	if n < 2 || n >= len(text) || text[n] != '(' {
		return 0
	}
	name := text[:n]
	last := fold(name[strings.LastIndexByte(name, '.')+1:])
	if strings.IndexByte(name, '_') < 0 && strings.IndexByte(name, '.') <= 0 && !t.card.commands[last] && !t.card.tools[last] && name != "print" {
		return 0
	}
	inner := text[n+1:]
	if t.card.commands[last] && strings.IndexByte(name, '.') < 0 && strings.HasPrefix(inner, "s)") { // "roll(s)"
		return 0
	}
	if end := closing(text[n:], '(', ')'); end > 0 {
		return n + end
	}
	return len(text)
}

// isCode reports whether a sentence mentions tools or contains text for programs.
func (t *Turn) isCode(s *sentence) bool {
	noun, verb, command, result, called := -1, false, -1, -1, -9
	if t.isCommandLine(s) {
		return true
	}
	for i := range s.words {
		w := s.at(i)
		gap := s.gap(i + 1)
		switch {
		case t.card.language == german && (w == "tool" || w == "tools" || strings.HasSuffix(w, "aufruf") && len(w) > 8 || strings.HasSuffix(w, "datenbank")):
			return true
		case t.card.commands[w] && beforeCommand[s.at(i-1)]:
			return true
		case t.card.tools[w], programWords[w] && w != "null" && w != "timeout" && w != "deadline":
			return true
		case strings.HasPrefix(gap, "_") && i+1 < len(s.words) && len(gap) == 1:
			return true // two_words
		case (w == "deadline" && s.at(i+1) == "exceeded"), w == "invalid" && s.at(i+1) == "arguments", w == "status" && s.at(i+1) == "code":
			return true
		case toolNouns[w]:
			noun = i
		case t.card.commands[w]:
			command = i
		}
		verb = verb || toolVerbs[w]
		if callVerbs[w] {
			called = i
		}
		if verb && diceTool(w) && s.has(selfWords) || machineNouns[w] && (distance(i, called) <= 3 || callVerbs[s.at(i+1)] || i > 2 && s.has(selfWords) && toolVerbs[s.at(i-3)]) {
			return true
		}
		if resultNouns[w] {
			result = i
		}
	}
	switch {
	case noun >= 0 && command >= 0 && distance(noun, command) <= 3 && (verb || distance(noun, command) == 1 && s.at(noun) != "befehl"):
		return true
	case noun >= 0 && (s.at(noun+1) == "call" || s.has(delivered)), noun >= 0 && command > noun && command-noun <= 3 && pluralTools[s.at(noun)]:
		return true
	case result == 0 && strings.Contains(s.gap(1), ":") && command >= 0:
		return true
	case result >= 0 && noun >= 0 && distance(noun, result) <= 2 && strings.Contains(s.gap(max(noun, result)+1), ":"):
		return true
	}
	return false
}
