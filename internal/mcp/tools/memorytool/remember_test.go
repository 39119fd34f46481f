package memorytool_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools/memorytool"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

func TestRememberFact(t *testing.T) {
	rows := []struct {
		name         string
		caller       mcp.Caller
		args, source string
		finders      []string // among the operator "", bartok, mayor and anyone
		fails        bool
	}{
		{name: "operator", args: `{"text":"The zebra sleeps."}`, source: "notes", finders: []string{"", "bartok", "mayor", "*"}},
		{name: "session", caller: mcp.Caller{Session: "7"}, args: `{"text":"The zebra sleeps."}`, source: "session:7", finders: []string{"", "bartok", "mayor", "*"}},
		{name: "npc_keeps_it", caller: mcp.Caller{NPC: "bartok"}, args: `{"text":"The zebra sleeps."}`, source: "notes#bartok", finders: []string{"", "bartok"}},
		{name: "npc_shares_it", caller: mcp.Caller{NPC: "bartok"}, args: `{"text":"The zebra sleeps.","known_by":["mayor"]}`, source: "notes#bartok", finders: []string{"", "bartok", "mayor"}},
		{name: "about_a_name", caller: mcp.Caller{NPC: "bartok"}, args: `{"text":"The zebra sleeps.","about":"Rusty Flagon"}`, source: "entity:rusty-flagon#bartok", finders: []string{"", "bartok"}},
		{name: "about_a_secret", args: `{"text":"The zebra sleeps.","about":"cult"}`, source: "entity:cult", finders: []string{"", "mayor"}},
		{name: "client", caller: mcp.Caller{Client: "c", Sees: memory.Anyone}, args: `{"text":"The zebra sleeps."}`, source: "notes#*", finders: []string{"", "bartok", "mayor", "*"}},
		{name: "client_with_secrets", caller: mcp.Caller{Client: "c", Sees: memory.Anyone}, args: `{"text":"The zebra sleeps.","known_by":["mayor"]}`, fails: true},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			s := open(t, nil)
			tale(t, s)
			x := tool(t, memorytool.NewTools(s, s, s), "remember_fact")
			var events mcp.Events
			ctx := mcp.WithEvents(mcp.WithCaller(t.Context(), row.caller), &events)
			if row.fails {
				if _, err := x.Handler(ctx, row.args); !errors.Is(err, mcp.ErrInvalidArguments) || len(events.Names()) != 0 {
					t.Errorf("err = %v, events %q, want ErrInvalidArguments and none", err, events.Names())
				}
				return
			}
			got := call[struct{ Source string }](t, ctx, x, row.args)
			if got.Source != row.source || !slices.Equal(events.Names(), []string{"fact.remembered"}) {
				t.Errorf("source %q, events %q, want %q and fact.remembered", got.Source, events.Names(), row.source)
			}
			for _, who := range []string{"", "bartok", "mayor", memory.Anyone} {
				hits, err := s.SearchFacts(t.Context(), "zebra", who, 5)
				must(t, "SearchFacts", err)
				if found := len(hits) == 1; found != slices.Contains(row.finders, who) {
					t.Errorf("%q finds %d facts, want it found by %q alone", who, len(hits), row.finders)
				}
			}
		})
	}
}

// TestRememberingCannotReachOthersFacts stores another NPC's fact word for word.
func TestRememberingCannotReachOthersFacts(t *testing.T) {
	s := open(t, nil)
	tale(t, s)
	must(t, "Remember", s.Remember(t.Context(), memory.Fact{Source: "entity:bartok", Text: "Bartok is in debt."}))
	x := tool(t, memorytool.NewTools(s, s, s), "remember_fact")
	call[map[string]any](t, as(t.Context(), "bartok"), x, `{"text":"Bartok is in debt.","about":"bartok"}`)
	hits, err := s.SearchFacts(t.Context(), "debt", "stranger", 5)
	must(t, "SearchFacts", err)
	if len(hits) != 1 {
		t.Errorf("a stranger finds %d facts, want the one that everyone knew before", len(hits))
	}
}

func TestRememberFactWithoutIndex(t *testing.T) {
	s := open(t, nil)
	_, err := tool(t, memorytool.NewTools(s, nil, s), "remember_fact").Handler(t.Context(), `{"text":"x"}`)
	if !errors.Is(err, mcp.ErrUnavailable) || !strings.Contains(err.Error(), "index") {
		t.Errorf("err = %v, want ErrUnavailable that tells of the index", err)
	}
}
