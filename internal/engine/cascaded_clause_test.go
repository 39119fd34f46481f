package engine_test

import (
	"slices"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/engine"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

// TestClauseComesBeforeItsSentence requests clauses of answers that arrive in small
// pieces.
func TestClauseComesBeforeItsSentence(t *testing.T) {
	const burned = "The old mill by the river burned, and nobody knows. It was a fine old mill indeed, but it burned."
	for _, tt := range []struct {
		name, text string
		size       int // of pieces, in bytes
		req        engine.Request
		clause     []string
	}{
		{"asked_for", burned, 4, engine.Request{Clauses: true}, []string{"The old mill by the river burned,"}},
		{"not_asked_for", burned, 4, engine.Request{}, nil},
		{"all_there", burned, 500, engine.Request{Clauses: true}, nil},
		{"none_in_the_first_sentence", "Aye, so it was. It was a fine old mill indeed, but it burned.", 4, engine.Request{Clauses: true}, nil},
		{"sure_to_answer", burned, 4, engine.Request{Clauses: true, MayDecline: true}, []string{"The old mill by the river burned,"}},
		{"declines", "[silent] the old mill by the river, and so", 4, engine.Request{Clauses: true, MayDecline: true}, nil},
		{"own_name", "Mira: The old mill by the river burned, and nobody knows.", 4, engine.Request{Clauses: true, Names: []string{"Mira"}}, []string{"The old mill by the river burned,"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := mcphost.New()
			defer h.Close()
			tt.req.Tools = h.Toolset(mcphost.ToolsetOptions{})
			var clauses, said []string
			e := engine.NewCascaded(&model{rounds: []llm.Chunk{{Text: tt.text, FinishReason: "stop"}}, size: tt.size}, nil)
			for ev := range e.Answer(t.Context(), tt.req) {
				switch ev := ev.(type) {
				case engine.Clause:
					if len(said) > 0 {
						t.Errorf("a clause after %q", said)
					}
					clauses = append(clauses, ev.Text)
				case engine.Sentence:
					said = append(said, ev.Text)
				}
			}
			if !slices.Equal(clauses, tt.clause) {
				t.Errorf("clauses %q, want %q", clauses, tt.clause)
			}
		})
	}
}
