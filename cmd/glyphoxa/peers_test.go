package main_test

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

// peer returns the path of an installed npm package's file.
func peer(t testing.TB, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("..", "..", "testdata", "peers", "node_modules", name))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		lacks(t, name+" is not installed in testdata/peers")
	}
	return path
}

// node returns a Node version that runs every peer: the one installed with
// them, otherwise this machine's.
func node(t testing.TB) string {
	t.Helper()
	arch := map[string]string{"amd64": "x64", "arm64": "arm64"}[runtime.GOARCH]
	beside, err := filepath.Abs(filepath.Join("..", "..", "testdata", "peers", "node_modules", fmt.Sprintf("node-%s-%s", runtime.GOOS, arch), "bin", "node"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(beside); err == nil {
		return beside
	}
	path, err := exec.LookPath("node")
	if err != nil {
		lacks(t, "node is not installed")
	}
	return path
}

// newPeerProgram is a house with access to node and the reference server.
func newPeerProgram(t testing.TB) *program {
	t.Helper()
	h := newProgram(t)
	h.set("PATH", filepath.Dir(node(t))+string(os.PathListSeparator)+os.Getenv("PATH"))
	h.set("EVERYTHING", peer(t, "@modelcontextprotocol/server-everything/dist/index.js"))
	return h
}

// serveEverything runs the reference server over HTTP on loopback until the
// test ends, and returns its address.
func serveEverything(t testing.TB) string {
	t.Helper()
	server := peer(t, "@modelcontextprotocol/server-everything/dist/index.js")
	loopback, err := filepath.Abs(filepath.Join("..", "..", "testdata", "peers", "loopback.cjs"))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(node(t), "--require", loopback, server, "streamableHttp")
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "PORT=0"}
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may have ended by itself
		_ = cmd.Wait()
	})
	var said strings.Builder
	for lines := bufio.NewScanner(stderr); lines.Scan(); {
		if port, ok := strings.CutPrefix(lines.Text(), "loopback: listening on "); ok {
			return "http://127.0.0.1:" + port + "/mcp"
		}
		said.WriteString(lines.Text() + "\n")
	}
	t.Fatalf("the reference server ended before it listened:\n%s", said.String())
	return ""
}
