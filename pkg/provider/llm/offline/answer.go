package offline

import (
	"strings"
	"unicode/utf8"
)

const (
	// longestSpeech is how much of a result is said at most, in runes.
	longestSpeech = 400
	// longestReason is how much of a failure's reason is said, in runes.
	longestReason = 120
)

// speech is what a result comes to.
type speech struct {
	occasion string
	text     string // empty if nothing was found
}

// speakResults speaks the results of the turn's tools.
func (t *turn) speakResults() string {
	var found, failed []string
	occasion := ""
	for _, r := range t.currentResults() {
		if why := failureReason(r.content); why != "" {
			failed = append(failed, t.pickLine(lineFailed, t.lang.failureInWords(why)))
			continue
		}
		s := t.lang.describeResult(r)
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
		return t.pickLine(lineUnknown, "")
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
	return strings.Join(parts, " ")
}

// currentResults returns the results worth speaking: a search is superseded by the
// thing that was fetched because of it.
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
		if r.tool == tool && failureReason(r.content) == "" && t.lang.describeResult(r).text != "" {
			return true
		}
	}
	return false
}

// failureInWords shortens why a call failed to something an NPC can say.
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

// shorten keeps whole sentences of s up to limit runes, at least part of one.
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

// lastSentence returns the end of the last sentence that is complete in s, 0
// if none is.
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

// sentence ends s like one.
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
