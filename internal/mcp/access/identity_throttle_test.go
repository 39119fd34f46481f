package access

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/MrWong99/glyphoxa/internal/config"
)

func TestThrottle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		th := newThrottle()
		for i := range maxStrikes - 1 {
			if th.recordFailure("a") {
				t.Fatalf("blocked after %d wrong tokens, want %d", i+1, maxStrikes)
			}
		}
		if wait := th.blocked("a"); wait != 0 {
			t.Errorf("blocked for %v, want not yet", wait)
		}
		if !th.recordFailure("a") || th.blocked("a") != blockTime {
			t.Errorf("blocked for %v, want %v", th.blocked("a"), blockTime)
		}
		if wait := th.blocked("b"); wait != 0 {
			t.Errorf("another address is blocked for %v", wait)
		}
		time.Sleep(blockTime - time.Nanosecond)
		if th.blocked("a") == 0 {
			t.Error("free a moment too early")
		}
		time.Sleep(time.Nanosecond)
		if wait := th.blocked("a"); wait != 0 {
			t.Errorf("still blocked for %v", wait)
		}
		if th.recordFailure("a") {
			t.Error("blocked again by the first wrong token")
		}
	})
}

// A client that sends a wrong token now and then is never blocked.
func TestThrottleForgets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		th := newThrottle()
		for range 20 {
			for range maxStrikes - 1 {
				if th.recordFailure("a") {
					t.Fatal("blocked by fewer wrong tokens a minute than it takes")
				}
			}
			time.Sleep(strikeWindow)
		}
	})
}

// Many addresses use bounded memory, and the latest ones are remembered.
func TestThrottleIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		th := newThrottle()
		for range maxStrikes {
			th.recordFailure("first")
		}
		for i := range maxOffenders - 1 {
			th.recordFailure(fmt.Sprint("early", i))
		}
		if th.blocked("first") == 0 {
			t.Error("forgotten while there was room")
		}
		for i := range 10 * maxOffenders {
			th.recordFailure(fmt.Sprint(i))
		}
		if n := len(th.young) + len(th.older); n > 2*maxOffenders {
			t.Errorf("%d addresses are remembered, want at most %d", n, 2*maxOffenders)
		}
		time.Sleep(time.Hour)
		th.recordFailure("late")
		th.recordFailure("later")
		time.Sleep(time.Hour)
		th.recordFailure("last")
		if n := len(th.young) + len(th.older); n != 3 {
			t.Errorf("%d addresses are remembered after two quiet hours, want those of the last two generations", n)
		}
	})
}

func TestTooManyWrongTokens(t *testing.T) {
	profile := func(name string) (Profile, bool) { return Profile{Name: name}, true }
	cfg := config.Server{Clients: []config.Client{{Name: "claude", Token: "claude-claude-claude", Profile: "dm"}}}
	synctest.Test(t, func(t *testing.T) {
		g, err := NewGatekeeper(t.Context(), cfg, GatekeeperOptions{Profile: profile})
		if err != nil {
			t.Fatal(err)
		}
		try := func(remote, token string) error {
			r := httptest.NewRequest(http.MethodPost, "/mcp", nil)
			r.RemoteAddr = remote
			if token != "" {
				r.Header.Set("Authorization", token)
			}
			_, err := g.Identify(r)
			return err
		}
		const right = "Bearer claude-claude-claude"
		for i := range maxStrikes {
			if err := try(fmt.Sprintf("192.0.2.7:%d", 1000+i), "Bearer wrong"); Status(err) != http.StatusUnauthorized {
				t.Fatalf("wrong token %d: %v, want 401", i+1, err)
			}
		}
		refusedFor := func(remote, token string, want time.Duration) {
			t.Helper()
			if err := try(remote, token); Status(err) != http.StatusTooManyRequests || RetryAfter(err) != want || !RefusesToken(err) {
				t.Errorf("%s from %s: %v, retry after %v; want 429 after %v", token, remote, err, RetryAfter(err), want)
			}
		}
		for _, token := range []string{"Bearer wrong", "Bearer another", "Basic x"} {
			refusedFor("192.0.2.7:9", token, blockTime)
		}
		refusedFor("192.0.2.8:9", "Bearer wrong", blockTime) // a guess with the same prefix, from another address
		for _, remote := range []string{"192.0.2.7:9", "192.0.2.8:9"} {
			if err := try(remote, right); err != nil {
				t.Errorf("the right token from %s: %v, want it let in", remote, err)
			}
		}
		if err := try("192.0.2.8:9", "Bearer another"); Status(err) != http.StatusUnauthorized {
			t.Errorf("another wrong token from elsewhere: %v, want 401", err)
		}
		if err := try("192.0.2.7:9", ""); Status(err) != http.StatusUnauthorized || RefusesToken(err) {
			t.Errorf("without a token: %v, want 401, since that is no guess", err)
		}
		time.Sleep(blockTime - 1500*time.Millisecond)
		refusedFor("192.0.2.7:9", "Bearer wrong", 2*time.Second) // rounded up
		time.Sleep(1500 * time.Millisecond)
		if err := try("192.0.2.7:9", "Bearer wrong"); Status(err) != http.StatusUnauthorized {
			t.Errorf("a minute later: %v, want 401 again", err)
		}
		for i := range 3 * maxStrikes { // guesses at the end of the right token must not lock out its owner
			if err := try(fmt.Sprintf("198.51.100.%d:9", i), right+"x"); Status(err) == http.StatusOK {
				t.Fatal("a wrong token is let in")
			}
		}
		if err := try("203.0.113.1:9", right); err != nil {
			t.Errorf("the right token after many that begin like it: %v, want it let in", err)
		}
		for range 10 * maxStrikes {
			if err := try("192.0.2.9:9", ""); Status(err) != http.StatusUnauthorized {
				t.Fatalf("without a token: %v, want 401 however often", err)
			}
		}
	})
}
