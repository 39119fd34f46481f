// Package peers finds the third-party programs that testdata/peers/install.sh
// installs for tests: MCP servers from npm, tools that test MCP programs, and a
// Node new enough for them.
//
// It is for tests.
package peers

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// required makes a test fail that lacks a peer.
const required = "GLYPHOXA_REQUIRE_PEERS"

// lacks ends a test that needs something this machine lacks: the test fails
// where all peers are required, and is skipped otherwise.
func lacks(t testing.TB, what string) {
	t.Helper()
	if os.Getenv(required) == "1" {
		t.Fatalf("%s, and %s=1 demands it; run: make peers", what, required)
	}
	t.Skipf("%s; to run this test: make peers", what)
}

// directory is where the peers are installed.
func directory(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Stat(filepath.Join(at, "go.mod")); err == nil {
			return filepath.Join(at, "testdata", "peers")
		}
		if at == filepath.Dir(at) {
			t.Fatalf("%s is in no Go module", dir)
		}
	}
}

// File returns the path of a file in an installed npm package, relative to the
// package's parent. Without it the test is skipped, or fails where peers are
// required.
func File(t testing.TB, name string) string {
	t.Helper()
	path := filepath.Join(directory(t), "node_modules", filepath.FromSlash(name))
	if _, err := os.Stat(path); err != nil {
		lacks(t, name+" is not installed in testdata/peers")
	}
	return path
}

// Program returns the path of a program of this machine. Without it the test is
// skipped, or fails where peers are required.
func Program(t testing.TB, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		lacks(t, name+" is not installed")
	}
	return path
}

// Node returns a Node version that runs every peer: the one installed with
// them, or this machine's where npm has none for it.
func Node(t testing.TB) string {
	t.Helper()
	arch := map[string]string{"amd64": "x64", "arm64": "arm64"}[runtime.GOARCH]
	path := filepath.Join(directory(t), "node_modules", fmt.Sprintf("node-%s-%s", runtime.GOOS, arch), "bin", "node")
	if _, err := os.Stat(path); err == nil {
		return path
	}
	path, err := exec.LookPath("node")
	if err != nil {
		lacks(t, "node is not installed")
	}
	return path
}

// ServeEverything runs the MCP reference server over streamable HTTP until the
// test ends and returns its endpoint. The server downloads nothing.
func ServeEverything(t testing.TB) string {
	t.Helper()
	return serveNode(t, File(t, "@modelcontextprotocol/server-everything/dist/index.js"), "streamableHttp")
}

// ServeMCPProxy runs the gateway mcp-proxy in front of a stdio server, command, until the test ends and returns
// its endpoint.
func ServeMCPProxy(t testing.TB, command ...string) string {
	t.Helper()
	return serveNode(t, File(t, "mcp-proxy/dist/bin/mcp-proxy.mjs"), append([]string{"--port", "0", "--server", "stream", "--"}, command...)...)
}

// ServeSupergateway runs the gateway supergateway in front of a stdio server, command, until the test ends and
// returns its endpoint. Words of the command must not contain spaces, because the gateway splits it there.
func ServeSupergateway(t testing.TB, command ...string) string {
	t.Helper()
	return serveNode(t, File(t, "supergateway/dist/index.js"), "--stdio", strings.Join(command, " "),
		"--outputTransport", "streamableHttp", "--stateful", "--port", "0", "--logLevel", "none")
}

// serveNode runs a server's script with its arguments until the test ends. The server listens on a free port of
// 127.0.0.1. serveNode returns the address of /mcp there.
func serveNode(t testing.TB, script string, args ...string) string {
	t.Helper()
	loopback := filepath.Join(directory(t), "loopback.cjs")
	cmd := exec.Command(Node(t), append([]string{"--require", loopback, script}, args...)...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "PORT=0", "GZIP_ALLOWED_DOMAINS=127.0.0.1"}
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	address := make(chan string, 1)
	said := make(chan string, 1)
	go func() { // ends with the process, which the cleanup ends
		var all strings.Builder
		for lines := bufio.NewScanner(stderr); lines.Scan(); {
			if port, ok := strings.CutPrefix(lines.Text(), "loopback: listening on "); ok {
				select {
				case address <- "http://127.0.0.1:" + port + "/mcp":
				default: // only the first server of the process counts
				}
			}
			all.WriteString(lines.Text() + "\n")
		}
		said <- all.String()
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may have ended by itself
		<-said
		_ = cmd.Wait()
	})
	select {
	case a := <-address:
		return a
	case s := <-said:
		said <- s
		t.Fatalf("%s ended before it listened:\n%s", filepath.Base(script), s)
	}
	return ""
}
