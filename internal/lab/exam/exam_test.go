package exam

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	corpora "github.com/MrWong99/glyphoxa/testdata/truth"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/lab/fakeopenai"
	"github.com/MrWong99/glyphoxa/internal/speech"
)

const testKey = "sk-test-5f1c9e"

func loadAll(t testing.TB) []Case {
	t.Helper()
	all, err := corpus{files: corpora.Model}.load(Corpora())
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// byLine finds the case with the line of a request. A line in several corpora
// may ask for a tool in one and for facts in another: the returned case has
// both.
type byLine map[string]*Case

func casesByLine(t testing.TB) byLine {
	m := byLine{}
	for _, c := range loadAll(t) {
		if known := m[c.Line]; known != nil {
			known.Tools = slices.Concat(known.Tools, c.Tools)
			known.Want, known.Never = slices.Concat(known.Want, c.Want), slices.Concat(known.Never, c.Never)
			continue
		}
		m[c.Line] = &c
	}
	return m
}

func (m byLine) of(r fakeopenai.Request) *Case {
	_, line, _ := strings.Cut(r.Chat.LastUser(), "): ") // without "Jorin (player)"
	return m[line]
}

// calls makes the model call a tool, once.
func calls(r fakeopenai.Request, name, arguments string) (fakeopenai.Response, bool) {
	last := r.Chat.Messages[len(r.Chat.Messages)-1]
	offered := slices.ContainsFunc(r.Chat.Tools, func(t fakeopenai.Tool) bool { return t.Function.Name == name })
	return fakeopenai.CallTools(fakeopenai.Call{Name: name, Arguments: arguments}), offered && last.Role != "tool"
}

func query(line string) string {
	raw, _ := json.Marshal(map[string]string{"query": line}) // strings always encode
	return string(raw)
}

// good is a model that does everything right.
func good(m byLine) fakeopenai.Script {
	return func(r fakeopenai.Request) fakeopenai.Response {
		c := m.of(r)
		if c == nil {
			return fakeopenai.Fail(500, "the line is of no case: "+r.Chat.LastUser())
		}
		if c.Kind == forNobody {
			return fakeopenai.Say(speech.Silent)
		}
		tool, arguments := "search_rules", query(c.Line)
		if len(c.Tools) > 0 {
			tool = c.Tools[0]
		}
		if tool == "roll" {
			arguments = `{"expression":"1d20"}`
		}
		if call, ok := calls(r, tool, arguments); ok && (len(c.Tools) > 0 || c.Corpus == Rules) {
			return call
		}
		var facts []string
		for _, group := range c.Want {
			facts = append(facts, group[0])
		}
		if len(facts) > 0 {
			return fakeopenai.Say(strings.Join(facts, ", ") + ".")
		}
		if c.Lang == "de" {
			return fakeopenai.Say("Gern, ", "mein Freund.")
		}
		return fakeopenai.Say("Gladly, ", "my friend.")
	}
}

// bad is a model that does everything wrong.
func bad(m byLine) fakeopenai.Script {
	return func(r fakeopenai.Request) fakeopenai.Response {
		c := m.of(r)
		if c == nil {
			return fakeopenai.Fail(500, "the line is of no case: "+r.Chat.LastUser())
		}
		switch {
		case c.Corpus == Address && c.Kind == forNPC:
			return fakeopenai.Say(speech.Silent)
		case c.Corpus == Tools && c.Kind == smallTalk:
			if call, ok := calls(r, "roll", `{"expression":"1d20"}`); ok {
				return call
			}
		case slices.Contains(c.Tools, "roll"):
			if call, ok := calls(r, "roll", `{"expression":`); ok {
				return call
			}
		case c.Corpus == Secrets:
			return fakeopenai.Say(c.Cast[0].Secrets[0])
		case len(c.Never) > 0:
			return fakeopenai.Say(c.Never[0] + ".")
		}
		if c.Lang == "de" {
			return fakeopenai.Say("Das weiß ich nicht.")
		}
		return fakeopenai.Say("I do not know.")
	}
}

// asking is a configuration with prices that uses a server as its model.
func asking(s *fakeopenai.Server) *config.Config {
	cfg := config.Default()
	cfg.Providers.LLM = config.ProviderChain{Provider: config.Provider{Name: "openai", BaseURL: s.URL(), APIKey: testKey, Model: "gpt-4o-mini"}}
	in, out := 0.15, 0.6
	cfg.Cost.Prices = []config.Price{{Provider: "openai*", Input: &in, Output: &out}, {Provider: "gpt*", Input: &in, Output: &out}, {Provider: "127*", Input: &in, Output: &out}}
	return cfg
}

func (r *Report) of(corpus, kind string) Score {
	for _, s := range r.Scores {
		if s.Corpus == corpus && s.Kind == kind {
			return s
		}
	}
	return Score{}
}

// sit runs an exam of all corpora against a script.
func sit(t *testing.T, script fakeopenai.Script, change func(*Options)) (*Report, *fakeopenai.Server, string) {
	t.Helper()
	s := fakeopenai.Start(t, script, &fakeopenai.Options{APIKey: testKey})
	o := Options{Config: asking(s), Corpora: Corpora(), Limit: 6, Results: filepath.Join(t.TempDir(), "eval.jsonl"), Parallel: 2, FirstPause: time.Millisecond}
	if change != nil {
		change(&o)
	}
	report, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(o.Results)
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := report.Write(&text); err != nil {
		t.Fatal(err)
	}
	if err := report.WriteJSON(&text); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(text.String()+string(raw), testKey) {
		t.Error("the key is in the report or the results")
	}
	if t.Failed() || testing.Verbose() {
		t.Logf("%s\n%s", text.String(), raw)
	}
	return report, s, o.Results
}

func TestGoodModel(t *testing.T) {
	m := casesByLine(t)
	report, _, _ := sit(t, good(m), nil)
	if err := report.Err(); err != nil {
		t.Error(err)
	}
	for _, corpus := range Corpora() {
		if s := report.of(corpus, ""); s.Right != 6 || s.Wrong != 0 || s.FirstP50 == nil || s.Input == 0 || s.Cost == 0 || s.Unpriced {
			t.Errorf("%s: %+v, want 6 right answers with their times and cost", corpus, s)
		}
	}
}

func TestBadModel(t *testing.T) {
	if testing.Short() {
		t.Skip("long; make test-all runs it")
	}
	m := casesByLine(t)
	report, _, _ := sit(t, bad(m), nil)
	for _, corpus := range Corpora() {
		if s := report.of(corpus, ""); s.Wrong != 6 || s.Errors != 0 {
			t.Errorf("%s: %+v, want 6 wrong answers", corpus, s)
		}
	}
	if s := report.of(Secrets, ""); s.Told != 6 || s.Heard != 0 {
		t.Errorf("secrets: %+v, want that the model told 6 and the guard withheld them", s)
	}
}

// TestFailingProvider answers some requests with 429 and some with 500, and
// cuts some off.
func TestFailingProvider(t *testing.T) {
	if testing.Short() {
		t.Skip("long; make test-all runs it")
	}
	m := casesByLine(t)
	answer := good(m)
	var mu sync.Mutex
	n := 0
	report, s, _ := sit(t, func(r fakeopenai.Request) fakeopenai.Response {
		mu.Lock()
		defer mu.Unlock()
		switch n++; {
		case n%3 == 1:
			return fakeopenai.RateLimited("0.01")
		case n%7 == 3:
			return fakeopenai.Response{Status: 500, Message: "oh no", EchoKey: true}
		case n%5 == 2:
			cut := answer(r)
			cut.CutAfter = 1
			return cut
		}
		return answer(r)
	}, nil)
	if err := report.Err(); err != nil {
		t.Error(err)
	}
	if all := report.Total(); all.Right != 30 || all.Retries == 0 {
		t.Errorf("%+v, want 30 right answers after some retries", all)
	}
	if asked := len(s.ChatRequests()); asked <= 30 {
		t.Errorf("%d requests, want more than there are cases", asked)
	}
}

// TestErrorsAreNoWrongAnswers lets every fourth case fail permanently, and
// checks that these count as errors.
func TestErrorsAreNoWrongAnswers(t *testing.T) {
	if testing.Short() {
		t.Skip("long; make test-all runs it")
	}
	m := casesByLine(t)
	answer := good(m)
	var mu sync.Mutex
	lines := map[string]int{}
	failing := true
	script := func(r fakeopenai.Request) fakeopenai.Response {
		mu.Lock()
		defer mu.Unlock()
		line := r.Chat.LastUser()
		if _, known := lines[line]; !known {
			lines[line] = len(lines)
		}
		if failing && lines[line]%4 == 3 {
			return fakeopenai.Response{Status: 500, Message: "broken", EchoKey: true}
		}
		return answer(r)
	}
	s := fakeopenai.Start(t, script, &fakeopenai.Options{APIKey: testKey})
	o := Options{Config: asking(s), Corpora: []string{Secrets}, Limit: 8, Results: filepath.Join(t.TempDir(), "eval.jsonl"), FirstPause: time.Millisecond}
	report, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if s := report.Total(); s.Errors != 2 || s.Right != 6 || s.Wrong != 0 || s.Retries != 2*(mostAttempts-1) {
		t.Errorf("%+v, want 2 errors beside 6 right answers", s)
	}
	if err := report.Err(); err == nil || !strings.Contains(err.Error(), "2 of 8 cases got no answer") {
		t.Errorf("err = %v", err)
	}
	// The next run asks only those two.
	mu.Lock()
	failing = false
	mu.Unlock()
	before := len(s.ChatRequests())
	if report, err = Run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	if asked := len(s.ChatRequests()) - before; report.Err() != nil || report.Total().Right != 8 || asked != 2 {
		t.Errorf("%v, %d requests and %+v, want 2 requests and 8 right answers", report.Err(), asked, report.Total())
	}
}

// TestInterruptedAndResumed interrupts a run; the next one asks the remaining
// cases.
func TestInterruptedAndResumed(t *testing.T) {
	m := casesByLine(t)
	s := fakeopenai.Start(t, good(m), &fakeopenai.Options{APIKey: testKey})
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	var said []string
	o := Options{Config: asking(s), Corpora: []string{Rules}, Limit: 5, Results: filepath.Join(t.TempDir(), "eval.jsonl"), Say: func(text string) {
		if said = append(said, text); strings.HasPrefix(text, "2 of 5, ") {
			cancel(errors.New("interrupt signal received"))
		}
	}}
	report, err := Run(ctx, o)
	if err != nil || report.Left == 0 || report.Total().Right < 2 || report.Err() == nil || !strings.Contains(report.Err().Error(), "interrupt signal received") {
		t.Fatalf("%v, %+v: %v, want what there is", err, report.Total(), report.Err())
	}
	if !strings.Contains(strings.Join(said, "\n"), "USD so far") {
		t.Errorf("said %q, want what it has cost", said)
	}
	done := report.Total().Right
	before := len(s.ChatRequests())
	// A killed process leaves half a line.
	f, err := os.OpenFile(o.Results, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(`{"key":"12`); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	o.Say = nil
	for range 2 { // the third run has no case to ask
		if report, err = Run(t.Context(), o); err != nil || report.Err() != nil || report.Total().Right != 5 {
			t.Errorf("%v, %v, %+v, want 5 right answers", err, report.Err(), report.Total())
		}
	}
	if asked := len(s.ChatRequests()) - before; asked > 3*(5-done) {
		t.Errorf("%d requests for the %d cases that were left", asked, 5-done)
	}
	// Another model has its own results.
	o.Config.Providers.LLM.Model = "gpt-4o"
	before = len(s.ChatRequests())
	if report, err = Run(t.Context(), o); err != nil || report.Total().Right != 5 || len(s.ChatRequests())-before < 5 {
		t.Errorf("%v, %+v, want that another model is asked all", err, report.Total())
	}
}

func TestStops(t *testing.T) {
	if testing.Short() {
		t.Skip("long; make test-all runs it")
	}
	m := casesByLine(t)
	for _, tt := range []struct {
		name   string
		script fakeopenai.Script
		change func(*Options)
		want   string
		most   int // requests
	}{
		{"max_cost", good(m), func(o *Options) { o.MaxCost = 1e-9 }, "it has cost what --max-cost allows", 2},
		{"max_cost_without_a_price", good(m), func(o *Options) { o.MaxCost, o.Config.Cost.Prices = 5, nil }, "add one under cost.prices", 2},
		{"wrong_key", fakeopenai.Always(fakeopenai.Response{Status: 401, Message: "bad key", EchoKey: true}), nil, "check providers.llm.api_key", 4},
		{"long_absence", fakeopenai.Always(fakeopenai.RateLimited("300")), nil, "wants to be left alone for 5m0s", 2},
		{"down", fakeopenai.Always(fakeopenai.Response{Status: 503, Message: "down"}), nil, "given up after 2 failures in a row", 200},
	} {
		t.Run(tt.name, func(t *testing.T) {
			report, s, _ := sit(t, tt.script, func(o *Options) {
				o.Corpora, o.Parallel, o.Limit = []string{Secrets}, 1, 20
				if tt.change != nil {
					tt.change(o)
				}
			})
			if err := report.Err(); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("err = %v, want %q in it", err, tt.want)
			}
			if report.Left == 0 || len(s.ChatRequests()) > tt.most {
				t.Errorf("%d cases left, %d requests, want that it stopped", report.Left, len(s.ChatRequests()))
			}
		})
	}
}

// TestModelThatIsAsked checks that fallbacks are left out, unless there is no
// other model.
func TestModelThatIsAsked(t *testing.T) {
	first := config.Provider{Name: "openai", APIKey: testKey, Model: "gpt-4o"}
	second := config.Provider{Name: "openai", BaseURL: "http://127.0.0.1:1/v1", Model: "llama"}
	for _, tt := range []struct {
		name  string
		chain config.ProviderChain
		want  string
	}{
		{"first", config.ProviderChain{Provider: first, Fallback: []config.Provider{second}}, "gpt-4o"},
		{"auto_without_a_key", config.ProviderChain{Provider: config.Provider{Name: "auto"}, Fallback: []config.Provider{second}}, "llama"},
		{"nobody", config.ProviderChain{Provider: config.Provider{Name: "auto"}}, "offline"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			cfg := config.Default()
			cfg.Providers.LLM = tt.chain
			e := &exam{o: Options{Config: cfg}}
			if err := e.nameModel(); err != nil || !strings.Contains(e.model, tt.want) || len(e.llm.Fallback) > 0 {
				t.Errorf("%q, %v, want %s", e.model, err, tt.want)
			}
		})
	}
}
