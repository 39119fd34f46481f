package orders

import "strings"

// parseSay reads "Bartok, say …" and "let Bartok say …". What follows has to be words
// to be spoken, not what they are about: "say that again" asks Bartok himself.
func parseSay(text string, words []word, room Room) (parsed, bool) {
	for i, w := range words {
		if !sayWords[w.folded] || i == 0 || i > maxName+8 {
			continue
		}
		npc, asked, ok := speaker(words[:i], w.folded, room)
		if !ok {
			continue
		}
		next := i + 1
		for next < len(words) && politely[words[next].folded] && words[next-1].stop != ':' {
			next++
		}
		if next >= len(words) {
			return parsed{}, false
		}
		said := strings.TrimSpace(text[words[next-1].end:])
		quoted := strings.HasPrefix(said, ":") || startsQuote(strings.TrimLeft(said, ":, "))
		said = unquote(strings.TrimLeft(said, ":,;–—- "))
		if !quoted && (asked || w.folded == "sagt" || aboutWords[words[next].folded] || strings.HasSuffix(said, "?") || greets(words[next:], room)) {
			return parsed{}, false
		}
		return parsed{Order{Kind: Say, NPC: npc, Text: said}, quoted}, said != ""
	}
	return parsed{}, false
}

// speaker is who is to say something: whom the words before name, and nothing else but
// courtesy, "let" or "have"; asked says that it was put as a question.
func speaker(before []word, say string, room Room) (npc int, asked, ok bool) {
	var kept []word
	for _, w := range before {
		if !courtesy[w.folded] {
			kept = append(kept, w)
		}
	}
	if n := len(kept); n > 2 && (kept[n-1].folded == "you" || kept[n-1].folded == "du") && askWords[kept[n-2].folded] {
		kept, asked = kept[:n-2], true
	}
	lets := len(kept) > 0 && letWords[kept[0].folded]
	if lets {
		kept = kept[1:]
	}
	if say == "sagen" && !lets || len(kept) == 0 || len(kept) > maxName {
		return 0, false, false
	}
	npc, ok = room.Named(join(kept))
	for ; !ok && len(kept) > 1 && titles[kept[0].folded]; npc, ok = room.Named(join(kept)) {
		kept = kept[1:]
	}
	return npc, asked, ok
}

// greets reports whether what is to be said is a greeting to somebody.
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

// unquote takes quotation marks off that are around all of a text.
func unquote(s string) string {
	s = strings.TrimSpace(s)
	if startsQuote(s) {
		return strings.TrimSpace(strings.Trim(s, `"“”„«»`))
	}
	return s
}
