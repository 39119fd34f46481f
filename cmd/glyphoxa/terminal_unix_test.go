//go:build unix

package main_test

import (
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
)

// screen is a terminal that runs the program, with the test as its user.
type screen struct {
	t      testing.TB
	cmd    *exec.Cmd
	device *os.File

	mu       sync.Mutex // guards the fields below
	emulator *vt.Emulator
	raw      strings.Builder
	changed  chan struct{} // closed on the next output
	over     bool
}

// screen starts the program in a terminal of the given size.
func (h *program) screen(width, height int, args ...string) *screen {
	h.t.Helper()
	s := &screen{t: h.t, cmd: h.command(args...), emulator: vt.NewEmulator(width, height), changed: make(chan struct{})}
	s.cmd.Env = append(s.cmd.Env, "TERM=xterm-256color")
	var err error
	if s.device, err = pty.StartWithSize(s.cmd, &pty.Winsize{Rows: uint16(height), Cols: uint16(width)}); err != nil {
		h.t.Fatal(err)
	}
	var work sync.WaitGroup
	work.Go(func() { _, _ = io.Copy(s.device, s.emulator) }) // the terminal's answers, until it is closed
	work.Go(func() {
		defer func() { _ = s.emulator.InputPipe().(io.Closer).Close() }() // the emulator's own Close races with Read
		for buf := make([]byte, 4096); ; {
			n, err := s.device.Read(buf)
			s.mu.Lock()
			_, _ = s.emulator.Write(buf[:n]) // never fails
			s.raw.Write(buf[:n])
			s.over = err != nil
			close(s.changed)
			s.changed = make(chan struct{})
			s.mu.Unlock()
			if err != nil {
				return
			}
		}
	})
	h.t.Cleanup(func() {
		if s.cmd.ProcessState == nil {
			_ = s.cmd.Process.Kill() // it may have ended by itself
			_ = s.cmd.Wait()
		}
		work.Wait()
		_ = s.device.Close()
	})
	return s
}

// press types text or the sequence of a key.
func (s *screen) press(text string) {
	s.t.Helper()
	if _, err := io.WriteString(s.device, text); err != nil {
		s.t.Fatal(err)
	}
}

// shows waits until consecutive rows of the screen, joined by newlines, contain
// all words.
func (s *screen) shows(words ...string) string {
	s.t.Helper()
	return s.until(func(now string) bool {
		for _, w := range words {
			if !strings.Contains(now, w) {
				return false
			}
		}
		return true
	}, strings.Join(words, "; "))
}

func (s *screen) until(ok func(now string) bool, want string) string {
	s.t.Helper()
	late := time.After(limit)
	for {
		s.mu.Lock()
		rows := strings.Split(s.emulator.String(), "\n")
		changed, over := s.changed, s.over
		s.mu.Unlock()
		for i, row := range rows {
			rows[i] = strings.TrimRight(row, " \r")
		}
		now := strings.TrimRight(strings.Join(rows, "\n"), "\n")
		if ok(now) {
			return now
		}
		if over {
			s.t.Fatalf("the program ended while the test waited for %q on the screen:\n%s", want, now)
		}
		select {
		case <-changed:
		case <-late:
			s.t.Fatalf("the screen never showed %q; it shows:\n%s", want, now)
		}
	}
}

// resize changes the terminal's size and waits until the program redraws.
func (s *screen) resize(width, height int) {
	s.t.Helper()
	written := func() int { // bytes written so far
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.raw.Len()
	}
	before := written()
	defer s.until(func(string) bool { return written() > before }, "something drawn anew")
	s.mu.Lock()
	s.emulator.Resize(width, height)
	s.mu.Unlock()
	if err := pty.Setsize(s.device, &pty.Winsize{Rows: uint16(height), Cols: uint16(width)}); err != nil {
		s.t.Fatal(err)
	}
}

// leaves waits for an orderly exit and returns the whole output.
func (s *screen) leaves() string {
	s.t.Helper()
	if err := s.cmd.Wait(); err != nil {
		s.t.Fatalf("the program ended with %v; want exit code 0", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.raw.String()
}

const (
	keyUp, keyDown, keyLeft = "\x1b[A", "\x1b[B", "\x1b[D"
	keyBack, keyTab         = "\x7f", "\t"
	keyCtrlA, keyCtrlC      = "\x01", "\x03"
	keyCtrlD, keyCtrlU      = "\x04", "\x15"
)

// TestTypingAtATerminal types as people do: with arrows, history, completion,
// wide characters and a shrinking window.
func TestTypingAtATerminal(t *testing.T) {
	t.Parallel()
	h := newProgram(t)
	s := h.screen(80, 24, "play")
	s.shows("Thornhollow", "Speak to someone by name; /help shows the commands, /quit leaves.", "\n>")

	s.press("/mu" + keyTab)
	s.shows("\n> /mute")
	s.press("Gr" + keyTab)
	s.shows("\n> /mute Greymantle the Sage", "  Greymantle the Sage   Greymantle")
	s.press(keyTab + "\r")
	s.shows("> /mute Greymantle", "· Greymantle the Sage is silent now")
	s.press("bart" + keyTab)
	s.shows("\n> Bartok the Barkeep,\n")
	s.press("漢字é, hello!" + strings.Repeat(keyLeft, len(", hello!")) + keyBack + "e")
	s.shows("\n> Bartok the Barkeep, 漢字e, hello!")
	s.press(keyCtrlA + "Ana: \r")
	s.shows("> Ana: Bartok the Barkeep, 漢字e, hello!\nBartok the Barkeep: ")
	s.press("something not entered" + keyCtrlC)
	s.until(func(now string) bool { return strings.HasSuffix(now, "\n>") }, "an empty line")
	s.press("/m" + keyUp)
	s.shows("\n> /mute Greymantle")
	s.press(keyDown)
	s.until(func(now string) bool { return strings.HasSuffix(now, "\n> /m") }, "what was typed")
	s.press(keyCtrlU + "quit\r")
	s.until(func(now string) bool { return strings.HasSuffix(now, "Leave? Type /quit\n>") }, "the answer, and an empty line")

	s.press("/help raise\r")
	wraps(t, s.until(func(now string) bool { return strings.HasSuffix(now, "turns.\n>") }, "what the order does"), 80)
	s.resize(40, 24)
	s.press("/help raise\r")
	wraps(t, s.until(func(now string) bool { return strings.HasSuffix(now, "\nor 10 turns.\n>") }, "rows that end between words"), 40)
	s.press("/quit\r")
	out := s.leaves()
	if !strings.Contains(out, "\x1b[1;3") {
		t.Error("a name had no colour of its own")
	}
	if strings.Contains(out, "answered") {
		t.Error("how long an answer took was shown unasked")
	}
	info, err := os.Stat(h.path(".glyphoxa/history"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the history's file is %v, %v; want it for its owner alone", info, err)
	}

	again := h.screen(80, 24, "play", "--timing")
	again.shows("/quit leaves.")
	again.press(keyUp + keyUp + keyUp + keyUp)
	again.shows("\n> Ana: Bartok the Barkeep, 漢字e, hello!")
	again.press("\r")
	again.shows("[fast · answered · first sound ")
	again.press(keyCtrlD)
	again.leaves()
}

// wraps requires that the rows of the last answer end between words, where the
// next word no longer fits.
func wraps(t *testing.T, screen string, width int) {
	t.Helper()
	rows := strings.Split(screen[strings.LastIndex(screen, "> /help raise"):], "\n")
	full := 0
	for i, row := range rows[1:] {
		next, _, _ := strings.Cut(strings.TrimSpace(strings.Join(append(rows[i+2:], ""), " ")), " ")
		n := len([]rune(row))
		if n > width {
			t.Errorf("a row of %d characters in a window of %d: %q", n, width, row)
		}
		if n+1+len([]rune(next)) > width {
			full++
		}
	}
	if full == 0 {
		t.Errorf("no row of a window of %d is full:\n%s", width, strings.Join(rows, "\n"))
	}
}

// TestLeavingATerminal tries every way to quit, and checks that each restores
// the terminal.
func TestLeavingATerminal(t *testing.T) {
	t.Parallel()
	for name, key := range map[string]string{"ctrl-c": keyCtrlC, "ctrl-d": keyCtrlD, "an order": "/exit\r"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newProgram(t)
			h.set("NO_COLOR", "1")
			s := h.screen(80, 24, "play")
			s.shows("/quit leaves.", "\n>")
			s.press(key)
			out := s.leaves()
			if on, off := strings.Count(out, "\x1b[?2004h"), strings.Count(out, "\x1b[?2004l"); on != 1 || off != 1 {
				t.Errorf("pasting in brackets was turned on %d times and off %d times, want once each", on, off)
			}
			if strings.Contains(out, "\x1b[2m") || strings.Contains(out, "\x1b[1m") {
				t.Error("NO_COLOR was not heeded")
			}
		})
	}
}

// TestPlainTerminal runs the program in a terminal without control sequences.
func TestPlainTerminal(t *testing.T) {
	t.Parallel()
	h := newProgram(t)
	cmd := h.command("play")
	cmd.Env = append(cmd.Env, "TERM=dumb")
	device, err := pty.Start(cmd)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = device.Close() }()
	if _, err := io.WriteString(device, "Bartok, hello\nquit\n"+keyCtrlD); err != nil {
		t.Fatal(err)
	}
	out, _ := io.ReadAll(device) // ends with an error when the other end is closed
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	if text := strings.ReplaceAll(string(out), "\r\x1b[K", ""); strings.Contains(text, "\x1b") || !strings.Contains(text, "Bartok the Barkeep: ") || !strings.Contains(text, "Leave? Type /quit") {
		t.Errorf("a plain terminal was shown %q", out)
	}
}

// TestInitAsks answers init's questions: an empty answer accepts the proposal,
// and a flag replaces its question.
func TestInitAsks(t *testing.T) {
	t.Parallel()
	h := newProgram(t)
	s := h.screen(100, 24, "init", "--voice", "silent")
	for _, qa := range [][2]string{
		{"What is the campaign called? [My campaign]", "Nebel über Föhr"}, {"Which languages", "de"}, {"Address of a language model", ""}, {"Which model", ""},
		{"to play on Discord? [no]", "yes"}, {"copy the sample cast", ""},
	} {
		s.shows(qa[0])
		s.press(qa[1] + "\r")
	}
	s.leaves()
	text, err := os.ReadFile(h.path("glyphoxa.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`name: "Nebel über Föhr"`, `languages: ["de"]`, "name: auto", "name: silent", "${DISCORD_TOKEN:-}"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("glyphoxa.yaml lacks %q:\n%s", want, text)
		}
	}
	h.run("", "check").ok(t)
}
