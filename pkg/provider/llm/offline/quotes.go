package offline

import (
	"fmt"
	"regexp"
	"strings"
)

// quote is quoted speech. who is empty if the speaker is unknown or if the text has none.
type quote struct{ who, text string }

// frames match the words that quoteText puts before a quote: who said it, or the one quoting.
var frames = regexp.MustCompile(`What (.{1,60}?) told us was this: |(What I said was this: )|Von (.{1,60}?) weiß ich es so: |(Ich habe es so gesagt: )`)

// longestNamed is the maximum number of words before a colon that count as a name.
const longestNamed = 3

// quotesOf returns the quotes in a record. If a line quotes another speaker, it returns the quoted words,
// attributed to the original speaker.
func quotesOf(r record) []quote {
	text := r.text("text", "content", "quote", "fact", "snippet")
	who := r.text("speaker", "speaker_name", "name", "npc")
	if who == "" && !strings.HasPrefix(r.text("source"), "entity:") { // a text about an entity, not said by it
		who, text = cutSpeaker(text)
	}
	return unquote(quote{bareName(who), text})
}

// cutSpeaker splits "Name: text" or "Name (to a listener): text".
func cutSpeaker(text string) (who, rest string) {
	if before, rest, ok := strings.Cut(text, ": "); ok && len(strings.Fields(bareName(before))) <= longestNamed {
		return bareName(before), rest
	}
	return "", text
}

// unquote returns the quotes within a line, or the line itself if there are none.
func unquote(line quote) (out []quote) {
	found := frames.FindAllStringSubmatchIndex(line.text, -1)
	if len(found) == 0 {
		return []quote{line}
	}
	for i, at := range found {
		end := len(line.text)
		if i+1 < len(found) {
			end = found[i+1][0]
		}
		who := line.who
		for _, group := range []int{1, 3} {
			if from := at[2*group]; from >= 0 {
				who = line.text[from:at[2*group+1]]
			}
		}
		if text := strings.TrimSpace(line.text[at[1]:end]); text != "" {
			out = append(out, quote{who, text})
		}
	}
	return out
}

// mostQuotes is the maximum number of quotes in an answer.
const mostQuotes = 2

// quoteAll renders quotes with their speakers, each once. Quotes of the NPC itself, whose name is own, are
// rendered in the first person.
func (l language) quoteAll(all []quote, own string) string {
	var parts []string
	told := map[string]bool{}
	for _, q := range all {
		text := shorten(q.text, longestSpeech/2)
		key := lettersOf(q.text)
		if len(parts) == mostQuotes || text == "" || told[key] {
			continue
		}
		told[key] = true
		parts = append(parts, l.quoteText(q.who, sentence(text), own))
	}
	return strings.Join(parts, " ")
}

func (l language) quoteText(who, text, own string) string {
	switch {
	case who == "":
		return text
	case who == "I" || strings.EqualFold(who, own):
		return l.phrase("What I said was this: ", "Ich habe es so gesagt: ") + text
	}
	return fmt.Sprintf(l.phrase("What %s told us was this: %s", "Von %s weiß ich es so: %s"), who, text)
}
