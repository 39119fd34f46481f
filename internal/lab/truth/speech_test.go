package truth

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/MrWong99/glyphoxa/internal/speech"
)

// Lower bounds of the shares of correctly read lines, for the lines used to
// improve the reader.
const (
	leastSpoken  = 0.98
	leastSpoken2 = 0.98
)

// spokenLine is a line of testdata/truth/speech.
type spokenLine struct {
	id, language, kind, text string
	expected                 []string
	heard                    func(text string) string // the compared part of a text
}

// readSpokenLines reads a corpus, whose accepted readings are separated by
// apart.
func readSpokenLines(t *testing.T, name, apart string, heard func(string) string) []spokenLine {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(corpora, "speech", name))
	if err != nil {
		t.Fatal(err)
	}
	var all []spokenLine
	for i, row := range strings.Split(strings.TrimSpace(string(data)), "\n") {
		f := strings.Split(row, "\t")
		if len(f) != 5 {
			t.Fatalf("%s:%d: %d fields, want 5", name, i+1, len(f))
		}
		if i > 0 {
			all = append(all, spokenLine{f[0], f[1], f[2], f[3], strings.Split(f[4], apart), heard})
		}
	}
	return all
}

// heardWords normalises a text for comparison, as in README.md.
func heardWords(text string) string {
	text = strings.ReplaceAll(strings.ToLower(text), "’", "'")
	words := strings.FieldsFunc(text, func(r rune) bool { return r != '\'' && !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return strings.Join(words, " ")
}

// heardLetters normalises a text of the second corpus, as in README.md: FBI
// equals F B I, so blanks do not count.
func heardLetters(text string) string {
	words := strings.Fields(heardWords(text))
	for i, w := range words {
		words[i] = strings.Trim(w, "'")
	}
	return strings.Join(words, "")
}

func (l spokenLine) isRight(got string) bool {
	return slices.ContainsFunc(l.expected, func(want string) bool { return l.heard(want) == l.heard(got) })
}

// speechScores counts lines by language and by kind.
func speechScores(lines []spokenLine) []score {
	sums := map[string]*score{}
	var order []string
	count := func(name string, right bool) {
		s, ok := sums[name]
		if !ok {
			s = &score{name: name}
			sums[name] = s
			order = append(order, name)
		}
		s.total++
		if right {
			s.right++
		}
	}
	for _, l := range lines {
		right := l.isRight(speech.Speakable(l.text, l.language, speech.Full))
		count("all", right)
		count(l.language, right)
		count(l.language+" "+l.kind, right)
	}
	slices.SortStableFunc(order, func(a, b string) int { return strings.Count(a, " ") - strings.Count(b, " ") })
	scores := make([]score, 0, len(order))
	for _, name := range order {
		scores = append(scores, *sums[name])
	}
	return scores
}

// TestEvalSpeech scores the text passed to a voice for written text.
func TestEvalSpeech(t *testing.T) {
	if testing.Short() {
		t.Skip("long; make test-all runs it")
	}
	for _, corpus := range []struct {
		name, apart string
		heard       func(string) string
		least       float64
	}{
		{"dev", " || ", heardWords, leastSpoken},
		{"dev2", " | ", heardLetters, leastSpoken2},
	} {
		lines := readSpokenLines(t, corpus.name+".tsv", corpus.apart, corpus.heard)
		scores := speechScores(lines)
		logScores(t, "speech text, "+corpus.name+": put into words rightly", scores)
		if share := scores[0].percent() / 100; share < corpus.least {
			t.Errorf("%s: %.1f %% of the lines are put into words rightly, want %.1f %%", corpus.name, 100*share, 100*corpus.least)
		}
		if testing.Verbose() {
			for _, l := range lines {
				if got := speech.Speakable(l.text, l.language, speech.Full); !l.isRight(got) {
					t.Logf("%s: %q is %q", l.id, l.text, got)
				}
			}
		}
	}
	if withHeld() {
		logScores(t, "speech text, held: put into words rightly", speechScores(readSpokenLines(t, "held2.tsv", " | ", heardLetters)))
	}
}
