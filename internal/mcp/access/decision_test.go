package access_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/access"
)

// TestDecisionsAreTold has one call granted, one denied and one forgotten for all
// callers: each is reported once, with the person who decided.
func TestDecisionsAreTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, err := access.New(access.Options{Rules: []config.Rule{{Name: "ask", Kind: config.RuleApproval, Expires: config.Duration(10 * time.Second)}}})
		if err != nil {
			t.Fatal(err)
		}
		told := make(chan access.Decision, 10)
		e.OnDecision(func(d access.Decision) { told <- d })
		life, end := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- e.Run(life) }()
		profile, _ := e.Profile("dm")
		ctx := access.WithSubject(t.Context(), &access.Subject{Name: "ada", Profile: profile})
		call := func(tool string) (*mcp.Call, error) {
			c := &mcp.Call{Target: mcp.Target{Tool: tool, Permission: access.WorldWrite}, Args: `{}`}
			return c, e.Admit(ctx, c)
		}
		for _, tool := range []string{"yes", "no", "never"} {
			if _, err := call(tool); mcp.CodeOf(err) != mcp.CodePendingApproval {
				t.Fatalf("%s: %v, want it to wait", tool, err)
			}
		}
		for _, a := range e.Pending() {
			if a.Tool != "never" {
				if err := e.Decide(a.ID, a.Tool == "yes", "master"); err != nil {
					t.Fatal(err)
				}
			}
		}
		if c, err := call("yes"); err != nil || c.Approved == nil || c.Approved.By != "master" {
			t.Errorf("the granted call = %+v, %v, want it to say who let it through", c.Approved, err)
		}
		time.Sleep(3 * time.Minute)
		synctest.Wait()
		end()
		if err := <-done; err != nil {
			t.Error(err)
		}
		close(told)
		got := map[string]string{}
		for d := range told {
			if _, twice := got[d.Tool]; twice || d.ID == "" || d.Caller != "ada" {
				t.Errorf("decision = %+v, want each told once and whose call it was", d)
			}
			got[d.Tool] = d.By
			if d.Granted != (d.Tool == "yes") {
				t.Errorf("decision = %+v", d)
			}
		}
		if want := (map[string]string{"yes": "master", "no": "master", "never": ""}); len(got) != 3 || got["yes"] != want["yes"] || got["no"] != want["no"] || got["never"] != want["never"] {
			t.Errorf("decided by %v, want %v", got, want)
		}
	})
}
