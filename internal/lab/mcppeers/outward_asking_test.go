package mcppeers_test

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/lab/peers"
)

// TestQuestionsPassThrough lets a reference server ask the TypeScript SDK's
// client behind the call, over pipes and over HTTP, in both eras of the
// protocol.
func TestQuestionsPassThrough(t *testing.T) {
	if testing.Short() {
		t.Skip("long; make test-all runs it")
	}
	node, client := peers.Node(t), peers.File(t, "@modelcontextprotocol/client/package.json")
	script := filepath.Join(filepath.Dir(client), "..", "..", "..", "asked.mjs")
	all := servers(t, t.TempDir())
	for _, server := range []server{all[0], all[len(all)-1]} {
		out := serveOutward(t, server.MCPServerConfig)
		for line, protocol := range map[string]string{"v1": "2025-11-25", "v2": "2026-07-28"} {
			t.Run(server.Name+" "+line, func(t *testing.T) {
				var errs bytes.Buffer
				cmd := exec.CommandContext(t.Context(), node, script, line, out.url, strangerToken)
				cmd.Stderr = &errs
				said, err := cmd.Output()
				if err != nil {
					t.Fatalf("the client: %v\n%s%s", err, said, &errs)
				}
				var got struct {
					Protocol string
					Asked    []string
					Said     map[string]string
				}
				if err := json.Unmarshal(said, &got); err != nil {
					t.Fatalf("it says %q: %v", said, err)
				}
				if got.Protocol != protocol {
					t.Errorf("it speaks %q, want %q", got.Protocol, protocol)
				}
				if len(got.Asked) != 2 || !strings.HasPrefix(got.Asked[0], server.Name+": Please provide") || !strings.Contains(got.Asked[1], "the bell") {
					t.Errorf("it was asked %q, want the form with the server's name, and the prompt", got.Asked)
				}
				if form := got.Said["trigger-elicitation-request"]; !strings.Contains(form, "Mira of the Inn") {
					t.Errorf("the form's tool says %q", form)
				}
				if model := got.Said["trigger-sampling-request"]; !strings.Contains(model, "The bell is old.") || !strings.Contains(model, "a-model-of-mine") {
					t.Errorf("the model's tool says %q", model)
				}
			})
		}
	}
}
