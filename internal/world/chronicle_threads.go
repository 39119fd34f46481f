package world

import (
	"cmp"
	"slices"
	"strings"

	"github.com/MrWong99/glyphoxa/internal/speech"
	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/words"
)

const (
	maxThreads     = 6 // about a person or thing
	maxThreadLines = 4 // per thread
	leastOfThread  = 2 // minimum number of lines that name a person
)

// Thread is a group of related lines of a session: Promises, News, or lines about a person or thing named
// Title.
type Thread struct {
	Title string
	Lines []memory.Line
}

// Titles of threads without a subject.
const (
	Promises = "Promises and debts"
	News     = "News"
)

// Threads groups lines: promises and debts, news, and then lines about the most frequent names. names are
// those of people, places, things and quests.
func Threads(lines []memory.Line, names []string) (out []Thread) {
	var promised, news []memory.Line
	for _, l := range lines {
		for _, s := range speech.FindSalient(l.Text) {
			switch s.Kind {
			case speech.SalientPromise, speech.SalientDebt, speech.SalientGift:
				promised = append(promised, l)
			case speech.SalientDeath, speech.SalientChange, speech.SalientTrust, speech.SalientSecret:
				news = append(news, l)
			}
		}
	}
	for _, t := range []Thread{{Promises, promised}, {News, news}} {
		t.Lines = slices.CompactFunc(t.Lines, func(a, b memory.Line) bool { return a.ID == b.ID && a.Text == b.Text })
		if len(t.Lines) > 0 {
			out = append(out, Thread{t.Title, ExtractRecap(t.Lines, names, 2*maxThreadLines)})
		}
	}
	return append(out, threadsOfNames(lines, names)...)
}

// threadsOfNames returns the threads about the most frequent names.
func threadsOfNames(lines []memory.Line, names []string) (out []Thread) {
	keys := make([]string, len(lines))
	for i, l := range lines {
		keys[i] = " " + words.Key(l.Text) + " "
	}
	seen := map[string]bool{}
	for _, name := range names {
		key := words.Key(name)
		if key == "" || seen[key] {
			continue
		}
		seen[key] = true
		var about []memory.Line
		for i, l := range lines {
			if strings.Contains(keys[i], " "+key+" ") {
				about = append(about, l)
			}
		}
		if len(about) >= leastOfThread {
			out = append(out, Thread{name, about})
		}
	}
	slices.SortStableFunc(out, func(a, b Thread) int { return cmp.Compare(len(b.Lines), len(a.Lines)) })
	out = out[:min(len(out), maxThreads)]
	for i := range out {
		out[i].Lines = ExtractRecap(out[i].Lines, names, maxThreadLines)
	}
	return out
}
