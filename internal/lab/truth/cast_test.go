package truth

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"testing"
)

// castFiles are always scored. Developers of the cast have not read
// lines_unread.yaml, so only its sums are shown.
var castFiles = []struct {
	name, title               string
	leastEnglish, leastGerman float64 // floors of fitting answers
	unread                    bool
}{
	{"cast/lines.yaml", "scripted cast, dev", 0.94, 0.94, false},
	{"cast/lines_new.yaml", "scripted cast, new", 0.93, 0.95, false},
	{"cast/lines_unread.yaml", "scripted cast, unread", 0.75, 0.78, true},
}

// mostRepeatsOfAll bounds the share of lines whose answer repeats a sentence.
const mostRepeatsOfAll = 0.005

// castScore is the score of a file of lines.
type castScore struct {
	language, intent tally
	broken           map[string]int // by what an answer must not do
	lines, misses    int
}

// scoreCast plays and judges a file. tell, if not nil, receives every miss.
func scoreCast(t *testing.T, file string, tell func(s castSequence, line int, why string, answer castAnswer)) castScore {
	t.Helper()
	var sequences []castSequence
	readTruthYAML(t, file, &sequences)
	judge := newCastJudge(t)
	if err := castRules().Warm(); err != nil {
		t.Fatal(err)
	}
	out := castScore{language: tally{}, intent: tally{}, broken: map[string]int{}}
	for _, s := range sequences {
		answers := playCast(t, s, castRules())
		if len(answers) < len(s.Lines) {
			t.Fatalf("%s: %d answers to %d lines", s.ID, len(answers), len(s.Lines))
		}
		for i, l := range s.Lines {
			why := judge.judge(s, i, answers)
			for _, broken := range judge.broken(s, i, answers) {
				out.broken[broken]++
				why = cmp.Or(why, broken)
			}
			if tell != nil && len(answers[i].withheld) > 0 {
				t.Logf("%s: %q is answered %q, and something is withheld: %v", s.ID, l.Text, answers[i].text, answers[i].withheld)
			}
			for _, reason := range answers[i].withheld {
				out.broken["withheld as "+reason]++
			}
			out.language.count(s.Language, why == "")
			for _, intent := range l.Intents {
				out.intent.count(intent, why == "")
			}
			out.lines++
			if why != "" {
				out.misses++
				if tell != nil {
					tell(s, i, why, answers[i])
				}
			}
		}
	}
	return out
}

func (c castScore) log(t *testing.T, title string) {
	t.Helper()
	all := []score{{name: "cast", right: c.lines - c.misses, total: c.lines}}
	all = slices.Concat(all, c.language.sorted(), c.intent.sorted())
	for _, name := range slices.Sorted(maps.Keys(c.broken)) {
		all = append(all, score{name: "not " + name, right: c.lines - c.broken[name], total: c.lines})
	}
	logScores(t, title, all)
}

// TestEvalCast scores the shipped cast's answers without a model.
func TestEvalCast(t *testing.T) {
	if testing.Short() {
		t.Skip("long; make test-all runs it")
	}
	show := func(s castSequence, i int, why string, answer castAnswer) {
		t.Logf("%s: %q (%s): %s: %q %v", s.ID, s.Lines[i].Text, strings.Join(s.Lines[i].Intents, ", "), why, answer.text, answer.withheld)
	}
	for _, f := range castFiles {
		tell := show
		if f.unread {
			tell = nil
		}
		got := scoreCast(t, f.name, tell)
		got.log(t, f.title)
		for language, least := range map[string]float64{"en": f.leastEnglish, "de": f.leastGerman} {
			if s := got.language[language]; s == nil || s.percent() < 100*least {
				t.Errorf("%s: %s: %+v, want %.0f %% at least", f.name, language, s, 100*least)
			}
		}
		if n := got.broken["repeats_line"]; float64(n) > mostRepeatsOfAll*float64(got.lines) {
			t.Errorf("%s: %d lines repeat a sentence", f.name, n)
		}
		for _, never := range []string{"invents_roll", "tells_secret", "writes_note", "claims_memory"} {
			if n := got.broken[never]; n > 0 {
				t.Errorf("%s: %s: %d times, want never", f.name, never, n)
			}
		}
	}
	if withHeld() {
		scoreCast(t, "cast/lines_held.yaml", nil).log(t, "scripted cast, held")
	}
}
