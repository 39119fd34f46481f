package glyphoxa_test

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/pkg/glyphoxa"
	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/memory/sqlite"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

const cast = `data_dir: data
npcs:
  - name: Mira
    personality: A ferrywoman of few words.
    tools: [tide]
`

// configuration writes a configuration and returns its path.
func configuration(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "glyphoxa.yaml")
	if err := os.WriteFile(path, []byte(cast), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

type hour struct {
	Hour int `json:"hour"`
}

type water struct {
	State string `json:"state"`
}

func tide() glyphoxa.Tool {
	return glyphoxa.NewTool("tide", "Get the tide at an hour.", 5*time.Millisecond, time.Second,
		func(_ context.Context, h hour) (water, error) {
			if h.Hour > 23 {
				return water{}, glyphoxa.ErrInvalidArguments
			}
			return water{"high"}, nil
		})
}

// model answers by a function from the messages of a request.
type model func(ctx context.Context, m []llm.Message) llm.Chunk

func (model) Name() string { return "test model" }

func (m model) Stream(ctx context.Context, r llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) { yield(m(ctx, r.Messages), ctx.Err()) }
}

// ferrywoman asks for the tide once and then repeats the result.
func ferrywoman(_ context.Context, all []llm.Message) llm.Chunk {
	for _, m := range slices.Backward(all) {
		if m.Role == llm.RoleTool {
			return llm.Chunk{Text: "The water is " + strings.Split(m.Content, `"`)[3] + ".", FinishReason: "stop"}
		}
	}
	return llm.Chunk{ToolCalls: []llm.ToolCall{{ID: "1", Name: "tide", Arguments: `{"hour":6}`}}, FinishReason: "tool_calls"}
}

// TestAsk plays a line with a tool, a model and a store of the program's own.
func TestAsk(t *testing.T) {
	opened := false
	game, err := glyphoxa.Open(t.Context(), glyphoxa.Options{
		Config: configuration(t), Tools: []glyphoxa.Tool{tide()}, Model: model(ferrywoman),
		OpenStore: func(ctx context.Context, o glyphoxa.StoreOptions) (memory.Store, error) {
			opened = o.Groups != nil && o.Logger != nil
			return sqlite.Open(ctx, filepath.Join(t.TempDir(), "own.db"), &sqlite.Options{Embedder: o.Embedder, Groups: o.Groups, Logger: o.Logger})
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := game.NPCs(); !slices.Equal(got, []string{"Mira"}) {
		t.Errorf("the NPCs are %q", got)
	}
	var kinds []string
	session, err := game.Start(t.Context(), &glyphoxa.SessionOptions{OnEvent: func(e glyphoxa.Event) {
		if !json.Valid(e.JSON) {
			t.Errorf("an event is %s", e.JSON)
		}
		kinds = append(kinds, e.Kind)
	}})
	if err != nil {
		t.Fatal(err)
	}
	got, err := session.Ask(t.Context(), "Ben", "Mira, how is the water?")
	if want := (glyphoxa.Answer{Turn: 1, NPC: "Mira", Text: "The water is high.", Outcome: "delivered"}); err != nil || got != want {
		t.Errorf("the answer is %+v, %v; want %+v", got, err, want)
	}
	for range 2 { // another Close does nothing
		if err := errors.Join(session.Close(), game.Close()); err != nil {
			t.Error(err)
		}
	}
	if !opened {
		t.Error("the store of the program was not opened with groups and a logger")
	}
	want := []string{"utterance", "turn.started", "tool.called", "tool.finished", "sentence", "turn.ended"}
	kinds = slices.DeleteFunc(kinds, func(k string) bool { return !slices.Contains(want, k) })
	if !slices.Equal(kinds, want) {
		t.Errorf("the events are %q, want %q", kinds, want)
	}
}

// TestCloseEndsAsk closes a session while a model is at work.
func TestCloseEndsAsk(t *testing.T) {
	working := make(chan struct{})
	game, err := glyphoxa.Open(t.Context(), glyphoxa.Options{Config: configuration(t), Tools: []glyphoxa.Tool{tide()},
		Model: model(func(ctx context.Context, _ []llm.Message) llm.Chunk {
			select {
			case <-working:
			default:
				close(working)
			}
			<-ctx.Done()
			return llm.Chunk{}
		})})
	if err != nil {
		t.Fatal(err)
	}
	defer game.Close()
	session, err := game.Start(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	type result struct {
		glyphoxa.Answer
		error
	}
	asked := make(chan result)
	go func() {
		a, err := session.Ask(t.Context(), "Ben", "Mira, how is the water?")
		asked <- result{a, err}
	}()
	<-working
	if err := session.Close(); err != nil {
		t.Error(err)
	}
	if r := <-asked; r.error == nil && r.Text != "" {
		t.Errorf("a line is answered after the end: %+v", r)
	}
	if _, err := session.Ask(t.Context(), "Ben", "Mira?"); err == nil {
		t.Error("a closed session takes a line")
	}
}

func TestOpenRefuses(t *testing.T) {
	with := func(change func(*glyphoxa.Tool)) []glyphoxa.Tool {
		tool := tide()
		change(&tool)
		return []glyphoxa.Tool{tool}
	}
	for _, tc := range []struct {
		name  string
		tools []glyphoxa.Tool
		cast  map[string][]string
		want  string
	}{
		{"a name that models cannot write", with(func(t *glyphoxa.Tool) { t.Name = "the tide" }), nil, `"the tide"`},
		{"no duration", with(func(t *glyphoxa.Tool) { t.Expected = 0 }), nil, "Expected"},
		{"a deadline that no call keeps", with(func(t *glyphoxa.Tool) { t.Deadline = time.Millisecond }), nil, "shorter than the expected 5ms"},
		{"no handler", with(func(t *glyphoxa.Tool) { t.Handler = nil }), nil, "no handler"},
		{"no schema", with(func(t *glyphoxa.Tool) { t.Parameters = nil }), nil, "NewTool"},
		{"a built-in tool's name", append(with(func(t *glyphoxa.Tool) { t.Name = "roll" }), tide()), nil, "roll"},
		{"an NPC that is not there", []glyphoxa.Tool{tide()}, map[string][]string{"Odo": {"tide"}}, `"Odo"`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			game, err := glyphoxa.Open(t.Context(), glyphoxa.Options{Config: configuration(t), Tools: tc.tools, Cast: tc.cast})
			if err == nil {
				game.Close()
			}
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("Open = %v, want an error with %q", err, tc.want)
			}
		})
	}
}
