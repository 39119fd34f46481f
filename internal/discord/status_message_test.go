package discord

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bwmarrin/discordgo"

	"github.com/MrWong99/glyphoxa/internal/agent"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/table"
)

// fakeTable is a table that a status message watches.
type fakeTable struct {
	mu     sync.Mutex // guards the fields below
	status []table.Status
}

func (s *fakeTable) set(all ...table.Status) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.status = all
}

func (s *fakeTable) Status(context.Context) ([]table.Status, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.status, nil
}

// next receives the events that a status message passes on.
type next struct {
	events []table.Event
	told   []string
}

func (n *next) Emit(e table.Event)        { n.events = append(n.events, e) }
func (n *next) postNotice(_, text string) { n.told = append(n.told, text) }
func ended(o table.Outcome, budget, stage string) *table.TurnEnded {
	return &table.TurnEnded{Outcome: o, Ledger: table.Ledger{Budget: budget, BreachStage: stage}}
}

// fakeChannel is a Discord channel with a status message.
type fakeChannel struct {
	t       *testing.T
	start   time.Time
	status  *statusMessage
	session *discordgo.Session
	table   *fakeTable
	next    *next
	// answer returns Discord's response to a request. Nil means status 200 and a message.
	answer func(method string, n int) *http.Response
	// slow is Discord's delay before each response.
	slow time.Duration

	mu  sync.Mutex // guards the field below
	all []shown
}

// shown is one post or edit of a status message, and its time.
type shown struct {
	after  time.Duration
	method string
	embed  *discordgo.MessageEmbed
	raw    string
}

func newFakeChannel(t *testing.T) *fakeChannel {
	w := &fakeChannel{t: t, start: time.Now(), table: &fakeTable{}, next: &next{}}
	s, err := discordgo.New("Bot token")
	if err != nil {
		t.Fatal(err)
	}
	s.Client = &http.Client{Transport: roundTrip(w.request)}
	w.session = s
	w.status = newStatusMessage(NewRestClient(s), "1", English, w.next)
	w.status.name, w.status.table = "The Flagon", w.table
	return w
}

func (w *fakeChannel) request(r *http.Request) (*http.Response, error) {
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	var m struct{ Embeds []*discordgo.MessageEmbed }
	if err := json.Unmarshal(raw, &m); err != nil || len(m.Embeds) != 1 {
		w.t.Errorf("%s %s is no message with an embed: %v", r.Method, raw, err)
		return reply(http.StatusOK, `{"id":"99"}`), nil
	}
	if !WaitFor(r.Context(), w.slow) {
		return nil, r.Context().Err()
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.all = append(w.all, shown{time.Since(w.start), r.Method, m.Embeds[0], string(raw)})
	if w.answer != nil {
		if a := w.answer(r.Method, len(w.all)); a != nil {
			return a, nil
		}
	}
	return reply(http.StatusOK, `{"id":"99"}`), nil
}

// run keeps the message up to date while do runs, and returns the result of run.
func (w *fakeChannel) run(do func()) error {
	ctx, cancel := context.WithCancel(w.t.Context())
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- w.status.run(ctx) }()
	do()
	synctest.Wait()
	cancel()
	return <-done
}

// want checks the posts and edits: their times, kinds and words.
func (w *fakeChannel) want(want ...string) {
	w.t.Helper()
	var got []string
	for i, s := range w.all {
		got = append(got, fmt.Sprintf("%v %s", s.after, s.method))
		if i < len(want) {
			parts := strings.SplitN(want[i], ": ", 2)
			if got[i] != parts[0] || !strings.Contains(readOut(s.embed), parts[1]) {
				w.t.Errorf("shown %s: %s\nwant %s", got[i], readOut(s.embed), want[i])
			}
		}
	}
	if len(got) != len(want) {
		w.t.Errorf("shown %q, want %d times", got, len(want))
	}
	for i := 1; i < len(w.all); i++ {
		if d := w.all[i].after - w.all[i-1].after; d < statusEvery && w.all[i].embed.Description == "" && w.all[i].method == http.MethodPatch {
			w.t.Errorf("shown again after %v", d)
		}
	}
}

// readOut returns the text of an embed.
func readOut(e *discordgo.MessageEmbed) string {
	out := []string{e.Title, e.Description}
	for _, f := range e.Fields {
		out = append(out, f.Name, f.Value)
	}
	return strings.Join(out, "\n")
}

func gone() *http.Response {
	return reply(http.StatusNotFound, `{"code":10008,"message":"Unknown Message"}`)
}

func TestStatusMessageChangesRarelyAndOnlyIfThereIsNews(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newFakeChannel(t)
		w.table.set(table.Status{Name: "Bartok", Tier: mcp.BudgetFast, Directive: "lie about the key"})
		err := w.run(func() {
			time.Sleep(30 * time.Second) // no event
			w.status.Emit(ended(table.OutcomeDelivered, "met", ""))
			w.status.Emit(ended(table.OutcomeNoTarget, "met", ""))
			w.status.Emit(&table.Notice{Level: "warning", Text: "the model is slow"})
			time.Sleep(2 * time.Second)
			w.status.Emit(ended(table.OutcomeFailed, "breached", "llm"))
			time.Sleep(21 * time.Second) // at 53 s
			w.status.Emit(&table.Notice{Level: "info", Text: "of no interest"})
			w.status.Emit(ended(table.OutcomeMuted, "met", ""))
			w.table.set(table.Status{Name: "Bartok", Tier: mcp.BudgetFast, Muted: true}) // without an event
			time.Sleep(20 * time.Second)
		})
		if err != nil {
			t.Error(err)
		}
		w.want(
			"1s POST: At the table\nBartok",
			w.mutedAt(53*time.Second)+" PATCH: Bartok (silent)",
			"1m13s PATCH: The session has ended.",
		)
		for _, s := range w.all {
			if strings.Contains(s.raw, "lie about") || strings.Contains(s.raw, "of no interest") || strings.Contains(s.raw, "the model is slow") {
				t.Errorf("the status message tells what only the DM knows, or nobody needs: %s", s.raw)
			}
			if !strings.Contains(s.raw, `"allowed_mentions":{"parse":[]`) {
				t.Errorf("the status message may call somebody: %s", s.raw)
			}
		}
		if len(w.next.events) != 6 {
			t.Errorf("%d events were passed on, want 6", len(w.next.events))
		}
	})
}

// mutedAt returns when the message showed a change at a given time that had no event: at most
// one polling interval and one delay later.
func (w *fakeChannel) mutedAt(at time.Duration) string {
	for _, s := range w.all {
		if s.after > at && s.after <= at+statusEvery+statusDelay {
			return s.after.String()
		}
	}
	return "never"
}

func TestStatusMessageShowsTiersAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newFakeChannel(t)
		until := time.Now().Add(5 * time.Minute)
		bartok := table.Status{Name: "Bartok", Tier: mcp.BudgetFast}
		w.table.set(bartok, table.Status{Name: "Mi_ra", Tier: mcp.BudgetDeep, Ceiling: mcp.BudgetFast})
		if err := w.run(func() {
			time.Sleep(60 * time.Second)
			raised := bartok
			raised.Ceiling, raised.Lease = mcp.BudgetDeep, &agent.Lease{Tier: mcp.BudgetDeep, Until: until, Turns: 3}
			w.table.set(raised)
			w.status.Emit(&table.Tier{NPC: "Bartok", Change: table.TierRaised})
			time.Sleep(3 * time.Second)
			raised.Lease = &agent.Lease{Tier: mcp.BudgetDeep, Until: until, Turns: 1}
			w.table.set(raised)
			w.status.Emit(ended(table.OutcomeDelivered, "met", ""))
			time.Sleep(10 * time.Second)
			w.table.set(bartok)
			w.status.Emit(&table.Tier{NPC: "Bartok", Change: table.TierExpired})
			time.Sleep(10 * time.Second)
		}); err != nil {
			t.Error(err)
		}
		stamp := fmt.Sprintf("<t:%d:t>", until.Unix())
		w.want(
			"1s POST: Bartok\nMi\\_ra: quick (fast) at most",
			"1m1s PATCH: Bartok: thoughtful (deep) until "+stamp+", for at most 3 answers",
			"1m11s PATCH: Bartok: thoughtful (deep) until "+stamp+", for at most one answer",
			"1m21s PATCH: At the table\nBartok",
			"1m23s PATCH: The session has ended.",
		)
	})
}

func TestStatusMessageIsInTheTablesLanguage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newFakeChannel(t)
		w.status.lang = German
		w.table.set(table.Status{Name: "Bartok", Muted: true}, table.Status{Name: "Mira", Tier: mcp.BudgetDeep, Ceiling: mcp.BudgetStandard})
		if err := w.run(func() { time.Sleep(2 * time.Second) }); err != nil {
			t.Error(err)
		}
		w.want("1s POST: Am Tisch\nBartok (schweigt)\nMira: höchstens sorgfältig (standard)", "2s PATCH: Die Sitzung ist zu Ende.")
	})
}

// TestDMsAreToldOfTroubles checks the list of the last three troubles that a DM can ask for.
func TestDMsAreToldOfTroubles(t *testing.T) {
	d := &statusMessage{}
	at := time.Unix(1_700_000_000, 0)
	note := func(level, text string) {
		n := &table.Notice{Header: table.Header{Time: at}, Level: level, Text: text}
		d.recordEvent(n)
		at = at.Add(time.Minute)
	}
	note("error", "Bartok could not answer")
	note("warning", "the first")
	note("warning", "the *second*\nline")
	note("error", "Bartok could not answer")
	note("warning", strings.Repeat("long ", 1000))
	lines := d.countLines(English)
	want := []string{`⚠ <t:1700000120:t> the \*second\* line (once)`, "⚠ <t:1700000180:t> Bartok could not answer (2 times)", "⚠ <t:1700000240:t> long long"}
	if len(lines) != len(want) {
		t.Fatalf("lines %q, want the last three", lines)
	}
	for i := range want {
		if !strings.HasPrefix(lines[i], want[i]) {
			t.Errorf("line %q, want %q", lines[i], want[i])
		}
	}
}

func TestStatusMessageCountsCauses(t *testing.T) {
	d := &statusMessage{}
	for stage, n := range map[string]int{"llm": 2, "tool": 3, "queue": 2} {
		for range n {
			d.recordEvent(ended(table.OutcomeDelivered, "breached", stage))
		}
	}
	for l, want := range map[Language]string{
		English: "0 answers on time, 7 late or not at all (tools: 3, model: 2, waiting: 2)",
		German:  "0 Antworten rechtzeitig, 7 zu spät oder gar nicht (Nachschlagen: 3, Modell: 2, Warten: 2)",
	} {
		if got := d.countLines(l)[0]; got != want {
			t.Errorf("the answers are counted as %q, want %q", got, want)
		}
	}
}

// TestStatusMessageStaysWithinBounds shows a table that exceeds the limits of an embed.
func TestStatusMessageStaysWithinBounds(t *testing.T) {
	d := &statusMessage{name: strings.Repeat("The Flagon ", 100), table: &fakeTable{}}
	var all []table.Status
	for range 200 {
		all = append(all, table.Status{Name: strings.Repeat("W", 500), Lease: &agent.Lease{Until: time.Now(), Turns: 9}, Muted: true})
	}
	d.table.(*fakeTable).set(all...)
	for i := range 10 {
		d.recordEvent(&table.Notice{Level: "error", Text: strings.Repeat(fmt.Sprint(i), 5000)})
		d.recordEvent(ended(table.OutcomeFailed, "breached", fmt.Sprint(i)))
	}
	e := d.buildEmbed(t.Context())
	total := len([]rune(e.Title))
	for _, f := range e.Fields {
		n := len([]rune(f.Value))
		if n == 0 || n > 1024 || f.Name == "" || len([]rune(f.Name)) > 256 {
			t.Errorf("field %q has %d characters", f.Name, n)
		}
		total += n + len([]rune(f.Name))
	}
	if len([]rune(e.Title)) > 256 || total > 6000 {
		t.Errorf("the title has %d characters, the embed %d", len([]rune(e.Title)), total)
	}
	lines := strings.Split(e.Fields[0].Value, "\n")
	if last := lines[len(lines)-1]; last != fmt.Sprintf("… and %d more", 200-len(lines)+1) {
		t.Errorf("the last line is %q of %d", last, len(lines))
	}
	if first := lines[0]; !strings.HasSuffix(first, "(silent)") {
		t.Errorf("the first line is cut: %q", first)
	}
	empty := &statusMessage{table: &fakeTable{}}
	if e := empty.buildEmbed(t.Context()); len(e.Fields) != 0 || e.Title != "The session" {
		t.Errorf("without anything to show the status message is %+v", e)
	}
}

// TestStatusMessageIsPostedAnewOnce checks that a deleted message is posted again once and then
// left alone.
func TestStatusMessageIsPostedAnewOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newFakeChannel(t)
		w.answer = func(method string, _ int) *http.Response {
			if method == http.MethodPatch {
				return gone()
			}
			return nil
		}
		err := w.run(func() {
			for n := range 20 {
				time.Sleep(15 * time.Second)
				w.table.set(table.Status{Name: "Bartok", Muted: n%2 == 0})
				w.status.Emit(ended(table.OutcomeDelivered, "met", ""))
			}
		})
		if err != nil {
			t.Errorf("run returned %v, which ends the session", err)
		}
		var got []string
		for _, s := range w.all {
			got = append(got, s.method)
		}
		if want := []string{"POST", "PATCH", "POST", "PATCH"}; !slices.Equal(got, want) {
			t.Errorf("requests %q, want %q: posted anew once, and then left alone", got, want)
		}
	})
}

// TestStatusMessageLeavesNothingBehind ends a session during the post of the message.
func TestStatusMessageLeavesNothingBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newFakeChannel(t)
		w.slow = 2 * time.Second
		w.table.set(table.Status{Name: "Bartok"})
		if err := w.run(func() { time.Sleep(2 * time.Second) }); err != nil {
			t.Error(err)
		}
		w.want("3s POST: Bartok", "5s PATCH: The session has ended.")
	})
	synctest.Test(t, func(t *testing.T) {
		w := newFakeChannel(t)
		w.slow = time.Hour
		w.table.set(table.Status{Name: "Bartok"})
		began := time.Now()
		if err := w.run(func() { time.Sleep(2 * time.Second) }); err != nil {
			t.Error(err)
		}
		if took := time.Since(began); took > 2*time.Second+closeTimeout {
			t.Errorf("the end took until %v", took)
		}
	})
}

// TestStatusMessageOutlivesTrouble checks that the message survives an outage and stops once
// its channel is gone or closed to it.
func TestStatusMessageOutlivesTrouble(t *testing.T) {
	for _, row := range []struct {
		name   string
		answer *http.Response
		ends   int // Discord's error code for the end; 0 is no error
		told   string
		shown  []string
	}{
		{"server error", reply(http.StatusBadGateway, ""), 0, "", []string{"1s POST: Bartok", "12s POST: Bartok", "40s PATCH: ended"}},
		{"channel deleted", reply(http.StatusNotFound, `{"code":10003,"message":"Unknown Channel"}`), discordgo.ErrCodeUnknownChannel, "", []string{"1s POST: Bartok"}},
		{"channel hidden", reply(http.StatusForbidden, `{"code":50001,"message":"Missing Access"}`), discordgo.ErrCodeMissingAccess, "", []string{"1s POST: Bartok"}},
		{"no embeds", reply(http.StatusForbidden, `{"code":50013,"message":"Missing Permissions"}`), 0, "Embed Links", []string{"1s POST: Bartok"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newFakeChannel(t)
				w.table.set(table.Status{Name: "Bartok"})
				w.session.MaxRestRetries = 0
				w.answer = func(_ string, n int) *http.Response {
					if n == 1 {
						return row.answer
					}
					return nil
				}
				err := w.run(func() { time.Sleep(40 * time.Second) })
				if ErrorCode(err) != row.ends || (err == nil) != (row.ends == 0) {
					t.Errorf("run returned %v, want code %d", err, row.ends)
				}
				if got := strings.Join(w.next.told, " "); row.told == "" && got != "" || !strings.Contains(got, row.told) {
					t.Errorf("people were told %q, want %q", got, row.told)
				}
				w.want(row.shown...)
			})
		})
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
