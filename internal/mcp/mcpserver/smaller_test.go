package mcpserver_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/mcp/mcpserver"
)

// TestTheFirstListHasWhatServersOffer lists before the servers were tried.
func TestTheFirstListHasWhatServersOffer(t *testing.T) {
	tried := make(chan struct{})
	h := newFixture(t, plan{options: func(o *mcpserver.Options) {
		o.FirstList = mcpserver.FirstList{Tried: tried, Wait: time.Hour}
	}})
	s := h.pipe("dm", nil)
	type seen struct {
		late bool
		err  error
	}
	got := make(chan seen, 1)
	go func() {
		list, err := s.ListTools(context.WithoutCancel(t.Context()), nil)
		if err != nil {
			got <- seen{err: err}
			return
		}
		for _, tool := range list.Tools {
			if tool.Name == "late" {
				_, err = call(t, s, "late", map[string]any{})
				got <- seen{true, err}
				return
			}
		}
		got <- seen{}
	}()
	must(t, "registering", h.host.RegisterBuiltin(echo("late", "dice.roll")))
	close(tried)
	if r := <-got; r.err != nil || !r.late {
		t.Errorf("the first list has the tool that came late: %v, %v; want it listed and callable", r.late, r.err)
	}
}

func TestToolsThatComeAndGoAreMarkedUnderPrefixes(t *testing.T) {
	h := newFixture(t, plan{options: func(o *mcpserver.Options) { o.Prefixed = true }})
	h.lend(leaking())
	tools := listed(t, h.pipe("dm", nil))
	if far := tools["skill:fails"]; far == nil || !strings.HasSuffix(far.Description, "[dynamic]") {
		t.Errorf("an external server's tool is %+v, want it marked as dynamic", far)
	}
	if roll := tools["skill:roll"]; roll == nil || strings.Contains(roll.Description, "[dynamic]") {
		t.Errorf("roll is %+v, want it without the mark", roll)
	}
}

func TestFilesAreNotReadAnewWithoutEnd(t *testing.T) {
	for _, row := range []struct {
		tool string
		args map[string]any
		code string
		of   func(*mcpserver.Options)
	}{
		{"search_tools", map[string]any{"refresh": true}, "capacity_exceeded", func(*mcpserver.Options) {}},
		{"list_programs", map[string]any{"refresh": true}, "capacity_exceeded", compact},
		{"invoke_program", map[string]any{"id": "ghost", "input": map[string]any{}}, "not_found", compact},
	} {
		t.Run(row.tool, func(t *testing.T) {
			var read atomic.Int32
			h := newFixture(t, plan{options: func(o *mcpserver.Options) {
				row.of(o)
				o.Refresh = func(context.Context) error { read.Add(1); return nil }
			}})
			s := h.pipe("dm", nil)
			var last struct {
				Code         string
				RetryAfterMs int
			}
			for range 20 {
				res, err := call(t, s, row.tool, row.args)
				must(t, "calling", err)
				if res.IsError {
					last = decoded[struct {
						Code         string
						RetryAfterMs int
					}](t, res.Meta["glyphoxa/error"])
				}
			}
			if n := read.Load(); n < 3 || n > 6 {
				t.Errorf("the files were read anew %d times, want a few", n)
			}
			if last.Code != row.code || row.code == "capacity_exceeded" && last.RetryAfterMs == 0 {
				t.Errorf("the last refusal is %+v, want %s", last, row.code)
			}
		})
	}
}
