package offline

import (
	"regexp"
	"slices"
)

var (
	// deeds are words for actions of one person towards another. Together with the asker's name, a single one
	// of them identifies a memory.
	deeds = wordsOf("promise promises promised owe owes owed debt debts versprechen versprochen versprach schulde schuldest schuldet schulden schuldig")
	// mindNoise are words of a question about memories that are not part of its topic.
	mindNoise = wordsOf(`still really ever even just exactly once met meet seen see forget forgot forgotten familiar back did was is
		noch wirklich jemals genau getroffen gesehen vergessen wieder bekannt vor`)
	// myself are words for the asker alone.
	myself = wordsOf("i me my mine ich mich mir mein meine meinen")
)

// asksMemory reports whether a line asks about earlier words or actions.
func asksMemory(t *turn, p plan, intents []intent) bool {
	return p.main == talkMemory || containsKind(intents, wantRecall) ||
		t.isQuestion() && slices.ContainsFunc(t.toks, func(k token) bool { return deeds[k.fold] })
}

// recallLine returns a line with the NPC's memory of the topic of a question.
func recallLine(t *turn, p plan, intents []intent, texts []string, whole bool) (string, bool) {
	kept, told := findRemembered(t, p, intents, texts, whole)
	switch {
	case kept != "":
		return t.withOpening(p, t.pickLine(lineRecall, kept)), true
	case told: // denying it now would be a lie
		return t.withOpening(p, t.pickFrom(stockLines(t.lang, lineRecalled))), true
	}
	return "", false
}

// lastResort answers from memory or diary if there is nothing else to say.
func lastResort(t *turn, p plan) (string, bool) {
	return recallLine(t, p, t.findIntents(), slices.Concat(t.req.Persona.Mind, t.req.Persona.Diary), false)
}

// findRemembered returns the text from the NPC's memory that matches a question, or "" if there is none. A text
// must contain all content words of the question if whole is set or if the question is not about the past,
// and otherwise two thirds of them. A question only about the asker matches texts that name the asker. Texts
// told lately are skipped; told reports whether one was.
func findRemembered(t *turn, p plan, intents []intent, texts []string, whole bool) (found string, told bool) {
	if len(t.toks) == 0 {
		return "", false
	}
	memory := asksMemory(t, p, intents)
	if !memory && !t.isQuestion() {
		return "", false
	}
	content := aboutOf(t)
	aboutMe := slices.ContainsFunc(t.toks, func(k token) bool { return myself[k.fold] })
	deed := slices.ContainsFunc(content, func(w string) bool { return deeds[w] })
	need := len(content)
	switch {
	case need == 0 && !(memory && aboutMe):
		return "", false
	case need == 1 && !memory && !containsKind(intents, wantEntity) && !containsKind(intents, wantEverything):
		return "", false
	case memory && !whole:
		need -= need / 3
	}
	best := -1
	for _, text := range texts {
		q := rememberedQuote(text)
		said := plainWords(tokenize(text))
		if needsAsker := need == 0 || deed && aboutMe; needsAsker && !namesAny(said, t.speaker) {
			continue
		}
		ties := 0
		for _, w := range content {
			if slices.ContainsFunc(said, func(s string) bool { return s == w || isForm(s, w) }) {
				ties++
			}
		}
		if ties < need || ties <= best || lettersOf(q.text) == lettersOf(t.text) {
			continue
		}
		text := t.lang.dropForeign(speech{lineRecall, t.lang.quoteAll(unquote(q), t.req.Persona.Name)}, true).text
		switch {
		case text == "":
		case t.used.isFresh(text):
			best, found = ties, text
		default:
			told = true
		}
	}
	return found, told
}

// aboutOf returns the content words of a question.
func aboutOf(t *turn) (out []string) {
	own := nameWords(t.req.Persona.Name)
	for _, k := range questionTokens(t.toks) {
		if own[k.fold] || !deeds[k.fold] && (recallNoise[k.fold] || mindNoise[k.fold] || questionWords[k.fold] || articles[k.fold] || trailers[k.fold] || askers[k.fold]) {
			continue
		}
		if w := plainWord(k.fold); !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	return out
}

// questionTokens returns the words of the interrogative sentences, or all words if there is none.
func questionTokens(toks []token) (out []token) {
	from := 0
	for i, k := range toks {
		if k.stop == '?' {
			out = append(out, toks[from:i+1]...)
		}
		if k.stop == '?' || k.stop == '.' || k.stop == '!' {
			from = i + 1
		}
	}
	if len(out) == 0 {
		return toks
	}
	return out
}

// namesAny reports whether said contains a word of a name.
func namesAny(said []string, name string) bool {
	return slices.ContainsFunc(tokenize(name), func(k token) bool { return !articles[k.fold] && slices.Contains(said, plainWord(k.fold)) })
}

// lineOfRecord matches the reference to a line, and its date, at the end of a diary entry.
var lineOfRecord = regexp.MustCompile(` \((?:[^()]*, )?line \d+\)$`)

// rememberedQuote returns a remembered text as a quote.
func rememberedQuote(text string) quote {
	who, said := cutSpeaker(lineOfRecord.ReplaceAllString(oneLine(text, 0), ""))
	return quote{who, said}
}
