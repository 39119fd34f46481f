package table_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/agent"
	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/engine"
	"github.com/MrWong99/glyphoxa/internal/hotctx"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools/worldtool"
	"github.com/MrWong99/glyphoxa/internal/table"
	"github.com/MrWong99/glyphoxa/internal/world"
	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/memory/sqlite"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

// prompt returns the model's messages as one text.
func prompt(req llm.Request) string {
	var b strings.Builder
	for _, m := range req.Messages {
		b.WriteString(m.Content + "\n")
	}
	return b.String()
}

// TestNPCsKnowOfAChangeInTheirNextTurn changes the world through Mira's tools and from outside,
// and checks her next prompt.
func TestNPCsKnowOfAChangeInTheirNextTurn(t *testing.T) {
	store, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "a.db"), nil)
	check(t, err)
	defer func() { check(t, store.Close()) }()
	check(t, store.PutEntities(t.Context(),
		memory.Entity{ID: "mira", Type: "npc", Name: "Mira"},
		memory.Entity{ID: "cellar", Type: "location", Name: "The Cellar"},
		memory.Entity{ID: "lute", Type: "item", Name: "The Lute", Description: "Old.", Position: &memory.Position{1, 2, 3}}))
	live, err := world.Open(t.Context(), store, world.Options{Scene: "It is night."})
	check(t, err)

	var prompts []string
	model := script(func(req llm.Request) []step {
		last := req.Messages[len(req.Messages)-1]
		if last.Role == llm.RoleUser {
			prompts = append(prompts, prompt(req))
			if strings.Contains(last.Content, "hide") {
				return []step{calls("move_entity", `{"id":"lute","location":"cellar"}`), calls("set_scene", `{"text":"A dog barks."}`)}
			}
		}
		return []step{{text: "It is done."}}
	})
	r := seat(t, store, live, model)
	defer r.close()

	turn := func(line string) string {
		t.Helper()
		r.speak("Alice", line)
		if ended := <-r.events.ended; ended.Outcome != table.OutcomeDelivered {
			t.Fatalf("outcome of %q is %s, want it delivered", line, ended.Outcome)
		}
		return prompts[len(prompts)-1]
	}
	expect := func(text string, wants ...string) {
		t.Helper()
		for _, want := range wants {
			if !strings.Contains(text, want) {
				t.Errorf("the prompt lacks %q:\n%s", want, text)
			}
		}
	}
	expect(turn("Mira, where is the Lute?"), "It is night.", "The Lute (item): Old. Now at 1, 2, 3 on the map.")
	turn("Mira, please hide the Lute!")
	expect(turn("Mira, where is the Lute?"), "What the players were told of the scene, in which \"you\" are they:\n\"A dog barks.\"", "The Lute (item): Old. Now in The Cellar.")
	_, err = live.Change(t.Context(), "elsewhere", func(tx *world.Tx) error {
		tx.SetScene("Smoke rises.")
		return tx.Relate(memory.Relation{From: "mira", Type: memory.LocatedIn, To: "cellar"})
	})
	check(t, err)
	expect(turn("Mira, and now the Lute?"), "Smoke rises.", "You are in this place: The Cellar. Also there: The Lute. Players with you: Alice.")
}

// seat runs a table with Mira alone, who may change the world.
func seat(t *testing.T, store *sqlite.Store, live *world.World, model script) *room {
	t.Helper()
	r := &room{t: t, events: &events{ended: make(chan *table.TurnEnded)}, journal: &journal{}, done: make(chan error, 1)}
	host := mcphost.New()
	var names []string
	for _, x := range worldtool.NewTools(live, store) {
		check(t, host.RegisterBuiltin(x))
		names = append(names, x.Definition.Name)
	}
	mira := agent.New(config.NPC{ID: "mira", Name: "Mira", BudgetTier: mcp.BudgetStandard, Tools: names}, agent.Options{History: 4})
	r.Table = table.New(table.Options{
		Agents: []*agent.Agent{mira}, Engine: engine.NewCascaded(model, nil), Host: host, Log: r.journal, Context: hotctx.New(r.journal, store),
		Sink: r.events, Session: memory.Session{ID: "s1"}, Scene: live.Scene, Latency: config.Default().Latency, RecentLines: 10,
	})
	ctx, stop := context.WithCancel(context.Background())
	r.stop = stop
	go func() { r.done <- r.Run(ctx) }()
	t.Cleanup(func() { check(t, host.Close()) })
	return r
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
