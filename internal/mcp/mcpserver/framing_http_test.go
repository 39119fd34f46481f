package mcpserver_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/config"
)

// TestDoubtfulHeads sends, on raw connections, requests that somebody before us could
// read otherwise: each is refused, and its connection ends.
func TestDoubtfulHeads(t *testing.T) {
	addr := newFixture(t, plan{}).web(config.Server{})
	const body = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	head := "POST /mcp HTTP/1.1\r\nHost: " + addr + "\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"
	const length, chunked = "Content-Length: 46\r\n", "Transfer-Encoding: chunked\r\n"
	for name, c := range map[string]struct {
		request string
		refused bool
	}{
		"one length":                {head + length + "\r\n" + body, false},
		"two lengths":               {head + length + length + "\r\n" + body, true},
		"two different lengths":     {head + length + "Content-Length: 4\r\n\r\n" + body, true},
		"a length and chunks":       {head + length + chunked + "\r\n2e\r\n" + body + "\r\n0\r\n\r\n", true},
		"two encodings":             {head + chunked + chunked + "\r\n2e\r\n" + body + "\r\n0\r\n\r\n", true},
		"two names":                 {head + length + "Mcp-Name: roll\r\nMcp-Name: roll\r\n\r\n" + body, true},
		"two methods":               {head + length + "Mcp-Method: tools/list\r\nMcp-Method: ping\r\n\r\n" + body, true},
		"two lengths in a second":   {head + length + "\r\n" + body + head + length + length + "\r\n" + body, true},
		"two sessions":              {head + length + "Mcp-Session-Id: a\r\nMcp-Session-Id: b\r\n\r\n" + body, true},
		"two tokens":                {head + length + "Authorization: Bearer a\r\nAuthorization: Bearer b\r\n\r\n" + body, true},
		"two revisions":             {head + length + "Mcp-Protocol-Version: 2025-11-25\r\nMcp-Protocol-Version: 2026-07-28\r\n\r\n" + body, true},
		"two headers that may be":   {head + length + "X-Forwarded-Proto: a\r\nX-Forwarded-Proto: b\r\n\r\n" + body, false},
		"two kinds that it accepts": {head + length + "Accept: */*\r\n\r\n" + body, false},
	} {
		t.Run(name, func(t *testing.T) {
			conn, err := net.Dial("tcp", addr)
			must(t, "dialling", err)
			defer conn.Close()
			_, err = io.WriteString(conn, c.request)
			must(t, "writing", err)
			in := bufio.NewReader(conn)
			if !c.refused {
				res, err := http.ReadResponse(in, nil)
				must(t, "reading", err)
				_, _ = io.Copy(io.Discard, res.Body)
				if res.Close {
					t.Errorf("the connection ends with %s", res.Status)
				}
				return
			}
			all, _ := io.ReadAll(in) // ends, since the connection does
			last := string(all[max(0, strings.LastIndex(string(all), "HTTP/1.1 ")):])
			if !strings.HasPrefix(last, "HTTP/1.1 400") && !strings.HasPrefix(last, "HTTP/1.1 501") {
				t.Errorf("it is answered %q", all)
			}
		})
	}
}
