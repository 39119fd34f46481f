package engine

import (
	"slices"
	"strings"
)

// evasions are for NPCs that have no such lines of their own.
var evasions = map[string][]string{
	"de": {"Darüber ein andermal.", "Lass uns von etwas anderem reden.", "Das behalte ich lieber für mich."},
	"en": {"Another time, perhaps.", "Let us talk of something else.", "I would rather not go into that."},
}

// evasion returns an NPC's line in place of withheld text: one of its stock phrases for things that it will
// not or cannot tell, and if possible none that it has just said.
func evasion(req Request, languages []string) string {
	var lines []string
	for _, occasion := range []string{"refusal", "unknown"} {
		for _, line := range req.NPC.Lines[occasion] {
			if strings.TrimSpace(line) != "" && !strings.Contains(line, "{") {
				lines = append(lines, line)
			}
		}
	}
	if len(lines) == 0 {
		lines = evasions["en"]
		if len(languages) > 0 && sameLanguage(languages[0], "de") {
			lines = evasions["de"]
		}
	}
	for i := range lines {
		line := lines[(int(req.Background.Turn%1024)+i)%len(lines)]
		if !slices.Contains(req.Background.Recent, line) {
			return line
		}
	}
	return lines[int(req.Background.Turn%1024)%len(lines)]
}

// sameLanguage reports whether two tags name the same language, regardless of the region.
func sameLanguage(a, b string) bool {
	a, _, _ = strings.Cut(a, "-")
	b, _, _ = strings.Cut(b, "-")
	return strings.EqualFold(a, b)
}
