package discord

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bwmarrin/discordgo"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/table"
)

// shelf is a table that a board watches.
type shelf struct {
	mu     sync.Mutex // guards status
	status []table.Status
}

func (s *shelf) set(all ...table.Status) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.status = all
}

func (s *shelf) Status(context.Context) ([]table.Status, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.status, nil
}

func (s *shelf) Stages(context.Context) ([]table.Stages, error) { return nil, nil }

// nowhere is a sink that keeps nothing.
type nowhere struct{}

func (nowhere) Emit(table.Event) {}

// shown is what a board posted or changed, and when.
type shown struct {
	after  time.Duration
	method string
	text   string
}

func TestBoard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		var mu sync.Mutex
		var all []shown
		s, err := discordgo.New("Bot token")
		if err != nil {
			t.Fatal(err)
		}
		s.Client = &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
			raw, err := io.ReadAll(r.Body)
			if err != nil {
				return nil, err
			}
			mu.Lock()
			defer mu.Unlock()
			all = append(all, shown{time.Since(start), r.Method, string(raw)})
			return reply(http.StatusOK, `{"id":"99"}`), nil
		})}
		tavern := &shelf{}
		tavern.set(table.Status{Name: "Bartok", Ceiling: mcp.BudgetFast, Directive: "lie about the key"})
		d := &board{api: &api{session: s}, channel: "1", next: nowhere{}, name: "The Flagon", table: tavern}
		ctx, cancel := context.WithCancel(t.Context())
		var run sync.WaitGroup
		run.Go(func() {
			if err := d.run(ctx); err != nil {
				t.Error(err)
			}
		})
		time.Sleep(30 * time.Second) // nothing happens
		d.Emit(&table.TurnEnded{Outcome: table.OutcomeDelivered, Ledger: table.Ledger{Budget: "met"}})
		d.Emit(&table.TurnEnded{Outcome: table.OutcomeNoTarget})
		d.Emit(&table.Notice{Level: "warning", Text: "the model is slow"})
		time.Sleep(2 * time.Second)
		tavern.set(table.Status{Name: "Bartok", Ceiling: mcp.BudgetDeep, Muted: true})
		time.Sleep(20 * time.Second)
		cancel()
		run.Wait()
		want := []struct {
			after  time.Duration
			method string
			words  string
		}{
			{time.Second, http.MethodPost, "Bartok: up to fast"},
			{31 * time.Second, http.MethodPatch, "1 in time, 0 too late or failed"},
			{41 * time.Second, http.MethodPatch, "Bartok: up to deep, silent"},
			{52 * time.Second, http.MethodPatch, "The session has ended."},
		}
		if len(all) != len(want) {
			t.Fatalf("the board was shown %d times, want %d: %+v", len(all), len(want), all)
		}
		for i, w := range want {
			got := all[i]
			if got.after != w.after || got.method != w.method || !strings.Contains(got.text, w.words) || !json.Valid([]byte(got.text)) {
				t.Errorf("shown %+v, want %+v", got, w)
			}
			if strings.Contains(got.text, "lie about") {
				t.Errorf("the board tells what only the DM knows: %s", got.text)
			}
		}
	})
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
