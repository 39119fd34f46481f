package web_test

import (
	"bufio"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/mcp/access"
	"github.com/MrWong99/glyphoxa/internal/table"
	"github.com/MrWong99/glyphoxa/internal/web"
)

// stream opens a page's stream of events and reads its first line. The scanner returns further
// lines until the stream ends; leave closes it.
func (p *page) stream(server string) (lines *bufio.Scanner, leave func()) {
	p.f.t.Helper()
	req, err := http.NewRequestWithContext(p.f.t.Context(), http.MethodGet, server+"/console/events?room=home", nil)
	if err != nil {
		p.f.t.Fatal(err)
	}
	if p.cookie != nil {
		req.AddCookie(p.cookie)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		p.f.t.Fatal(err)
	}
	lines = bufio.NewScanner(res.Body)
	if !lines.Scan() || !strings.HasPrefix(lines.Text(), ": events") {
		p.f.t.Fatalf("a stream begins with %q", lines.Text())
	}
	return lines, func() { _ = res.Body.Close() } // it may have ended
}

// restOf reads a stream to its end.
func restOf(lines *bufio.Scanner) string {
	var all strings.Builder
	for lines.Scan() {
		all.WriteString(lines.Text() + "\n")
	}
	return all.String()
}

// addSecret and addLine add an event for the DM only, and for everyone.
func (f *fixture) addSecret() {
	f.feed.Add(web.HomeRoom, &table.Guarded{Header: table.Header{Kind: table.KindGuarded, Turn: 1}, NPC: "Bartok", Reason: "secret"})
}

func (f *fixture) addLine(text string) {
	f.feed.Add(web.HomeRoom, &table.Heard{Header: table.Header{Kind: table.KindUtterance, Turn: 1}, Speaker: "Ana", Text: text})
}

// TestSigningOutEndsStreams: a visitor who signs out during a stream gets no later events.
func TestSigningOutEndsStreams(t *testing.T) {
	f := consoleOpen(t)
	p := f.visit("lead")
	lines, leave := p.stream(f.server.URL)
	defer leave()
	if status, _ := p.ask("POST", "/console/signout", `{}`); status != http.StatusNoContent {
		t.Fatalf("signing out = %d", status)
	}
	f.addSecret()
	f.addLine("later")
	if got := restOf(lines); strings.Contains(got, "secret") || strings.Contains(got, "later") {
		t.Errorf("who has signed out is sent %s", got)
	}
}

// oneVisitor identifies every request as the same visitor, until that changes.
type oneVisitor struct {
	now atomic.Pointer[access.Subject]
}

func (v *oneVisitor) Admit(*http.Request) (*access.Subject, access.Term, error) {
	s := v.now.Load()
	if s == nil {
		return nil, access.Term{}, errors.New("the token has expired")
	}
	one := *s
	return &one, access.Term{}, nil
}

func (*oneVisitor) Address(r *http.Request) string { return r.RemoteAddr }

// TestAnotherProfileEndsStreams lowers a visitor's rights, or removes the visitor, during a
// stream of a busy table: the stream ends, and the next one has only events the visitor may see
// now.
func TestAnotherProfileEndsStreams(t *testing.T) {
	f := consoleOpen(t)
	profile := func(name string) *access.Subject {
		p, ok := f.game.Registry.Governance.Policy.Profile(name)
		if !ok {
			t.Fatalf("there is no profile %s", name)
		}
		return &access.Subject{Name: "ana", Profile: p}
	}
	for name, next := range map[string]*access.Subject{"lowered": profile("player.full"), "expired": nil} {
		t.Run(name, func(t *testing.T) {
			who := &oneVisitor{}
			who.now.Store(profile("dm"))
			server := httptest.NewServer(f.console.Handler(who))
			defer server.Close()
			lines, leave := (&page{f: f}).stream(server.URL)
			defer leave()
			who.now.Store(next)
			busy, over := make(chan struct{}), make(chan struct{})
			go func() {
				defer close(busy)
				tick := time.NewTicker(time.Millisecond)
				defer tick.Stop()
				for {
					select {
					case <-over:
						return
					case <-tick.C:
						f.addLine("a busy table")
					}
				}
			}()
			_ = restOf(lines) // it ends although there are always more events
			close(over)
			<-busy
			f.addSecret()
			f.addLine("the last")
			if next == nil {
				return
			}
			lines, leaveAgain := (&page{f: f}).stream(server.URL)
			defer leaveAgain()
			for lines.Scan() && !strings.Contains(lines.Text(), "the last") {
				if strings.Contains(lines.Text(), `"guarded"`) {
					t.Errorf("who is the DM no more is sent %s", lines.Text())
				}
			}
		})
	}
}

// TestForgedLastEventIDs resumes after events that never existed: the visitor gets a new stream
// with permitted events only.
func TestForgedLastEventIDs(t *testing.T) {
	f := consoleOpen(t)
	f.addSecret()
	f.addLine("between")
	f.addSecret()
	f.addLine("the last")
	p := f.visit("")
	for _, id := range []string{"-1", "0x2", "1;drop", "18446744073709551615", "99999999999999999999999", "5", strings.Repeat("7", 4000)} {
		p.after = id
		got := p.follow("the last")
		if strings.Count(got, `"kind":"utterance"`) != 2 || strings.Contains(got, "guarded") || strings.Contains(got, "event: gap") {
			t.Errorf("after %.30s: %s", id, got)
		}
	}
}

// TestOversizedOrders sends bodies that are too large or no orders.
func TestOversizedOrders(t *testing.T) {
	f := consoleOpen(t)
	p := f.visit("lead")
	rows := map[string]string{
		"too_long":  `{"order":"mute","npc":"` + strings.Repeat("x", 70<<10) + `"}`,
		"too_deep":  `{"order":` + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + `}`,
		"unknown":   `{"order":"mute","npc":"Bartok","as":"root"}`,
		"no_json":   `mute Bartok`,
		"wrong":     `{"order":7}`,
		"no_number": `{"order":"raise","npc":"Bartok","tier":"deep","minutes":1e99}`,
	}
	for name, body := range rows {
		if status, text := p.ask("POST", "/console/order?room=home", body); status != http.StatusBadRequest || len(text) > 500 {
			t.Errorf("%s = %d, want 400 and a sentence: %.300s", name, status, text)
		}
	}
	status, err := f.session.Table.Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if status[0].Muted || status[0].Lease != nil {
		t.Errorf("afterwards %s is %+v", status[0].Name, status[0])
	}
}

// TestAClosedStreamMakesRoom opens as many streams as one visitor may have and closes one.
func TestAClosedStreamMakesRoom(t *testing.T) {
	f := consoleOpen(t)
	var open []*http.Response
	for {
		res, err := http.Get(f.server.URL + "/console/events?room=home")
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		if res.StatusCode == http.StatusTooManyRequests {
			break
		}
		open = append(open, res)
	}
	if len(open) != 8 {
		t.Fatalf("%d streams were opened, want 8", len(open))
	}
	if err := open[3].Body.Close(); err != nil {
		t.Fatal(err)
	}
	for { // the server notices later
		res, err := http.Get(f.server.URL + "/console/events?room=home")
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		if res.StatusCode == http.StatusOK {
			return
		}
	}
}
