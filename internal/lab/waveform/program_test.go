package waveform

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"
)

// buildProgram builds the release program.
func buildProgram(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "glyphoxa")
	build := exec.Command("go", "build", "-trimpath", "-o", path, "github.com/MrWong99/glyphoxa/cmd/glyphoxa")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building the program: %v\n%s", err, out)
	}
	return path
}

// event is a line of the program's output.
type event struct {
	Kind    string         `json:"kind"`
	Turn    int            `json:"turn"`
	Text    string         `json:"text"`
	Outcome string         `json:"outcome"`
	Level   string         `json:"level"`
	Ledger  map[string]any `json:"ledger"`
}

// program is a play of the real program.
type program struct {
	mu     sync.Mutex // guards events
	events []event
}

// startProgram plays with the microphone and the loudspeaker until the test
// ends.
func startProgram(t *testing.T, path, dir, config string) *program {
	t.Helper()
	p := &program{}
	cmd := exec.Command(path, "play", "--json", "--voice", "--speaker", "Ana", "--hear", "mic", "--config", config)
	cmd.Dir = dir
	var complaints bytes.Buffer
	cmd.Stderr, cmd.WaitDelay = &complaints, 5*time.Second
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	read := make(chan error, 1)
	go func() { read <- p.readEvents(stdout) }() // ends with the program
	t.Cleanup(func() {
		_, _ = io.WriteString(stdin, "/quit\n") // it may have ended
		_ = stdin.Close()
		kill := time.AfterFunc(10*time.Second, func() { _ = cmd.Process.Kill() }) // it may have ended
		defer kill.Stop()
		if err := <-read; err != nil {
			t.Errorf("reading events: %v", err)
		}
		if err := cmd.Wait(); err != nil {
			t.Errorf("the program ended: %v: %s", err, complaints.Bytes())
		}
	})
	return p
}

func (p *program) readEvents(out io.Reader) error {
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var e event
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return err
		}
		p.mu.Lock()
		p.events = append(p.events, e)
		p.mu.Unlock()
	}
	return lines.Err()
}

// since returns the events from the nth on.
func (p *program) since(n int) []event {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.events[n:])
}

func (p *program) seen() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.events)
}

// atRest reports whether every utterance among events has ended in its turn.
func atRest(events []event) bool {
	open := map[int]bool{}
	for _, e := range events {
		switch e.Kind {
		case "utterance":
			open[e.Turn] = true
		case "turn.ended":
			delete(open, e.Turn)
		}
	}
	return len(open) == 0
}
