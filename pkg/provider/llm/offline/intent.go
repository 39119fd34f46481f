package offline

import "slices"

// kind is the kind of thing that a request asks for.
type kind int

const (
	wantDice kind = iota
	wantTable
	wantRule
	wantRecall
	wantEntity
	wantEverything
	wantWrite
	wantRead
	wantTool
)

// intent is a single request.
type intent struct {
	kind kind
	// text is the expression, table, query, name or content.
	text string
	// path is the file path, for wantWrite and wantRead.
	path string
	// tool and args are set for wantTool.
	tool string
	args string
}

// mostIntents is the maximum number of calls for one utterance.
const mostIntents = 4

// findIntents returns the requests in the utterance, in order.
func (u *utterance) findIntents() []intent {
	var out []intent
	rest := u.toks
	var tail []intent
	if at, found := u.namedTools(rest); len(found) > 0 {
		rest, tail = rest[:at], found
	}
	if at, note, ok := u.findNote(rest); ok && !u.asksAboutNotes() {
		rest, tail = rest[:at], []intent{note}
	}
	for _, clause := range clauses(rest) {
		out = append(out, u.clauseIntents(clause)...)
	}
	out = tidy(append(out, tail...))
	return out[:min(len(out), mostIntents)]
}

// tidy removes duplicates, and a search without a topic if there is one with a topic.
func tidy(in []intent) []intent {
	var out []intent
	for _, i := range in {
		vague := i.kind == wantRecall && i.text == ""
		same := func(o intent) bool { return o == i || vague && o.kind == wantRecall }
		if !slices.ContainsFunc(out, same) {
			out = append(out, i)
		}
	}
	return slices.DeleteFunc(out, func(i intent) bool {
		return i.kind == wantRecall && i.text == "" &&
			slices.ContainsFunc(out, func(o intent) bool { return o.kind == wantRecall && o.text != "" })
	})
}

var (
	// conjunctions join two requests if a starter follows.
	conjunctions = wordsOf("and then und dann also außerdem")
	// starters begin a request.
	starters = wordsOf(`roll reroll throw draw tell look search recap read write note jot use call explain describe remember give
		what what's who who's where where's how do have please würfle würfel wirf rolle zieh erzähl erzähle lies lese schreib schreibe
		notier notiere merk benutze nutze verwende was wer wo wie erkläre erklär beschreib beschreibe kennst weißt hast bitte gib can could kannst`)
	// orders begin a request even after a comma alone.
	orders = wordsOf("roll reroll throw draw tell read würfle wirf erzähl lies zieh")
	// refusing words turn a request for an action into its opposite.
	refusing = wordsOf("don't dont not never nicht kein keine keinen nie niemals")
)

// clauses splits an utterance into its requests.
func clauses(toks []token) [][]token {
	var out [][]token
	from := 0
	cut := func(to, next int) {
		if to > from {
			out = append(out, toks[from:to])
		}
		from = next
	}
	for i, k := range toks {
		if i+1 < len(toks) && i >= from {
			next := i + 1
			for next < len(toks)-1 && conjunctions[toks[next].fold] {
				next++
			}
			switch joined := next > i+1 && starters[toks[next].fold]; {
			case joined:
				cut(i+1, next)
				continue
			case k.stop == ',' && orders[toks[i+1].fold]:
				cut(i+1, i+1)
				continue
			}
		}
		if k.stop != 0 && k.stop != ',' && k.stop != ':' {
			cut(i+1, i+1)
		}
	}
	cut(len(toks), len(toks))
	return out
}

// clauseIntents returns the requests in one clause.
func (u *utterance) clauseIntents(toks []token) []intent {
	if _, mood := findMatch(moodWords, toks); mood {
		return nil
	}
	if i, ok := u.findReading(toks); ok {
		return []intent{i}
	}
	refused := slices.ContainsFunc(toks, func(k token) bool { return refusing[k.fold] })
	if !refused {
		if i, ok := u.findTable(toks); ok {
			return []intent{i}
		}
		if dice := u.findDice(toks); len(dice) > 0 {
			return dice
		}
	}
	for _, detector := range []func([]token) (intent, bool){u.findRecall, u.findRule, u.findEntity, u.findDeed, u.unknownTool} {
		if i, ok := detector(toks); ok {
			return []intent{i}
		}
	}
	return nil
}
