package app

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/MrWong99/glyphoxa/internal/discord"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/audit"
)

// records are those of the home guild's audit log, by who called if not empty.
func (h *inn) records(who string) []audit.Record {
	h.t.Helper()
	a, leave, err := h.enter(h.t.Context(), home)
	if err != nil {
		h.t.Fatal(err)
	}
	all, _, err := a.Registry.Governance.Audit.Query(h.t.Context(), audit.Query{Who: who})
	if err := errors.Join(err, leave()); err != nil {
		h.t.Fatal(err)
	}
	return all
}

// TestSuggest completes what a dungeon master types.
func TestSuggest(t *testing.T) {
	h := openInn(t, t.TempDir(), flagon+`
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
	if _, err := h.Import(t.Context(), home, dm, "mere.yaml", []byte(world.String())); err != nil {
		t.Fatal(err)
	}
	h.load(mere)
	_, err := h.Call(t.Context(), home, ana, "roll", `{"expression":"d20"}`)
	var waits *mcp.Refusal
	if !errors.As(err, &waits) || waits.Approval == "" {
		t.Fatalf("roll = %v, want it to wait for approval", err)
	}
	ted := discord.Choice{Name: "Old Ted (npc)", Value: "old-ted"}
	for _, row := range []struct {
		name  string
		what  discord.Suggestion
		typed string
		want  []discord.Choice
	}{
		{"the beginning of a name", discord.SuggestEntity, "old", []discord.Choice{ted}},
		{"the beginning of a word", discord.SuggestEntity, " TED", []discord.Choice{ted}},
		{"an alias", discord.SuggestEntity, "netm", []discord.Choice{ted}},
		{"within a word", discord.SuggestEntity, "onne", []discord.Choice{{Name: "Sonnet (item)", Value: "sonnet"}}},
		{"nothing of that name", discord.SuggestEntity, "zz", nil},
		{"what waits", discord.SuggestApproval, "", []discord.Choice{{
			Name: waits.Approval + ": discord:" + ana.ID + ` wants roll {"expression":"d20"}`, Value: waits.Approval,
		}}},
		{"no held tool", discord.SuggestHeldTool, "", nil},
		{"campaigns", discord.SuggestCampaign, "", []discord.Choice{{Name: "The Flagon"}, {Name: "The Drowned Mere", Value: "the-drowned-mere"}}},
		{"a campaign", discord.SuggestCampaign, "mere", []discord.Choice{{Name: "The Drowned Mere", Value: "the-drowned-mere"}}},
	} {
		got, err := h.Suggest(t.Context(), home, dm, row.what, row.typed)
		if err != nil {
			t.Errorf("%s: %v", row.name, err)
		}
		if diff := cmp.Diff(row.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.name, diff)
		}
		if got, err := h.Suggest(t.Context(), home, ana, row.what, row.typed); err != nil || len(got) != 0 {
			t.Errorf("%s: a player is told %v, %v", row.name, got, err)
		}
	}
	got, err := h.Suggest(t.Context(), home, dm, discord.SuggestEntity, "net")
	if err != nil || len(got) != maxChoices || got[0].Value != "net-00" {
		t.Errorf("of many, %d are suggested, the first %v, %v", len(got), got, err)
	}
	if got, err := h.Suggest(t.Context(), away, dm, discord.SuggestEntity, "old"); err != nil || len(got) != 0 {
		t.Errorf("another guild is told %v, %v", got, err)
	}
}

// TestSuggestDoesNotWait gives up when its time is over; the app goes on being
// opened, so that the next finds it open.
func TestSuggestDoesNotWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := openInn(t, t.TempDir(), flagon)
		defer h.shut()
		l, err := h.lodging(home)
		if err != nil {
			t.Fatal(err)
		}
		over, cancel := context.WithCancel(t.Context())
		cancel()
		if got, err := h.Suggest(over, home, dm, discord.SuggestEntity, ""); !errors.Is(err, context.Canceled) || len(got) != 0 {
			t.Errorf("Suggest = %v, %v; want it to give up", got, err)
		}
		synctest.Wait()
		if !l.isOpen() {
			t.Error("the app was not opened for the next")
		}
	})
}

// isOpen reports whether the guild's app is open.
func (l *lodging) isOpen() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.suite != nil
}

// TestAppClosesWhenIdle keeps a guild's app open for a while after the last who
// needed it.
func TestAppClosesWhenIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := openInn(t, t.TempDir(), flagon)
		defer h.shut()
		l, err := h.lodging(home)
		if err != nil {
			t.Fatal(err)
		}
		roll := func() {
			t.Helper()
			if _, err := h.Call(t.Context(), home, ana, "roll", `{"expression":"d20"}`); err != nil {
				t.Error(err)
			}
		}
		roll()
		time.Sleep(idleTime - time.Second)
		roll()
		time.Sleep(idleTime - time.Second)
		if !l.isOpen() {
			t.Error("the app was closed while it was in use")
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if l.isOpen() {
			t.Errorf("the app is open %v after its last use", idleTime)
		}
		roll()
	})
}

// TestApprovalOutlivesItsGuest has a call wait for approval without a session:
// it can be approved, and pass, for as long as its rule says.
func TestApprovalOutlivesItsGuest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := openInn(t, t.TempDir(), flagon+`
server:
  policy:
    - {name: ask, rule: approval, who: ["discord:`+ana.ID+`"], tools: [roll], expires: 10m}
`)
		defer h.shut()
		l, err := h.lodging(home)
		if err != nil {
			t.Fatal(err)
		}
		roll := func() string {
			t.Helper()
			_, err := h.Call(t.Context(), home, ana, "roll", `{"expression":"d20"}`)
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
		if _, err := h.Call(t.Context(), home, dm, "decide_approval", `{"id":"`+id+`","grant":true}`); err != nil {
			t.Errorf("approving: %v", err)
		}
		time.Sleep(9 * time.Minute) // a decision holds as long again
		if again := roll(); again != "" {
			t.Error("the approved call waits once more")
		}
		if roll() == "" {
			t.Error("the call passed twice")
		}
		time.Sleep(10*time.Minute + time.Second)
		synctest.Wait()
		if l.isOpen() {
			t.Error("the app stays open though no call waits any more")
		}
	})
}
