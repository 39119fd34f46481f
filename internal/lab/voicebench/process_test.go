package voicebench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/lab/peers"
)

// playWord, playRealtimeWord and playVoicedWord as the only argument make the
// test binary our side of a comparison: it reads a plan and writes a report.
const playWord, playRealtimeWord, playVoicedWord = "play-tables", "play-realtime", "play-voiced"

// productGC is the product's garbage collection setting; see
// cmd/glyphoxa/gc.go.
const productGC = 300

// strict applies the design's targets and allows a long run.
var strict = flag.Bool("strict", false, "measure longer, with more tables, and hold the voice loop to its design targets")

func TestMain(m *testing.M) {
	if len(os.Args) == 2 {
		switch os.Args[1] {
		case playWord:
			os.Exit(playMain(os.Stdin, os.Stdout, play))
		case playRealtimeWord:
			os.Exit(playMain(os.Stdin, os.Stdout, playRealtime))
		case playVoicedWord:
			os.Exit(playMain(os.Stdin, os.Stdout, playVoiced))
		}
	}
	os.Exit(m.Run())
}

// playMain is the main function of our side of a comparison.
func playMain[P, R any](in io.Reader, out io.Writer, play func(context.Context, P) (R, error)) int {
	debug.SetGCPercent(productGC)
	var p P
	err := json.NewDecoder(in).Decode(&p)
	var r R
	if err == nil {
		r, err = play(context.Background(), p)
	}
	if err == nil {
		err = json.NewEncoder(out).Encode(r)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// contender is one side with one tuning. command starts its process, which
// reads a plan and writes a report.
type contender struct {
	name, tuning string
	command      func(context.Context) *exec.Cmd
}

func (c contender) run(ctx context.Context, p plan) (report, error) {
	p.Tuning = c.tuning
	input, err := json.Marshal(p)
	if err != nil {
		return report{}, err
	}
	var stdout, stderr bytes.Buffer
	cmd := c.command(ctx)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(input), &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return report{}, fmt.Errorf("running %s: %w: %s", c.name, err, stderr.Bytes())
	}
	var r report
	if err := json.Unmarshal(stdout.Bytes(), &r); err != nil {
		return report{}, fmt.Errorf("reading what %s reports: %w: %q %q", c.name, err, stdout.Bytes(), stderr.Bytes())
	}
	return r, r.check(p)
}

// check reports whether each turn of p has its values.
func (r report) check(p plan) error {
	turns := 0
	for _, starts := range p.Starts {
		turns += len(starts)
	}
	if len(r.First) != turns || len(r.Waited) != turns || len(r.Cleared) != turns {
		return fmt.Errorf("the report has %d, %d and %d values for %d turns", len(r.First), len(r.Waited), len(r.Cleared), turns)
	}
	for i, waited := range r.Waited {
		if least := p.LLMMS + p.TTSMS; waited < least-2 || r.First[i] < waited { // node's timers may be a little early
			return fmt.Errorf("turn %d took %.2f ms, %.2f of them in the providers, which need %.0f", i, r.First[i], waited, least)
		}
	}
	return nil
}

// own returns our side with a tuning.
func own(t *testing.T, name, tuning string) contender {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return contender{name, tuning, func(ctx context.Context) *exec.Cmd { return exec.CommandContext(ctx, self, playWord) }}
}

// errNoPeer says that LiveKit Agents is not installed.
var errNoPeer = errors.New("LiveKit Agents is not installed in testdata/peers/livekit; run: make bench-peers")

// livekit returns LiveKit Agents with a tuning.
func livekit(t *testing.T, name, tuning string) (contender, error) {
	t.Helper()
	command, err := livekitScript(t, "bench.mjs", "agents")
	return contender{name, tuning, command}, err
}

// livekitScript starts processes of a script beside LiveKit Agents that needs
// one of its packages.
func livekitScript(t *testing.T, script, needs string) (func(context.Context) *exec.Cmd, error) {
	t.Helper()
	dir, err := filepath.Abs(filepath.Join("..", "..", "..", "testdata", "peers", "livekit"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "node_modules", "@livekit", needs)); err != nil {
		return nil, errNoPeer
	}
	node := nodeIn(t, dir)
	return func(ctx context.Context) *exec.Cmd {
		cmd := exec.CommandContext(ctx, node, "--expose-gc", filepath.Join(dir, script))
		// Without a service's name or key no data leaves this machine.
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "NODE_ENV=production", "PEER_LOG=" + os.Getenv("PEER_LOG")}
		return cmd
	}, nil
}

// nodeIn returns the Node installed with the peer, or this machine's where npm
// has none for it.
func nodeIn(t *testing.T, dir string) string {
	t.Helper()
	arch := map[string]string{"amd64": "x64", "arm64": "arm64"}[runtime.GOARCH]
	path := filepath.Join(dir, "node_modules", fmt.Sprintf("node-%s-%s", runtime.GOOS, arch), "bin", "node")
	if _, err := os.Stat(path); err != nil {
		return peers.Node(t)
	}
	return path
}
