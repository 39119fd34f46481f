package main_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// lockoutConfig trusts one proxy, whose address is not that of the test's
// clients.
const lockoutConfig = burstConfig + `
  trusted_proxies: [127.0.0.9]
`

// TestWrongTokensLockNobodyOut lets a stranger guess tokens from the DM's
// address, also with the beginning of the DM's token. The server throttles
// guesses but never the DM, and the audit log records all of it.
func TestWrongTokensLockNobodyOut(t *testing.T) {
	t.Parallel()
	h := newProgram(t)
	h.write("glyphoxa.yaml", lockoutConfig)
	o := h.serve()
	const guesses = 60
	codes := map[int]int{}
	for i := range guesses {
		guess := secret("dm") + fmt.Sprint(i)
		if i%2 == 0 {
			guess = fmt.Sprint(i) + secret("dm")
		}
		code, resp := o.knock(func(w *web) {
			with("Authorization", "Bearer "+guess)(w)
			with("X-Forwarded-For", fmt.Sprintf("203.0.113.%d", i))(w) // the header counts only from a trusted proxy
		})
		codes[code]++
		if (code == http.StatusTooManyRequests) != (resp.Header.Get("Retry-After") != "") {
			t.Errorf("status %d with Retry-After %q", code, resp.Header.Get("Retry-After"))
		}
		if code, _ := o.knock(with("Authorization", "Bearer "+secret("dm"))); code != http.StatusOK {
			t.Fatalf("after %d wrong tokens the right one gets %d", i+1, code)
		}
	}
	if codes[http.StatusUnauthorized] != 10 || codes[http.StatusTooManyRequests] != guesses-10 {
		t.Errorf("the guesses are answered %v, want ten times 401 and then 429", codes)
	}
	var denied struct{ Records []traced }
	r := try(t, o.web(secret("dm")).stateless(), "audit_query", map[string]any{"denied": true, "tool": "connect", "limit": 100})
	if err := json.Unmarshal(r.StructuredContent, &denied); err != nil {
		t.Fatal(err)
	}
	if len(denied.Records) < 30 {
		t.Fatalf("the audit log has %d records of %d guesses", len(denied.Records), guesses)
	}
	for _, r := range denied.Records {
		if r.Who != "nobody" || r.Rule != "token" || !strings.HasSuffix(r.Error, "from 127.0.0.1") || strings.Contains(r.Error, "secret") {
			t.Errorf("the audit log has %+v", r)
		}
	}
	if text := o.get("/metrics", secret("dm")); !strings.Contains(text, `glyphoxa_denials_total{caller="nobody",code="forbidden",rule="token",tool="connect"} 10`) {
		t.Error("the metrics do not count the wrong tokens")
	}
}
