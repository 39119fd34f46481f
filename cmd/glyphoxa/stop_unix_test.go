//go:build unix

package main_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/lab/fakeopenai"
)

// stopsWithin bounds the time from a stop signal to the program's exit.
const stopsWithin = time.Minute

func (s *session) signal(sig os.Signal) {
	s.t.Helper()
	if err := s.cmd.Process.Signal(sig); err != nil {
		s.t.Fatalf("sending %s: %v", sig, err)
	}
}

// stopped requires an orderly stop: soon, without an error, with exit code 0.
func (r result) stopped(t testing.TB) result {
	t.Helper()
	if r.took > stopsWithin {
		t.Errorf("it took %s to stop, want %s at most", r.took, stopsWithin)
	}
	return r.ok(t)
}

// hanging is a model that never answers, and reports each request.
func hanging() (fakeopenai.Script, <-chan struct{}) {
	asked := make(chan struct{})
	var once sync.Once
	return func(fakeopenai.Request) fakeopenai.Response {
		once.Do(func() { close(asked) })
		return fakeopenai.HangAfter()
	}, asked
}

// TestStopBySignal checks that a signal ends a play in order: the hanging turn
// is cancelled and accounted for, and its request ends with it.
func TestStopBySignal(t *testing.T) {
	t.Parallel()
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP} {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			script, asked := hanging()
			h, server := newModelProgram(t, script)
			s := h.start("play", "--json")
			s.say("Mira, can we cross?")
			<-asked
			s.signal(sig)
			tr := parse(t, s.ended().stopped(t).stdout)
			if tn := tr.only("cancelled"); tn.ledger.Budget != "breached" || len(tr.notices("error")) != 0 {
				t.Errorf("ledger %+v, notices %q; want it counted, and no error", tn.ledger, tr.notices("error"))
			}
			ctx, cancel := context.WithTimeout(t.Context(), stopsWithin)
			defer cancel()
			if err := server.WaitIdle(ctx); err != nil || server.Aborted() != 1 {
				t.Errorf("the model's stream: %v, %d aborted; want it aborted", err, server.Aborted())
			}
			if found := h.found("cross"); !slices.Contains(found, "Player: Mira, can we cross?") {
				t.Errorf("the transcript has %q, want the player's line", found)
			}
		})
	}
}

// TestStopWhileIdle sends a signal while no turn runs.
func TestStopWhileIdle(t *testing.T) {
	t.Parallel()
	t.Run("at a table", func(t *testing.T) {
		t.Parallel()
		s := newProgram(t).start("play", "--json")
		s.say("Bartok, hello")
		s.wait("turn.ended")
		s.signal(syscall.SIGTERM)
		parse(t, s.ended().stopped(t).stdout).only("delivered")
	})
	t.Run("before the first line", func(t *testing.T) {
		t.Parallel()
		s := newProgram(t).start("play", "--json")
		s.wait("notice")
		s.signal(syscall.SIGINT)
		parse(t, s.ended().stopped(t).stdout).want(0)
	})
	t.Run("while a server is being connected", func(t *testing.T) {
		t.Parallel()
		h := newProgram(t)
		h.write("glyphoxa.yaml", "npcs: [{name: Mira}]\nmcp: {servers: [{name: mute, transport: stdio, command: cat /dev/zero}]}\n")
		s := h.start("play", "--json")
		s.wait("notice")
		s.signal(syscall.SIGTERM)
		parse(t, s.ended().stopped(t).stdout).want(0)
	})
	t.Run("as a server", func(t *testing.T) {
		t.Parallel()
		s := newProgram(t).start("mcp", "serve", "--stdio")
		s.say(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
		if _, err := s.out.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
		s.signal(syscall.SIGTERM)
		s.ended().stopped(t)
	})
}

// TestHangUpIgnored checks that a play started with nohup outlives its
// terminal.
func TestHangUpIgnored(t *testing.T) {
	t.Parallel()
	nohup, err := exec.LookPath("nohup")
	if err != nil {
		t.Fatal(err)
	}
	h := newProgram(t)
	h.prepare = func(cmd *exec.Cmd) {
		cmd.Path, cmd.Args = nohup, append([]string{nohup, cmd.Path}, cmd.Args[1:]...)
	}
	s := h.start("play", "--json")
	s.say("Bartok, hello")
	s.wait("turn.ended")
	s.signal(syscall.SIGHUP)
	s.say("Bartok, are you there?")
	s.wait("turn.ended")
	parse(t, s.leave().ok(t).stdout).want(2)
}

// TestSecondSignal checks that a second signal skips the orderly exit, which an
// embedder that never answers delays by seconds. A closing terminal sends its
// signal twice and still gets an orderly exit.
func TestSecondSignal(t *testing.T) {
	t.Parallel()
	left := make(chan struct{})
	embedder := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-r.Context().Done():
		case <-left:
		}
	}))
	t.Cleanup(embedder.Close)
	t.Cleanup(func() { close(left) })
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGHUP} {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			script, asked := hanging()
			h, _ := newModelProgram(t, script)
			h.set("EMBEDDER", "openai")
			h.set("EMBEDDER_URL", embedder.URL)
			s := h.start("play", "--json")
			s.say("Mira, hello")
			<-asked
			s.signal(sig)
			if e := s.wait("turn.ended"); e.Outcome != "cancelled" {
				t.Errorf("outcome = %q, want cancelled", e.Outcome)
			}
			s.signal(sig)
			r := s.ended()
			if sig == syscall.SIGHUP {
				r.ok(t)
			} else if r.code != -1 || r.took > stopsWithin {
				t.Errorf("exit code %d after %s, want death by the second signal at once", r.code, r.took)
			}
		})
	}
}

// TestSaidIsKeptThroughAKill checks that a line is durable before its turn is
// reported delivered: it kills the program right after the report.
func TestSaidIsKeptThroughAKill(t *testing.T) {
	if testing.Short() {
		t.Skip("long; make test-all runs it")
	}
	t.Parallel()
	h, _ := newModelProgram(t, fakeopenai.Always(fakeopenai.Say("The toll is paid in quicksilver.")))
	for _, word := range []string{"amaranth", "beryl", "cinnabar"} {
		s := h.start("play", "--json")
		s.say("Mira, the password is " + word)
		if e := s.wait("turn.ended"); e.Outcome != "delivered" {
			t.Fatalf("outcome = %q", e.Outcome)
		}
		s.signal(syscall.SIGKILL)
		if r := s.ended(); r.code != -1 {
			t.Errorf("exit code %d, want death by the signal", r.code)
		}
		if found := h.found(word); !slices.Contains(found, "Player: Mira, the password is "+word) {
			t.Errorf("after the kill the transcript has %q for %q", found, word)
		}
	}
	found := slices.DeleteFunc(h.found("quicksilver"), func(line string) bool { return !strings.Contains(line, "quicksilver") })
	if len(found) != 3 {
		t.Errorf("the transcript has %q, want all three answers", found)
	}
}

// TestListenerLeaves closes standard output: the play ends by itself without a
// complaint, and keeps its transcript.
func TestListenerLeaves(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"play", "--json"}, {"play"}} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			t.Parallel()
			h := newProgram(t)
			s := h.start(args...)
			s.say("Bartok, the password is amaranth")
			s.read("total")
			if err := s.pipe.Close(); err != nil {
				t.Fatal(err)
			}
			s.say("Bartok, the password is quicksilver")
			if r := s.ended(); r.code != 1 || r.stderr != "" { // the input stays open
				t.Errorf("exit code %d, stderr %q; want 1 and silence", r.code, r.stderr)
			}
			for _, word := range []string{"amaranth", "quicksilver"} {
				if found := h.found(word); !slices.Contains(found, "Player: Bartok, the password is "+word) {
					t.Errorf("the transcript has %q, want the player's line with %q", found, word)
				}
			}
		})
	}
}

// TestNobodyReads runs commands whose output has no reader.
func TestNobodyReads(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"version"}, {"schema"}, {"tools"}, {"play", "--json"}} {
		t.Run(args[0], func(t *testing.T) {
			t.Parallel()
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := r.Close(); err != nil {
				t.Fatal(err)
			}
			defer func() { _ = w.Close() }()
			var errs strings.Builder
			cmd := newProgram(t).command(args...)
			cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader("Bartok, hello\n"), w, &errs
			if err := cmd.Run(); cmd.ProcessState.ExitCode() != 1 || errs.Len() > 0 {
				t.Errorf("it ended with %v, stderr %q; want exit code 1 and silence", err, errs.String())
			}
		})
	}
}

// TestTwoTablesOneMemory runs two programs on one data directory at once.
func TestTwoTablesOneMemory(t *testing.T) {
	t.Parallel()
	h := newProgram(t)
	first, second := h.start("play", "--json"), h.start("play", "--json")
	for round := range 5 {
		first.say(fmt.Sprintf("Bartok, amaranth %d", round))
		second.say(fmt.Sprintf("Juniper, amaranth %d", round))
		for _, s := range []*session{first, second} {
			if e := s.wait("turn.ended"); e.Outcome != "delivered" {
				t.Errorf("round %d: outcome %q", round, e.Outcome)
			}
		}
	}
	for _, s := range []*session{first, second} {
		parse(t, s.leave().ok(t).stdout).want(5)
	}
	if found := h.found("amaranth"); len(found) != 10 {
		t.Errorf("the transcript has %q, want ten lines", found)
	}
}
