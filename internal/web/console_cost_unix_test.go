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

// followerShare is the share of a processor core that one follower of a table with ten turns a
// second may cost, see docs/console.md.
const followerShare = 0.01

// followers is the most that one visitor may have, because the cost of one would be lost in
// noise.
const followers = 8

// TestAFollowerCostsLittle plays ten turns a second, with and without followers, which behave
// like the page and run in their own process. It compares the processor time of the program:
// the median of four pairs, every other of them with the followers first.
// GLYPHOXA_BENCH_CONSOLE enables it and sets the seconds per measurement.
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
	time.Sleep(window / 5) // exclude one-time work
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

// processorTime returns the processor time that this process uses in a period.
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

// beFollowed lets pages follow the table until the returned function is called.
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
		_ = in.Close() // ends the process
		if err := cmd.Wait(); err != nil {
			f.t.Errorf("who follows ended with %v", err)
		}
	}
}
