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

// terminal opens a pseudo-terminal and returns both ends: one for the program,
// which the caller closes, and one for the user.
func terminal(tb testing.TB) (program, people *os.File) {
	tb.Helper()
	people, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = people.Close() }) // may be closed already
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

// prompted starts a play at a terminal and returns the time until its first
// prompt, which the caller must answer with quit.
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
	for !strings.Contains(said.String(), ">\x1b[C") { // the program moves the cursor over the blank
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

// quit ends a play and reads its output, because unread output would block its
// exit.
func quit(tb testing.TB, cmd *exec.Cmd, people *os.File) {
	tb.Helper()
	if _, err := people.WriteString("/quit\n"); err != nil {
		tb.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, people) // reading fails when the other end is closed
	if err := cmd.Wait(); err != nil {
		tb.Errorf("ending the play: %v", err)
	}
}

// TestPromptAtATerminal checks that the shipped cast prompts for a line at a
// terminal.
func TestPromptAtATerminal(t *testing.T) {
	t.Parallel()
	prompted(t, newProgram(t))
}

// BenchmarkFirstPrompt measures the time from the start of the program to the
// first prompt at a terminal, in an empty directory and after an earlier play.
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
