package web_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/lab/revoketest"
)

// mutes gives an order like the page, with a body that may be slow.
func (p *page) mutes(body io.Reader) error { return p.send("/console/order?room=home", body) }

// send sends a request like the page, with a body that may be slow.
func (p *page) send(path string, body io.Reader) error {
	req, err := http.NewRequestWithContext(p.f.t.Context(), http.MethodPost, p.f.server.URL+path, body)
	if err != nil {
		return err
	}
	if p.bearer != "" {
		req.Header.Set("Authorization", "Bearer "+p.bearer)
	} else {
		req.Header.Set("X-Glyphoxa-Crumb", p.crumb)
		req.AddCookie(p.cookie)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	switch res.StatusCode {
	case http.StatusOK:
		return nil
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusTooManyRequests: // the last after wrong tokens
		return fmt.Errorf("%w: %s", revoketest.ErrRefused, res.Status)
	}
	return fmt.Errorf("%s: %s", path, res.Status)
}

const muteBartok = `{"order":"mute","npc":"Bartok"}`

// TestRevokedAtTheConsole signs a DM out in every possible way, while the page has an unread
// stream and has sent half an order.
func TestRevokedAtTheConsole(t *testing.T) {
	for name, revoke := range map[string]func(*fixture, *page){
		"signing_out": func(f *fixture, p *page) {
			out := *p
			if status, text := out.ask("POST", "/console/signout", `{}`); status != http.StatusNoContent {
				f.t.Errorf("signing out = %d %s", status, text)
			}
		},
		"signing_in_as_another": func(f *fixture, p *page) {
			other := *p
			if status, text := other.ask("POST", "/console/signin", `{"token":"guest"}`); status != http.StatusNoContent {
				f.t.Errorf("signing in = %d %s", status, text)
			}
		},
		"revoking_the_token": func(f *fixture, _ *page) {
			if err := f.keeper.SetClients(nil); err != nil {
				f.t.Error(err)
			}
		},
		"one_more_of_the_same": func(f *fixture, _ *page) {
			for range 8 {
				f.visit("lead")
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := consoleOpen(t)
			p := f.visit("lead")
			lines, leave := p.stream(f.server.URL)
			defer leave()
			half, rest := io.Pipe()
			late := make(chan error, 1)
			var begin sync.Once
			revoketest.Check(t, revoketest.Credential{
				Use: func() error { return p.mutes(bytes.NewReader([]byte(muteBartok))) },
				Hold: func() func() {
					begin.Do(func() {
						go func() { late <- p.mutes(half) }()
						if _, err := rest.Write([]byte(muteBartok[:10])); err != nil { // the request is in flight
							t.Error(err)
						}
						for range 3 { // sent after the half, so that the half has arrived by then
							if status, _ := p.ask("GET", "/console/me", ""); status != http.StatusOK {
								t.Errorf("me = %d", status)
							}
						}
					})
					return func() {}
				},
				Revoke: func() { revoke(f, p) },
			})
			f.addSecret()
			if _, err := rest.Write([]byte(muteBartok[10:])); err != nil {
				t.Error(err)
			}
			rest.Close()
			if err := <-late; err == nil {
				t.Error("an order is carried out whose second half came after the sign-out")
			}
			if got := restOf(lines); bytes.Contains([]byte(got), []byte("secret")) {
				t.Errorf("the stream goes on with %s", got)
			}
		})
	}
}

// guildAccounts has one account, which leads all games until leads changes.
type guildAccounts struct{ leads atomic.Bool }

func (*guildAccounts) Service() string { return "Discord" }

func (*guildAccounts) SignInURL(_ context.Context, redirect, state, _ string) (string, error) {
	return redirect + "?" + url.Values{"state": {state}, "code": {"ana"}}.Encode(), nil
}

func (*guildAccounts) Account(context.Context, string, string, string) (id, name string, err error) {
	return "7", "Ana", nil
}

func (a *guildAccounts) Leads(context.Context, string, string) (bool, error) {
	return a.leads.Load(), nil
}

// TestRightsEndWhileABodyComes revokes a visitor's rights after half an order, and after half a
// tool call: the rest arrives too late.
func TestRightsEndWhileABodyComes(t *testing.T) {
	ana := &guildAccounts{}
	for name, how := range map[string]struct {
		signIn func(*page)
		revoke func(*fixture)
	}{
		"token without a cookie": {
			func(p *page) { p.bearer = "lead" },
			func(f *fixture) {
				if err := f.keeper.SetClients(nil); err != nil {
					f.t.Error(err)
				}
			},
		},
		"account that leads no more": {
			func(p *page) { p.signInWithAccount() },
			func(*fixture) { ana.leads.Store(false) },
		},
	} {
		for path, body := range map[string]string{
			"/console/order?room=home": muteBartok,
			"/console/call?room=home":  `{"tool":"roll","args":"{\"expression\":\"1d6\"}"}`,
		} {
			t.Run(name+path, func(t *testing.T) {
				ana.leads.Store(true)
				f := openFor(t, settings, ana)
				p := &page{f: f}
				how.signIn(p)
				if err := p.send(path, strings.NewReader(body)); err != nil {
					t.Fatalf("with all rights: %v", err)
				}
				half, rest := io.Pipe()
				late := make(chan error, 1)
				go func() { late <- p.send(path, half) }()
				if _, err := rest.Write([]byte(body[:10])); err != nil {
					t.Fatal(err)
				}
				for range 3 { // sent after the half, so that the half has arrived by then
					p.ask("GET", "/console/me", "")
				}
				how.revoke(f)
				if _, err := rest.Write([]byte(body[10:])); err != nil {
					t.Fatal(err)
				}
				rest.Close()
				if err := <-late; !errors.Is(err, revoketest.ErrRefused) {
					t.Errorf("the second half came too late, and the answer is %v", err)
				}
			})
		}
	}
}

// signInWithAccount signs in through the service and stores the page's crumb.
func (p *page) signInWithAccount() {
	t := p.f.t
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	browser := &http.Client{Jar: jar}
	res, err := browser.Get(p.f.server.URL + "/console/account")
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	at, err := url.Parse(p.f.server.URL)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range jar.Cookies(at) {
		p.cookie = c
	}
	var me struct{ Crumb string }
	if status, text := p.ask("GET", "/console/me", ""); status != http.StatusOK || json.Unmarshal([]byte(text), &me) != nil {
		t.Fatalf("me = %d %s", status, text)
	}
	p.crumb = me.Crumb
}

// TestAStateIsGoodOnce returns twice from one sign-in, and starts more sign-ins than people do.
func TestAStateIsGoodOnce(t *testing.T) {
	f := openFor(t, settings, &guildAccounts{})
	browser := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	ask := func(at string, with *http.Cookie) *http.Response {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, at, nil)
		if err != nil {
			t.Fatal(err)
		}
		if with != nil {
			req.AddCookie(with)
		}
		res, err := browser.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		return res
	}
	begun := ask(f.server.URL+"/console/account", nil)
	if len(begun.Cookies()) != 1 {
		t.Fatalf("beginning answers %s with %d cookies", begun.Status, len(begun.Cookies()))
	}
	for _, want := range []string{"/", "/#account-late"} {
		back := ask(begun.Header.Get("Location"), begun.Cookies()[0])
		if got := back.Header.Get("Location"); got != want {
			t.Errorf("coming back leads to %q, want %q", got, want)
		}
	}
	status := 0
	for range 30 {
		status = ask(f.server.URL+"/console/account", nil).StatusCode
	}
	if status != http.StatusTooManyRequests {
		t.Errorf("after 30 sign-ins one more answers %d", status)
	}
}

// TestTheWeakestTokenSignsNobodyOut: 300 sign-ins of a guest leave the DM, who signed in first,
// signed in.
func TestTheWeakestTokenSignsNobodyOut(t *testing.T) {
	f := consoleOpen(t)
	lead := f.visit("lead")
	for range 300 {
		p := &page{f: f}
		if status, text := p.ask("POST", "/console/signin", `{"token":"guest"}`); status != http.StatusNoContent {
			t.Fatalf("signing in = %d, %s", status, text)
		}
	}
	if err := lead.mutes(bytes.NewReader([]byte(muteBartok))); err != nil {
		t.Errorf("the DM is signed out: %v", err)
	}
}
