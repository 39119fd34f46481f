package mcpserver_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/MrWong99/glyphoxa/internal/mcp/access"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcpserver"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// listener is a client that writes down what it is told of. It speaks a
// revision in which subscribing waits for its answer.
type listener struct {
	session *sdk.ClientSession
	told    chan string
}

func (h *fixture) listen(profile string, uris ...string) *listener {
	h.t.Helper()
	l := &listener{told: make(chan string, 100)}
	l.session = h.pipeOf(profile, "2025-11-25", &sdk.ClientOptions{
		ResourceUpdatedHandler:     func(_ context.Context, r *sdk.ResourceUpdatedNotificationRequest) { l.told <- r.Params.URI },
		ResourceListChangedHandler: func(context.Context, *sdk.ResourceListChangedRequest) { l.told <- "list" },
	})
	for _, uri := range uris {
		must(h.t, "subscribing to "+uri, l.session.Subscribe(h.t.Context(), &sdk.SubscribeParams{URI: uri}))
	}
	return l
}

// until returns everything told up to the one that ends with last.
func (l *listener) until(t *testing.T, last string) (all []string) {
	t.Helper()
	for {
		select {
		case uri := <-l.told:
			all = append(all, uri)
			if strings.HasSuffix(uri, last) {
				return all
			}
		case <-time.After(time.Minute):
			t.Fatalf("told of %v, waiting for %s", all, last)
		}
	}
}

func TestNobodyIsToldOfWhatIsHidden(t *testing.T) {
	h := newFixture(t, plan{})
	put := func(id string, known ...string) {
		t.Helper()
		_, err := h.world.Put(t.Context(), memory.Entity{ID: id, Type: "item", Name: id, Description: time.Now().String(), Visible: known}, "test")
		must(t, "putting "+id, err)
	}
	put("lamp")
	put("bell")
	put("knife", "bart")
	player := h.listen("player.full", "glyphoxa://entities", "glyphoxa://entities/lamp", "glyphoxa://entities/bell", "glyphoxa://scene")
	dm := h.listen("dm", "glyphoxa://entities/knife", "glyphoxa://scene")
	put("knife", "bart")  // changes, unseen
	put("letter", "bart") // comes, unseen
	put("lamp")
	put("rope")
	_, err := h.world.SetScene(t.Context(), "Thunder.", "test")
	must(t, "setting the scene", err)
	put("bell") // the last change, of which the scene is told last
	seen := append(player.until(t, "/entities/bell"), player.until(t, "/scene")...)
	if !slices.Contains(seen, "list") {
		player.until(t, "list")
	}
	for _, uri := range seen {
		if strings.Contains(uri, "knife") || strings.Contains(uri, "letter") {
			t.Errorf("the player is told of %s", uri)
		}
	}
	if !slices.Contains(seen, "glyphoxa://entities/lamp") {
		t.Errorf("the player is told of %v, want the lamp among it", seen)
	}
	if told := dm.until(t, "/scene"); !slices.Contains(told, "glyphoxa://entities/knife") {
		t.Errorf("the DM is told of %v, want the knife among it", told)
	}
	dm.until(t, "list")
	put("coin", "bart") // changes the DM's list alone
	dm.until(t, "list")
	_, err = h.world.SetScene(t.Context(), "Silence.", "test")
	must(t, "setting the scene", err)
	if seen := player.until(t, "/scene"); slices.Contains(seen, "glyphoxa://entities") {
		t.Errorf("the player is told of %v for what it cannot see", seen)
	}
}

// TestEachSubscriptionEndsForItself has a client of the newest revision, in
// which every subscription is a request of its own, end one of two.
func TestEachSubscriptionEndsForItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newFixture(t, plan{})
		put := func(id, text string) {
			t.Helper()
			_, err := h.world.Put(t.Context(), memory.Entity{ID: id, Type: "item", Name: id, Description: text}, "test")
			must(t, "putting "+id, err)
		}
		put("lamp", "new")
		put("bell", "new")
		var told []string // by one message after the other
		s := h.pipe("player.full", &sdk.ClientOptions{
			ResourceUpdatedHandler: func(_ context.Context, r *sdk.ResourceUpdatedNotificationRequest) { told = append(told, r.Params.URI) },
		})
		for _, id := range []string{"lamp", "bell"} {
			must(t, "subscribing", s.Subscribe(t.Context(), &sdk.SubscribeParams{URI: "glyphoxa://entities/" + id}))
		}
		synctest.Wait()
		must(t, "unsubscribing", s.Unsubscribe(t.Context(), &sdk.UnsubscribeParams{URI: "glyphoxa://entities/lamp"}))
		synctest.Wait()
		put("lamp", "old")
		put("bell", "old")
		synctest.Wait()
		if !slices.Equal(told, []string{"glyphoxa://entities/bell"}) {
			t.Errorf("told of %q, want the bell alone", told)
		}
	})
}

func TestSessionsAreAnnounced(t *testing.T) {
	h := newFixture(t, plan{})
	l := h.listen("dm", "glyphoxa://sessions")
	h.server.SessionChanged(t.Context(), "s1")
	l.until(t, "glyphoxa://sessions")
}

func TestEveryMethodPassesTheGate(t *testing.T) {
	h := newFixture(t, plan{})
	s := h.pipeOf("dm", "2025-11-25", nil)
	ask := []func() error{
		func() error { _, err := s.ListResources(t.Context(), nil); return err },
		func() error {
			_, err := s.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "glyphoxa://scene"})
			return err
		},
		func() error { return s.Subscribe(t.Context(), &sdk.SubscribeParams{URI: "glyphoxa://scene"}) },
		func() error {
			_, err := s.Complete(t.Context(), &sdk.CompleteParams{
				Ref: &sdk.CompleteReference{Type: "ref/resource", URI: "glyphoxa://entities/{id}"}, Argument: sdk.CompleteParamsArgument{Name: "id", Value: "l"},
			})
			return err
		},
	}
	for _, do := range ask {
		must(t, "asking", do())
	}
	records, _, err := h.audit.Query(t.Context(), access.LogQuery{})
	must(t, "reading the audit log", err)
	var tools []string
	for _, r := range records {
		tools = append(tools, r.Tool)
	}
	slices.Reverse(tools)
	want := []string{"resources/list", "resources/read", "resources/subscribe", "completion/complete"}
	if !slices.Equal(tools, want) {
		t.Errorf("recorded %v, want %v", tools, want)
	}
}

func TestBrokenFilesAreTheOperatorsBusiness(t *testing.T) {
	h := newFixture(t, plan{options: func(o *mcpserver.Options) {
		o.Refresh = func(context.Context) error { return errors.New("/secret/crypt.yaml:5: in \"hidden_bell\"") }
	}})
	s := h.pipe("system.readonly", nil)
	res, err := call(t, s, "search_tools", map[string]any{"refresh": true})
	must(t, "searching", err)
	raw, err := json.Marshal(res)
	must(t, "encoding", err)
	if !res.IsError || strings.Contains(string(raw), "crypt") || !strings.Contains(firstText(res), "glyphoxa check") {
		t.Errorf("answer = %s, want that files are broken, not which", raw)
	}
}
