// Package main_test runs the program as people do: a release build, started in
// an empty directory, used over its standard streams. The tests do not sleep or
// guess durations; a test continues when the program has printed what the test
// waits for.
package main_test

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// limit is how long a program without its own limit may run before its test
// fails.
const limit = 5 * time.Minute

// strict makes tests fail on a missed target of docs/performance.md.
var strict = flag.Bool("strict", false, "fail where a target is missed")

// binary is the program under test, which TestMain builds once.
var binary string

func TestMain(m *testing.M) { os.Exit(buildAndRun(m)) }

func buildAndRun(m *testing.M) int {
	dir, err := os.MkdirTemp("", "glyphoxa-e2e-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	// Some tests run the program as an unprivileged user.
	if err := os.Chmod(dir, 0o755); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	binary = filepath.Join(dir, "glyphoxa")
	if runtime.GOOS == "windows" {
		binary += ".exe"
	}
	build := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w -X main.version=v0.0.0-test -X main.linked=cafe", "-o", binary, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "building the program: %v\n%s", err, out)
		return 1
	}
	if signal.Ignored(syscall.SIGHUP) { // as under nohup: child processes would inherit the ignored signal
		signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	}
	// Some tests wait for real time, for example for speech: others run
	// meanwhile.
	flag.Parse()
	if flag.Lookup("test.parallel").Value.String() == strconv.Itoa(runtime.GOMAXPROCS(0)) {
		if err := flag.Set("test.parallel", strconv.Itoa(runtime.GOMAXPROCS(0)+1)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	return m.Run()
}

// program is a machine that has only the program: an empty working directory
// and home, and its own environment.
type program struct {
	t   testing.TB
	dir string
	env []string
	// secrets must not appear in the program's output.
	secrets []string
	// limit is how long the program may run; zero means the default limit.
	limit time.Duration
	// prepare, if not nil, changes a command before it starts.
	prepare func(*exec.Cmd)
}

func newProgram(t testing.TB) *program {
	t.Helper()
	h := &program{t: t, dir: t.TempDir()}
	h.set("PATH", os.Getenv("PATH"))
	h.set("HOME", t.TempDir())
	if cache, err := os.UserCacheDir(); err == nil {
		h.set("XDG_CACHE_HOME", cache) // with onnxruntime, which the voice detector needs
	}
	h.set("LANG", "C.UTF-8")
	return h
}

// set sets a variable of the program's environment.
func (h *program) set(name, value string) { h.env = append(h.env, name+"="+value) }

// path is a file in the working directory.
func (h *program) path(name string) string { return filepath.Join(h.dir, name) }

// write makes a file in the working directory and returns its path.
func (h *program) write(name, content string) string {
	h.t.Helper()
	path := h.path(name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		h.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		h.t.Fatal(err)
	}
	return path
}

// configure copies a configuration of testdata/e2e into the working directory,
// where the program looks for it.
func (h *program) configure(name string) {
	h.t.Helper()
	content, err := os.ReadFile(filepath.Join("..", "..", "testdata", "e2e", name))
	if err != nil {
		h.t.Fatal(err)
	}
	h.write("glyphoxa.yaml", string(content))
}

// command returns a program that exits by itself.
func (h *program) command(args ...string) *exec.Cmd {
	h.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), cmp.Or(h.limit, limit))
	h.t.Cleanup(cancel)
	return h.commandIn(ctx, args...)
}

// commandIn is a program that is killed when ctx ends.
func (h *program) commandIn(ctx context.Context, args ...string) *exec.Cmd {
	h.t.Helper()
	cmd := exec.CommandContext(ctx, binary, args...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = h.dir, slices.Clone(h.env), time.Second
	if h.prepare != nil {
		h.prepare(cmd)
	}
	return cmd
}

// result is the output of a program that has exited.
type result struct {
	stdout, stderr string
	// code is the exit code, -1 if a signal ended the program.
	code int
	took time.Duration
}

// run runs the program with an input until it exits.
func (h *program) run(input string, args ...string) result {
	h.t.Helper()
	cmd := h.command(args...)
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(input), &out, &errs
	start := time.Now()
	err := cmd.Run()
	r := result{out.String(), errs.String(), exitCode(h.t, cmd, err), time.Since(start)}
	h.keeps(r)
	if r.took >= limit {
		h.t.Fatalf("glyphoxa %q did not end within %s; it said:\n%s%s", args, limit, r.stdout, r.stderr)
	}
	return r
}

// keeps requires that the output contains none of the program's secrets.
func (h *program) keeps(r result) {
	h.t.Helper()
	for _, secret := range h.secrets {
		if strings.Contains(r.stdout, secret) || strings.Contains(r.stderr, secret) {
			h.t.Errorf("the program shows a secret:\n%s%s", r.stdout, r.stderr)
		}
	}
}

func exitCode(t testing.TB, cmd *exec.Cmd, err error) int {
	t.Helper()
	var exited *exec.ExitError
	if err != nil && !errors.As(err, &exited) {
		t.Fatalf("running %v: %v", cmd.Args, err)
	}
	return cmd.ProcessState.ExitCode()
}

// ok requires that the program succeeded without a complaint.
func (r result) ok(t testing.TB) result {
	t.Helper()
	if r.code != 0 || r.stderr != "" {
		t.Fatalf("exit code %d, stderr %q, want 0 and nothing; stdout:\n%s", r.code, r.stderr, r.stdout)
	}
	return r
}

// complains requires an exit code and one line on stderr that contains words.
func (r result) complains(t testing.TB, code int, words ...string) {
	t.Helper()
	if r.code != code {
		t.Errorf("exit code %d, want %d; stderr: %s", r.code, code, r.stderr)
	}
	if strings.Count(r.stderr, "\n") != 1 || !strings.HasSuffix(r.stderr, "\n") {
		t.Errorf("stderr = %q, want one line", r.stderr)
	}
	for _, w := range words {
		if !strings.Contains(r.stderr, w) {
			t.Errorf("stderr = %q, want %q in it", r.stderr, w)
		}
	}
}

// play pipes lines into a play until it ends and returns its events.
func (h *program) play(lines ...string) transcript {
	h.t.Helper()
	return parse(h.t, h.run(strings.Join(lines, "\n")+"\n", "play", "--json").ok(h.t).stdout)
}

// session is a running program that receives input line by line.
type session struct {
	h    *program
	t    testing.TB
	cmd  *exec.Cmd
	in   io.WriteCloser
	pipe io.Closer // the other end of its output
	out  *bufio.Reader
	said strings.Builder // text read from out
	errs output
	done bool
}

// start starts the program, which is killed at the end of the test.
func (h *program) start(args ...string) *session {
	h.t.Helper()
	s := &session{h: h, t: h.t, cmd: h.command(args...)}
	s.cmd.Stderr = &s.errs
	in, err := s.cmd.StdinPipe()
	if err != nil {
		h.t.Fatal(err)
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		h.t.Fatal(err)
	}
	s.in, s.pipe, s.out = in, out, bufio.NewReader(out)
	if err := s.cmd.Start(); err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() {
		if !s.done {
			_ = s.cmd.Process.Kill() // it may have ended by itself
			_ = s.cmd.Wait()
		}
	})
	return s
}

// say types a line.
func (s *session) say(line string) {
	s.t.Helper()
	if _, err := io.WriteString(s.in, line+"\n"); err != nil {
		s.t.Fatalf("typing %q: %v; stderr: %s", line, err, s.errs.String())
	}
}

// read reads lines up to the next that contains words, and returns it.
func (s *session) read(words string) string {
	s.t.Helper()
	for {
		line, err := s.out.ReadString('\n')
		s.said.WriteString(line)
		if err != nil {
			s.t.Fatalf("waiting for %q: %v; it said:\n%s", words, err, s.said.String())
		}
		if strings.Contains(line, words) {
			return line
		}
	}
}

// readAll reads lines until each of words was in one of them, in any order.
func (s *session) readAll(words ...string) {
	s.t.Helper()
	for len(words) > 0 {
		line := s.read("")
		words = slices.DeleteFunc(words, func(w string) bool { return strings.Contains(line, w) })
	}
}

// wait reads events up to the next of a kind and returns it.
func (s *session) wait(kind string) event {
	s.t.Helper()
	return parseEvent(s.t, s.read(`"kind":"`+kind+`"`))
}

func (s *session) kill() {
	s.t.Helper()
	if err := s.cmd.Process.Kill(); err != nil {
		s.t.Fatal(err)
	}
	s.ended()
}

// leave closes the input and waits for the program to exit.
func (s *session) leave() result {
	s.t.Helper()
	if err := s.in.Close(); err != nil && !errors.Is(err, fs.ErrClosed) {
		s.t.Errorf("closing the input: %v", err)
	}
	return s.ended()
}

// ended waits for the program to exit by itself.
func (s *session) ended() result {
	s.t.Helper()
	start := time.Now()
	rest, err := io.ReadAll(s.out)
	if err != nil && !errors.Is(err, fs.ErrClosed) {
		s.t.Errorf("reading the output: %v", err)
	}
	s.said.Write(rest)
	err = s.cmd.Wait()
	s.done = true
	r := result{s.said.String(), s.errs.String(), exitCode(s.t, s.cmd, err), time.Since(start)}
	s.h.keeps(r)
	return r
}

// required says that a test must not be skipped for a missing program.
const required = "GLYPHOXA_REQUIRE_PEERS"

// lacks ends a test that needs something this machine lacks: the test fails if
// the environment requires all programs, and is skipped otherwise.
func lacks(t testing.TB, what string) {
	t.Helper()
	if os.Getenv(required) == "1" {
		t.Fatalf("%s, and %s=1 demands it; run: make peers", what, required)
	}
	t.Skipf("%s; to run this test: make peers", what)
}
