// Package mcppeers contains only tests: the tool host with the MCP reference
// servers from npm.
package mcppeers_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/goleak"
	"golang.org/x/sync/errgroup"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/lab/peers"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// markVar marks the processes of a test and their children.
const markVar = "GLYPHOXA_TEST_MARK"

// server is a reference server and its expected figures.
type server struct {
	config.MCPServerConfig
	tools   int // the number listed for a client with form elicitation and sampling
	answers int // how many of them succeed with made-up arguments
}

// servers are the reference servers, all on this machine. Their processes have
// the mark.
func servers(t *testing.T, mark string) []server {
	t.Helper()
	node, web := peers.Node(t), peers.ServeEverything(t)
	stdio := func(name, pkg string, args ...string) config.MCPServerConfig {
		return config.MCPServerConfig{
			Name: name, Transport: config.TransportStdio, ConnectTimeout: config.Duration(time.Minute), Command: node,
			Args: append([]string{peers.File(t, "@modelcontextprotocol/"+pkg+"/dist/index.js")}, args...),
			Env: map[string]config.Secret{
				markVar:                config.Secret(mark),
				"MEMORY_FILE_PATH":     config.Secret(filepath.Join(t.TempDir(), "memory.jsonl")),
				"GZIP_ALLOWED_DOMAINS": "127.0.0.1", // blocks downloads from elsewhere
			},
		}
	}
	return []server{
		{stdio("everything", "server-everything", "stdio"), 15, 11},
		{stdio("files", "server-filesystem", t.TempDir()), 14, 8},
		{stdio("memory", "server-memory"), 9, 9},
		{stdio("thinking", "server-sequential-thinking"), 1, 1},
		{config.MCPServerConfig{
			Name: "web", Transport: config.TransportStreamableHTTP, ConnectTimeout: config.Duration(time.Minute),
			URL: web, AllowPrivate: true,
		}, 15, 11},
	}
}

// connect registers servers with a new host, all at once, and returns the host
// and the time.
func connect(t *testing.T, all ...server) (*mcphost.Host, time.Duration) {
	t.Helper()
	h := mcphost.New()
	t.Cleanup(func() { shut(t, h) })
	g, ctx := errgroup.WithContext(t.Context())
	start := time.Now()
	for _, s := range all {
		g.Go(func() error { return h.RegisterServer(ctx, s.MCPServerConfig) })
	}
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
	return h, time.Since(start)
}

func shut(t *testing.T, h *mcphost.Host) {
	t.Helper()
	if err := h.Close(); err != nil {
		t.Error(err)
	}
}

// marked lists the processes that have a mark.
func marked(t *testing.T, mark string) []string {
	t.Helper()
	environments, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil || len(environments) == 0 {
		t.Fatalf("there is no table of processes in /proc: %v", err)
	}
	var found []string
	for _, path := range environments {
		environ, err := os.ReadFile(path)
		if err == nil && bytes.Contains(environ, []byte(markVar+"="+mark)) {
			found = append(found, filepath.Dir(path))
		}
	}
	return found
}
