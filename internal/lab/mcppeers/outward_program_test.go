package mcppeers_test

import (
	"bufio"
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// limit bounds the run of a program in a test.
const limit = 90 * time.Second

// builderToken is the token of a client with nearly all rights.
const builderToken = "token-of-a-builder-for-the-test"

// program is the release build in its own directory, with an earlier play.
type program struct {
	path, dir string
	env       []string
}

// newProgram builds the program and prepares a table. Pages of origins may
// connect.
func newProgram(t *testing.T, origins ...string) program {
	t.Helper()
	dir := t.TempDir()
	p := program{path: filepath.Join(dir, "glyphoxa"), dir: dir, env: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "LANG=C.UTF-8"}}
	build := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-o", p.path, "github.com/MrWong99/glyphoxa/cmd/glyphoxa")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building the program: %v\n%s", err, out)
	}
	file := `npcs:
  - name: Mira
server:
  clients:
    - {name: builder, token: ` + builderToken + `, profile: builder.readWrite}
  limits: {burst: 100000, per_second: 100000}
  allowed_origins: [` + strings.Join(origins, ", ") + "]\n"
	if err := os.WriteFile(filepath.Join(dir, "glyphoxa.yaml"), []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	p.run(t, "Mira, where is the old bell?\n", "play")
	p.run(t, "", "tools", "call", "place_entity", `{"name":"Old Bell","type":"item"}`)
	files := filepath.Join(dir, ".glyphoxa", "files")
	if err := os.MkdirAll(files, 0o700); err != nil {
		t.Fatal(err)
	}
	// write_file has a limit of a tenth of a second, which a busy disk can
	// exceed.
	if err := os.WriteFile(filepath.Join(files, "notes.txt"), []byte("The bell is old."), 0o600); err != nil {
		t.Fatal(err)
	}
	return p
}

func (p program) command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), limit)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, p.path, args...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = p.dir, p.env, time.Second
	return cmd
}

// run runs the program to its end and requires success.
func (p program) run(t *testing.T, input string, args ...string) {
	t.Helper()
	cmd := p.command(t, args...)
	cmd.Stdin = strings.NewReader(input)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("glyphoxa %q: %v\n%s", args, err, out)
	}
}

// serve starts the program's server until the test ends, and returns its host
// and port.
func (p program) serve(t *testing.T) string {
	t.Helper()
	cmd := p.command(t, "mcp", "serve", "--listen", "127.0.0.1:0")
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	address, said := make(chan string, 1), make(chan string, 1)
	go func() { // the cleanup waits for it
		var all strings.Builder
		for lines := bufio.NewScanner(stderr); lines.Scan(); {
			if at, ok := strings.CutPrefix(lines.Text(), "glyphoxa mcp listening on http://"); ok {
				address <- at
			}
			all.WriteString(lines.Text() + "\n")
		}
		said <- all.String()
	}()
	t.Cleanup(func() {
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Errorf("asking the program to stop: %v", err)
		}
		all := <-said
		if err := cmd.Wait(); err != nil {
			t.Errorf("the program ended with %v; it said:\n%s", err, all)
		}
		if strings.Contains(all, builderToken) {
			t.Errorf("the program tells a token:\n%s", all)
		}
	})
	select {
	case at := <-address:
		return at
	case all := <-said:
		said <- all
		t.Fatalf("the program ended before it listened:\n%s", all)
	}
	return ""
}

// visit runs a Node program and returns its stdout.
func visit(t *testing.T, p program, name string, args ...string) []byte {
	t.Helper()
	cmd := p.command(t)
	cmd.Path, cmd.Args = name, append([]string{name}, args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s: %v\n%s%s", strings.Join(args, " "), err, &out, &errs)
	}
	return out.Bytes()
}
