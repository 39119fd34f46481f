package orders

import (
	"slices"
	"strings"
)

// parseSay parses "Bartok, say …" and "let Bartok say …". The rest must be words to speak, rather than a
// topic: "say that again" is a request to Bartok himself.
func parseSay(text string, words []word, room Room) (parsed, bool) {
	for i, w := range words {
		if !sayWords[w.folded] || i == 0 || i > maxName+10 {
			continue
		}
		said, ok := speaker(words[:i], w.folded, words[i+1:], room)
		if !ok {
			continue
		}
		next := afterSay(words, i)
		if next >= len(words) {
			return parsed{}, false
		}
		line := strings.TrimSpace(text[words[next-1].end:])
		quoted := strings.HasPrefix(line, ":") || startsQuote(strings.TrimLeft(line, ":, "))
		line = strings.TrimLeft(line, ":,;–—- ")
		for w, rest, ok := strings.Cut(line, " "); ok && hesitations[strings.ToLower(strings.TrimRight(w, ","))]; w, rest, ok = strings.Cut(line, " ") {
			line = strings.TrimSpace(rest)
		}
		line = unquote(line)
		if !quoted && (said.asked || onlyQuoted[w.folded] && !said.permitted && !verbatim[join(words[i:next])] || aboutWords[words[next].folded] && !(said.permitted && articles[words[next].folded] && len(words) > next+3) || strings.HasSuffix(line, "?") && !quoted && !said.pleaded || greets(words[next:], room)) {
			return parsed{}, false
		}
		if w.folded == "sagt" && !said.permitted && words[i-1].stop == 0 && !pleads(words[:next]) { // "Bartok sagt: …" is narration
			return parsed{}, false
		}
		return parsed{Order: Order{Kind: Say, NPC: said.npc, Text: line}, explicit: quoted || said.permitted && words[next-1].stop == ','}, line != ""
	}
	return parsed{}, false
}

// afterSay returns where the words to speak begin. Word i is "say".
func afterSay(words []word, i int) int {
	next := i + 1
	for n := 4; n > 0; n-- { // "tell everyone:", "say the following:"
		end := i + 1 + n
		if end < len(words) && (words[end-1].stop == ':' || verbatim[join(words[i:end])]) && after[join(words[i+1:end])] {
			return end
		}
	}
	if next < len(words) && words[i].folded == "sagen" && words[next].folded == "lassen" {
		next++
	}
	if next+1 < len(words) && words[next].folded == "mal" && words[next+1].folded == "bitte" {
		next++
	}
	for next < len(words) && politely[words[next].folded] && words[next-1].stop != ':' {
		next++
	}
	return next
}

// spoken is the NPC that is to say something, and how: asked in a question, let by the speaker, or asked with
// "please".
type spoken struct {
	npc                       int
	asked, permitted, pleaded bool
}

// speaker returns the NPC that is to say something. Besides its name, words may contain only filler, "let" or
// "have".
func speaker(words []word, say string, rest []word, room Room) (spoken, bool) {
	for _, m := range mentions(words, room) {
		if m.npc == Everyone {
			continue
		}
		before, ok := tokenize(words[:m.from], nil)
		if !ok {
			continue
		}
		after, ok := tokenize(words[m.to:], nil)
		fillers := func(t token) bool { return t.of&(filler|again|setting|making) == 0 }
		if !ok || slices.ContainsFunc(before, fillers) || slices.ContainsFunc(after, fillers) {
			continue
		}
		let := len(rest) > 0 && rest[0].folded == "lassen" || has(before, causing|wanting) || has(before, making) || has(after, wanting)
		asked := has(before, asking) || has(after, asking)
		if say == "sagen" && !let && !has(before, asking) && !(len(rest) > 0 && rest[0].folded == "lassen") || has(after, causing) && !has(after, asking|wanting) {
			continue
		}
		return spoken{m.npc, asked && !let && !pleads(words), let, has(before, asking) && pleads(words)}, true
	}
	return spoken{}, false
}

// pleads reports whether words contain "please".
func pleads(words []word) bool {
	return slices.ContainsFunc(words, func(w word) bool { return w.folded == "please" || w.folded == "bitte" })
}

// greets reports whether the words to speak only tell the NPC to greet someone.
func greets(words []word, room Room) bool {
	for _, name := range room.Players {
		if strings.EqualFold(words[0].folded, name) {
			return true
		}
	}
	return len(words) > 1 && greetings[words[0].folded] && (words[1].folded == "to" || words[1].folded == "an" || words[1].folded == "zu")
}

func startsQuote(s string) bool {
	return strings.HasPrefix(s, `"`) || strings.HasPrefix(s, "“") || strings.HasPrefix(s, "„") || strings.HasPrefix(s, "«") || strings.HasPrefix(s, "»")
}

// unquote removes quotation marks around a whole text.
func unquote(s string) string {
	s = strings.TrimSpace(s)
	if startsQuote(s) {
		return strings.TrimSpace(strings.Trim(s, `"“”„«»`))
	}
	return s
}

// saidInside parses a Say order at the end of other talk: after a colon, or, in a text without punctuation,
// after a conjunction.
func saidInside(text string, words []word, room Room) (Order, bool) {
	bare := !slices.ContainsFunc(words, func(w word) bool { return w.stop != 0 })
	for i := 1; i < len(words) && len(words) <= maxStream; i++ {
		if !begins(words, i) || bare && !joining[words[i-1].folded] || spokenOf(words, i, len(words)) {
			continue
		}
		if o, ok := parseSay(text, words[i:], room); ok && (o.explicit || bare) {
			o.Rest = strings.TrimSpace(text[:words[i].begin])
			return o.Order, true
		}
	}
	return Order{}, false
}
