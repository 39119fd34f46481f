package mcppeers_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/lab/peers"
	"github.com/MrWong99/glyphoxa/internal/mcp"
)

// TestServersOfOtherAuthors connects the host to five servers that are in wide use, and checks that each of their
// tools can be called. The tools themselves are not called, because most of them reach other machines.
func TestServersOfOtherAuthors(t *testing.T) {
	if testing.Short() {
		t.Skip("long; make test-all runs it")
	}
	vault := t.TempDir()
	if err := os.WriteFile(filepath.Join(vault, "bell.md"), []byte("The bell rings at dawn."), 0o600); err != nil {
		t.Fatal(err)
	}
	node := peers.Node(t)
	for _, row := range []struct {
		name, script string
		args         []string
		least        int // tools that every version of the last year has
	}{
		{"context7", "@upstash/context7-mcp/dist/index.js", nil, 2},
		{"playwright", "@playwright/mcp/cli.js", nil, 20},
		{"chart", "@antv/mcp-server-chart/build/index.js", nil, 20},
		{"git", "@cyanheads/git-mcp-server/dist/index.js", nil, 20},
		{"obsidian", "mcp-obsidian/dist/index.js", []string{vault}, 2},
	} {
		t.Run(row.name, func(t *testing.T) {
			h, _ := connect(t, server{MCPServerConfig: config.MCPServerConfig{
				Name: row.name, Transport: config.TransportStdio, ConnectTimeout: config.Duration(time.Minute), Command: node,
				Args: append([]string{peers.File(t, row.script)}, row.args...), Env: map[string]config.Secret{"HOME": config.Secret(t.TempDir())},
			}})
			ready := 0
			for _, s := range h.Status() {
				if s.Source == row.name && s.State == "ready" {
					ready++
				} else if s.Source == row.name {
					t.Errorf("%s is %s", s.Name, s.State)
				}
			}
			if listed := len(h.Tools(mcp.BudgetDeep)); ready < row.least || listed != ready {
				t.Errorf("%d tools are ready and %d listed, want at least %d", ready, listed, row.least)
			}
		})
	}
}

// TestMCPorter lets the client mcporter roll dice with the program.
func TestMCPorter(t *testing.T) {
	if testing.Short() {
		t.Skip("long; make test-all runs it")
	}
	node, client := peers.Node(t), peers.File(t, "mcporter/dist/cli.js")
	p := newProgram(t)
	out := visit(t, p, node, client, "call", "--stdio", p.path+" mcp serve --stdio", "roll", "expression=2d6+3")
	var got struct {
		Rolls []int
		Total int
	}
	if err := json.Unmarshal(out, &got); err != nil || len(got.Rolls) != 2 || got.Total != got.Rolls[0]+got.Rolls[1]+3 {
		t.Errorf("mcporter's roll = %s, %v", out, err)
	}
}
