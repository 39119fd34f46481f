package offline

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

const (
	// sureWeight is the minimum weight of talk that counts as more than a chance match.
	sureWeight = 1.5
	// beyondOpening is the minimum weight of the rest of a line for it to be answered in addition to its
	// greeting.
	beyondOpening = 1.75
	// ruleWeight is the minimum weight of talk that overrides a question about rules.
	ruleWeight = 3
	// secondWeight is the minimum weight of a second intent for it to be answered as well.
	secondWeight = 2.6
)

// plan holds the subjects of a turn's line.
type plan struct {
	// opening is the greeting, thanks or introduction that precedes the main intent.
	opening string
	// main is the main intent, second another one in a separate clause; empty if there is none.
	main, second string
	weight       float64
}

// planTalk determines the subjects of the line.
func (t *turn) planTalk() plan {
	moves := findMoves(t.line.toks, t.lang)
	if at, ok := t.line.findOwnName(); ok {
		moves = append(moves, move{talkIntroduce, 3, at})
	}
	worded := len(t.topicLines("")) > 0
	for i, m := range moves {
		if asking[m.intent] && worded {
			moves[i].weight += 2
		}
	}
	slices.SortStableFunc(moves, func(a, b move) int { return compareWeights(b.weight, a.weight) })
	var p plan
	var main move
	for _, m := range moves {
		switch {
		case opening[m.intent]:
			if m.weight >= sureWeight && (p.opening == "" || p.opening == talkThanks && m.intent == talkGreet && m.at == 0) {
				p.opening = m.intent
			}
		case p.main == "" && m.weight >= sureWeight || p.main == talkNonsense && m.weight >= sureWeight:
			main, p.main, p.weight = m, m.intent, m.weight
		case p.second == "" && p.main != "" && m.weight >= secondWeight && !asking[m.intent] && !asking[p.main] && t.line.areApart(main.at, m.at):
			p.second = m.intent
		}
	}
	if heavy := heaviestOpening(moves); p.opening != "" && (p.weight < beyondOpening || asking[p.main] && !worded && p.weight < heavy && t.line.isShort()) {
		p.main, p.second, p.weight = p.opening, "", heavy
	}
	if p.main == p.opening {
		p.opening = ""
	}
	return p
}

func compareWeights(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func heaviestOpening(moves []move) float64 {
	for _, m := range moves {
		if opening[m.intent] {
			return m.weight
		}
	}
	return 0
}

// line is the complete utterance with all its words.
type line struct {
	text string
	toks []token
}

func (l line) isShort() bool { return len(l.toks) <= 4 }

// areApart reports whether a clause ends between two words.
func (l line) areApart(a, b int) bool {
	for i := min(a, b); i < max(a, b); i++ {
		if l.toks[i].stop != 0 || i > min(a, b) && conjunctions[l.toks[i].fold] {
			return true
		}
	}
	return false
}

// findOwnName finds "I am Kessa": a capitalised name that is not in the vocabulary.
func (l line) findOwnName() (at int, ok bool) {
	for i := 1; i < len(l.toks); i++ {
		before := l.toks[i-1].fold
		said := before == "i'm" || before == "im"
		if i > 1 {
			lead := l.toks[i-2].fold + " " + before
			said = said || lead == "i am" || lead == "ich bin"
		}
		first, _ := utf8.DecodeRuneInString(l.text[l.toks[i].start:])
		if said && unicode.IsUpper(first) && !knownWays().vocabulary[plainWord(l.toks[i].fold)] {
			return i - 1, true
		}
	}
	return 0, false
}

// talk answers a line that needs no tool. It returns false if the line should go to tools, and may return
// calls of its own.
func (t *turn) talk(intents []intent) (string, []llm.ToolCall, bool) {
	if len(t.toks) == 0 {
		return t.speakOf(talkGreet), nil, true
	}
	p := t.planTalk()
	switch {
	case p.main == talkMore:
		return continueTopic(t), nil, true
	case slices.ContainsFunc(intents, intent.isDeed):
		return "", nil, false
	case p.main == talkRoll && t.offered["roll"] != nil && !t.isRefused():
		calls, _ := t.planCalls([]intent{{kind: wantDice, text: "1d20"}})
		return "", calls, true
	case p.main == talkNotesRead:
		return t.readNotes()
	case p.main == talkNoteWrite && p.weight >= ruleWeight && !t.isRefused():
		return t.writeNote()
	case asksMemory(t, p, intents):
		if text, ok := recallLine(t, p, intents, t.req.Persona.Mind, true); ok {
			return text, nil, true
		}
		if p.main == talkMemory {
			return t.recall(p, intents)
		}
	}
	switch {
	case containsKind(intents, wantRule) && (knownRule(t.toks).name != "" || p.weight < ruleWeight || p.main == talkRules || asking[p.main]):
		return "", nil, false
	case p.main == talkRules:
		return t.searchRules()
	case p.main == talkWay:
		if lines := t.topicLines(talkWay); len(lines) > 0 {
			return t.withOpening(p, t.pickFrom(lines...)), nil, true
		}
		if _, missing := t.planCalls(intents); len(intents) > 0 && len(missing) < len(intents) {
			return "", nil, false
		}
		return t.speakPlan(p), nil, true
	case p.main != "" && !asking[p.main]:
		return t.speakPlan(p), nil, true
	}
	if lines := t.topicLines(p.main); len(lines) > 0 {
		return t.withOpening(p, t.pickFrom(lines...)), nil, true
	}
	if len(intents) > 0 {
		return "", nil, false
	}
	if p.main != "" || t.isQuestion() {
		if text, ok := lastResort(t, p); ok {
			return text, nil, true
		}
		return t.withOpening(p, t.pickLine(lineUnknown, "")), nil, true
	}
	return t.withOpening(p, t.speakOf(talkSmalltalk)), nil, true
}

// goesOn are the intents of lines that "and then?" may continue.
var goesOn = wordsOf("rumour story secret work smalltalk identity joke help way price")

// continueTopic says more about the previous topic.
func continueTopic(t *turn) string {
	for _, said := range t.said {
		before := *t
		before.text, before.toks = said, tokenize(said)
		before.line, before.plain = line{said, before.toks}, plainWords(before.toks)
		p := before.planTalk()
		switch lines := before.topicLines(p.main); {
		case p.main == talkMore:
			continue
		case len(lines) > 0 && (goesOn[p.main] || isAsking(p.main)):
			return before.pickFrom(lines...)
		case goesOn[p.main]:
			return before.speakOf(p.main)
		}
		break
	}
	return t.speakOf("yes_no")
}

// isDeed reports whether an intent asks for an action.
func (i intent) isDeed() bool {
	switch i.kind {
	case wantDice, wantTable, wantWrite, wantRead, wantTool:
		return true
	}
	return false
}

func containsKind(intents []intent, k kind) bool {
	return slices.ContainsFunc(intents, func(i intent) bool { return i.kind == k })
}

// speakPlan returns a line for each intent of the plan.
func (t *turn) speakPlan(p plan) string {
	text := t.speakOf(p.main)
	if p.second != "" {
		text += " " + t.speakOf(p.second)
	}
	return t.withOpening(p, text)
}

// greetingAlone returns the plan without an opening other than a greeting.
func (p plan) greetingAlone() plan {
	if p.opening != talkGreet {
		p.opening = ""
	}
	return p
}

// withOpening prefixes text with the answer to the opening.
func (t *turn) withOpening(p plan, text string) string {
	if p.opening == "" {
		return text
	}
	return t.pickFrom(stockLines(t.lang, "short_"+p.opening)) + " " + text
}

// speakOf returns a line for an intent: from the NPC's topics, or its own lines, or the default lines.
func (t *turn) speakOf(intent string) string {
	sources := t.topicLines(intent)
	if own := t.ownLines(occasionOf(intent)); len(own) > 0 && intent != talkRoll { // own lines for rolls need a result
		sources = append(sources, own)
	}
	return t.pickFrom(append(sources, stockLines(t.lang, intent))...)
}

// occasionOf returns the name that NPC files use for the lines of an intent.
func occasionOf(intent string) string {
	if intent == talkGreet {
		return lineGreeting
	}
	return intent
}

// recall searches past lines, if there is a tool for it.
func (t *turn) recall(p plan, intents []intent) (string, []llm.ToolCall, bool) {
	if containsKind(intents, wantRecall) && t.isOffered("search_sessions", "search_facts") {
		return "", nil, false
	}
	if t.speaker != "" && t.isOffered("search_sessions", "search_facts") {
		calls, _ := t.planCalls([]intent{{kind: wantRecall, text: t.speaker}})
		return "", calls, true
	}
	if text, ok := lastResort(t, p); ok {
		return text, nil, true
	}
	return t.speakOf(talkMemory), nil, true
}

func (u *utterance) isOffered(tools ...string) bool {
	return slices.ContainsFunc(tools, func(n string) bool { return u.offered[n] != nil })
}

// mostNotes is the maximum number of notes to read out, latest first.
const mostNotes = 2

// readNotes reads the notes of this conversation. It derives each file name from the line that asked for the
// note.
func (t *turn) readNotes() (string, []llm.ToolCall, bool) {
	var calls []llm.ToolCall
	if t.offered["read_file"] != nil {
		for _, said := range t.said {
			u := utterance{text: said, toks: tokenize(said), offered: t.offered}
			note, ok := u.requestedNote(said)
			if ok && len(calls) < mostNotes {
				calls = append(calls, t.newCall(len(calls), "read_file", encode(map[string]any{"path": note.path})))
			}
		}
	}
	if len(calls) > 0 {
		return "", calls, true
	}
	return t.speakOf(talkNotesRead), nil, true
}

// writeNote writes down a whole line that asks to be noted.
func (t *turn) writeNote() (string, []llm.ToolCall, bool) {
	if t.offered["write_file"] == nil {
		return t.speakOf(talkNoteWrite), nil, true
	}
	i := t.intentToWrite(strings.TrimSpace(t.text))
	calls, _ := t.planCalls([]intent{i})
	return "", calls, true
}

// requestedNote returns the note that a line asked for, as it was written.
func (u *utterance) requestedNote(line string) (intent, bool) {
	if u.asksAboutNotes() {
		return intent{}, false
	}
	if _, i, ok := u.findNote(u.toks); ok {
		return i, true
	}
	moves := findMoves(u.toks, detectLanguage(u.toks))
	if len(moves) > 0 && moves[0].intent == talkNoteWrite && moves[0].weight >= ruleWeight {
		return u.intentToWrite(strings.TrimSpace(line)), true
	}
	return intent{}, false
}

// searchRules looks up the rule that a line names.
func (t *turn) searchRules() (string, []llm.ToolCall, bool) {
	known := knownRule(t.toks)
	if known.name == "" || !t.isOffered("search_rules") {
		return t.declineAs(talkRules, lineUnknown), nil, true
	}
	calls, _ := t.planCalls([]intent{{kind: wantRule, text: known.name}})
	return "", calls, true
}

func (u *utterance) isRefused() bool {
	return slices.ContainsFunc(u.toks, func(k token) bool { return refusing[k.fold] })
}

// asksAboutNotes reports whether a line asks about notes, in which case nothing is to be written.
func (u *utterance) asksAboutNotes() bool {
	return len(u.toks) > 0 && noteQuestions[u.toks[0].fold]
}

var noteQuestions = wordsOf(`what what's which who who's when where why how did do does have has had is are was were
	was welche welcher welches wer wann wo warum wieso wie hast habt haben hat steht stehen gibt gibt's ist sind`)
