package main_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

// serveOddly serves an MCP server over HTTP whose listing has three tools: a plain one, one with a malformed
// title and a pattern that Go does not know, and one without a name.
func serveOddly(t *testing.T) string {
	t.Helper()
	const tools = `[{"name":"plain","inputSchema":{"type":"object"}},{"inputSchema":{"type":"object"}},
		{"name":"odd","title":7,"inputSchema":{"type":"object","properties":{"mail":{"type":"string","pattern":"^(?!x)"},"n":{"type":"integer"}}}}]`
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var m struct {
			ID     json.RawMessage
			Method string
			Params struct{ Arguments json.RawMessage }
		}
		body, err := io.ReadAll(r.Body)
		if err != nil || json.Unmarshal(body, &m) != nil || m.ID == nil {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		answer := `"error":{"code":-32601,"message":"unknown method"}`
		switch m.Method {
		case "initialize":
			answer = `"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":[]},"serverInfo":{"name":"odd","version":"1"}}`
		case "tools/list":
			answer = `"result":{"tools":` + tools + `}`
		case "tools/call":
			answer = fmt.Sprintf(`"result":{"content":[{"type":"hologram"},{"type":"text","text":%q}]}`, "got "+string(m.Params.Arguments))
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,%s}`, m.ID, answer)
	}))
	t.Cleanup(web.Close)
	return web.URL
}

// TestWhatAServersToolsAreUsedWithout shows what of a server cannot be used, wherever the operator looks.
func TestWhatAServersToolsAreUsedWithout(t *testing.T) {
	t.Parallel()
	h := newProgram(t)
	h.write("glyphoxa.yaml", fmt.Sprintf("data_dir: data\nmcp: {servers: [{name: market, transport: streamable-http, url: %q, allow_private: true}]}\n", serveOddly(t)))
	const used, unusable = "tool odd of server market is used without title (a number), the check of the pattern of mail", "server market lists what cannot be used: a tool without a name"

	notice := unusable + ` (and 1 more; see "glyphoxa tools")`
	run := func(args ...string) string {
		t.Helper()
		r := h.run("", args...)
		r.complains(t, 0, notice)
		return r.stdout
	}
	table := run("tools")
	for _, want := range []string{used, unusable} {
		if !strings.Contains(table, want) {
			t.Errorf("tools prints %q, want %q in it", table, want)
		}
	}
	var listed []struct {
		Name    string
		State   string
		Without []string
	}
	if err := json.Unmarshal([]byte(run("tools", "--json")), &listed); err != nil {
		t.Fatal(err)
	}
	for _, tool := range listed {
		if want := []string{"title (a number)", "the check of the pattern of mail"}; tool.Name == "odd" && (tool.State != "ready" || !slices.Equal(tool.Without, want)) {
			t.Errorf("odd = %+v, want it ready without %q", tool, want)
		}
	}
	if show := h.run("", "tools", "show", "odd").stdout; !strings.Contains(show, "used without  title (a number)") || !strings.Contains(show, "mail") {
		t.Errorf("tools show = %q", show)
	}
	if doctor := h.run("", "doctor").stdout; !strings.Contains(doctor, used) || !strings.Contains(doctor, unusable) {
		t.Errorf("doctor = %q", doctor)
	}
	if out := h.run("", "tools", "call", "odd", `{"n":"4","mail":"y"}`).stdout; !strings.HasPrefix(out, `got {"mail":"y","n":4}`+"\n[left out: 1 × content of the type \"hologram\"]") {
		t.Errorf("tools call = %q", out)
	}
}
