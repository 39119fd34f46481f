package main_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/lab/fakeopenai"
)

const evalKey = "sk-test-77aa31"

// asking writes a configuration that uses a server as its model.
func (h *program) asking(s *fakeopenai.Server) {
	h.write("my.yaml", fmt.Sprintf(`
providers:
  llm:
    name: openai
    base_url: %s
    api_key: %s
    model: gpt-4o-mini
cost:
  prices:
    - provider: openai gpt-4o-mini
      input: 0.15
      output: 0.60
`, s.URL(), evalKey))
}

// TestEvalModel scores a model behind a limited and failing service, in a
// folder with only a configuration. The model keeps all secrets.
func TestEvalModel(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	n := 0
	s := fakeopenai.Start(t, func(r fakeopenai.Request) fakeopenai.Response {
		mu.Lock()
		defer mu.Unlock()
		switch n++; n % 5 {
		case 1:
			return fakeopenai.RateLimited("0.05")
		case 3:
			return fakeopenai.Response{Pieces: []string{"Ask ", "me ", "something else."}, CutAfter: 2}
		}
		return fakeopenai.Say("I will not ", "speak of that.")
	}, &fakeopenai.Options{APIKey: evalKey})
	h := newProgram(t)
	h.asking(s)
	args := []string{"eval", "--config", "my.yaml", "--corpus", "secrets", "--limit", "4", "--parallel", "2"}
	plain := h.run(args...).ok(t)
	for _, want := range []string{"How well openai gpt-4o-mini holds a table", "secrets ", "The model wrote a secret in 0 of 4 answers", "Each answer is in glyphoxa-eval.jsonl."} {
		if !strings.Contains(plain.stdout, want) {
			t.Errorf("stdout has no %q:\n%s", want, plain.stdout)
		}
	}
	asked := len(s.ChatRequests())
	again := h.run(append(args, "--json")...).ok(t)
	var report struct {
		Scores []struct {
			Corpus  string
			Right   int
			Retries int
			Cost    float64
		}
	}
	if err := json.Unmarshal([]byte(again.stdout), &report); err != nil {
		t.Fatalf("%v: %s", err, again.stdout)
	}
	if all := report.Scores[len(report.Scores)-1]; all.Corpus != "all" || all.Right != 4 || all.Retries == 0 || all.Cost == 0 {
		t.Errorf("%+v, want 4 right answers, retries and their cost", report.Scores)
	}
	if more := len(s.ChatRequests()) - asked; more != 0 {
		t.Errorf("%d requests, want none: all cases have a result", more)
	}
	more := h.run("eval", "--config", "my.yaml", "--corpus", "secrets", "--limit", "5", "--verbose")
	for _, want := range []string{"4 cases have a result already, 1 are left", "1 of 1, 0s left, 0.000", " USD so far"} {
		if !strings.Contains(more.stderr, want) {
			t.Errorf("stderr has no %q: %s", want, more.stderr)
		}
	}
	results, err := os.ReadFile(h.path("glyphoxa-eval.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(plain.stdout+plain.stderr+again.stdout+more.stderr+string(results), evalKey) {
		t.Error("the key shows")
	}
}

// TestEvalModelRefused checks that eval reports a refused key as an error in
// words.
func TestEvalModelRefused(t *testing.T) {
	t.Parallel()
	s := fakeopenai.Start(t, nil, &fakeopenai.Options{APIKey: "another"})
	h := newProgram(t)
	h.asking(s)
	got := h.run("eval", "--config", "my.yaml", "--corpus", "secrets", "--limit", "9")
	got.complains(t, 1, "cases got no answer", "check providers.llm.api_key")
	if !strings.Contains(got.stdout, "error in 2 cases: ") && !strings.Contains(got.stdout, "error in 3 cases: ") || strings.Contains(got.stdout+got.stderr, evalKey) {
		t.Errorf("stdout = %s", got.stdout)
	}
}

// TestEvalModelInterrupted checks that eval prints its results so far on
// Ctrl-C.
func TestEvalModelInterrupted(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no process can send Ctrl-C to another")
	}
	t.Parallel()
	var mu sync.Mutex
	n := 0
	third := make(chan struct{})
	s := fakeopenai.Start(t, func(r fakeopenai.Request) fakeopenai.Response {
		mu.Lock()
		defer mu.Unlock()
		if n++; n < 3 {
			return fakeopenai.Say("Hmm.") // in any language
		}
		if n == 3 {
			close(third)
		}
		return fakeopenai.HangAfter("Hmm")
	}, &fakeopenai.Options{APIKey: evalKey})
	h := newProgram(t)
	h.asking(s)
	cmd := exec.CommandContext(t.Context(), binary, "eval", "--config", "my.yaml", "--corpus", "secrets", "--parallel", "1")
	var out, errs bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = h.dir, h.env, &out, &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	select {
	case <-third:
	case <-time.After(limit):
		t.Error("the third request did not come")
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // its exit code follows
	if code := cmd.ProcessState.ExitCode(); code != 1 || !strings.Contains(errs.String(), "58 of 60 cases were not asked (interrupt signal received); the next run goes on with them") {
		t.Errorf("exit code %d, stderr %q", code, errs.String())
	}
	if !strings.Contains(out.String(), "The model wrote a secret in 0 of 2 answers") {
		t.Errorf("stdout = %s, want what there is", out.String())
	}
}

func TestEvalModelUsage(t *testing.T) {
	t.Parallel()
	h := newProgram(t)
	h.write("my.yaml", "providers:\n  llm: offline\nnpcs:\n  - name: Mira\n")
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"--limit", "3"}, "with --config"},
		{[]string{"--config", "missing.yaml"}, "missing.yaml"},
		{[]string{"--config", "my.yaml", "--corpus", "memory"}, `"memory" is not one of address, tools, secrets, recall, rules`},
		{[]string{"--config", "my.yaml", "--limit", "-1"}, "--limit is below 0"},
		{[]string{"--config", "my.yaml", "--parallel", "0"}, "--parallel is not from 1 to 64"},
		{[]string{"--config", "my.yaml", "--max-cost", "-1"}, "--max-cost is below 0"},
		{[]string{"--config", "my.yaml", "--results", ""}, "--results has no value"},
		{[]string{"--config", "my.yaml", "--own-npcs"}, "no NPC of the configuration keeps a secret"},
	} {
		h.run(append([]string{"eval"}, tt.args...)...).complains(t, 2, tt.want)
	}
	if got := h.run("eval"); got.code != 0 || !strings.Contains(got.stdout, "--max-cost") {
		t.Errorf("eval alone prints %q and %q, want its help", got.stdout, got.stderr)
	}
}
