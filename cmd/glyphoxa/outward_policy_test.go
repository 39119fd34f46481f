package main_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// clock formats a time of day as in rules.
func clock(t time.Time) string { return t.UTC().Format("15:04") }

// newPolicyProgram serves one client for each rule.
func newPolicyProgram(t testing.TB, prepare ...func(*program)) *outward {
	t.Helper()
	h := newProgram(t)
	h.configure("policy.yaml")
	h.set("FROM", clock(time.Now().Add(2*time.Hour)))
	h.set("TO", clock(time.Now().Add(4*time.Hour)))
	for _, name := range []string{"master", "tablet", "flood", "builder", "friend", "stranger", "lapsed", "pardoned", "asker", "hasty", "owl"} {
		h.secrets = append(h.secrets, secret(name))
	}
	for _, p := range prepare {
		p(h)
	}
	return h.serve()
}

// outcome is the structured result of a call.
type outcome struct {
	IsError           bool
	StructuredContent json.RawMessage
	Meta              struct {
		Error struct {
			Code, Message, Hint, Rule string
			ApprovalID                string
			RetryAfterMs              int64
		} `json:"glyphoxa/error"`
		Events []string `json:"eventsEmitted"`
		Millis *float64 `json:"executionTimeMs"`
	} `json:"_meta"`
	// unknown says that the tool does not exist for the caller.
	unknown bool
}

func try(t testing.TB, c talker, name string, args any) outcome {
	t.Helper()
	r := c.ask("tools/call", map[string]any{"name": name, "arguments": args})
	if notFound(r) {
		return outcome{unknown: true}
	}
	var o outcome
	r.into(t, &o)
	if o.Meta.Millis == nil || o.Meta.Events == nil {
		t.Errorf("%s: _meta says neither how long nor what: %s", name, r.Result)
	}
	return o
}

// code is the kind of failure: "unknown" for an unknown tool, empty for
// success.
func (o outcome) code() string {
	if o.unknown {
		return "unknown"
	}
	return o.Meta.Error.Code
}

// lists reports whether a client sees a tool.
func lists(t testing.TB, c talker, name string) bool {
	t.Helper()
	var page struct{ Tools []struct{ Name string } }
	c.ask("tools/list", map[string]any{}).into(t, &page)
	return slices.ContainsFunc(page.Tools, func(tool struct{ Name string }) bool { return tool.Name == name })
}

var d6 = map[string]any{"expression": "1d6"}

func scene(text string) map[string]any { return map[string]any{"text": text} }

// TestRulesOfTheFile checks every kind of rule through clients: hidden tools
// are neither listed nor callable, and limited ones say when to retry.
func TestRulesOfTheFile(t *testing.T) {
	t.Parallel()
	o := newPolicyProgram(t)
	file := map[string]any{"path": "a.txt", "content": "x"}
	for _, row := range []struct {
		name, client, tool string
		args               any
		want               string
	}{
		{"a restricted tool", "builder", "write_file", file, "unknown"},
		{"a restricted tool by the end of its name", "builder", "place_entity", map[string]any{}, "unknown"},
		{"a tool beside the restricted ones", "builder", "read_file", file, "invalid_input"},
		{"a permission granted until some day", "friend", "write_file", file, ""},
		{"a permission granted until long ago", "stranger", "write_file", file, "unknown"},
		{"a permission revoked until some day", "lapsed", "roll", d6, "unknown"},
		{"a permission revoked until long ago", "pardoned", "roll", d6, ""},
		{"a window that is closed", "owl", "roll", d6, "unknown"},
		{"a tool without a window", "owl", "search_rules", map[string]any{"query": "blinded"}, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			c := o.in(t).socket(secret(row.client)).handshake()
			if got := try(t, c, row.tool, row.args).code(); got != row.want {
				t.Errorf("code %q, want %q", got, row.want)
			}
			if listed := lists(t, c, row.tool); listed != (row.want != "unknown") {
				t.Errorf("%s is listed: %v", row.tool, listed)
			}
		})
	}
}

// TestLimitsOfTheFile checks a rate limit and each client's budget.
func TestLimitsOfTheFile(t *testing.T) {
	t.Parallel()
	o := newPolicyProgram(t)
	t.Run("a rate limit", func(t *testing.T) {
		tablet := o.in(t).web(secret("tablet")).stateless()
		for i := range 3 {
			if got := try(t, tablet, "roll", d6).code(); got != "" {
				t.Fatalf("call %d ends in %q", i+1, got)
			}
		}
		fourth := try(t, tablet, "roll", d6)
		if e := fourth.Meta.Error; e.Code != "capacity_exceeded" || e.Rule != "calm" || e.RetryAfterMs <= 0 || e.RetryAfterMs > time.Hour.Milliseconds() || e.Hint == "" {
			t.Errorf("the fourth call = %+v, want it told when to come back", e)
		}
		if got := try(t, tablet, "roll_table", map[string]any{"table_name": "wild_magic"}).code(); got != "" {
			t.Errorf("another tool ends in %q", got)
		}
		if got := try(t, o.in(t).web(secret("pardoned")).stateless(), "roll", d6).code(); got != "" {
			t.Errorf("another client ends in %q", got)
		}
		if !lists(t, tablet, "roll") {
			t.Error("a tool that is used up is not listed any more")
		}
	})
	t.Run("the budget of a client", func(t *testing.T) {
		const burst, perSecond = 100, 10
		flood := o.in(t).socket(secret("flood")).handshake()
		start, passed := time.Now(), 0
		var last outcome
		for last.code() == "" && passed <= 10*burst {
			if last = try(t, flood, "roll", d6); last.code() == "" {
				passed++
			}
		}
		most := burst + int(time.Since(start).Seconds()*perSecond) + 1
		if passed < burst-1 || passed > most { // opening the session uses one request
			t.Errorf("%d calls passed, want %d to %d", passed, burst-1, most)
		}
		if e := last.Meta.Error; e.Code != "capacity_exceeded" || e.RetryAfterMs <= 0 || e.RetryAfterMs > 1000/perSecond {
			t.Errorf("one call too many = %+v, want it told to come back within %d ms", e, 1000/perSecond)
		}
		if got := try(t, o.in(t).socket(secret("pardoned")).handshake(), "roll", d6).code(); got != "" {
			t.Errorf("another client ends in %q while one floods", got)
		}
	})
}

// TestApproval makes a call that waits for the game master's approval.
func TestApproval(t *testing.T) {
	t.Parallel()
	o := newPolicyProgram(t)
	asker, master := o.socket(secret("asker")).handshake(), o.socket(secret("master")).handshake()
	pending := func() []map[string]any {
		t.Helper()
		var list struct{ Approvals []map[string]any }
		if err := json.Unmarshal(try(t, master, "list_approvals", map[string]any{}).StructuredContent, &list); err != nil {
			t.Fatal(err)
		}
		return list.Approvals
	}
	ask := func() string {
		t.Helper()
		e := try(t, asker, "set_scene", scene("Dusk.")).Meta.Error
		if e.Code != "pending_approval" || e.ApprovalID == "" || e.Rule != "ask-me" || e.Hint == "" {
			t.Fatalf("the call = %+v, want it pending under an id", e)
		}
		return e.ApprovalID
	}
	decide := func(by talker, id string, grant bool) outcome {
		t.Helper()
		return try(t, by, "decide_approval", map[string]any{"id": id, "grant": grant})
	}

	id := ask()
	if again := ask(); again != id {
		t.Errorf("the same call again waits as %s, want %s", again, id)
	}
	if all := pending(); len(all) != 1 || all[0]["id"] != id || all[0]["caller"] != "asker" || all[0]["tool"] != "set_scene" || !strings.Contains(fmt.Sprint(all[0]["arguments"]), "Dusk.") {
		t.Errorf("pending = %v, want the asker's call", all)
	}
	if got := decide(asker, id, true).code(); got != "unknown" {
		t.Errorf("the asker decides: %q, want it unknown to it", got)
	}
	if got := decide(master, id, true).code(); got != "" {
		t.Errorf("granting ends in %q", got)
	}
	if got := try(t, asker, "set_scene", scene("Dawn.")).code(); got != "pending_approval" {
		t.Errorf("another call with that grant ends in %q", got)
	}
	if got := try(t, asker, "set_scene", scene("Dusk.")).code(); got != "" {
		t.Errorf("the granted call ends in %q", got)
	}
	second := ask()
	if second == id {
		t.Error("a grant lets more than one call pass")
	}
	decide(master, second, false)
	if e := try(t, asker, "set_scene", scene("Dusk.")).Meta.Error; e.Code != "forbidden" || e.Rule != "ask-me" {
		t.Errorf("the denied call = %+v", e)
	}
	own := try(t, master, "set_scene", scene("Noon.")).Meta.Error
	if got := decide(master, own.ApprovalID, true).code(); own.Code != "pending_approval" || got != "forbidden" {
		t.Errorf("deciding on a call of one's own: %+v, then %q", own, got)
	}
	if e := try(t, o.socket(secret("hasty")).handshake(), "set_scene", scene("Dusk.")).Meta.Error; e.Code != "forbidden" || e.Rule != "ask-soon" || !strings.Contains(e.Message, "in time") {
		t.Errorf("a call nobody decides on = %+v, want it expired", e)
	}
	if got := decide(master, "no-such-id", true).code(); got != "invalid_input" {
		t.Errorf("deciding on nothing ends in %q", got)
	}
}

// TestAuditAndMetrics checks the records of calls: client, tool, decision and
// duration, and arguments only if configured.
func TestAuditAndMetrics(t *testing.T) {
	t.Parallel()
	o := newPolicyProgram(t)
	asker, master := o.socket(secret("asker")).handshake(), o.web(secret("master")).stateless()
	const private = "the vault's combination is 4711"
	try(t, asker, "write_file", map[string]any{"path": "vault.txt", "content": private})
	try(t, asker, "set_scene", scene(private))
	tablet := o.web(secret("tablet")).stateless()
	for range 4 {
		try(t, tablet, "roll", d6)
	}
	res := try(t, master, "audit_query", map[string]any{"limit": 50})
	if strings.Contains(string(res.StructuredContent), "4711") {
		t.Errorf("the log shows arguments: %s", res.StructuredContent)
	}
	var log struct{ Records []map[string]any }
	if err := json.Unmarshal(res.StructuredContent, &log); err != nil {
		t.Fatal(err)
	}
	for _, want := range []map[string]any{
		{"who": "asker", "tool": "write_file", "decision": "allowed", "profile": "builder.readWrite", "transport": "websocket"},
		{"who": "asker", "tool": "set_scene", "decision": "pending", "code": "pending_approval", "rule": "ask-me"},
		{"who": "tablet", "tool": "roll", "decision": "allowed", "transport": "http"},
		{"who": "tablet", "tool": "roll", "decision": "denied", "code": "capacity_exceeded", "rule": "calm"},
	} {
		i := slices.IndexFunc(log.Records, func(r map[string]any) bool {
			for k, v := range want {
				if r[k] != v {
					return false
				}
			}
			return true
		})
		if i < 0 {
			t.Errorf("no record %v in %s", want, res.StructuredContent)
			continue
		}
		r := log.Records[i]
		if hash, _ := r["args_hash"].(string); hash == "" || r["duration_ms"] == nil {
			t.Errorf("record %v lacks the arguments' hash or the time it took", r)
		}
	}
	text := o.get("/metrics", secret("master"))
	for _, want := range [][]string{
		{"glyphoxa_tool_calls_total", `tool="roll"`, `caller="tablet"`, `code="ok"`, " 3"},
		{"glyphoxa_tools", " 2"},
		{"glyphoxa_denials_total", `tool="roll"`, `caller="tablet"`, `rule="calm"`, " 1"},
	} {
		if !slices.ContainsFunc(strings.Split(text, "\n"), func(line string) bool {
			return !slices.ContainsFunc(want, func(w string) bool { return !strings.Contains(line, w) })
		}) {
			t.Errorf("no metric with %q in\n%s", want, text)
		}
	}
}

// get fetches a page as the client with a token.
func (o *outward) get(path, token string) string {
	o.t.Helper()
	req, err := http.NewRequestWithContext(o.t.Context(), http.MethodGet, "http://"+o.addr+path, nil)
	if err != nil {
		o.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		o.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		o.t.Fatalf("%s: status %d, %v: %s", path, resp.StatusCode, err, body)
	}
	return string(body)
}
