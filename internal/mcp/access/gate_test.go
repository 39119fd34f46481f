package access_test

import (
	"context"
	"errors"
	"io"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/access"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
	"github.com/MrWong99/glyphoxa/internal/observe"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

var _ mcphost.Gate = (*access.Gate)(nil)

type fixture struct {
	t       *testing.T
	policy  *access.Engine
	audit   *access.Log
	metrics *observe.Metrics
	host    *mcphost.Host
}

func newFixture(t *testing.T, rules ...config.Rule) *fixture {
	t.Helper()
	d := &fixture{t: t}
	var err error
	if d.policy, err = access.New(access.Options{Rules: rules}); err != nil {
		t.Fatal(err)
	}
	if d.audit, err = access.OpenLog(t.Context(), filepath.Join(t.TempDir(), "audit.db"), access.LogOptions{}); err != nil {
		t.Fatal(err)
	}
	if d.metrics, err = observe.New(observe.Options{}); err != nil {
		t.Fatal(err)
	}
	d.host = mcphost.New(mcphost.WithGate(access.NewGate(d.policy, d.audit, d.metrics)))
	t.Cleanup(func() {
		for _, close := range []func() error{d.host.Close, d.audit.Close, func() error { return d.metrics.Shutdown(context.Background()) }} {
			if err := close(); err != nil {
				t.Error(err)
			}
		}
	})
	return d
}

func (d *fixture) add(def mcphost.BuiltinTool) {
	d.t.Helper()
	if err := d.host.RegisterBuiltin(def); err != nil {
		d.t.Fatal(err)
	}
}

func tool(name string, answer func(context.Context) (string, error)) mcphost.BuiltinTool {
	return mcphost.BuiltinTool{
		Definition: llm.ToolDefinition{Name: name}, Permission: access.DiceRoll, ReadOnly: true,
		Handler: func(ctx context.Context, _ string) (string, error) { return answer(ctx) },
	}
}

// as returns a context in which a client with a profile calls.
func (d *fixture) as(name, profile string) context.Context {
	p, ok := d.policy.Profile(profile)
	if !ok {
		d.t.Fatalf("no profile %q", profile)
	}
	return access.WithSubject(d.t.Context(), &access.Subject{Name: name, Profile: p, Transport: "http"})
}

func TestEveryCallIsRecordedCountedAndTold(t *testing.T) {
	d := newFixture(t, config.Rule{Name: "once", Kind: config.RuleRateLimit, Who: []string{"claude"}, Tools: []string{"good"}, Calls: 1, Window: config.Duration(time.Hour)})
	d.add(tool("good", func(context.Context) (string, error) { return "{}", nil }))
	d.add(tool("bad", func(context.Context) (string, error) { return "", errors.New("it broke\nin two") }))
	d.add(mcphost.BuiltinTool{
		Definition: llm.ToolDefinition{Name: "both"}, Composite: true, ReadOnly: true,
		Handler: func(ctx context.Context, _ string) (string, error) {
			_, err := mcp.Through(ctx, "good", "{}")
			return "", err
		},
	})
	claude := mcp.WithExecutor(d.as("claude", "player.full"), d.host.Everything())
	rows := []struct {
		name, tool, args string
		ctx              context.Context
		event            string
		decision, code   string
		rule, who        string
	}{
		{name: "a call", tool: "good", args: `{"a":1}`, ctx: claude, event: access.EventExecuted, decision: access.Allowed, who: "claude"},
		{name: "one too many", tool: "good", ctx: claude, event: access.EventRefused, decision: access.Denied, code: "capacity_exceeded", rule: "once", who: "claude"},
		{name: "a failure", tool: "bad", ctx: claude, event: access.EventFailed, decision: access.Allowed, code: "handler_error", who: "claude"},
		{name: "bad arguments", tool: "good", args: `[]`, ctx: claude, event: access.EventFailed, decision: access.Allowed, code: "invalid_input", who: "claude"},
		{name: "a step that is refused", tool: "both", ctx: claude, event: access.EventFailed, decision: access.Allowed, code: "capacity_exceeded", who: "claude"},
		{name: "no right", tool: "good", ctx: access.WithSubject(t.Context(), &access.Subject{Name: "guest", Profile: access.Profile{Name: "no such profile"}}), event: access.EventRefused, decision: access.Denied, code: "forbidden", rule: "profile", who: "guest"},
		{name: "an NPC", tool: "good", ctx: mcp.WithCaller(t.Context(), mcp.Caller{NPC: "bart", Session: "s1"}), event: access.EventExecuted, decision: access.Allowed, who: "npc:bart"},
		{name: "one of many", tool: "good", ctx: access.WithSubject(t.Context(), &access.Subject{Name: "discord:1", Profile: access.Profile{Name: "dm"}, Crowd: "discord"}), event: access.EventExecuted, decision: access.Allowed, who: "discord:1"},
		{name: "the operator", tool: "good", ctx: t.Context(), event: access.EventExecuted, decision: access.Allowed, who: "operator"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			var events mcp.Events
			_, _ = d.host.ExecuteTool(mcp.WithEvents(row.ctx, &events), row.tool, row.args)
			if names := events.Names(); !slices.Contains(names, row.event) {
				t.Errorf("events = %v, want %s", names, row.event)
			}
			records, _, err := d.audit.Query(t.Context(), access.LogQuery{Limit: 1})
			if err != nil || len(records) != 1 {
				t.Fatalf("records = %v, %v", records, err)
			}
			r := records[0]
			if r.Who != row.who || r.Tool != row.tool || r.Decision != row.decision || r.Code != row.code || r.Rule != row.rule {
				t.Errorf("record = %+v", r)
			}
			if r.ArgsHash == "" || r.Args != "" {
				t.Errorf("arguments = %q, hash %q: want the hash alone", r.Args, r.ArgsHash)
			}
			if refused := row.decision == access.Denied; (r.Error != "") != refused {
				t.Errorf("error = %q, want a reason of refusals alone: what tools say may quote arguments", r.Error)
			}
		})
	}
	answer := httptest.NewRecorder()
	d.metrics.Handler().ServeHTTP(answer, httptest.NewRequest("GET", "/metrics", nil))
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`glyphoxa_tool_calls_total{caller="claude",code="handler_error",source="builtin",tool="bad"} 1`,
		`glyphoxa_denials_total{caller="claude",code="capacity_exceeded",rule="once",tool="good"} 2`,
		`glyphoxa_tool_calls_total{caller="discord",code="ok",source="builtin",tool="good"} 1`,
		`glyphoxa_denials_total{caller="guest",code="forbidden",rule="profile",tool="good"} 1`,
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("metrics lack %s", want)
		}
	}
}
