package discordtest_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/MrWong99/glyphoxa/internal/lab/discordtest"
)

// rawCaller calls a Discord server in virtual time without a library.
type rawCaller struct {
	t      *testing.T
	d      *discordtest.Server
	client *http.Client
}

func newRawCaller(t *testing.T) *rawCaller {
	pipes := discordtest.NewPipes()
	c := &rawCaller{t: t, d: discordtest.New(t, &discordtest.Options{Listener: pipes}), client: &http.Client{Transport: &http.Transport{DialContext: pipes.Dial}}}
	t.Cleanup(c.client.CloseIdleConnections)
	return c
}

// call makes a call and returns its status and body.
func (c *rawCaller) call(method, path, token, body string) (int, string) {
	c.t.Helper()
	r, err := http.NewRequest(method, c.d.APIURL()+"/v10"+path, strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bot "+token)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	resp, err := c.client.Do(r)
	if err != nil {
		c.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	return resp.StatusCode, string(raw)
}

// TestNonce checks that posts with the same nonce within minutes make one
// message.
func TestNonce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newRawCaller(t)
		channel := c.d.AddChannel(c.d.AddGuild("Waterdeep"), "tavern")
		post := func(body string) int {
			status, _ := c.call("POST", "/channels/"+channel+"/messages", c.d.Token(), body)
			return status
		}
		for _, row := range []struct {
			body  string
			posts int
		}{
			{`{"content":"one","nonce":"a","enforce_nonce":true}`, 1},
			{`{"content":"one","nonce":"a","enforce_nonce":true}`, 1},
			{`{"content":"one","nonce":"a"}`, 2},
			{`{"content":"two","nonce":"b","enforce_nonce":true}`, 3},
		} {
			if status := post(row.body); status != 200 || len(c.d.Messages(channel)) != row.posts {
				t.Errorf("%s: status %d, %d messages, want %d", row.body, status, len(c.d.Messages(channel)), row.posts)
			}
		}
		time.Sleep(10 * time.Minute)
		if post(`{"content":"one","nonce":"a","enforce_nonce":true}`); len(c.d.Messages(channel)) != 4 {
			t.Error("a nonce is remembered for good")
		}
		if status := post(`{"content":"one","nonce":"` + strings.Repeat("a", 26) + `"}`); status != 400 {
			t.Errorf("a nonce of 26 characters: status %d, want 400", status)
		}
	})
}

// TestTooMuchASecond checks that the 51st call in a second is refused.
func TestTooMuchASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newRawCaller(t)
		for n := range 51 {
			status, body := c.call("GET", "/users/@me", c.d.Token(), "")
			if want := map[bool]int{true: 200, false: 429}[n < 50]; status != want || want == 429 && !strings.Contains(body, `"global":true`) {
				t.Fatalf("call %d: status %d, %s, want %d", n+1, status, body, want)
			}
		}
		time.Sleep(time.Second)
		if status, _ := c.call("GET", "/users/@me", c.d.Token(), ""); status != 200 {
			t.Errorf("a second later: status %d, want 200", status)
		}
	})
}

// TestShutOut checks that a client is banned if it continues after 10,000
// refusals.
func TestShutOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newRawCaller(t)
		for n := range 10_000 {
			if status, _ := c.call("GET", "/users/@me", "wrong", ""); status != 401 {
				t.Fatalf("call %d: status %d, want 401", n+1, status)
			}
		}
		if status, body := c.call("GET", "/users/@me", c.d.Token(), ""); status != 429 || strings.HasPrefix(body, "{") {
			t.Errorf("status %d, %s, want 429 without JSON", status, body)
		}
		if faults := fmt.Sprint(c.d.TakeFaults()); !strings.Contains(faults, "shut out") {
			t.Errorf("faults %s", faults)
		}
		time.Sleep(11 * time.Minute)
		if status, _ := c.call("GET", "/users/@me", c.d.Token(), ""); status != 200 {
			t.Errorf("eleven minutes later: status %d, want 200", status)
		}
	})
}
