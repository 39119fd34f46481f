package access_test

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/access"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
)

func TestACallIsApproved(t *testing.T) {
	engine, err := access.New(access.Options{Rules: []config.Rule{{Name: "ask", Kind: config.RuleApproval, Tools: []string{"write_file"}, Expires: config.Duration(time.Minute)}}})
	if err != nil {
		t.Fatal(err)
	}
	host := mcphost.New()
	defer host.Close()
	for _, def := range access.ApprovalTools(access.Waiting{Policy: engine, Host: host}) {
		if err := host.RegisterBuiltin(def); err != nil {
			t.Fatal(err)
		}
	}
	builder, ok := engine.Profile("builder.readWrite")
	if !ok {
		t.Fatal("no profile builder.readWrite")
	}
	asker := access.WithSubject(t.Context(), &access.Subject{Name: "claude", Profile: builder})
	call := &mcp.Call{Target: mcp.Target{Tool: "write_file", Source: "builtin", Permission: access.FilesWrite}, Caller: mcp.CallerFrom(asker), Args: `{"path":"a"}`}
	var pending *mcp.Refusal
	if err := engine.Admit(asker, call); !errors.As(err, &pending) || pending.Code != mcp.CodePendingApproval {
		t.Fatalf("Admit = %v, want it pending", err)
	}
	res, err := host.ExecuteTool(t.Context(), "list_approvals", "{}")
	if err != nil {
		t.Fatal(err)
	}
	var list struct {
		Approvals []struct{ ID, Caller, Tool, Arguments string }
	}
	if err := json.Unmarshal([]byte(res.Text), &list); err != nil || len(list.Approvals) != 1 {
		t.Fatalf("list = %s, %v", res.Text, err)
	}
	if a := list.Approvals[0]; a.ID != pending.Approval || a.Caller != "claude" || a.Tool != "write_file" || a.Arguments != `{"path":"a"}` {
		t.Errorf("approval = %+v", a)
	}
	args := `{"id":"` + pending.Approval + `","grant":true}`
	if _, err := host.ExecuteTool(asker, "decide_approval", args); err == nil {
		t.Error("claude granted its own call")
	}
	if _, err := host.ExecuteTool(t.Context(), "decide_approval", args); err != nil {
		t.Errorf("the operator's grant = %v", err)
	}
	if err := engine.Admit(asker, call); err != nil {
		t.Errorf("the granted call = %v", err)
	}
	if _, err := host.ExecuteTool(t.Context(), "decide_approval", `{"id":"none","grant":false}`); !errors.Is(err, mcp.ErrInvalidArguments) {
		t.Errorf("an unknown id = %v, want ErrInvalidArguments", err)
	}
}
