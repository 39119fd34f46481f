package main_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"
)

// event is a line of "play --json".
type event struct {
	Time    time.Time       `json:"time"`
	Kind    string          `json:"kind"`
	Turn    int64           `json:"turn"`
	Speaker string          `json:"speaker"`
	NPC     string          `json:"npc"`
	Text    string          `json:"text"`
	Route   string          `json:"route"`
	Tier    string          `json:"tier"`
	Ceiling string          `json:"ceiling"`
	Found   json.RawMessage `json:"found"`
	Reason  string          `json:"reason"`
	Tools   []string        `json:"tools"`
	Tool    string          `json:"tool"`
	Args    json.RawMessage `json:"args"`
	Round   int             `json:"round"`
	MS      float64         `json:"ms"`
	OK      bool            `json:"ok"`
	Cached  bool            `json:"cached"`
	Error   string          `json:"error"`
	Outcome string          `json:"outcome"`
	Level   string          `json:"level"`
	Code    string          `json:"code"`
	Ledger  json.RawMessage `json:"ledger"`

	Spoken      bool      `json:"spoken"`
	Continued   bool      `json:"continued"`
	Step        string    `json:"step"`
	ProjectedMS float64   `json:"projected_ms"`
	TargetMS    float64   `json:"target_ms"`
	Change      string    `json:"change"`
	Until       time.Time `json:"until"`
	Turns       int       `json:"turns"`

	Spent    float64 `json:"spent"`
	Currency string  `json:"currency"`
	SoftCap  float64 `json:"soft_cap"`

	Listening  string  `json:"listening"`
	MayDecline bool    `json:"may_decline"`
	HardCap    float64 `json:"hard_cap"`
}

// ledger is what a turn cost.
type ledger struct {
	EndpointMS       float64 `json:"endpoint_ms"`
	STTFinalMS       float64 `json:"stt_final_ms"`
	RouteUS          float64 `json:"route_us"`
	BeginMS          float64 `json:"begin_ms"`
	ContextMS        float64 `json:"context_ms"`
	LLMFirstTokenMS  float64 `json:"llm_first_token_ms"`
	LLMFirstSentence float64 `json:"llm_first_sentence_ms"`
	ToolMS           float64 `json:"tool_ms"`
	ToolRounds       int     `json:"tool_rounds"`
	TTSFirstAudioMS  float64 `json:"tts_first_audio_ms"`
	FirstSoundMS     float64 `json:"first_sound_ms"`
	FirstSubstanceMS float64 `json:"first_substance_ms"`
	TotalMS          float64 `json:"total_ms"`
	TargetMS         float64 `json:"target_ms"`
	Budget           string  `json:"budget"`
	FloorMS          float64 `json:"floor_ms"`
	BreachStage      string  `json:"breach_stage"`
	InputTokens      int64   `json:"input_tokens"`
	OutputTokens     int64   `json:"output_tokens"`
	DroppedGuesses   int     `json:"dropped_guesses"`
	Judge            string  `json:"judge"`
	JudgeIntent      string  `json:"judge_intent"`
	JudgeMS          float64 `json:"judge_ms"`
	JudgeCalls       int     `json:"judge_calls"`
	JudgeCost        float64 `json:"judge_cost"`
	Cost             float64 `json:"cost"`
}

// mayLack are the ledger's optional keys, which come last.
var mayLack = []string{"judge", "judge_intent", "judge_ms", "judge_calls", "judge_cost", "cost"}

// ledgerKeys are the ledger's required keys in the documented order.
func ledgerKeys() []string {
	return []string{
		"endpoint_ms", "stt_final_ms", "route_us", "begin_ms", "context_ms", "llm_first_token_ms", "llm_first_sentence_ms", "tool_ms", "tool_rounds",
		"tts_first_audio_ms", "floor_ms", "first_sound_ms", "first_substance_ms", "total_ms", "target_ms", "budget", "breach_stage",
		"input_tokens", "output_tokens", "dropped_guesses",
	}
}

// parseEvent reads a line, which must be one object with time, kind and turn
// and only documented keys.
func parseEvent(t testing.TB, line string) event {
	t.Helper()
	if want := strings.TrimSuffix(line, "\n"); strings.ContainsRune(want, '\n') || !strings.HasPrefix(want, "{") {
		t.Fatalf("line %q is not one JSON object", line)
	}
	for _, key := range []string{"time", "kind", "turn"} {
		if !slices.Contains(keys(t, []byte(line)), key) {
			t.Fatalf("event %s has no %q", line, key)
		}
	}
	var e event
	d := json.NewDecoder(strings.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(&e); err != nil {
		t.Fatalf("event %s: %v", line, err)
	}
	if e.Time.IsZero() || e.Kind == "" {
		t.Fatalf("event %s has an empty time or kind", line)
	}
	return e
}

// keys lists the keys of an object in their order.
func keys(t testing.TB, object []byte) []string {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(object))
	if _, err := d.Token(); err != nil {
		t.Fatalf("reading %s: %v", object, err)
	}
	var out []string
	for d.More() {
		key, err := d.Token()
		if err != nil {
			t.Fatalf("reading %s: %v", object, err)
		}
		out = append(out, key.(string))
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			t.Fatalf("reading %s: %v", object, err)
		}
	}
	return out
}

// turn holds all events of one turn.
type turn struct {
	// heard is nil if an order made the NPC speak, started if no NPC was to
	// answer.
	heard, started *event
	ended          event
	ledger         ledger
	all            []event
}

// of returns the turn's events of a kind.
func (tn turn) of(kind string) []event {
	return slices.DeleteFunc(slices.Clone(tn.all), func(e event) bool { return e.Kind != kind })
}

// called lists the tools the turn called, in order.
func (tn turn) called() []string {
	var names []string
	for _, e := range tn.of("tool.called") {
		names = append(names, e.Tool)
	}
	return names
}

// sentences lists what the turn said.
func (tn turn) sentences() []string {
	var texts []string
	for _, e := range tn.of("sentence") {
		texts = append(texts, e.Text)
	}
	return texts
}

// transcript holds all events of a play.
type transcript struct {
	t      testing.TB
	events []event
	turns  []turn
}

// parse reads the output of "play --json" and checks the promises about every
// play: each line an event, each turn in order, each with one complete end.
func parse(t testing.TB, stdout string) transcript {
	t.Helper()
	tr := transcript{t: t}
	byTurn := map[int64][]event{}
	var told time.Time // the newest event but notices, because other goroutines send notices too
	for line := range strings.Lines(stdout) {
		e := parseEvent(t, line)
		if e.Kind != "notice" {
			if e.Time.Before(told) {
				t.Errorf("event %s lies before one above it", line)
			}
			told = e.Time
		}
		tr.events = append(tr.events, e)
		byTurn[e.Turn] = append(byTurn[e.Turn], e)
	}
	for number := int64(1); len(byTurn[number]) > 0; number++ {
		tr.turns = append(tr.turns, parseTurn(t, byTurn[number]))
		delete(byTurn, number)
	}
	delete(byTurn, 0)
	if len(byTurn) > 0 {
		t.Errorf("turns are not numbered one by one: %v", byTurn)
	}
	return tr
}

func parseTurn(t testing.TB, all []event) turn {
	t.Helper()
	tn := turn{all: all}
	for i, e := range all {
		switch e.Kind {
		case "utterance":
			if i != 0 {
				t.Errorf("turn %d: utterance comes as event %d", e.Turn, i)
			}
			tn.heard = &all[i]
		case "turn.started":
			if tn.started != nil {
				t.Errorf("turn %d started twice", e.Turn)
			}
			tn.started = &all[i]
		}
	}
	ended := tn.of("turn.ended")
	if len(ended) != 1 || all[len(all)-1].Kind != "turn.ended" {
		t.Fatalf("turn %d has %d ends, the last event is %q; want one end, and that last", all[0].Turn, len(ended), all[len(all)-1].Kind)
	}
	tn.ended = ended[0]
	got := keys(t, tn.ended.Ledger)
	want := append(ledgerKeys(), slices.DeleteFunc(slices.Clone(mayLack), func(key string) bool { return !slices.Contains(got, key) })...)
	if !slices.Equal(got, want) {
		t.Errorf("turn %d: ledger has %q, want %q", tn.ended.Turn, got, want)
	}
	if err := json.Unmarshal(tn.ended.Ledger, &tn.ledger); err != nil {
		t.Errorf("turn %d: ledger: %v", tn.ended.Turn, err)
	}
	if tn.ledger.Budget != "met" && tn.ledger.Budget != "breached" || (tn.ledger.BreachStage == "") != (tn.ledger.Budget == "met") {
		t.Errorf("turn %d: budget %q, stage %q; want met, or breached with its stage", tn.ended.Turn, tn.ledger.Budget, tn.ledger.BreachStage)
	}
	if said := strings.Join(tn.sentences(), " "); said != tn.ended.Text {
		t.Errorf("turn %d: its end tells %q, its sentences %q", tn.ended.Turn, tn.ended.Text, said)
	}
	return tn
}

// want requires a number of turns.
func (tr transcript) want(n int) []turn {
	tr.t.Helper()
	if len(tr.turns) != n {
		tr.t.Fatalf("there were %d turns, want %d", len(tr.turns), n)
	}
	return tr.turns
}

// only requires one turn with an outcome.
func (tr transcript) only(outcome string) turn {
	tr.t.Helper()
	tn := tr.want(1)[0]
	if tn.ended.Outcome != outcome {
		tr.t.Fatalf("turn ended %q, want %q; notices: %q", tn.ended.Outcome, outcome, tr.notices(""))
	}
	return tn
}

// notices lists the texts of the notices of a level, of all if it is empty.
func (tr transcript) notices(level string) []string {
	var texts []string
	for _, e := range tr.events {
		if e.Kind == "notice" && (level == "" || e.Level == level) {
			texts = append(texts, e.Text)
		}
	}
	return texts
}

// noticed requires exactly one notice of a level containing words.
func (tr transcript) noticed(level string, words ...string) {
	tr.t.Helper()
	got := tr.notices(level)
	if len(got) != 1 {
		tr.t.Errorf("%s notices = %q, want one with %q", level, got, words)
		return
	}
	for _, w := range words {
		if !strings.Contains(got[0], w) {
			tr.t.Errorf("%s notice = %q, want %q in it", level, got[0], w)
		}
	}
}
