package main_test

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa"
	"github.com/MrWong99/glyphoxa/internal/lab/peers"
	"github.com/MrWong99/glyphoxa/internal/mcp/access"
)

// TestConsoleInABrowser opens every page of the console at desktop and phone
// size, in English and German, light and dark, and leads a game there. axe must
// find no accessibility problem, and the page must be small.
func TestConsoleInABrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("long; make test-all runs it")
	}
	t.Parallel()
	browser, _ := peers.Browser(t)
	peer(t, "axe-core/axe.min.js")
	peer(t, "playwright-core/package.json")
	script, err := filepath.Abs(filepath.Join("..", "..", "testdata", "peers", "console.mjs"))
	if err != nil {
		t.Fatal(err)
	}
	const lead, guest = "lead-of-the-test", "guest-of-the-test"
	h := newProgram(t)
	if err := os.CopyFS(h.dir, glyphoxa.Shipped); err != nil {
		t.Fatal(err)
	}
	shipped, err := glyphoxa.Shipped.ReadFile("glyphoxa.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(h.path("glyphoxa.yaml")); err != nil { // the program cannot write this file
		t.Fatal(err)
	}
	h.write("glyphoxa.yaml", string(shipped)+fmt.Sprintf("\nserver:\n  clients:\n    - {name: lead, token_hash: '%s', profile: dm}\n    - {name: guest, token_hash: '%s', profile: player.full}\n"+
		"  policy:\n    - {name: ask, rule: approval, who: [guest], tools: [roll], expires: 10m}\n", access.HashToken(lead), access.HashToken(guest)))
	h.limit = 9 * time.Minute // the program runs as long as the browser looks at the page
	w := h.watch("--console")
	args := []string{script, browser, w.link, lead, guest}
	if dir := os.Getenv("GLYPHOXA_PICTURES"); dir != "" {
		args = append(args, dir)
	}
	cmd := exec.CommandContext(t.Context(), node(t), args...)
	cmd.Stderr = t.Output()
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("the visit failed: %v\n%s\n%s", err, out, w.errs.String())
	}
	var done struct {
		Pages, Failures []string
		Bytes           int
		Paint           []int
		Said, Muted     string
		Card, Signed    string
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
	if !strings.Contains(done.Card, "lie about the key") || !strings.Contains(done.Card, "raised to deep for 10 turns") {
		t.Errorf("the card of who is directed and raised reads %q", done.Card)
	}
	if done.Signed != "lead · dm" {
		t.Errorf("who signed in by a token is %q", done.Signed)
	}
	checkPaint(t, done.Paint)
	t.Logf("%d bytes; first paint after %v ms", done.Bytes, done.Paint)
	w.wait("turn.ended")
	w.leave()
}

// paintTarget bounds the time until a page shows content on this machine, in
// ms.
const paintTarget = 300

// checkPaint requires that a page was painted. With -strict the fastest of the
// loads must meet the target; without it, a busy machine does not fail the
// test.
func checkPaint(t *testing.T, loads []int) {
	t.Helper()
	if len(loads) == 0 || slices.Min(loads) < 0 || *strict && slices.Min(loads) > paintTarget {
		t.Errorf("the first paint came after %v ms, want it within %d ms once", loads, paintTarget)
	}
}

// TestAConsoleThatReadsNothing opens event streams and reads none of them,
// while the players say more than any buffer on the way holds: every line still
// ends in its turn, and the program exits.
func TestAConsoleThatReadsNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("it says 800 lines; make test-all runs it")
	}
	t.Parallel()
	w := newProgram(t).watch("--console")
	for range 8 { // the maximum for one visitor
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
