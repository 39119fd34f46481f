package mcpserver_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/MrWong99/glyphoxa/internal/config"
)

// TestClientsHearOfTools registers a tool and tells how long it took until
// clients of each transport were notified; the promise is 50 ms on a machine
// that has time.
func TestClientsHearOfTools(t *testing.T) {
	h := newFixture(t, plan{})
	addr := h.web(config.Server{Clients: clients("dm")})
	heard := map[string]chan time.Time{}
	listen := func(name string) *sdk.ClientOptions {
		heard[name] = make(chan time.Time, 64)
		return &sdk.ClientOptions{ToolListChangedHandler: func(context.Context, *sdk.ToolListChangedRequest) { heard[name] <- time.Now() }}
	}
	h.pipe("dm", listen("pipe"))
	h.socket(addr, "dm", listen("websocket"))
	h.http(addr, "dm", "2025-06-18", listen("http in sessions"))
	for round := range 5 {
		began := time.Now()
		must(t, "registering", h.host.RegisterBuiltin(echo("tool_"+string(rune('a'+round)), "dice.roll")))
		for name, notes := range heard {
			for {
				var at time.Time
				select {
				case at = <-notes:
				case <-time.After(time.Minute):
					t.Fatalf("%s: no list_changed", name)
				}
				if at.Before(began) {
					continue // of an earlier change
				}
				t.Logf("%s, change %d: heard after %.1f ms", name, round+1, float64(at.Sub(began).Microseconds())/1000)
				break
			}
		}
	}
}

// TestRightsThatEndAreHeardOf shows that a client is told when what it may do
// changes by itself, and finds the list changed then.
func TestRightsThatEndAreHeardOf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ends := time.Now().Add(time.Hour)
		h := newFixture(t, plan{config: config.Server{Policy: []config.Rule{
			{Name: "guest", Kind: config.RulePermissionOverride, Grant: []string{"world.write"}, Until: ends.UTC().Format(time.RFC3339)},
		}}})
		changed := make(chan struct{}, 64)
		s := h.pipe("player.limited", &sdk.ClientOptions{
			ToolListChangedHandler: func(context.Context, *sdk.ToolListChangedRequest) { changed <- struct{}{} },
		})
		if listed(t, s)["place_entity"] == nil {
			t.Fatal("what was granted is not listed")
		}
		for listed(t, s)["place_entity"] != nil {
			select {
			case <-changed:
			case <-time.After(2 * time.Hour):
				t.Fatal("nobody says that the right has ended")
			}
		}
		if late := time.Since(ends); late > 50*time.Millisecond {
			t.Errorf("heard %v after the right has ended, want at most 50ms", late)
		}
		if _, err := call(t, s, "place_entity", map[string]any{"name": "x", "type": "item"}); err == nil {
			t.Error("a right that has ended still counts")
		}
	})
}
