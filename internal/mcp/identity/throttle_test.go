package identity

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp/policy"
)

func TestThrottle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		th := newThrottle()
		for i := range maxStrikes - 1 {
			if th.strike("a") {
				t.Fatalf("blocked after %d wrong tokens, want %d", i+1, maxStrikes)
			}
		}
		if wait := th.blocked("a"); wait != 0 {
			t.Errorf("blocked for %v, want not yet", wait)
		}
		if !th.strike("a") || th.blocked("a") != blockTime {
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
		if th.strike("a") {
			t.Error("blocked again by the first wrong token")
		}
	})
}

// A client with a wrong token now and then is never blocked.
func TestThrottleForgets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		th := newThrottle()
		for range 20 {
			for range maxStrikes - 1 {
				if th.strike("a") {
					t.Fatal("blocked by fewer wrong tokens a minute than it takes")
				}
			}
			time.Sleep(strikeWindow)
		}
	})
}

// Many addresses cost bounded memory, and the latest stay known.
func TestThrottleIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		th := newThrottle()
		for range maxStrikes {
			th.strike("first")
		}
		for i := range maxOffenders - 1 {
			th.strike(fmt.Sprint("early", i))
		}
		if th.blocked("first") == 0 {
			t.Error("forgotten while there was room")
		}
		for i := range 10 * maxOffenders {
			th.strike(fmt.Sprint(i))
		}
		if n := len(th.young) + len(th.older); n > 2*maxOffenders {
			t.Errorf("%d addresses are remembered, want at most %d", n, 2*maxOffenders)
		}
		time.Sleep(time.Hour)
		th.strike("late")
		th.strike("later")
		time.Sleep(time.Hour)
		th.strike("last")
		if n := len(th.young) + len(th.older); n != 3 {
			t.Errorf("%d addresses are remembered after two quiet hours, want those of the last two generations", n)
		}
	})
}

func TestSender(t *testing.T) {
	for _, row := range []struct{ name, in, want string }{
		{"ipv4", "192.0.2.7:1234", "192.0.2.7"},
		{"mapped", "[::ffff:192.0.2.7]:1234", "192.0.2.7"},
		{"ipv6", "[2001:db8:1:2:3:4:5:6]:1", "2001:db8:1:2::/64"},
		{"ipv6_neighbour", "[2001:db8:1:2::9%eth0]:1", "2001:db8:1:2::/64"},
		{"loopback", "[::1]:1", "::1"},
		{"other", "@", "@"},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := sender(row.in); got != row.want {
				t.Errorf("sender(%q) = %q, want %q", row.in, got, row.want)
			}
		})
	}
}

func TestTooManyWrongTokens(t *testing.T) {
	profile := func(name string) (policy.Profile, bool) { return policy.Profile{Name: name}, true }
	cfg := config.Server{Clients: []config.Client{{Name: "claude", Token: "claude-claude-claude", Profile: "dm"}}}
	synctest.Test(t, func(t *testing.T) {
		g, err := New(t.Context(), cfg, Options{Profile: profile})
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
		for _, token := range []string{"Bearer wrong", right, "Basic x"} {
			err := try("192.0.2.7:9", token)
			if Status(err) != http.StatusTooManyRequests || RetryAfter(err) != blockTime {
				t.Errorf("%s: %v, retry after %v; want 429 after %v", token, err, RetryAfter(err), blockTime)
			}
		}
		if err := try("192.0.2.7:9", ""); Status(err) != http.StatusUnauthorized {
			t.Errorf("without a token: %v, want 401, since that is no guess", err)
		}
		if err := try("192.0.2.8:9", right); err != nil {
			t.Errorf("another address: %v, want it let in", err)
		}
		time.Sleep(blockTime - 1500*time.Millisecond)
		if err := try("192.0.2.7:9", right); RetryAfter(err) != 2*time.Second {
			t.Errorf("retry after %v, want it rounded up to 2s", RetryAfter(err))
		}
		time.Sleep(1500 * time.Millisecond)
		if err := try("192.0.2.7:9", right); err != nil {
			t.Errorf("after the block: %v, want it let in", err)
		}
		for range 10 * maxStrikes {
			if err := try("192.0.2.9:9", ""); Status(err) != http.StatusUnauthorized {
				t.Fatalf("without a token: %v, want 401 however often", err)
			}
		}
	})
}
