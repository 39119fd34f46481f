package engine_test

import (
	"context"
	"errors"
	"iter"
	"strings"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/engine"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

const ms = time.Millisecond

var errBroken = errors.New("the line is broken")

// piece is a part of a model's answer.
type piece struct {
	after time.Duration
	llm.Chunk
	err  error
	hang bool
}

func text(after time.Duration, s string) piece {
	return piece{after: after, Chunk: llm.Chunk{Text: s}}
}

// sentenceModel plays scripted answers, and records its requests and when each answer
// ended.
type sentenceModel struct {
	answer func(req llm.Request) []piece
	asked  []llm.Request
	at     []time.Duration // since the epoch of the bubble
	open   int             // answers still running
}

func says(pieces ...piece) *sentenceModel {
	return &sentenceModel{answer: func(llm.Request) []piece { return pieces }}
}

func (*sentenceModel) Name() string { return "model" }

func (m *sentenceModel) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		m.asked = append(m.asked, req)
		m.at = append(m.at, time.Since(epoch))
		m.open++
		defer func() { m.open-- }()
		for _, p := range m.answer(req) {
			if p.hang {
				<-ctx.Done()
			}
			select {
			case <-ctx.Done():
				yield(llm.Chunk{}, ctx.Err())
				return
			case <-time.After(p.after):
			}
			if !yield(p.Chunk, p.err) || p.err != nil {
				return
			}
		}
	}
}

// epoch is the start time of every synctest bubble.
var epoch = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// request asks Mira, who may use the dice.
func request(t *testing.T) engine.Request {
	t.Helper()
	h := mcphost.New()
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	})
	err := h.RegisterBuiltin(mcphost.BuiltinTool{
		Definition: llm.ToolDefinition{Name: "roll", Parameters: map[string]any{"type": "object"}},
		Handler: func(ctx context.Context, _ string) (string, error) {
			select {
			case <-time.After(100 * ms):
				return `{"total":9}`, nil
			case <-ctx.Done():
				return "", ctx.Err()
			}
		},
		ReadOnly: true, DeclaredP50: 5,
	})
	if err != nil {
		t.Fatal(err)
	}
	return engine.Request{
		Messages: []llm.Message{{Role: llm.RoleSystem, Content: "You are Mira."}, {Role: llm.RoleUser, Content: "What of the bridge?"}},
		Persona:  llm.Persona{Name: "Mira"}, Names: []string{"Mira"},
		Tools:  h.Toolset(mcphost.ToolsetOptions{Allow: []string{"roll"}, Tier: mcp.BudgetFast}),
		Rounds: 2, ModelTimeout: 15 * time.Second, Plain: true,
	}
}

// heard lists a turn's events in order: sentences as text, other events by name.
type heard struct {
	all     []string
	at      []time.Duration
	notices []engine.Notice
	first   time.Duration // the first token as reported
	err     error
}

func (h *heard) String() string { return strings.Join(h.all, " | ") }

// play runs a request to its end.
func play(ctx context.Context, fast, strong *sentenceModel, req engine.Request) *heard {
	h := &heard{}
	start := time.Now()
	for ev, err := range engine.NewSentenceCascade(fast, strong, nil).Answer(ctx, req) {
		if err != nil {
			h.err = err
			break
		}
		word := ""
		switch ev := ev.(type) {
		case engine.FirstToken:
			word, h.first = "token", ev.After
		case engine.Sentence:
			word = ev.Text
		case engine.ToolCalled:
			word = "called"
		case engine.ToolFinished:
			word = "finished"
		case engine.RoundEnded:
			word = "round"
		case engine.Notice:
			word = "notice"
			h.notices = append(h.notices, ev)
		}
		h.all, h.at = append(h.all, word), append(h.at, time.Since(start))
	}
	return h
}
