package guard

import "strings"

// silences are words that stand for giving no answer.
var silences = newWordSet(`
	silent silence silently schweigt schweigen schweige stille pass passes passed skip ignore ignored nothing no_reply noreply
	no_response stumm still lautlos none empty leer no-response pause n/a`)

var declining = newPhrases([][]string{
	{"no", "response"}, {"no", "reply"}, {"no", "answer"}, {"no", "reaction"}, {"keine", "antwort"}, {"keine", "reaktion"},
	{"says", "nothing"}, {"remains", "silent"}, {"stays", "silent"}, {"sagt", "nichts"}, {"bleibt", "stumm"}, {"bleibt", "still"},
	{"does", "not", "respond"}, {"doesn't", "respond"}, {"does", "not", "answer"}, {"reagiert", "nicht"}, {"antwortet", "nicht"},
	{"nicht", "angesprochen"}, {"not", "addressed"}, {"nobody", "spoke", "to"}, {"nothing", "to", "say"}, {"kein", "kommentar"},
	{"no", "comment"}, {"not", "speaking", "to", "me"}, {"nobody", "has", "spoken", "to"}, {"niemand", "mit"}, {"schweigt"},
})

// declines returns the reason if a sentence consists only of words for silence, and "" if it says something.
func (t *Turn) declines(raw string) Reason {
	text := strings.TrimSpace(raw)
	if text == "" || len(text) > 24 && strings.IndexByte("<[(*{_", text[0]) < 0 {
		return ""
	}
	var room [24]word
	s := readWords(text[:min(len(text), 300)], room[:0])
	if len(s.words) == 0 {
		return ""
	}
	marked := strings.ContainsAny(text[:1], "<[(*{_")
	switch {
	case len(s.words) <= 2 && marked && (silences[s.at(0)] || silences[s.at(1)]):
		return Declined
	case len(s.words) == 1 && silences[s.at(0)] && text == strings.ToUpper(text) && len(text) > 3:
		return Declined
	case marked && hasPhrase(&s, declining):
		return Declined
	case strings.HasPrefix(s.at(0), "no") && len(s.words) == 2 && strings.Contains(s.gap(1), "_"):
		return Declined
	}
	return ""
}

// phrases are sequences of words, by their first word.
type phrases map[string][][]string

func newPhrases(all [][]string) phrases {
	m := phrases{}
	for _, p := range all {
		m[p[0]] = append(m[p[0]], p)
	}
	return m
}

// hasPhrase reports whether a sentence contains one of the phrases, word for word.
func hasPhrase(s *sentence, all phrases) bool {
	for i := range s.words {
		for _, p := range all[s.words[i].text] {
			if s.hasWordsAt(i, p) {
				return true
			}
		}
	}
	return false
}

// hasWordsAt reports whether the sentence has the given words at index i.
func (s *sentence) hasWordsAt(i int, words []string) bool {
	if i+len(words) > len(s.words) {
		return false
	}
	for k, w := range words {
		if s.words[i+k].text != w {
			return false
		}
	}
	return true
}

// tags returns the reason why the text after words in brackets is not the NPC's: "[Guest] A beer." It returns
// "" if the words are not a speaker.
func (t *Turn) tags(inner string) Reason {
	var room [8]word
	s := readWords(inner[:min(len(inner), 60)], room[:0])
	if len(s.words) == 0 || len(s.words) > 2 || !s.words[0].capital && headings[s.at(0)] != Prompt {
		return ""
	}
	first := s.at(0)
	switch {
	case strings.HasPrefix(inner, "/"):
		return ""
	case headings[first] == Prompt && first != "assistant" && first != "system":
		return Prompt
	case t.isOtherName(first), len(s.words) == 1 && patrons[first]:
		return Voice
	}
	return ""
}

// patrons are words for people without a name.
var patrons = newWordSet(`guest gast kunde kundin customer visitor besucher stranger fremder guard wache wächter soldier soldat traveller reisender adventurer abenteurer patron menge crowd koch köchin magd knecht maat bote händler händlerin bauer bäuerin ritter priester könig königin kutscher schmied wirt wirtin bäcker fremde alte alter junge mädchen kind kranker kranke matrose bootsmann steuermann schreiber diener dienerin richter spieler spielerin gäste männer frauen leute`)

// reasonOf returns why words in brackets that are not an aside are withheld.
func (t *Turn) reasonOf(inner string) Reason {
	var room [24]word
	s := readWords(inner[:min(len(inner), 300)], room[:0])
	switch {
	case len(s.words) > 0 && (s.at(0) == "ooc" || s.at(0) == "ot" || s.hasWordsAt(0, []string{"out", "of", "character"}) || s.at(0) == "note" && strings.Contains(s.gap(1), ":")):
		return Model
	case s.hasWordsAt(0, []string{"system"}), s.hasWordsAt(0, []string{"assistant"}), s.hasWordsAt(0, []string{"user"}):
		return Prompt
	}
	if hasPhrase(&s, declining) {
		return Declined
	}
	return Direction
}
