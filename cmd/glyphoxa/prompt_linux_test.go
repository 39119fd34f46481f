package main_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// terminal opens a pseudo-terminal: what a program gets as its terminal, for
// the caller to close, and the side people sit at.
func terminal(tb testing.TB) (program, people *os.File) {
	tb.Helper()
	people, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = people.Close() }) // it may be closed before
	if err := unix.IoctlSetPointerInt(int(people.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		tb.Fatalf("unlocking the terminal: %v", err)
	}
	n, err := unix.IoctlGetInt(int(people.Fd()), unix.TIOCGPTN)
	if err != nil {
		tb.Fatalf("asking for the terminal's name: %v", err)
	}
	program, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		tb.Fatal(err)
	}
	return program, people
}

// prompted starts a play at a terminal and returns how long it took until the
// program asked for the first line, which is then the order to quit.
func prompted(tb testing.TB, h *program) time.Duration {
	tb.Helper()
	program, people := terminal(tb)
	cmd := h.command("play")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = program, program, program
	start := time.Now()
	err := errors.Join(cmd.Start(), program.Close())
	if err != nil {
		tb.Fatal(err)
	}
	var said strings.Builder
	buf := make([]byte, 4096)
	for !strings.Contains(said.String(), ">\x1b[C") { // the blank is one that the cursor is moved over
		n, err := people.Read(buf)
		said.Write(buf[:n])
		if err != nil {
			tb.Fatalf("waiting for the prompt: %v; it said:\n%s", err, said.String())
		}
	}
	took := time.Since(start)
	quit(tb, cmd, people)
	return took
}

// quit ends a play. What it says meanwhile must be read, or it cannot end.
func quit(tb testing.TB, cmd *exec.Cmd, people *os.File) {
	tb.Helper()
	if _, err := people.WriteString("/quit\n"); err != nil {
		tb.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, people) // a terminal that nobody has open is an error
	if err := cmd.Wait(); err != nil {
		tb.Errorf("ending the play: %v", err)
	}
}

// TestPromptAtATerminal shows the shipped cast waiting for a line.
func TestPromptAtATerminal(t *testing.T) {
	t.Parallel()
	prompted(t, newProgram(t))
}

// BenchmarkFirstPrompt measures from the start of the program to the first
// prompt at a terminal: in a directory where nothing is yet, and where a play
// has been before.
func BenchmarkFirstPrompt(b *testing.B) {
	for _, again := range []bool{false, true} {
		b.Run(map[bool]string{false: "first", true: "again"}[again], func(b *testing.B) {
			h := newProgram(b)
			prompted(b, h)
			var took []time.Duration
			for b.Loop() {
				if !again {
					if err := os.RemoveAll(filepath.Join(h.dir, ".glyphoxa")); err != nil {
						b.Fatal(err)
					}
				}
				took = append(took, prompted(b, h))
			}
			slices.Sort(took)
			for name, q := range map[string]int{"p50-ms": 50, "p95-ms": 95} {
				b.ReportMetric(float64(took[(len(took)-1)*q/100].Microseconds())/1000, name)
			}
		})
	}
}
