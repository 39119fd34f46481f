package memorytest

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings"
	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/wordvectors"
)

// minutes is a simple model of a session log, with the facts made from its
// lines. Every line contains the word zebra, which finds it.
type minutes struct {
	lines []memory.Line
	facts map[[2]string]bool // by source and text
}

func factKey(l memory.Line) [2]string {
	f := memory.FactOf(l)
	return [2]string{f.Source, f.Text}
}

// unsay drops a fact without lines.
func (m *minutes) unsay(key [2]string) {
	if !slices.ContainsFunc(m.lines, func(l memory.Line) bool { return factKey(l) == key }) {
		delete(m.facts, key)
	}
}

func (m *minutes) strike(gone func(memory.Line) bool) (n int) {
	before := slices.Clone(m.lines)
	m.lines = slices.DeleteFunc(m.lines, gone)
	for _, l := range before {
		if gone(l) {
			n++
			m.unsay(factKey(l))
		}
	}
	return n
}

func (m *minutes) reword(session, ref, text string) (n int) {
	for i, l := range m.lines {
		if l.Session != session || l.Ref != ref || ref == "" {
			continue
		}
		n++
		before := factKey(l)
		m.lines[i].Text = text
		if m.facts[before] {
			m.facts[factKey(m.lines[i])] = true
			m.unsay(before)
		}
	}
	return n
}

func (m *minutes) index(ids []int64) {
	for _, l := range m.lines {
		if slices.Contains(ids, l.ID) {
			m.facts[factKey(l)] = true
		}
	}
}

// archive is a store and its model, which get the same operations.
type archive struct {
	h        Harness
	store    memory.Store
	embedder embeddings.Provider
	path     string
	sessions []string
	model    minutes
	queue    []int64 // lines without a fact yet
}

// testTakingBackAgainstAModel runs random operations and compares the store
// with the model everywhere.
func testTakingBackAgainstAModel(t *testing.T, h Harness) {
	rapid.Check(t, func(rt *rapid.T) {
		a := &archive{h: h, path: h.New(t)}
		a.model.facts = map[[2]string]bool{}
		if rapid.Bool().Draw(rt, "semantic") {
			a.embedder = wordvectors.New()
		}
		a.open(t, rt)
		defer func() { must(t, "Close", a.store.Close()) }()
		a.sessions = []string{StartSession(t, a.store), StartSession(t, a.store)}
		session := rapid.SampledFrom(a.sessions)
		ref := rapid.SampledFrom([]string{"", "m1", "m2", "m3"})
		user := rapid.SampledFrom([]string{"", Ada, Bob})
		speaker := rapid.SampledFrom([]string{"Ada", "Ada: b", "Bob"})
		text := rapid.SampledFrom([]string{"zebra", "b: zebra", "Zebra, Zebra!", "a Zébra\x00\xff", "the zebra of the east", "¤1 zebra"})
		rt.Repeat(map[string]func(*rapid.T){
			"": func(rt *rapid.T) { a.compare(t, rt) },
			"append": func(rt *rapid.T) {
				some := rapid.SliceOfN(rapid.Custom(func(rt *rapid.T) memory.Line {
					return memory.Line{Session: session.Draw(rt, "session"), Speaker: speaker.Draw(rt, "speaker"),
						Text: text.Draw(rt, "text"), User: user.Draw(rt, "user"), Ref: ref.Draw(rt, "ref")}
				}), 1, 4).Draw(rt, "lines")
				kept, err := a.store.Append(t.Context(), some...)
				must(t, "Append", err)
				a.model.lines = append(a.model.lines, kept...)
				for _, l := range kept {
					a.queue = append(a.queue, l.ID)
				}
			},
			"index": func(*rapid.T) {
				IndexAll(t, a.store)
				a.model.index(a.queue)
				a.queue = nil
			},
			"vectors": func(*rapid.T) {
				_, err := EmbedAll(t, a.store)
				must(t, "reindex", err)
			},
			"retract": func(rt *rapid.T) {
				session, ref := session.Draw(rt, "session"), ref.Draw(rt, "ref")
				got, err := a.store.Retract(t.Context(), session, ref)
				want := a.model.strike(func(l memory.Line) bool { return ref != "" && l.Session == session && l.Ref == ref })
				counted(rt, "Retract", got, want, err)
			},
			"reword": func(rt *rapid.T) {
				session, ref, text := session.Draw(rt, "session"), ref.Draw(rt, "ref"), text.Draw(rt, "text")
				got, err := a.store.Reword(t.Context(), session, ref, text)
				counted(rt, "Reword", got, a.model.reword(session, ref, text), err)
			},
			"forget": func(rt *rapid.T) {
				user := user.Draw(rt, "user")
				got, err := a.store.Forget(t.Context(), user)
				want := a.model.strike(func(l memory.Line) bool { return user != "" && l.User == user })
				counted(rt, "Forget", got, want, err)
			},
			"restart": func(rt *rapid.T) {
				must(t, "Close", a.store.Close())
				a.open(t, rt)
			},
		})
		a.inspect(t, rt)
	})
}

func counted(rt *rapid.T, doing string, got, want int, err error) {
	if err != nil || got != want {
		rt.Fatalf("%s = %d, %v; want %d", doing, got, err, want)
	}
}

func (a *archive) open(t *testing.T, rt *rapid.T) {
	s, err := a.h.Open(t.Context(), a.path, a.embedder, nil)
	if err != nil {
		rt.Fatalf("Open: %v", err)
	}
	a.store = s
}

// compare compares the store with the model by every way of access.
func (a *archive) compare(t *testing.T, rt *rapid.T) {
	const all = 1000
	listed, err := a.store.Sessions(t.Context(), 0)
	must(t, "Sessions", err)
	for _, id := range a.sessions {
		var want []memory.Line
		for _, l := range a.model.lines {
			if l.Session == id {
				want = append(want, l)
			}
		}
		recent, err := a.store.Recent(t.Context(), id, all)
		must(t, "Recent", err)
		same(rt, "Recent", want, recent)
		hits, err := a.store.SearchLines(t.Context(), memory.LineQuery{Text: "zebra", Session: id, Limit: all})
		must(t, "SearchLines", err)
		var found []memory.Line
		for _, h := range hits {
			found = append(found, h.Line)
		}
		slices.SortFunc(found, func(a, b memory.Line) int { return int(a.ID - b.ID) })
		same(rt, "SearchLines", want, found)
		i := slices.IndexFunc(listed, func(s memory.Session) bool { return s.ID == id })
		same(rt, "Sessions", len(want), listed[i].Lines)
	}
	hits, err := a.store.SearchFacts(t.Context(), "zebra", "", all)
	must(t, "SearchFacts", err)
	facts := map[[2]string]bool{}
	for _, h := range hits {
		facts[[2]string{h.Source, h.Text}] = true
	}
	same(rt, "SearchFacts", a.model.facts, facts)
	same(rt, "number of facts", len(facts), len(hits))
}

func same[T any](rt *rapid.T, what string, want, got T) {
	if diff := cmp.Diff(want, got); diff != "" {
		rt.Fatalf("%s (-want +got):\n%s", what, diff)
	}
}

// inspect searches the storage for unreachable data.
func (a *archive) inspect(t *testing.T, rt *rapid.T) {
	if a.h.Inspect == nil {
		return
	}
	in := a.h.Inspect(t, a.path)
	want := map[int64]bool{}
	for _, l := range a.model.lines {
		want[l.ID] = true
	}
	same(rt, "lines in the full text", slices.Sorted(maps.Keys(want)), in.LinesFound)
	same(rt, "facts in the full text", in.Facts, in.FactsFound)
	same(rt, "facts with a vector", in.Embedded, in.Vectors)
}
