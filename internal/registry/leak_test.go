package registry_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/agent"
	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/hotctx"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/resource"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools/memorytool"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools/worldtool"
	"github.com/MrWong99/glyphoxa/internal/world"
	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/memory/sqlite"
)

// leakStore is what a store has to be so that it can be looked into for leaks.
type leakStore interface {
	memory.SessionLog
	memory.Index
	memory.Graph
	world.Store
	IndexLines(ctx context.Context) (int, error)
}

// leakStores are the stores that are looked into, by name.
var leakStores = map[string]func(t *testing.T, groups *memory.Groups) leakStore{
	"sqlite": func(t *testing.T, groups *memory.Groups) leakStore {
		s, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "a.db"), &sqlite.Options{Groups: groups})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
		return s
	},
}

const (
	leakNPCs, leakGroups, leakEntities       = 30, 6, 500
	leakRelations, leakFacts, leakLines      = 800, 400, 2000
	leakQueriesAlways, leakQueriesInSoakOnly = 1000, 10_000
)

// secretWord is the word of a secret that no query has: where it shows, the secret does.
var secretWord = regexp.MustCompile(`zq\d+`)

// secretWorld is a world of secrets. Each is asked for by a word of its own, and tells
// another one.
type secretWorld struct {
	t       *testing.T
	rng     *rand.Rand
	groups  *memory.Groups
	store   leakStore
	live    *world.World
	session string
	// known is who may know of each secret; nil is everybody.
	known [][]string
}

func npcID(i int) string { return fmt.Sprintf("npc-%d", i) }

// keep makes a secret that the given ones may know, and returns its two words.
func (w *secretWorld) keep(known []string) string {
	w.known = append(w.known, known)
	return fmt.Sprintf("kw%d zq%d", len(w.known)-1, len(w.known)-1)
}

// somebody is a random list of those who know.
func (w *secretWorld) somebody() []string {
	switch w.rng.IntN(6) {
	case 0:
		return nil
	case 1:
		return []string{memory.DMOnly}
	case 2:
		return []string{fmt.Sprintf("group-%d", w.rng.IntN(leakGroups))}
	}
	known := []string{npcID(w.rng.IntN(leakNPCs))}
	for range w.rng.IntN(3) {
		known = append(known, npcID(w.rng.IntN(leakNPCs)))
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
	for i := range leakNPCs {
		of[npcID(i)] = []string{fmt.Sprintf("group-%d", i%leakGroups)}
	}
	w.groups.Set(of, "group-0", "group-1", "group-2")
	var entities []memory.Entity
	for i := range leakEntities {
		e := memory.Entity{ID: npcID(i), Type: "npc", Visible: w.somebody()}
		if i >= leakNPCs {
			e.ID, e.Type = fmt.Sprintf("thing-%d", i), []string{"location", "item", "faction"}[i%3]
		}
		secret := w.keep(e.Visible)
		e.Name, e.Description = "Somewhat "+secret, "the common bell, "+secret
		e.Attributes = map[string]string{"told": secret}
		entities = append(entities, e)
	}
	w.must(w.store.PutEntities(ctx, entities...))
	var relations []memory.Relation
	for i := range leakRelations {
		known := w.somebody()
		from, to := entities[w.rng.IntN(leakEntities)].ID, entities[w.rng.IntN(leakEntities)].ID
		kind := memory.LocatedIn
		if i%2 == 0 {
			kind = fmt.Sprintf("knows_%d", i)
		}
		relations = append(relations, memory.Relation{From: from, Type: kind, To: to, Note: w.keep(known), Visible: known})
	}
	w.must(w.store.PutRelations(ctx, relations...))
	var facts []memory.Fact
	for range leakFacts {
		known := w.somebody()
		facts = append(facts, memory.Fact{Source: "notes", Text: "the common bell " + w.keep(known), Visible: known})
	}
	w.must(w.store.Remember(ctx, facts...))
	s, err := w.store.StartSession(ctx, "leaks")
	w.must(err)
	w.session = s.ID
	var lines []memory.Line
	for i := range leakLines {
		present := w.somebody()
		if len(present) > 0 && present[0] != memory.DMOnly && !strings.HasPrefix(present[0], "group-") {
			present = w.groups.Share(present)
		}
		l := memory.Line{Session: s.ID, Turn: int64(i), Speaker: "Ada", Text: "the common bell " + w.keep(present), Present: present, Date: memory.Date{Day: int64(i / 100), Text: "a day"}}
		if i%5 == 0 {
			l.To = npcID(w.rng.IntN(leakNPCs))
		}
		lines = append(lines, l)
	}
	_, err = w.store.Append(ctx, lines...)
	w.must(err)
	for n := 1; n > 0; {
		n, err = w.store.IndexLines(ctx)
		w.must(err)
	}
	w.live, err = world.Open(ctx, w.store, world.Options{Groups: w.groups, Scene: "A fog."})
	w.must(err)
}

// check reports every secret in a text that viewer may not know.
func (w *secretWorld) check(viewer, doing, text string) {
	w.t.Helper()
	for _, word := range secretWord.FindAllString(text, -1) {
		var n int
		if _, err := fmt.Sscanf(word, "zq%d", &n); err != nil || n >= len(w.known) {
			continue
		}
		may := len(w.known[n]) == 0 || slices.Contains(w.known[n], viewer)
		for _, group := range w.groups.Of(viewer) {
			may = may || slices.Contains(w.known[n], group)
		}
		if !may {
			w.t.Errorf("%s tells %s of secret %d, which is for %q", doing, viewer, n, w.known[n])
		}
	}
}

// prompt is all that a model is given for an NPC.
func (w *secretWorld) prompt(viewer, asked string) string {
	src := hotctx.New(w.store, world.Graph{World: w.live, Finder: w.store})
	now, err := src.Assemble(w.t.Context(), hotctx.Query{
		NPC: hotctx.Person{ID: viewer, Name: "Mira"}, Others: []hotctx.Person{{ID: npcID(1), Name: "Bart"}}, Session: w.session,
		Scene: w.live.Scene(), Utterance: "Tell me of Somewhat " + asked, Recent: 200, Groups: w.groups,
	})
	w.must(err)
	var b strings.Builder
	for _, m := range agent.New(config.NPC{ID: viewer, Name: "Mira"}, agent.Options{History: 4}).Snapshot().Prompt(agent.Line{Speaker: "Ada", Text: asked, Tier: mcp.BudgetDeep}, now) {
		b.WriteString(m.Content)
	}
	return b.String()
}

// TestNoNPCLearnsWhatItMayNotKnow asks every reading tool, the resources and the prompt
// of a world of secrets for everything, with the eyes of all its NPCs.
func TestNoNPCLearnsWhatItMayNotKnow(t *testing.T) {
	queries := leakQueriesAlways
	if os.Getenv("GLYPHOXA_SOAK") != "" {
		queries = leakQueriesInSoakOnly
	}
	for name, open := range leakStores {
		t.Run(name, func(t *testing.T) {
			w := &secretWorld{t: t, rng: rand.New(rand.NewPCG(17, 2)), groups: &memory.Groups{}}
			w.store = open(t, w.groups)
			w.fill()
			w.ask(queries)
		})
	}
}

func (w *secretWorld) ask(queries int) {
	var all []tools.Tool
	for _, x := range append(memorytool.NewTools(w.store, w.store, w.store), worldtool.NewTools(w.live, w.store)...) {
		if x.ReadOnly {
			all = append(all, x)
		}
	}
	library := resource.New(resource.Sources{Campaign: "leaks", Graph: w.store, Log: w.store, Scene: w.live.Scene})
	told := 0
	for i := range queries {
		viewer := npcID(w.rng.IntN(leakNPCs))
		if i%20 == 0 {
			viewer = memory.Anyone
		}
		n := w.rng.IntN(len(w.known))
		asked := fmt.Sprintf("kw%d", n)
		if i%3 == 0 {
			asked = "the common bell"
		}
		if i%10 == 9 {
			w.check(viewer, "the prompt", w.prompt(viewer, asked))
			continue
		}
		if i%10 == 8 {
			told += w.read(library, viewer, n)
			continue
		}
		x := all[w.rng.IntN(len(all))]
		ctx := mcp.WithCaller(w.t.Context(), mcp.Caller{NPC: viewer, Session: w.session})
		args := w.arguments(x.Definition.Name, asked)
		out, err := x.Handler(ctx, args)
		text := out
		if err != nil {
			text += err.Error()
		}
		told += len(secretWord.FindAllString(text, -1))
		w.check(viewer, x.Definition.Name+" "+args, text)
	}
	if told < queries {
		w.t.Errorf("%d secrets were told in %d queries; too little was found to prove anything", told, queries)
	}
}

// arguments are those of a call that asks for something.
func (w *secretWorld) arguments(tool, asked string) string {
	id := fmt.Sprintf("thing-%d", leakNPCs+w.rng.IntN(leakEntities-leakNPCs))
	switch tool {
	case "query_entities":
		return fmt.Sprintf(`{"name":%q}`, asked)
	case "get_summary":
		return fmt.Sprintf(`{"entity_id":%q}`, id)
	case "search_facts":
		return fmt.Sprintf(`{"query":%q,"top_k":50}`, asked)
	case "search_sessions":
		return fmt.Sprintf(`{"query":%q}`, asked)
	case "describe_scene":
		return fmt.Sprintf(`{"location":%q}`, id)
	}
	return fmt.Sprintf(`{"query":%q,"name":%q,"text":%q}`, asked, asked, asked)
}

// read reads resources with the viewer's eyes, and returns how many secrets they told.
func (w *secretWorld) read(l *resource.Library, viewer string, n int) (told int) {
	v := resource.View{Viewer: viewer, May: func(string) bool { return true }}
	for _, uri := range []string{
		resource.TranscriptURI(w.session), "glyphoxa://entities", fmt.Sprintf("glyphoxa://entities/thing-%d", n%leakEntities), "glyphoxa://scene", "glyphoxa://campaign",
		"glyphoxa://sessions",
	} {
		doc, err := l.Read(w.t.Context(), v, uri)
		if err != nil {
			continue
		}
		for _, c := range doc.Contents {
			told += len(secretWord.FindAllString(c.Text, -1))
			w.check(viewer, uri, c.Text)
		}
	}
	return told
}
