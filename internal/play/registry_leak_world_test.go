package play_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/lab/peers"
	"github.com/MrWong99/glyphoxa/internal/speech"
	"github.com/MrWong99/glyphoxa/internal/world"
	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/memory/postgres"
	"github.com/MrWong99/glyphoxa/pkg/memory/sqlite"
	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/sentencevectors"
)

// leakStores are the tested stores by name, each with the built-in encoder.
var leakStores = map[string]func(t *testing.T, groups *memory.Groups) (memory.Store, error){
	"sqlite": func(t *testing.T, groups *memory.Groups) (memory.Store, error) {
		return sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "a.db"), &sqlite.Options{Embedder: sentencevectors.New(), Groups: groups})
	},
	"postgres": func(t *testing.T, groups *memory.Groups) (memory.Store, error) {
		return openPostgres(t, peers.StartPostgres(t, "fsync=off").DSN(t), groups)
	},
	"pgvector": func(t *testing.T, groups *memory.Groups) (memory.Store, error) {
		s, err := openPostgres(t, peers.StartPglite(t).DSN(t), groups)
		if err == nil && !s.Extension() {
			t.Error("the extension is not used")
		}
		return s, err
	},
}

func openPostgres(t *testing.T, dsn string, groups *memory.Groups) (*postgres.Store, error) {
	return postgres.Open(t.Context(), dsn, &postgres.Options{Embedder: sentencevectors.New(), Groups: groups})
}

// leakSize is the size of a world of secrets and the number of queries. The crowd consists of
// facts that no query names, enough of them for the SQLite store to build a sketch.
type leakSize struct{ npcs, groups, entities, relations, facts, lines, learnt, crowd, queries int }

// Sizes of the normal run and of make soak.
var (
	smallLeaks = leakSize{12, 6, 80, 140, 60, 250, 24, 0, 200}
	largeLeaks = leakSize{30, 6, 500, 800, 400, 2000, 200, 0, 10_000}
)

// sketchedFrom is the number of facts from which the SQLite store builds a sketch.
const sketchedFrom = 8192

// secretWord matches the word of a secret that no query contains, so that it appears only if
// the secret leaks.
var secretWord = regexp.MustCompile(`zq\d+`)

// secretWorld is a world of secrets. Each has two words: one that a query can contain, and one
// that only its text contains.
type secretWorld struct {
	t       *testing.T
	rng     *rand.Rand
	size    leakSize
	groups  *memory.Groups
	store   memory.Store
	live    *world.World
	learnt  *world.Chronicle
	session string
	// known lists, per secret, the ones who may know it. Nil allows everyone.
	known [][]string
	// asked is the number of secrets that queries name, without the crowd.
	asked int
}

func npcID(i int) string { return fmt.Sprintf("npc-%d", i) }

// keep creates a secret for the given ones and returns its two words.
func (w *secretWorld) keep(known []string) string {
	w.known = append(w.known, known)
	return fmt.Sprintf("kw%d zq%d", len(w.known)-1, len(w.known)-1)
}

// somebody returns a random list of those who may know a secret.
func (w *secretWorld) somebody() []string {
	switch w.rng.IntN(6) {
	case 0:
		return nil
	case 1:
		return []string{memory.DMOnly}
	case 2:
		return []string{fmt.Sprintf("group-%d", w.rng.IntN(w.size.groups))}
	}
	known := []string{npcID(w.rng.IntN(w.size.npcs))}
	for range w.rng.IntN(3) {
		known = append(known, npcID(w.rng.IntN(w.size.npcs)))
	}
	return memory.Heard(known...)
}

func (w *secretWorld) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *secretWorld) fill() {
	ctx := w.t.Context()
	of := map[string][]string{}
	for i := range w.size.npcs {
		of[npcID(i)] = []string{fmt.Sprintf("group-%d", i%w.size.groups)}
	}
	w.groups.Set(of, "group-0", "group-1", "group-2")
	var entities []memory.Entity
	for i := range w.size.entities {
		e := memory.Entity{ID: npcID(i), Type: "npc", Visible: w.somebody()}
		if i >= w.size.npcs {
			e.ID, e.Type = fmt.Sprintf("thing-%d", i), []string{"location", "item", "faction"}[i%3]
		}
		secret := w.keep(e.Visible)
		e.Name, e.Description = "Somewhat "+secret, "the common bell, "+secret
		e.Attributes = map[string]string{"told": secret}
		entities = append(entities, e)
	}
	w.must(w.store.PutEntities(ctx, entities...))
	var relations []memory.Relation
	for i := range w.size.relations {
		known := w.somebody()
		from, to := entities[w.rng.IntN(w.size.entities)].ID, entities[w.rng.IntN(w.size.entities)].ID
		kind := memory.LocatedIn
		if i%2 == 0 {
			kind = fmt.Sprintf("knows_%d", i)
		}
		relations = append(relations, memory.Relation{From: from, Type: kind, To: to, Note: w.keep(known), Visible: known})
	}
	w.must(w.store.PutRelations(ctx, relations...))
	var facts []memory.Fact
	for range w.size.facts {
		known := w.somebody()
		facts = append(facts, memory.Fact{Source: "notes", Text: "the common bell " + w.keep(known), Visible: known})
	}
	w.must(w.store.Remember(ctx, facts...))
	s, err := w.store.StartSession(ctx, "leaks")
	w.must(err)
	w.session = s.ID
	var lines []memory.Line
	for i := range w.size.lines {
		present := w.somebody()
		if len(present) > 0 && present[0] != memory.DMOnly && !strings.HasPrefix(present[0], "group-") {
			present = w.groups.Share(present)
		}
		l := memory.Line{Session: s.ID, Turn: int64(i), Speaker: "Ada", Text: "the common bell " + w.keep(present), Present: present, Date: memory.Date{Day: int64(i / 100), Text: "a day"}}
		if i%5 == 0 {
			l.To = npcID(w.rng.IntN(w.size.npcs))
		}
		lines = append(lines, l)
	}
	lines, err = w.store.Append(ctx, lines...)
	w.must(err)
	w.learn(lines)
	w.asked = len(w.known)
	w.crowd()
	w.index()
	w.live, err = world.Open(ctx, w.store, world.Options{Groups: w.groups, Scene: "A fog."})
	w.must(err)
}

// crowd adds secrets that match a query as well as all others do.
func (w *secretWorld) crowd() {
	facts := make([]memory.Fact, w.size.crowd)
	for i := range facts {
		known := w.somebody()
		_, secret, _ := strings.Cut(w.keep(known), " ")
		facts[i] = memory.Fact{Source: "notes", Text: "bell " + secret, Visible: known}
	}
	for part := range slices.Chunk(facts, 1000) {
		w.must(w.store.Remember(w.t.Context(), part...))
	}
}

// index extracts the facts of all lines and embeds all facts.
func (w *secretWorld) index() {
	ctx := w.t.Context()
	for _, step := range []func(context.Context) (int, error){w.store.IndexLines, w.store.EmbedFacts} {
		for n := 1; n > 0; {
			var err error
			n, err = step(ctx)
			w.must(err)
		}
	}
	if left, err := w.store.Backlog(ctx); err != nil || left != 0 || !w.store.Semantic() {
		w.t.Fatalf("%v; %d lines and facts are left to index, by meaning: %v", err, left, w.store.Semantic())
	}
}

// learn lets NPCs learn and remember lines they heard, some of them pinned, some shared only by
// one of them and Ada.
func (w *secretWorld) learn(lines []memory.Line) {
	var err error
	w.learnt, err = world.OpenChronicle(w.t.Context(), w.store, nil)
	w.must(err)
	for i := range w.size.learnt {
		l := lines[w.rng.IntN(len(lines))]
		e := world.Entry{Kind: world.LearntPin, Text: l.Text, Visible: l.Present, Session: l.Session, Lines: []int64{l.ID}}
		if i%2 == 0 {
			e.Kind, e.NPC, e.Person = speech.SalientPromise, npcID(w.rng.IntN(w.size.npcs)), "Ada"
		}
		_, err := w.learnt.Add(w.t.Context(), e)
		w.must(err)
	}
	for i := range w.size.npcs {
		heard, err := w.store.RecentFor(w.t.Context(), w.session, npcID(i), 100)
		w.must(err)
		w.must(w.learnt.WriteDiary(w.t.Context(), npcID(i), w.session, heard, nil, &world.Phrases{}))
	}
}
