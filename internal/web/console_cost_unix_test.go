//go:build unix

package web_test

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/lab/peers"
)

// followerShare is what share of a processor's core somebody who follows a table of ten turns
// a second may cost the program, see docs/console.md.
const followerShare = 0.01

// followers are as many as one visitor may have: what one costs is told apart from noise.
const followers = 8

// TestAFollowerCostsLittle has a table take ten turns a second, with and without some who
// follow it as the page does, in a process of their own, and compares the processor time that
// the program takes: the median of four pairs, of which every other begins with those who
// follow. It runs with GLYPHOXA_BENCH_CONSOLE, which is for how many seconds each is measured.
func TestAFollowerCostsLittle(t *testing.T) {
	seconds, err := strconv.ParseFloat(os.Getenv("GLYPHOXA_BENCH_CONSOLE"), 64)
	if err != nil {
		t.Skip("set GLYPHOXA_BENCH_CONSOLE, or use make bench-console")
	}
	f := openWith(t, frameSettings())
	registerTools(t, f)
	ctx, cancel := context.WithCancel(t.Context())
	played := make(chan int)
	go func() { played <- f.playOn(ctx) }()
	window := time.Duration(seconds * float64(time.Second))
	time.Sleep(window / 5) // so that what is made once is made
	var costs []time.Duration
	for n := range 4 {
		var took [2]time.Duration // alone, and followed
		for i := range took {
			who := (n + i) % 2
			stop := f.beFollowed(who * followers)
			took[who] = processorTime(t, window)
			stop()
		}
		t.Logf("in %v the program took %v of processor time, and %v with %d followers", window, took[0], took[1], followers)
		costs = append(costs, took[1]-took[0])
	}
	cancel()
	lines := <-played
	slices.Sort(costs)
	share := (costs[1] + costs[2]).Seconds() / 2 / followers / window.Seconds()
	t.Logf("%d lines; a follower costs %.2f %% of a core", lines, 100*share)
	if *strict && share > followerShare {
		t.Errorf("a follower costs %.2f %% of a core, want %.0f %% at most", 100*share, 100*followerShare)
	}
}

// processorTime is how much of it this process takes in some time.
func processorTime(t *testing.T, within time.Duration) time.Duration {
	t.Helper()
	spent := func() time.Duration {
		var u syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
			t.Fatal(err)
		}
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	before := spent()
	time.Sleep(within)
	return spent() - before
}

// beFollowed has some follow the table, until the function that it returns is called.
func (f *fixture) beFollowed(pages int) (stop func()) {
	f.t.Helper()
	if pages == 0 {
		return func() {}
	}
	script, err := filepath.Abs(filepath.Join("..", "..", "testdata", "peers", "follow.mjs"))
	if err != nil {
		f.t.Fatal(err)
	}
	cmd := exec.CommandContext(f.t.Context(), peers.Node(f.t), script, f.server.URL, "lead", strconv.Itoa(pages))
	cmd.Stderr = f.t.Output()
	in, err := cmd.StdinPipe()
	if err != nil {
		f.t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		f.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		f.t.Fatal(err)
	}
	if said, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		f.t.Fatalf("who follows says %q, %v", said, err)
	}
	return func() {
		_ = in.Close() // ends it
		if err := cmd.Wait(); err != nil {
			f.t.Errorf("who follows ended with %v", err)
		}
	}
}
