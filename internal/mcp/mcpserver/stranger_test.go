package mcpserver_test

import (
	"net/http"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp/access"
)

// TestWrongHostsAndOriginsLeaveATrace sends what a page elsewhere would send, and expects
// the record of each.
func TestWrongHostsAndOriginsLeaveATrace(t *testing.T) {
	h := newFixture(t, plan{})
	addr := h.web(config.Server{Clients: clients("dm")})
	for rule, change := range map[string]func(*http.Request){
		"host":   func(r *http.Request) { r.Host = "evil.example" },
		"origin": func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") },
	} {
		for _, path := range []string{"/mcp", "/ws"} {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+addr+path, http.NoBody)
			must(t, "making a request", err)
			change(r)
			res, err := http.DefaultClient.Do(r)
			must(t, "sending it", err)
			must(t, "closing", res.Body.Close())
			if res.StatusCode != http.StatusForbidden {
				t.Errorf("%s at %s is answered %d", rule, path, res.StatusCode)
			}
		}
		records, _, err := h.audit.Query(t.Context(), access.LogQuery{Limit: 10, Denied: true, Who: "nobody", Tool: "connect"})
		must(t, "reading the audit log", err)
		count := 0
		for _, r := range records {
			if r.Rule == rule {
				count++
			}
		}
		if count != 2 {
			t.Errorf("there are %d records of a wrong %s, want one for each: %+v", count, rule, records)
		}
	}
	http.DefaultClient.CloseIdleConnections()
}
