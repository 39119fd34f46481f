package ear

import (
	_ "embed"
	"strings"
	"unicode"
)

//go:embed phantoms.txt
var phantomsFile string

// phantoms are texts that recognisers produce for silence, in lower case and without punctuation.
// phantomBeginnings are beginnings of such texts.
var phantoms, phantomBeginnings = readPhantoms(phantomsFile)

func readPhantoms(file string) (whole map[string]bool, beginnings []string) {
	whole = map[string]bool{}
	for row := range strings.Lines(file) {
		row = strings.TrimSpace(row)
		if row == "" || row[0] == '#' {
			continue
		}
		if begins, open := strings.CutSuffix(row, "*"); open {
			beginnings = append(beginnings, normalizeWords(begins)+" ")
			continue
		}
		whole[normalizeWords(row)] = true
	}
	return whole, beginnings
}

// isPhantom reports whether a transcript is only what recognisers produce for silence, such as subtitle
// credits, thanks for watching, notes in brackets, or music symbols.
func isPhantom(text string) bool {
	words := normalizeWords(text)
	if words == "" {
		return text != "" // "♪♪", "..."
	}
	if phantoms[words] {
		return true
	}
	for _, begins := range phantomBeginnings {
		if strings.HasPrefix(words+" ", begins) {
			return true
		}
	}
	for _, once := range []string{"thanks for watching", "thank you for watching", "you"} { // repeated any number of times
		if strings.ReplaceAll(strings.ReplaceAll(words, once, ""), " ", "") == "" {
			return true
		}
	}
	return false
}

// normalizeWords returns the words of a text in lower case, separated by single spaces.
func normalizeWords(text string) string {
	text = strings.ReplaceAll(strings.ToLower(text), "’", "'")
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) && r != '\'' && r != '_'
	}), " ")
}
