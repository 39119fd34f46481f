package main

import (
	"context"
	"sync"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcpserver"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools"
)

// changingFixtures change the server's lists, for clients that follow them.
func changingFixtures(host *mcphost.Host, prompts *scripts, server *mcpserver.Server) []fixture {
	t := &toggle{host: host}
	return []fixture{
		{name: "test_trigger_tool_change", does: "Adds a tool, or takes it away again.", run: t.tools},
		{name: "test_trigger_prompt_change", does: "Adds a prompt, or takes it away again.", run: func(context.Context, string) (mcp.Result, error) {
			prompts.toggle()
			server.PromptsChanged()
			return mcp.Result{Text: "The list of prompts has changed."}, nil
		}},
	}
}

// toggle adds a tool and removes it again.
type toggle struct {
	host *mcphost.Host

	mu    sync.Mutex // guards there
	there bool
}

func (t *toggle) tools(context.Context, string) (mcp.Result, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	var now []tools.Tool
	if !t.there {
		passing := fixture{name: "test_passing_tool", does: "Is there every other time.", run: says("I am here.")}.tool()
		passing.Kind = tools.KindWorkflow
		now = append(now, passing)
	}
	if err := t.host.ReplaceWorkflows(now...); err != nil {
		return mcp.Result{}, err
	}
	t.there = !t.there
	return mcp.Result{Text: "The list of tools has changed."}, nil
}
