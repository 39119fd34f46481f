package discord

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bwmarrin/discordgo"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/table"
)

// notebook is a Discord that records each post and its time.
type notebook struct {
	start time.Time
	// answer returns the response to a request. Nil means status 200.
	answer func(r *http.Request) *http.Response

	mu    sync.Mutex // guards the fields below
	notes []string
}

// RoundTrip implements http.RoundTripper.
func (n *notebook) RoundTrip(r *http.Request) (*http.Response, error) {
	if n.answer != nil {
		if a := n.answer(r); a != nil {
			return a, nil
		}
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	var body struct{ Username, Content string }
	if r.Body != nil {
		raw, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		if len(raw) > 0 {
			if err := json.Unmarshal(raw, &body); err != nil {
				return nil, err
			}
		}
	}
	what := body.Username + ": " + body.Content
	switch {
	case strings.HasSuffix(r.URL.Path, "/typing"):
		what = "typing"
	case body.Username == "":
		what = body.Content
	}
	n.notes = append(n.notes, fmt.Sprintf("%v %s", time.Since(n.start).Round(time.Millisecond), what))
	return reply(http.StatusOK, `{}`), nil
}

func reply(status int, body string) *http.Response {
	return &http.Response{StatusCode: status, Status: http.StatusText(status), Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body))}
}

func (n *notebook) all() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(n.notes)
}

// newRunningSender returns a sender that posts to n, and a function that stops it.
func newRunningSender(t *testing.T, n *notebook) (*sender, func()) {
	t.Helper()
	s, err := discordgo.New("Bot token")
	if err != nil {
		t.Fatal(err)
	}
	s.LogLevel, s.Client, n.start = -1, &http.Client{Transport: n}, time.Now()
	m := newSender(NewRestClient(s), slog.New(slog.DiscardHandler), "1", "", English)
	m.shared.webhook = &discordgo.Webhook{ID: "7", Token: "secret"}
	m.setAvatars([]config.NPC{{Name: "Bartok"}, {Name: "Mira"}})
	ctx, cancel := context.WithCancel(t.Context())
	var run sync.WaitGroup
	run.Go(func() { m.run(ctx) })
	return m, func() { m.sendRest(); cancel(); run.Wait() }
}

func header(turn int64) table.Header { return table.Header{Turn: turn} }

func TestSender(t *testing.T) {
	sentence := func(turn int64, npc, text string) table.Event {
		return &table.Sentence{Header: header(turn), NPC: npc, Text: text}
	}
	begin := func(turn int64) table.Event { return &table.TurnStarted{Header: header(turn)} }
	end := func(turn int64) table.Event { return &table.TurnEnded{Header: header(turn)} }
	type step struct {
		after time.Duration
		event table.Event
	}
	tests := []struct {
		name  string
		steps []step
		want  []string
	}{
		{
			name:  "a_quick_answer_is_one_message",
			steps: []step{{0, begin(1)}, {50 * time.Millisecond, sentence(1, "Bartok", "One.")}, {50 * time.Millisecond, sentence(1, "Bartok", "Two.")}, {10 * time.Millisecond, end(1)}},
			want:  []string{"110ms Bartok: One. Two."},
		},
		{
			name:  "a_slow_answer_comes_in_pieces_while_the_bot_types",
			steps: []step{{0, begin(1)}, {300 * time.Millisecond, sentence(1, "Bartok", "One.")}, {2 * time.Second, sentence(1, "Bartok", "Two.")}, {0, end(1)}},
			want:  []string{"200ms typing", "450ms Bartok: One.", "2.3s Bartok: Two."},
		},
		{
			name: "what_follows_is_gathered",
			steps: []step{
				{0, begin(1)}, {100 * time.Millisecond, sentence(1, "Bartok", "One.")},
				{300 * time.Millisecond, sentence(1, "Bartok", "Two.")}, {500 * time.Millisecond, sentence(1, "Bartok", "Three.")},
				{500 * time.Millisecond, sentence(1, "Bartok", "Four.")}, {0, end(1)},
			},
			want: []string{"200ms typing", "250ms Bartok: One.", "1.2s Bartok: Two. Three.", "1.4s Bartok: Four."},
		},
		{
			name:  "typing_is_repeated",
			steps: []step{{0, begin(1)}, {9 * time.Second, sentence(1, "Mira", "Well.")}, {0, end(1)}},
			want:  []string{"200ms typing", "8.2s typing", "9s Mira: Well."},
		},
		{
			name:  "two_npcs_are_two_messages",
			steps: []step{{0, begin(1)}, {0, begin(2)}, {0, sentence(1, "Bartok", "One.")}, {0, sentence(2, "Mira", "Two.")}, {0, end(1)}, {0, end(2)}},
			want:  []string{"0s Bartok: One.", "0s Mira: Two."},
		},
		{
			name: "what_went_wrong_is_told_and_not_why",
			steps: []step{
				{0, &table.Notice{Header: table.Header{Turn: 1}, Level: "error", Text: "the model\nis away: 503"}}, {0, &table.Notice{Level: "warning", Text: "cost.soft_cap"}},
				{0, &table.TurnEnded{Header: table.Header{Turn: 1}, NPC: "Bart_ok", Outcome: table.OutcomeFailed}}, {0, &table.Cost{Level: "lines"}},
			},
			want: []string{`0s -# ⚠ Bart\_ok could not answer. Say it again; if that does not help, the reason is in the bot's log.`, "0s -# ⚠ To save money, the NPCs only use prepared lines from now on."},
		},
		{
			name:  "an_end_without_words_posts_nothing",
			steps: []step{{0, begin(1)}, {100 * time.Millisecond, end(1)}, {time.Second, end(2)}},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := &notebook{}
				m, stop := newRunningSender(t, n)
				for _, s := range test.steps {
					time.Sleep(s.after)
					synctest.Wait()
					m.Emit(s.event)
				}
				synctest.Wait()
				stop()
				if got := n.all(); !slices.Equal(got, test.want) {
					t.Errorf("posted %q, want %q", got, test.want)
				}
			})
		})
	}
}

func TestSenderSaysLastWordsAtTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := &notebook{}
		m, stop := newRunningSender(t, n)
		m.Emit(&table.Sentence{Header: header(1), NPC: "Bartok", Text: strings.Repeat("Word after word. ", 200)})
		m.postNotice("end", "The session has ended.")
		stop()
		got := n.all()
		if len(got) != 3 || !strings.Contains(got[2], "The session has ended.") {
			t.Fatalf("posted %d messages, want a long line in two and the end: %q", len(got), got)
		}
		for _, g := range got[:2] {
			if len(g) > maxMessage+len("0s Bartok: ") || !strings.HasSuffix(g, "word.") && !strings.HasSuffix(g, ". ") {
				t.Errorf("a message of %d characters ends in %q", len(g), g[len(g)-10:])
			}
		}
		m.Emit(&table.Sentence{Header: header(2), NPC: "Bartok", Text: "Too late."}) // does not block
	})
}

func TestSenderWaitsWhenAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		refusals := 2
		n := &notebook{answer: func(*http.Request) *http.Response {
			if refusals--; refusals >= 0 {
				return reply(http.StatusTooManyRequests, `{"message":"slow down","retry_after":1.5,"global":false}`)
			}
			return nil
		}}
		m, stop := newRunningSender(t, n)
		m.Emit(&table.Sentence{Header: header(1), NPC: "Bartok", Text: "One."})
		m.Emit(&table.TurnEnded{Header: header(1)})
		time.Sleep(10 * time.Second)
		synctest.Wait()
		stop()
		if got, want := n.all(), []string{"3.1s Bartok: One."}; !slices.Equal(got, want) {
			t.Errorf("posted %q, want %q", got, want)
		}
	})
}

func TestSenderGivesUpWhereItMayNotWrite(t *testing.T) {
	for _, row := range []struct {
		name   string
		status int
		body   string
		want   string
	}{
		{"hidden", http.StatusForbidden, `{"code":50001,"message":"Missing Access"}`, "Missing Access (50001)"},
		{"archived and locked", http.StatusBadRequest, `{"code":50083,"message":"Thread is archived"}`, "the thread of a session is locked"},
		{"locked", http.StatusForbidden, `{"code":160005,"message":"This thread is locked"}`, "the thread of a session is locked"},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := &notebook{answer: func(*http.Request) *http.Response { return reply(row.status, row.body) }}
				m, stop := newRunningSender(t, n)
				var why []string
				m.hooks.channelLost = func(w string) { why = append(why, w) }
				for turn := range int64(3) {
					m.Emit(&table.Sentence{Header: header(turn), NPC: "Bartok", Text: "One."})
					m.Emit(&table.TurnEnded{Header: header(turn)})
				}
				synctest.Wait()
				stop()
				if len(why) != 1 || !strings.Contains(why[0], row.want) || strings.Contains(why[0], "secret") {
					t.Errorf("told %q, want once what is missing", why)
				}
			})
		})
	}
}

// TestSenderKeepsWhatWasHeard: of the lines that the sender gave up it keeps those that were
// audible when they were spoken, whatever is audible later.
func TestSenderKeepsWhatWasHeard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var refuses, aloud atomic.Bool
		refuses.Store(true)
		n := &notebook{answer: func(r *http.Request) *http.Response {
			if refuses.Load() && strings.Contains(r.URL.Path, "/webhooks/") {
				return reply(http.StatusBadRequest, `{"code":50035,"message":"Invalid Form Body"}`)
			}
			return nil
		}}
		m, stop := newRunningSender(t, n)
		aloud.Store(true)
		var unread []table.Unread
		m.hooks.audible = aloud.Load
		m.hooks.unread = func(u table.Unread) { unread = append(unread, u) }
		m.Emit(&table.Sentence{Header: header(1), NPC: "Bartok", Text: "Heard."})
		aloud.Store(false) // before the first attempt
		m.Emit(&table.Sentence{Header: header(1), NPC: "Bartok", Text: "Not heard."})
		m.Emit(&table.TurnEnded{Header: header(1)})
		time.Sleep(time.Second)
		synctest.Wait()
		aloud.Store(true)
		refuses.Store(false)
		time.Sleep(time.Minute)
		stop()
		if want := []table.Unread{{Turn: 1, Text: "Not heard."}}; !slices.Equal(unread, want) {
			t.Errorf("taken back is %+v, want %+v", unread, want)
		}
		told := strings.Join(n.all(), " ")
		if !strings.Contains(told, "message from Bartok was lost") || !strings.Contains(told, "Bartok said aloud is missing") {
			t.Errorf("posted %q, want what became of both lines", told)
		}
	})
}
