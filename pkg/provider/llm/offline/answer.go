package offline

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// longestSpeech is the maximum length of a spoken result in runes.
	longestSpeech = 400
	// longestReason is the maximum length of a spoken failure reason in runes.
	longestReason = 120
)

// speech is a result put into words.
type speech struct {
	occasion string
	text     string // empty if nothing was found
}

// speakResults puts the results of the turn's tools into words.
func (t *turn) speakResults() string {
	var found, failed []string
	occasion := ""
	for _, r := range t.currentResults() {
		if why := failureReason(r.content); why != "" {
			failed = append(failed, t.pickLine(lineFailed, t.lang.failureInWords(why)))
			continue
		}
		s := t.describe(r)
		if s.text == "" {
			continue
		}
		if occasion == "" {
			occasion = s.occasion
		}
		found = append(found, sentence(s.text))
	}
	var parts []string
	if len(found) > 0 {
		parts = append(parts, t.pickLine(occasion, strings.Join(found, " ")))
	}
	if len(failed) > 0 {
		parts = append(parts, failed[0])
	}
	if len(parts) == 0 {
		return t.findNothing()
	}
	var missing []intent
	for _, i := range t.findIntents() {
		if !t.isServed(i) {
			missing = append(missing, i)
		}
	}
	if len(missing) > 0 {
		parts = append(parts, t.declineIntents(missing))
	}
	return t.withOpening(t.planTalk().greetingAlone(), strings.Join(parts, " "))
}

// findNothing returns a line for a search without results.
func (t *turn) findNothing() string {
	p := t.planTalk()
	if text, ok := lastResort(t, p); ok {
		return text
	}
	switch {
	case p.main == talkMemory:
		return t.withOpening(p, t.speakOf(talkMemory))
	case t.called["search_rules"] || t.called["get_rule"]:
		return t.declineAs(talkRules, lineUnknown)
	}
	return t.withOpening(p, t.pickLine(lineUnknown, ""))
}

// describe puts a result into words. It leaves out the question itself and texts of the world in another
// language.
func (t *turn) describe(r result) speech {
	switch r.tool {
	case "search_sessions", "search_facts", "investigate":
		var kept []quote
		found := recordsOf(r.content)
		if r.tool == "search_sessions" {
			found = answersOf(r.content)
		}
		for _, line := range found {
			for _, q := range quotesOf(line) {
				if !t.isEcho(q.text) {
					kept = append(kept, q)
				}
			}
		}
		return t.lang.dropForeign(speech{lineRecall, t.lang.quoteAll(kept, t.req.Persona.Name)}, r.tool == "search_facts")
	case "write_file":
		return speech{lineAnswer, t.lang.describeWriting(recordOf(r.content), t.used)}
	case "query_entities":
		if !t.isMeant(recordsOf(r.content)) {
			return speech{occasion: lineAnswer}
		}
		return t.lang.dropForeign(t.lang.describeResult(r), true)
	case "get_summary":
		return t.lang.dropForeign(t.lang.describeResult(r), true)
	}
	return t.lang.describeResult(r)
}

// isMeant reports whether one of the entities found contains the last word of a name that was asked for, so
// that a question about an old man is not answered with an old weir.
func (u *utterance) isMeant(found []record) bool {
	asked := false
	for _, i := range u.findIntents() {
		if i.kind != wantEntity && i.kind != wantEverything {
			continue
		}
		asked = true
		name := strings.FieldsFunc(i.text, func(r rune) bool { return !isWord(r) })
		for _, e := range found {
			all := tokenize(strings.ReplaceAll(e.text("name")+" "+e.text("id")+" "+plainText(e.field("aliases"))+" "+e.text("description"), "-", " "))
			if len(name) > 0 && slices.ContainsFunc(all, func(k token) bool {
				return isWordSaid(plainWord(k.fold), plainWord(name[len(name)-1]))
			}) {
				return true
			}
		}
	}
	return !asked
}

// dropForeign drops English text where German is spoken, because the NPC would be reading from a book that
// no player at the table has.
func (l language) dropForeign(s speech, told bool) speech {
	if told && l == german && languageScore(tokenize(s.text)) < -1 {
		s.text = ""
	}
	return s
}

// isEcho reports whether a transcript line is not a memory but a question for one: the line just said, or a
// similar question. If the question names nothing, lines of this conversation do not count as memories
// either.
func (t *turn) isEcho(line string) bool {
	_, bare := cutSpeaker(line)
	for _, said := range []string{line, bare} {
		key := lettersOf(said)
		if key == lettersOf(t.line.text) || key == lettersOf(t.text) {
			return true
		}
		toks := tokenize(said)
		if _, asks := findMatch(recallWords, toks); asks && (strings.HasSuffix(strings.TrimSpace(said), "?") || len(toks) > 0 && questionWords[toks[0].fold]) {
			return true
		}
		if t.namesNothing() && (slices.ContainsFunc(t.said, func(before string) bool { return lettersOf(before) == key }) || !t.used.isFresh(said)) {
			return true
		}
	}
	return false
}

// namesNothing reports whether a question for memories is about the asker or nothing in particular.
func (t *turn) namesNothing() bool {
	for _, i := range t.findIntents() {
		if i.kind == wantRecall && i.text != "" && i.text != t.speaker {
			return false
		}
	}
	return true
}

// lettersOf returns the lower-case letters and digits of a text, for comparison.
func lettersOf(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, text)
}

// currentResults returns the results worth speaking. It leaves out a search whose hit was then fetched.
func (t *turn) currentResults() []result {
	superseded := map[string]string{"search_rules": "get_rule", "query_entities": "get_summary", "search_sessions": "search_facts"}
	var out []result
	for _, r := range t.results {
		if by, ok := superseded[r.tool]; ok && t.hasSucceeded(by) {
			continue
		}
		out = append(out, r)
	}
	return out
}

// hasSucceeded reports whether a tool returned something to speak.
func (t *turn) hasSucceeded(tool string) bool {
	for _, r := range t.results {
		if r.tool == tool && failureReason(r.content) == "" && t.describe(r).text != "" {
			return true
		}
	}
	return false
}

// failureInWords shortens the reason of a failed call to something an NPC can say.
func (l language) failureInWords(why string) string {
	fold := strings.ToLower(why)
	switch {
	case strings.Contains(fold, "timed out") || strings.Contains(fold, "latency budget") || strings.Contains(fold, "deadline"):
		return l.phrase("it took too long", "es hat zu lange gedauert")
	case strings.Contains(fold, "not allowed") || strings.Contains(fold, "unknown tool"):
		return l.phrase("that is not mine to use here", "das darf ich hier nicht benutzen")
	case strings.Contains(fold, "unavailable") || strings.Contains(fold, "panicked") || strings.Contains(fold, "closed"):
		return l.phrase("nobody answered", "niemand hat geantwortet")
	}
	if rest, ok := strings.CutPrefix(why, `calling "`); ok {
		if _, after, ok := strings.Cut(rest, `": `); ok {
			why = after
		}
	}
	for _, lead := range []string{"error:", "invalid arguments:", "tool error:", "failed:"} {
		if strings.HasPrefix(strings.ToLower(why), lead) {
			why = strings.TrimSpace(why[len(lead):])
		}
	}
	why = strings.TrimRight(shorten(why, longestReason), ".!?: ")
	if why == "" {
		return l.phrase("something went wrong", "etwas ging schief")
	}
	return why
}

// shorten cuts s to at most limit runes, at the end of a sentence if possible.
func shorten(s string, limit int) string {
	s = strings.TrimSpace(s)
	if utf8.RuneCountInString(s) <= limit {
		return s
	}
	r := []rune(s)[:limit]
	kept := string(r)
	if end := lastSentence(kept); end > 0 {
		return kept[:end]
	}
	if i := strings.LastIndexByte(kept, ' '); i > 0 {
		kept = kept[:i]
	}
	return strings.TrimRight(kept, " ,;:-") + "…"
}

// lastSentence returns the end of the last complete sentence in s, or 0 if there is none.
func lastSentence(s string) int {
	end := 0
	for i := 0; i < len(s)-1; i++ {
		if strings.IndexByte(".!?", s[i]) >= 0 && s[i+1] == ' ' {
			end = i + 1
		}
	}
	return end
}

// sentences returns the first n sentences of s.
func sentences(s string, n int) string {
	for i := 0; i < len(s)-1; i++ {
		if strings.IndexByte(".!?", s[i]) < 0 || s[i+1] != ' ' {
			continue
		}
		if n--; n == 0 {
			return s[:i+1]
		}
	}
	return s
}

// sentence adds a full stop to s if it has no closing punctuation.
func sentence(s string) string {
	last, _ := utf8.DecodeLastRuneInString(s)
	if strings.ContainsRune(".!?…", last) {
		return s
	}
	if strings.ContainsRune(`"”“'»`, last) && len(s) > 1 {
		before, _ := utf8.DecodeLastRuneInString(strings.TrimRight(s, `"”“'»`))
		if strings.ContainsRune(".!?…", before) {
			return s
		}
	}
	return s + "."
}
