package offline

import (
	"slices"
	"strings"
)

// Intents of talk that needs no tool, as listed in [llm.Topic].
const (
	talkGreet     = "greet"
	talkFarewell  = "farewell"
	talkThanks    = "thanks"
	talkIntroduce = "introduce"
	talkMemory    = "memory"
	talkNotesRead = "notes_read"
	talkNoteWrite = "notes_write"
	talkRoll      = "roll"
	talkRules     = "rules"
	talkNonsense  = "nonsense"
	talkWay       = "way"
	talkSmalltalk = "smalltalk"
	talkMore      = "more"
)

// opening intents may precede another in the same line, and are then answered as well.
var opening = wordsOf("greet thanks introduce")

// asking intents are questions about the world.
var asking = wordsOf("person place thing event")

// weights are the weights of an intent's phrases; the default is 1. Words for things occur in questions of
// every kind and weigh less; phrases specific to one intent weigh more.
var weights = map[string]float64{
	"meta": 1.4, "notes_write": 1.3, "notes_read": 1.3, "memory": 1.2, "roll": 1.2, "wager": 1.25, "price": 1.3, "insult": 1.15, "threat": 1.25, "way": 1.1,
	"haggle": 1.2, "lodging": 1.05, "join": 1.1, "flirt": 1.05, "joke": 1.1, "rules": 0.95, "secret": 1.1, "identity": 1.05, "rumour": 1.1, "work": 1.02,
	"smalltalk": 0.95, "food": 0.9, "drink": 0.9, "goods": 0.85, "help": 0.9, "yes_no": 0.8, "nonsense": 0.75,
	"greet": 0.9, "farewell": 1.05, "thanks": 1, "introduce": 0.9,
	"person": 0.5, "place": 0.5, "thing": 0.45, "event": 0.7,
}

// needy intents count on a few words only if the line is a request: a remark that the soup is cold does not
// order any.
var needy = wordsOf("food drink goods lodging help")

var requesting = wordsOf(`please want wants like liked need have got any some give bring get can could may take order another more what whats how much
	one two three do you sell buy serve would i'd id we'd lets bitte haette hab habe habt haben gern gerne gib gebt bring will wollen moechte moechten waere brauch brauche
	brauchen noch einen eine ein nehm nehme nehmen gibt gibts kann koennen darf was zwei drei her mal hast hunger durst hungrig durstig hungry thirsty starving famished peckish parched any chance could spare`)

// longestTalk is the maximum number of words of a line that are considered for talk.
const longestTalk = 120

// move is an intent found in a line.
type move struct {
	intent string
	weight float64
	// at is the index of the first word of the heaviest phrase.
	at int
}

// findMoves returns the intents of a line, heaviest first.
func findMoves(toks []token, lang language) []move {
	toks = toks[:min(len(toks), longestTalk)]
	ways := knownWays()
	toks, said, origin := ways.spokenWords(toks, lang)
	best, seen := map[string]*move{}, map[*phrase]bool{}
	try := func(p *phrase, i int) {
		if seen[p] {
			return
		}
		if n, ok := p.matchAt(toks, said, i); ok {
			seen[p] = true
			p.count(best, origin[i], float64(n), lang)
		}
	}
	for i, word := range said {
		for _, p := range ways.byWord[word] {
			try(p, i)
		}
		for n := 3; n <= len(word); n++ {
			for _, p := range ways.byStem[word[:n]] {
				try(p, i)
			}
		}
	}
	asked := len(toks) <= 3 || toks[len(toks)-1].stop == '?' || slices.ContainsFunc(said, func(w string) bool { return requesting[w] })
	var out []move
	for _, m := range best {
		if asked || !needy[m.intent] || m.weight > 2.5 {
			out = append(out, *m)
		}
	}
	slices.SortFunc(out, func(a, b move) int {
		switch {
		case a.weight > b.weight:
			return -1
		case a.weight < b.weight:
			return 1
		}
		return strings.Compare(a.intent, b.intent)
	})
	return out
}

// count adds a phrase of n words to its intent. The heaviest phrase counts fully, the others in part.
func (p *phrase) count(best map[string]*move, at int, n float64, lang language) {
	w := 1 + n
	if p.start || p.end {
		w += 0.5
	}
	if p.lang != lang {
		w *= 0.7
	}
	if own, ok := weights[p.intent]; ok {
		w *= own
	}
	m := best[p.intent]
	switch {
	case m == nil:
		best[p.intent] = &move{p.intent, w, at}
	case w > m.weight:
		best[p.intent] = &move{p.intent, w + 0.3*m.weight, at}
	default:
		m.weight += 0.3 * w
	}
}

// matchAt reports whether p occurs at word i, and how many of its words were matched.
func (p *phrase) matchAt(toks []token, said []string, i int) (n int, ok bool) {
	if p.start && i > 0 && toks[i-1].stop == 0 {
		return 0, false
	}
	return p.matchParts(toks, said, i, 0)
}

func (p *phrase) matchParts(toks []token, said []string, i, k int) (n int, ok bool) {
	if k == len(p.parts) {
		return 0, !p.end || i == len(said) || toks[i-1].stop != 0
	}
	q := p.parts[k]
	if q.gap {
		for skip := 0; skip <= widestGap && i+skip <= len(said); skip++ {
			if n, ok := p.matchParts(toks, said, i+skip, k+1); ok {
				return n, true
			}
		}
		return 0, false
	}
	if i < len(said) && q.isSaid(said[i]) {
		if n, ok := p.matchParts(toks, said, i+1, k+1); ok {
			return n + 1, true
		}
	}
	if q.optional {
		return p.matchParts(toks, said, i, k+1)
	}
	return 0, false
}

func (q wording) isSaid(word string) bool {
	for _, w := range q.words {
		if stem, ok := strings.CutSuffix(w, "*"); ok && strings.HasPrefix(word, stem) || w == word {
			return true
		}
	}
	return false
}
