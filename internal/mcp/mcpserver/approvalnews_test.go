package mcpserver_test

//lint:file-ignore SA1019 clients of the older revisions know no other way to be told

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp/access"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
)

// TestDecidersHearOfCallsThatWait has a call wait: clients that may decide and asked for
// messages are told of it, once, and nobody else is.
func TestDecidersHearOfCallsThatWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		write := echo("write_it", "world.write")
		write.ReadOnly = false
		h := newFixture(t, plan{
			tools:  []mcphost.BuiltinTool{write},
			config: config.Server{Policy: []config.Rule{{Name: "ask", Kind: config.RuleApproval, Tools: []string{"write_it"}}}},
		})
		for _, x := range access.ApprovalTools(access.Waiting{Policy: h.policy, Host: h.host}) {
			must(t, "registering", h.host.RegisterBuiltin(x))
		}
		heard := map[string]chan string{}
		client := func(name, profile string, level sdk.LoggingLevel) *sdk.ClientSession {
			heard[name] = make(chan string, 16)
			s := h.pipeOf(profile, "2025-06-18", &sdk.ClientOptions{LoggingMessageHandler: func(_ context.Context, r *sdk.LoggingMessageRequest) {
				if r.Params.Logger != "glyphoxa.approvals" {
					return
				}
				raw, err := json.Marshal(r.Params.Data)
				must(t, "encoding", err)
				heard[name] <- string(raw)
			}})
			if level != "" {
				must(t, "asking for messages", s.SetLoggingLevel(t.Context(), &sdk.SetLoggingLevelParams{Level: level}))
			}
			return s
		}
		client("dm", "dm", "notice")
		client("busy dm", "dm", "error")
		client("dm that did not ask", "dm", "")
		builder := client("builder", "builder.readWrite", "debug")
		for range 2 { // the same call waits once
			_, err := builder.CallTool(t.Context(), &sdk.CallToolParams{Name: "write_it", Arguments: map[string]any{"a": 1}})
			must(t, "calling", err)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		for name, notes := range heard {
			want := 0
			if name == "dm" {
				want = 1
			}
			if len(notes) != want {
				t.Errorf("%s was told %d times, want %d", name, len(notes), want)
			}
		}
		if got := <-heard["dm"]; !strings.Contains(got, `"approvalId":"`+h.policy.Pending()[0].ID+`"`) || !strings.Contains(got, `"tool":"write_it"`) || !strings.Contains(got, `"caller":"tester-builder.readWrite"`) {
			t.Errorf("the DM was told %s", got)
		}
	})
}

// TestListenersHearOfCallsThatWait has a client of the newest revision listen, which asks for
// messages with that request, and a call wait.
func TestListenersHearOfCallsThatWait(t *testing.T) {
	write := echo("write_it", "world.write")
	write.ReadOnly = false
	h := newFixture(t, plan{
		tools:  []mcphost.BuiltinTool{write},
		config: config.Server{Policy: []config.Rule{{Name: "ask", Kind: config.RuleApproval, Tools: []string{"write_it"}}}},
	})
	for _, x := range access.ApprovalTools(access.Waiting{Policy: h.policy, Host: h.host}) {
		must(t, "registering", h.host.RegisterBuiltin(x))
	}
	addr := h.web(config.Server{Clients: clients("dm")})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	asks := strings.Replace(meta2026, "{", `{"io.modelcontextprotocol/logLevel":"notice",`, 1)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+addr+"/mcp", strings.NewReader(
		`{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},`+asks+`}}`))
	must(t, "making a request", err)
	for k, v := range map[string]string{
		"Authorization": "Bearer " + token("dm"), "Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "subscriptions/listen",
	} {
		req.Header.Set(k, v)
	}
	resp, err := http.DefaultClient.Do(req)
	must(t, "listening", err)
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	for lines.Scan() {
		switch line := lines.Text(); {
		case strings.Contains(line, "acknowledged"):
			_, err := h.pipe("builder.readWrite", nil).CallTool(t.Context(), &sdk.CallToolParams{Name: "write_it", Arguments: map[string]any{"a": 1}})
			must(t, "calling", err)
		case strings.Contains(line, "glyphoxa.approvals"):
			if !strings.Contains(line, h.policy.Pending()[0].ID) {
				t.Errorf("the listener was told %s", line)
			}
			return
		}
	}
	t.Errorf("the listener is told of no call that waits: %v", lines.Err())
}
