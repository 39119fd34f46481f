package play_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/agent"
	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/hotctx"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcpserver"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools/memorytool"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools/worldtool"
	"github.com/MrWong99/glyphoxa/internal/table"
	"github.com/MrWong99/glyphoxa/internal/world"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// check reports each secret in a text that viewer may not know.
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

// prompt returns everything that a model gets for an NPC, and the list of the NPC's knowledge
// that the game master may read afterwards.
func (w *secretWorld) prompt(viewer, asked string) string {
	src := hotctx.New(w.store, world.Graph{World: w.live, Finder: w.store})
	src.SetMind(w.learnt.Between)
	src.SetDiary(w.learnt.RecentDiary)
	now, err := src.Assemble(w.t.Context(), hotctx.Query{
		NPC: hotctx.Person{ID: viewer, Name: "Mira"}, Others: []hotctx.Person{{ID: npcID(1), Name: "Bart"}}, Session: w.session, Speaker: "Ada",
		Scene: w.live.Scene(), Utterance: "Tell me of Somewhat " + asked, Recent: 200, Groups: w.groups,
	})
	w.must(err)
	var b strings.Builder
	for _, m := range agent.New(config.NPC{ID: viewer, Name: "Mira"}, agent.Options{History: 4}).Snapshot().Prompt(agent.Line{Speaker: "Ada", Text: asked, Tier: mcp.BudgetDeep}, now) {
		b.WriteString(m.Content)
	}
	for _, l := range (table.Basis{Context: now}).Lines() {
		b.WriteString(l)
	}
	return b.String()
}

// TestNoNPCLearnsWhatItMayNotKnow asks every reading tool, the resources, the prompt and the
// recaps of a world of secrets, as each of its NPCs, also over the connection of an outside
// agent.
func TestNoNPCLearnsWhatItMayNotKnow(t *testing.T) {
	size := smallLeaks
	if os.Getenv("GLYPHOXA_SOAK") != "" {
		size = largeLeaks
	}
	for name, open := range leakStores {
		t.Run(name, func(t *testing.T) {
			if testing.Short() && name != "sqlite" {
				t.Skip("long; make test-all runs it")
			}
			t.Parallel()
			size := size
			if name == "sqlite" && !testing.Short() {
				size.crowd = sketchedFrom - size.facts
			}
			w := &secretWorld{t: t, rng: rand.New(rand.NewPCG(17, 2)), groups: &memory.Groups{}, size: size}
			var err error
			w.store, err = open(t, w.groups)
			w.must(err)
			t.Cleanup(func() {
				if err := w.store.Close(); err != nil {
					t.Error(err)
				}
			})
			w.fill()
			w.ask()
			w.recap()
		})
	}
}

// doorOf lets one tool call the others.
type doorOf map[string]tools.Tool

func (d doorOf) Execute(ctx context.Context, name, args string) (mcp.Result, error) {
	x, ok := d[name]
	if !ok {
		return mcp.Result{}, mcp.ErrUnknownTool
	}
	text, err := x.Handler(ctx, args)
	return mcp.Result{Text: text}, err
}

// readingTools returns the tools that only read.
func (w *secretWorld) readingTools() (all []tools.Tool) {
	for _, x := range slices.Concat(memorytool.NewTools(w.store, w.store, w.store), worldtool.NewTools(w.live, w.store), worldtool.NewInvestigation()) {
		if x.ReadOnly {
			all = append(all, x)
		}
	}
	return all
}

// byMeaning resembles every secret in meaning but shares no word with any.
const byMeaning = "Which chime is usual?"

func (w *secretWorld) ask() {
	all, door := w.readingTools(), doorOf{}
	for _, x := range all {
		door[x.Definition.Name] = x
	}
	library := mcpserver.NewLibrary(mcpserver.LibrarySources{Campaign: "leaks", Graph: w.store, Log: w.store, Scene: w.live.Scene})
	outside := w.outside(library, all)
	told, toldOutside, meant := 0, 0, map[string]int{}
	for i := range w.size.queries {
		viewer := npcID(w.rng.IntN(w.size.npcs))
		if i%20 == 0 {
			viewer = memory.Anyone
		}
		n := w.rng.IntN(w.asked)
		asked := fmt.Sprintf("kw%d", n)
		switch i % 3 {
		case 0:
			asked = "the common bell"
		case 1:
			asked = byMeaning
		}
		switch i % 10 {
		case 9:
			w.check(viewer, "the prompt", w.prompt(viewer, asked))
			continue
		case 8:
			told += w.read(library, viewer, n)
			continue
		}
		x := all[w.rng.IntN(len(all))]
		args := w.arguments(x.Definition.Name, asked)
		var text string
		if i%10 == 7 && viewer != memory.Anyone {
			text = outside(viewer, x.Definition.Name, args, n)
			toldOutside += len(secretWord.FindAllString(text, -1))
		} else {
			ctx := mcp.WithExecutor(mcp.WithCaller(w.t.Context(), mcp.Caller{NPC: viewer, Session: w.session}), door)
			out, err := x.Handler(ctx, args)
			if text = out; err != nil {
				text += err.Error()
			}
		}
		told += len(secretWord.FindAllString(text, -1))
		if asked == byMeaning {
			meant[x.Definition.Name] += len(secretWord.FindAllString(text, -1))
		}
		w.check(viewer, x.Definition.Name+" "+args, text)
	}
	for _, tool := range []string{"search_facts", "search_sessions"} {
		if meant[tool] < w.size.queries/20 {
			w.t.Errorf("%s told %d secrets by what was meant; too little was found to prove anything", tool, meant[tool])
		}
	}
	if told < w.size.queries || toldOutside < w.size.queries/10 {
		w.t.Errorf("%d secrets were told in %d queries, %d of them outside; too little was found to prove anything", told, w.size.queries, toldOutside)
	}
}

// recap checks the recap for players.
func (w *secretWorld) recap() {
	lines, err := w.store.Recent(w.t.Context(), w.session, w.size.lines)
	w.must(err)
	entities, _, err := w.store.World(w.t.Context())
	w.must(err)
	facts, err := w.store.CampaignFacts(w.t.Context(), 0, w.size.facts)
	w.must(err)
	open := world.ForPlayers(lines, world.SecretsOf(entities, facts))
	if len(open) == 0 {
		w.t.Error("players are told nothing; too little to prove anything")
	}
	for _, l := range open {
		w.check(memory.Anyone, "a recap for players", l.Text)
	}
}

// arguments returns the arguments of a call that asks for something.
func (w *secretWorld) arguments(tool, asked string) string {
	id := fmt.Sprintf("thing-%d", w.size.npcs+w.rng.IntN(w.size.entities-w.size.npcs))
	switch tool {
	case "query_entities":
		return fmt.Sprintf(`{"name":%q}`, asked)
	case "get_summary":
		return fmt.Sprintf(`{"entity_id":%q}`, id)
	case "search_facts":
		return fmt.Sprintf(`{"query":%q,"top_k":50}`, asked)
	case "search_sessions":
		return fmt.Sprintf(`{"query":%q}`, asked)
	case "investigate":
		return fmt.Sprintf(`{"question":"What of %s, and Somewhat?"}`, asked)
	case "describe_scene":
		return fmt.Sprintf(`{"location":%q}`, id)
	}
	return fmt.Sprintf(`{"query":%q,"name":%q,"text":%q}`, asked, asked, asked)
}

// read reads resources as the viewer and returns the number of secrets in them.
func (w *secretWorld) read(l *mcpserver.Library, viewer string, n int) (told int) {
	v := mcpserver.LibraryView{Viewer: viewer, May: func(string) bool { return true }}
	for _, uri := range []string{
		mcpserver.TranscriptURI(w.session), "glyphoxa://entities", fmt.Sprintf("glyphoxa://entities/thing-%d", n%w.size.entities), "glyphoxa://scene", "glyphoxa://campaign",
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
