package console_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"sync"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/lab/revoketest"
)

// mutes gives an order with a page's cookie, whose body comes through next.
func (p *page) mutes(body io.Reader) error {
	req, err := http.NewRequestWithContext(p.f.t.Context(), http.MethodPost, p.f.server.URL+"/console/order?room=home", body)
	if err != nil {
		return err
	}
	req.Header.Set("X-Glyphoxa-Crumb", p.crumb)
	req.AddCookie(p.cookie)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	switch res.StatusCode {
	case http.StatusOK:
		return nil
	case http.StatusUnauthorized, http.StatusForbidden:
		return fmt.Errorf("%w: %s", revoketest.ErrRefused, res.Status)
	}
	return fmt.Errorf("muting: %s", res.Status)
}

const muteBartok = `{"order":"mute","npc":"Bartok"}`

// TestRevokedAtTheConsole signs a DM out, in each way there is, while the page has a stream
// that it does not read and an order of which half was sent.
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
		"one_more_of_the_same": func(f *fixture, _ *page) {
			for range 8 {
				f.visit("lead")
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := open(t)
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
						if _, err := rest.Write([]byte(muteBartok[:10])); err != nil { // the request is under way
							t.Error(err)
						}
						for range 3 { // sent behind the half, so that it is there by then
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

// TestTheWeakestTokenSignsNobodyOut: 300 sign-ins of a guest leave the DM signed in, who had
// signed in first.
func TestTheWeakestTokenSignsNobodyOut(t *testing.T) {
	f := open(t)
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
