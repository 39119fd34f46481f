package main_test

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/peers"
)

// TestConsoleInABrowser opens every page of the console at the size of a desk and of a
// phone, in English and German, light and dark, and leads a game there. Nothing may keep
// somebody from using it, as axe sees it, and the page is to be small.
func TestConsoleInABrowser(t *testing.T) {
	t.Parallel()
	browser, _ := peers.Browser(t)
	peer(t, "axe-core/axe.min.js")
	peer(t, "playwright-core/package.json")
	script, err := filepath.Abs(filepath.Join("..", "..", "testdata", "peers", "console.mjs"))
	if err != nil {
		t.Fatal(err)
	}
	w := newProgram(t).watch("--console")
	args := []string{script, browser, w.link}
	if dir := os.Getenv("GLYPHOXA_PICTURES"); dir != "" {
		args = append(args, dir)
	}
	cmd := exec.CommandContext(t.Context(), node(t), args...)
	cmd.Stderr = t.Output()
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("the visit failed: %v\n%s", err, out)
	}
	var done struct {
		Pages, Failures []string
		Bytes           int
		Paint           []int
		Said, Muted     string
	}
	if err := json.Unmarshal(out, &done); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	for _, f := range done.Failures {
		t.Error(f)
	}
	if len(done.Pages) != 22 {
		t.Errorf("%d pages were seen, want 22: %q", len(done.Pages), done.Pages)
	}
	if done.Bytes > 150<<10 {
		t.Errorf("all of it has %d bytes, want 150 KiB at most", done.Bytes)
	}
	if !strings.Contains(done.Said, "Bartok, good evening") || !strings.Contains(done.Said, "Bartok the Barkeep") || done.Muted != "Let speak" {
		t.Errorf("what was said and done: %q, %q", done.Said, done.Muted)
	}
	t.Logf("%d bytes; first paint after %v ms", done.Bytes, done.Paint)
	w.wait("turn.ended")
	w.leave()
}

// TestAConsoleThatReadsNothing opens streams of events and takes nothing of them, while
// more is said than any buffer on the way holds: every line ends in its turn all the same,
// and so does the program.
func TestAConsoleThatReadsNothing(t *testing.T) {
	t.Parallel()
	w := newProgram(t).watch("--console")
	for range 8 { // as many as one visitor may have
		conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", w.addr)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() }) // the server may have closed it
		if _, err := fmt.Fprintf(conn, "GET /console/events?room=home HTTP/1.1\r\nHost: %s\r\n\r\n", w.addr); err != nil {
			t.Fatal(err)
		}
	}
	for range 800 {
		w.say("Hmm. " + strings.Repeat("so far ", 1000))
		w.wait("turn.ended")
	}
	w.leave()
}
