package play

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/access"
)

// records returns the home guild's audit log, of one caller if who is not empty.
func (h *fixture) records(who string) []access.LogRecord {
	h.t.Helper()
	l, err := h.guild(home).pool.acquire(h.t.Context())
	if err != nil {
		h.t.Fatal(err)
	}
	all, _, err := l.Registry.Governance.Audit.Query(h.t.Context(), access.LogQuery{Who: who})
	if err := errors.Join(err, l.release()); err != nil {
		h.t.Fatal(err)
	}
	return all
}

// TestSuggest completes a dungeon master's input.
func TestSuggest(t *testing.T) {
	h := openGuilds(t, t.TempDir(), flagon+`
server:
  policy:
    - {name: ask, rule: approval, who: ["discord:`+ana.ID+`"], tools: [roll]}
`)
	defer h.shut()
	var world strings.Builder
	world.WriteString("name: Mere\nentities:\n")
	for n := range 60 {
		fmt.Fprintf(&world, "  - {id: net-%02d, type: item, name: Net %02d}\n", n, n)
	}
	world.WriteString("  - {id: old-ted, type: npc, name: Old Ted, aliases: [Netmender]}\n  - {id: sonnet, type: item, name: Sonnet}\n  - {id: fishing-net, type: item, name: Fishing net}\n")
	if _, err := h.as(home, dm).ImportCampaign(t.Context(), "mere.yaml", []byte(world.String())); err != nil {
		t.Fatal(err)
	}
	h.load(mere)
	_, err := h.as(home, ana).CallTool(t.Context(), "roll", `{"expression":"d20"}`)
	var waits *mcp.Refusal
	if !errors.As(err, &waits) || waits.Approval == "" {
		t.Fatalf("roll = %v, want it to wait for approval", err)
	}
	waiting := &access.Approval{ID: waits.Approval, Caller: "discord:" + ana.ID, Tool: "roll", Args: `{"expression":"d20"}`}
	ted := Choice{Name: "Old Ted", Kind: "npc", Value: "old-ted"}
	for _, row := range []struct {
		name  string
		what  Suggestion
		typed string
		want  []Choice
	}{
		{"the beginning of a name", SuggestEntity, "old", []Choice{ted}},
		{"the beginning of a word", SuggestEntity, " TED", []Choice{ted}},
		{"an alias", SuggestEntity, "netm", []Choice{ted}},
		{"within a word", SuggestEntity, "onne", []Choice{{Name: "Sonnet", Kind: "item", Value: "sonnet"}}},
		{"nothing of that name", SuggestEntity, "zz", nil},
		{"what waits", SuggestApproval, "", []Choice{{Name: "roll", Value: waits.Approval, Call: waiting}}},
		{"no held tool", SuggestHeldTool, "", nil},
		{"campaigns", SuggestCampaign, "", []Choice{{Name: "The Flagon"}, {Name: "The Drowned Mere", Value: "the-drowned-mere"}}},
		{"a campaign", SuggestCampaign, "mere", []Choice{{Name: "The Drowned Mere", Value: "the-drowned-mere"}}},
	} {
		got, err := h.as(home, dm).Suggest(t.Context(), row.what, row.typed)
		if err != nil {
			t.Errorf("%s: %v", row.name, err)
		}
		if diff := cmp.Diff(row.want, got, cmpopts.IgnoreFields(access.Approval{}, "Asked", "Expires")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.name, diff)
		}
		if got, err := h.as(home, ana).Suggest(t.Context(), row.what, row.typed); err != nil || len(got) != 0 {
			t.Errorf("%s: a player is told %v, %v", row.name, got, err)
		}
	}
	got, err := h.as(home, dm).Suggest(t.Context(), SuggestEntity, "net")
	if err != nil || len(got) != maxChoices || got[0].Value != "net-00" {
		t.Errorf("of many, %d are suggested, the first %v, %v", len(got), got, err)
	}
	if got, err := h.as(away, dm).Suggest(t.Context(), SuggestEntity, "old"); err != nil || len(got) != 0 {
		t.Errorf("another guild is told %v, %v", got, err)
	}
}

// TestSuggestDoesNotWait: a suggestion gives up at its deadline, but the campaign continues to
// open, so that the next call finds it open.
func TestSuggestDoesNotWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := openGuilds(t, t.TempDir(), flagon)
		defer h.shut()
		l, err := h.Guild(home)
		if err != nil {
			t.Fatal(err)
		}
		over, cancel := context.WithCancel(t.Context())
		cancel()
		if got, err := h.as(home, dm).Suggest(over, SuggestEntity, ""); !errors.Is(err, context.Canceled) || len(got) != 0 {
			t.Errorf("Suggest = %v, %v; want it to give up", got, err)
		}
		synctest.Wait()
		if !l.isOpen() {
			t.Error("the campaign was not opened for the next")
		}
	})
}

// isOpen reports whether the guild's campaign is open.
func (g *Guild) isOpen() bool {
	g.pool.mu.Lock()
	defer g.pool.mu.Unlock()
	return g.pool.open != nil
}

// TestCampaignClosesWhenIdle: a guild's campaign stays open for a while after its last use.
func TestCampaignClosesWhenIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := openGuilds(t, t.TempDir(), flagon)
		defer h.shut()
		l, err := h.Guild(home)
		if err != nil {
			t.Fatal(err)
		}
		roll := func() {
			t.Helper()
			if _, err := h.as(home, ana).CallTool(t.Context(), "roll", `{"expression":"d20"}`); err != nil {
				t.Error(err)
			}
		}
		roll()
		time.Sleep(idleTime - time.Second)
		roll()
		time.Sleep(idleTime - time.Second)
		if !l.isOpen() {
			t.Error("the campaign was closed while it was in use")
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if l.isOpen() {
			t.Errorf("the campaign is open %v after its last use", idleTime)
		}
		roll()
	})
}

// TestApprovalOutlivesItsLease: a call that waits for approval without a session can be
// approved, and pass, for as long as its rule says.
func TestApprovalOutlivesItsLease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := openGuilds(t, t.TempDir(), flagon+`
server:
  policy:
    - {name: ask, rule: approval, who: ["discord:`+ana.ID+`"], tools: [roll], expires: 10m}
`)
		defer h.shut()
		l, err := h.Guild(home)
		if err != nil {
			t.Fatal(err)
		}
		roll := func() string {
			t.Helper()
			_, err := h.as(home, ana).CallTool(t.Context(), "roll", `{"expression":"d20"}`)
			var waits *mcp.Refusal
			if errors.As(err, &waits) {
				return waits.Approval
			}
			if err != nil {
				t.Error(err)
			}
			return ""
		}
		id := roll()
		if id == "" {
			t.Fatal("the call passed without approval")
		}
		time.Sleep(9 * time.Minute)
		if _, err := h.as(home, dm).CallTool(t.Context(), "decide_approval", `{"id":"`+id+`","grant":true}`); err != nil {
			t.Errorf("approving: %v", err)
		}
		time.Sleep(9 * time.Minute) // a decision is valid for the same time again
		if again := roll(); again != "" {
			t.Error("the approved call waits once more")
		}
		if roll() == "" {
			t.Error("the call passed twice")
		}
		time.Sleep(10*time.Minute + time.Second)
		synctest.Wait()
		if l.isOpen() {
			t.Error("the campaign stays open though no call waits any more")
		}
	})
}
