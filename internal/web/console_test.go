package web_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/mcp/access"
	"github.com/MrWong99/glyphoxa/internal/play"
	"github.com/MrWong99/glyphoxa/internal/table"
	"github.com/MrWong99/glyphoxa/internal/web"
)

// settings has one client per kind of visitor. Each token is the client's name.
const settings = `
campaign: {name: Foggy}
npcs:
  - {name: Bartok, tools: [roll], secret_knowledge: ["The cask is hollow."], lines: {smalltalk: ["Foggy."], unknown: ["No idea."]}}
server:
  clients:
    - {name: lead, token_hash: "%s", profile: dm}
    - {name: guest, token_hash: "%s", profile: player.limited}
    - {name: full, token_hash: "%s", profile: player.full}
`

// fixture is a running console with a session.
type fixture struct {
	t       *testing.T
	console *web.Console
	feed    *web.Feed
	game    *play.Game
	session *play.Session
	server  *httptest.Server
	keeper  *access.Gatekeeper
}

type discard struct{}

func (discard) Emit(table.Event) {}

func consoleOpen(t *testing.T) *fixture {
	t.Helper()
	return openWith(t, settings)
}

// openWith is open with a configuration like settings.
func openWith(t *testing.T, settings string) *fixture {
	t.Helper()
	return openFor(t, settings, nil)
}

// openFor is openWith for visitors with accounts.
func openFor(t *testing.T, settings string, accounts web.Accounts) *fixture {
	t.Helper()
	path := filepath.Join(t.TempDir(), "glyphoxa.yaml")
	text := fmt.Sprintf(settings, access.HashToken("lead"), access.HashToken("guest"), access.HashToken("full"))
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg, err := play.LoadConfig(path)
	if err != nil {
		t.Fatal(err)
	}
	f := &fixture{t: t, feed: web.NewFeed()}
	f.console = web.NewConsole(web.ConsoleOptions{Feed: f.feed, Version: "test", Accounts: accounts})
	f.game, err = play.Open(t.Context(), play.Options{Config: cfg, Onlooker: f.console.Onlook(web.HomeRoom)})
	if err != nil {
		t.Fatal(err)
	}
	f.console.Open(f.game)
	if f.session, err = f.game.StartSession(t.Context(), play.SessionOptions{Sink: discard{}}); err != nil {
		t.Fatal(err)
	}
	f.keeper, err = access.NewGatekeeper(t.Context(), cfg.Server, access.GatekeeperOptions{Profile: f.game.Registry.Governance.Policy.Profile})
	if err != nil {
		t.Fatal(err)
	}
	f.server = httptest.NewServer(f.console.Handler(f.keeper))
	t.Cleanup(func() {
		f.console.Close()
		f.server.Close()
		if err := f.session.Close(); err != nil {
			t.Error(err)
		}
		if err := f.game.Close(); err != nil {
			t.Error(err)
		}
	})
	return f
}

// page is a browser's page.
type page struct {
	f      *fixture
	cookie *http.Cookie
	crumb  string
	bearer string // a token sent instead of the cookie
	after  string // the last event it has, if any
}

// ask sends a request like the page and returns the status and the body.
func (p *page) ask(method, path, body string, header ...string) (int, string) {
	p.f.t.Helper()
	req, err := http.NewRequestWithContext(p.f.t.Context(), method, p.f.server.URL+path, strings.NewReader(body))
	if err != nil {
		p.f.t.Fatal(err)
	}
	req.Header.Set("X-Glyphoxa-Crumb", p.crumb)
	if p.cookie != nil {
		req.AddCookie(p.cookie)
	}
	if p.bearer != "" {
		req.Header.Set("Authorization", "Bearer "+p.bearer)
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		p.f.t.Fatal(err)
	}
	defer res.Body.Close()
	var out strings.Builder
	if _, err := bufio.NewReader(res.Body).WriteTo(&out); err != nil {
		p.f.t.Fatal(err)
	}
	for _, c := range res.Cookies() {
		if !c.HttpOnly || c.SameSite != http.SameSiteStrictMode {
			p.f.t.Errorf("the cookie is %s, want it HttpOnly and strict", c)
		}
		p.cookie = c
	}
	return res.StatusCode, out.String()
}

// visit signs in, unless the token is empty.
func (f *fixture) visit(token string) *page {
	f.t.Helper()
	p := &page{f: f}
	if token != "" {
		if status, text := p.ask("POST", "/console/signin", `{"token":"`+token+`"}`); status != http.StatusNoContent {
			f.t.Fatalf("signing in = %d, %s", status, text)
		}
	}
	var me struct{ Crumb string }
	status, text := p.ask("GET", "/console/me", "")
	if err := json.Unmarshal([]byte(text), &me); err != nil || status != http.StatusOK {
		f.t.Fatalf("me = %d, %s", status, text)
	}
	p.crumb = me.Crumb
	return p
}

func TestWhoMayDoWhat(t *testing.T) {
	f := consoleOpen(t)
	const (
		mute     = `{"order":"mute","npc":"Bartok"}`
		proposal = `{"id":1,"how":"accept"}`
		roll     = `{"tool":"roll","args":"{\"expression\":\"1d6\"}"}`
		audit    = `{"tool":"audit_query","args":"{}"}`
	)
	rows := []struct {
		method, path, body                string
		anonymous, guest, full, lead, own int
	}{
		{"GET", "/console/table?room=home", "", 200, 403, 200, 200, 200},
		{"GET", "/console/table?room=elsewhere", "", 404, 404, 404, 404, 404},
		{"GET", "/console/tools?room=home", "", 200, 200, 200, 200, 200},
		{"GET", "/console/world?room=home", "", 200, 403, 200, 200, 200},
		{"GET", "/console/memory?room=home", "", 403, 403, 403, 200, 200},
		{"GET", "/console/problems?room=home", "", 403, 403, 403, 200, 200},
		{"GET", "/console/read?room=home&uri=glyphoxa://sessions", "", 200, 404, 200, 200, 200},
		{"POST", "/console/call?room=home", roll, 200, 200, 200, 200, 200},
		{"POST", "/console/call?room=home", audit, 404, 404, 404, 200, 200},
		{"POST", "/console/call?room=home", `{"tool":"nothing","args":"{}"}`, 404, 404, 404, 404, 404},
		{"POST", "/console/order?room=home", mute, 403, 403, 403, 200, 200},
		{"POST", "/console/order?room=home", `{"order":"dance"}`, 400, 400, 400, 400, 400},
		{"POST", "/console/memory?room=home", proposal, 403, 403, 403, 400, 400},
	}
	visitors := map[string]*page{"anonymous": f.visit(""), "guest": f.visit("guest"), "full": f.visit("full"), "lead": f.visit("lead"), "own": f.visit(f.console.OwnerToken())}
	for _, row := range rows {
		want := map[string]int{"anonymous": row.anonymous, "guest": row.guest, "full": row.full, "lead": row.lead, "own": row.own}
		for who, p := range visitors {
			status, text := p.ask(row.method, row.path, row.body)
			if status != want[who] {
				t.Errorf("%s: %s %s %s = %d, want %d: %s", who, row.method, row.path, row.body, status, want[who], text)
			}
			if who != "lead" && who != "own" && strings.Contains(text, "secrets") {
				t.Errorf("%s is told of secrets: %s", who, text)
			}
		}
	}
}

func TestForgedRequestsAreRefused(t *testing.T) {
	f := consoleOpen(t)
	p := f.visit("lead")
	const mute = `{"order":"mute","npc":"Bartok"}`
	for name, header := range map[string][]string{
		"no_crumb":     {"X-Glyphoxa-Crumb", ""},
		"wrong_crumb":  {"X-Glyphoxa-Crumb", f.visit("").crumb},
		"other_site":   {"Sec-Fetch-Site", "cross-site"},
		"other_origin": {"Origin", "https://evil.example"},
	} {
		if status, text := p.ask("POST", "/console/order?room=home", mute, header...); status != http.StatusForbidden {
			t.Errorf("%s = %d, want 403: %s", name, status, text)
		}
	}
	if status, _ := p.ask("POST", "/console/signin", `{"token":"guess"}`); status != http.StatusUnauthorized {
		t.Errorf("a wrong token = %d, want 401", status)
	}
	if status, _ := p.ask("POST", "/console/signout", `{}`); status != http.StatusNoContent {
		t.Errorf("signing out = %d", status)
	}
	if status, _ := p.ask("POST", "/console/order?room=home", mute); status != http.StatusForbidden {
		t.Errorf("an order after signing out = %d, want 403", status)
	}
}

// follow reads past and new events up to a line that contains all the texts.
func (p *page) follow(until ...string) string {
	p.f.t.Helper()
	ctx, cancel := context.WithTimeout(p.f.t.Context(), 20*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, p.f.server.URL+"/console/events?room=home", nil)
	if err != nil {
		p.f.t.Fatal(err)
	}
	if p.cookie != nil {
		req.AddCookie(p.cookie)
	}
	if p.after != "" {
		req.Header.Set("Last-Event-ID", p.after)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		p.f.t.Fatal(err)
	}
	defer res.Body.Close()
	var all strings.Builder
	lines := bufio.NewScanner(res.Body)
	for lines.Scan() {
		fmt.Fprintln(&all, lines.Text())
		if !slices.ContainsFunc(until, func(text string) bool { return !strings.Contains(lines.Text(), text) }) {
			break
		}
	}
	return all.String()
}

func TestWhoSeesWhichEvents(t *testing.T) {
	f := consoleOpen(t)
	heard := func(text string) {
		if err := f.session.Table.Hear(t.Context(), table.Utterance{Speaker: "Ana", Text: text}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := f.session.Table.Whisper(t.Context(), "Bartok", table.Utterance{Speaker: "Ana", Text: "only between us"}); err != nil {
		t.Fatal(err)
	}
	heard("Bartok, roll 2d6")
	f.visit("lead").follow(`"kind":"turn.ended","turn":2`)
	f.feed.Add(web.HomeRoom, &table.Guarded{Header: table.Header{Kind: table.KindGuarded, Turn: 2}, NPC: "Bartok", Reason: "secret"})
	f.feed.Add("80351110224678912", &table.Heard{Header: table.Header{Kind: table.KindUtterance, Turn: 1}, Speaker: "Eve", Text: "of another guild"})
	f.feed.Add(web.HomeRoom, &table.Heard{Header: table.Header{Kind: table.KindUtterance, Turn: 9}, Speaker: "Ana", Text: "the last"})
	for name, row := range map[string]struct {
		token string
		all   bool
	}{"anonymous": {"", false}, "full": {"full", false}, "lead": {"lead", true}} {
		got := f.visit(row.token).follow("the last")
		if !strings.Contains(got, "roll 2d6") || strings.Contains(got, "another guild") {
			t.Errorf("%s sees %s", name, got)
		}
		for _, kept := range []string{"only between us", `"guarded"`} {
			if strings.Contains(got, kept) != row.all {
				t.Errorf("%s sees %q: %v, want %v", name, kept, !row.all, row.all)
			}
		}
	}
	if got := f.visit("guest").follow("error"); !strings.Contains(got, "session.read") {
		t.Errorf("who may not read sessions sees %s", got)
	}
}

func TestPages(t *testing.T) {
	f := consoleOpen(t)
	p := &page{f: f}
	res, err := http.Get(f.server.URL + "/")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	policy := res.Header.Get("Content-Security-Policy")
	for _, want := range []string{"default-src 'none'", "script-src 'self'", "frame-ancestors 'none'"} {
		if !strings.Contains(policy, want) {
			t.Errorf("the policy is %q, want %s in it", policy, want)
		}
	}
	if status, _ := p.ask("GET", "/", "", "If-None-Match", res.Header.Get("ETag")); status != http.StatusNotModified {
		t.Errorf("a page that is known = %d", status)
	}
	if status, _ := p.ask("GET", "/console/web/../console.go", ""); status != http.StatusNotFound {
		t.Errorf("what is no page = %d", status)
	}
}

func TestAGapIsTold(t *testing.T) {
	f := consoleOpen(t)
	for range web.FeedSize + 50 {
		f.feed.Add(web.HomeRoom, &table.Heard{Header: table.Header{Kind: table.KindUtterance, Turn: 1}, Speaker: "Ana", Text: "more"})
	}
	f.feed.Add(web.HomeRoom, &table.Heard{Header: table.Header{Kind: table.KindUtterance, Turn: 2}, Speaker: "Ana", Text: "the last"})
	p := f.visit("lead")
	p.after = "5"
	if got := p.follow("the last"); !strings.Contains(got, "event: gap\ndata: {\"missed\":46}\n") {
		t.Errorf("who goes on after event 5 is told %.300s", got)
	}
	p.after = ""
	if got := p.follow("the last"); strings.Contains(got, "gap") {
		t.Errorf("who begins is told of a gap: %.300s", got)
	}
}

func TestStreamsAreBounded(t *testing.T) {
	f := consoleOpen(t)
	for range 8 {
		res, err := http.Get(f.server.URL + "/console/events?room=home")
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
	}
	if got := f.visit("").follow("error"); !strings.Contains(got, "too many consoles") {
		t.Errorf("one stream more is told %s", got)
	}
	if got := f.visit("lead").follow("retry"); !strings.Contains(got, "retry") {
		t.Errorf("somebody else is told %s", got)
	}
}
