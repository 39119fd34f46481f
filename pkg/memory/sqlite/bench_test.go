package sqlite_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/lab/memorytest"
	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/memory/sqlite"
	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/wordvectors"
)

// vocabulary generates lines with a natural word distribution, including function words.
type vocabulary struct {
	rnd      *rand.Rand
	zipf     *rand.Zipf
	words    []string
	function []string
}

func newVocabulary() *vocabulary {
	rnd := rand.New(rand.NewPCG(1, 2))
	v := &vocabulary{
		rnd:      rnd,
		zipf:     rand.NewZipf(rnd, 1.1, 12, 14_999),
		function: strings.Fields("the a of and to in is that it you was we for on with he she they at from"),
	}
	syllables := strings.Fields("ba dor fen gri hal jun kel lor mir nos par quin rus sel tav ul ver wyn yor zam")
	seen := make(map[string]bool)
	for len(v.words) < 15_000 {
		var w string
		for range 2 + rnd.IntN(3) {
			w += syllables[rnd.IntN(len(syllables))]
		}
		if !seen[w] {
			seen[w] = true
			v.words = append(v.words, w)
		}
	}
	return v
}

func (v *vocabulary) line() string {
	var out []string
	for range 5 + v.rnd.IntN(10) {
		if v.rnd.IntN(5) < 2 {
			out = append(out, v.function[v.rnd.IntN(len(v.function))])
		}
		out = append(out, v.words[v.zipf.Uint64()])
	}
	return strings.Join(out, " ")
}

// campaign writes n lines in 20 sessions.
func campaign(b *testing.B, s *sqlite.Store, v *vocabulary, n int) (session string) {
	b.Helper()
	const sessions = 20
	for range sessions {
		session = memorytest.StartSession(b, s)
		for part := range slices.Chunk(make([]memory.Line, n/sessions), 1000) {
			for i := range part {
				part[i] = memory.Line{Session: session, Speaker: "Ada", Text: v.line(), At: time.Unix(int64(i), 0)}
			}
			_, err := s.Append(b.Context(), part...)
			must(b, "Append", err)
		}
	}
	return session
}

// report runs do and reports percentiles over all runs.
func report(b *testing.B, do func(i int)) {
	b.Helper()
	do(0) // connects and prepares statements
	var took []time.Duration
	i := 0
	for b.Loop() {
		start := time.Now()
		do(i)
		took = append(took, time.Since(start))
		i++
	}
	slices.Sort(took)
	at := func(p float64) float64 {
		return float64(took[int(p*float64(len(took)-1))].Microseconds()) / 1000
	}
	b.ReportMetric(at(0.50), "p50-ms")
	b.ReportMetric(at(0.95), "p95-ms")
	b.ReportMetric(at(0.99), "p99-ms")
}

func BenchmarkSearchLines100k(b *testing.B) {
	s := open(b, filepath.Join(b.TempDir(), "a.db"), nil)
	v := newVocabulary()
	session := campaign(b, s, v, 100_000)
	rank := func(i, low, high int) string { return v.words[low+i*37%(high-low)] }
	name := func(i int) string { return rank(i, 500, 10_000) }
	common := func(i int) string { return rank(i, 20, 500) }
	questions := []struct {
		name string
		text func(i int) string
		in   string
	}{
		{name: "name", text: name},
		{name: "common_word", text: common},
		{name: "two_words", text: func(i int) string { return name(i) + " " + common(i+3) }},
		{name: "question", text: func(i int) string {
			return "what did the " + common(i) + " say about " + name(i+1) + " and the " + common(i+2)
		}},
		{name: "within_session", in: session, text: common},
		{name: "line", text: func(i int) string { return v.line() }},
	}
	search := func(b *testing.B, text, in string) {
		if _, err := s.SearchLines(b.Context(), memory.LineQuery{Text: text, Session: in}); err != nil {
			b.Fatal(err)
		}
	}
	for _, q := range questions {
		b.Run(q.name, func(b *testing.B) {
			report(b, func(i int) { search(b, q.text(i), q.in) })
		})
	}
	b.Run("mixed", func(b *testing.B) {
		report(b, func(i int) {
			q := questions[i%len(questions)]
			search(b, q.text(i), q.in)
		})
	})
}

func BenchmarkAppend(b *testing.B) {
	for _, kind := range []struct {
		name string
		line memory.Line
	}{
		{name: "speech", line: memory.Line{Speaker: "Ada"}},
		{name: "message", line: memory.Line{Speaker: "Ada", User: "discord:80351110224678912", Ref: "1234567890123456789"}},
	} {
		b.Run(kind.name, func(b *testing.B) {
			s := open(b, filepath.Join(b.TempDir(), "a.db"), nil)
			v := newVocabulary()
			id := memorytest.StartSession(b, s)
			b.ReportAllocs()
			report(b, func(i int) {
				l := kind.line
				l.Session, l.Turn, l.Text = id, int64(i), v.line()
				if _, err := s.Append(b.Context(), l); err != nil {
					b.Fatal(err)
				}
			})
		})
	}
}

// BenchmarkTakeBack100k takes lines back in a campaign of 100,000 lines, 5,000 per
// session, that are also indexed by meaning.
func BenchmarkTakeBack100k(b *testing.B) {
	s := open(b, filepath.Join(b.TempDir(), "glyphoxa.db"), &sqlite.Options{Embedder: wordvectors.New()})
	v := newVocabulary()
	session := campaign(b, s, v, 100_000)
	memorytest.IndexAll(b, s)
	for _, what := range []struct {
		name  string
		lines int
		do    func() (int, error)
	}{
		{"retract", 1, func() (int, error) { return s.Retract(b.Context(), session, "m") }},
		{"reword", 1, func() (int, error) { return s.Reword(b.Context(), session, "m", v.line()) }},
		{"forget_1", 1, func() (int, error) { return s.Forget(b.Context(), memorytest.Ada) }},
		{"forget_1000", 1000, func() (int, error) { return s.Forget(b.Context(), memorytest.Ada) }},
	} {
		b.Run(what.name, func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				some := make([]memory.Line, what.lines)
				for i := range some {
					some[i] = memory.Line{Session: session, Speaker: "Ada", Text: v.line(), User: memorytest.Ada, Ref: "m"}
				}
				memorytest.Write(b, s, some...)
				b.StartTimer()
				if n, err := what.do(); err != nil || n < what.lines {
					b.Fatal(n, err)
				}
			}
		})
	}
}

func BenchmarkOpen(b *testing.B) {
	path := filepath.Join(b.TempDir(), "a.db")
	s, err := sqlite.Open(b.Context(), path, nil)
	must(b, "Open", err)
	campaign(b, s, newVocabulary(), 10_000)
	must(b, "Close", s.Close())
	reopen := func(path string) {
		s, err := sqlite.Open(context.Background(), path, &sqlite.Options{Embedder: wordvectors.New()})
		must(b, "Open", err)
		must(b, "Close", s.Close())
	}
	b.Run("existing", func(b *testing.B) { report(b, func(int) { reopen(path) }) })
	dir := b.TempDir()
	b.Run("new", func(b *testing.B) {
		n := 0
		report(b, func(int) { n++; reopen(filepath.Join(dir, fmt.Sprint(b.N, n, ".db"))) })
	})
}

func BenchmarkSearchFacts(b *testing.B) {
	s := open(b, filepath.Join(b.TempDir(), "glyphoxa.db"), &sqlite.Options{Embedder: wordvectors.New()})
	v := newVocabulary()
	var facts []memory.Fact
	for i := range 10_000 {
		f := memory.Fact{Source: "s", Text: v.line()}
		if i%10 == 0 {
			f.Visible = []string{"bartok"}
		}
		facts = append(facts, f)
	}
	must(b, "Remember", s.Remember(b.Context(), facts...))
	for _, viewer := range []string{"", "bartok"} {
		b.Run("viewer="+viewer, func(b *testing.B) {
			report(b, func(int) {
				if _, err := s.SearchFacts(b.Context(), v.line(), viewer, 10); err != nil {
					b.Fatal(err)
				}
			})
		})
	}
}

func BenchmarkGraph5k(b *testing.B) {
	s := open(b, filepath.Join(b.TempDir(), "glyphoxa.db"), &sqlite.Options{Embedder: wordvectors.New()})
	v := newVocabulary()
	var es []memory.Entity
	var rs []memory.Relation
	for i := range 5000 {
		e := memory.Entity{ID: fmt.Sprint("e", i), Type: "npc", Name: v.words[i] + " " + v.words[i+5000], Aliases: []string{v.words[i+10_000]}}
		if i%10 == 0 {
			e.Visible = []string{"e1"}
		}
		es = append(es, e)
		for _, to := range []int{i / 2, i / 3} {
			rs = append(rs, memory.Relation{From: e.ID, Type: "knows", To: fmt.Sprint("e", to)})
		}
	}
	must(b, "PutEntities", s.PutEntities(b.Context(), es...))
	must(b, "PutRelations", s.PutRelations(b.Context(), rs...))
	find := func(name func(i int) string) func(b *testing.B) {
		return func(b *testing.B) {
			report(b, func(i int) {
				if _, err := s.FindEntities(b.Context(), memory.EntityQuery{Name: name(i), Viewer: "e2"}); err != nil {
					b.Fatal(err)
				}
			})
		}
	}
	b.Run("find_word", find(func(i int) string { return v.words[i%10_000] }))
	b.Run("find_misheard", find(func(i int) string { return "x" + v.words[i%10_000] }))
	for depth := 1; depth <= 3; depth++ {
		b.Run(fmt.Sprint("neighbours_depth=", depth), func(b *testing.B) {
			report(b, func(i int) {
				if _, err := s.Neighbours(b.Context(), es[1+i*7%4990/10*10].ID, "e2", depth); err != nil {
					b.Fatal(err)
				}
			})
		})
	}
}
