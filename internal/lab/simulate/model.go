package simulate

import (
	"context"
	"iter"
	"strings"
	"time"

	"github.com/MrWong99/glyphoxa/internal/lab/rig"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

const (
	// perWord is the time between two words of an answer, about 60 tokens a
	// second.
	perWord = 22 * time.Millisecond
	// wordsAtOnce is the number of words in one chunk.
	wordsAtOnce = 3
	// rolling is the share of answers that begin with a roll of the dice, if
	// the table has any.
	rolling = 0.1
)

// model is a simulated language model. It is safe for concurrent use.
type model struct {
	dice    *dice
	latency Latency // to the first token
}

func (m *model) Name() string { return "simulated" }

func (m *model) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		if err := rig.Pause(ctx, m.dice.latency(m.latency)); err != nil {
			yield(llm.Chunk{}, err)
			return
		}
		if tool, ok := m.tool(req); ok {
			yield(llm.Chunk{ToolCalls: []llm.ToolCall{tool}, FinishReason: "tool_calls"}, nil)
			return
		}
		words := strings.Fields(m.dice.drawAnswer())
		for len(words) > 0 {
			n := min(wordsAtOnce, len(words))
			c := llm.Chunk{Text: strings.Join(words[:n], " ")}
			if words = words[n:]; len(words) > 0 {
				c.Text += " "
			} else {
				c.FinishReason = "stop"
			}
			if !yield(c, nil) || len(words) == 0 {
				return
			}
			if err := rig.Pause(ctx, time.Duration(n)*perWord); err != nil {
				yield(llm.Chunk{}, err)
				return
			}
		}
	}
}

// tool returns the call at the beginning of an answer, if any.
func (m *model) tool(req llm.Request) (llm.ToolCall, bool) {
	if n := len(req.Messages); len(req.Tools) == 0 || n > 0 && req.Messages[n-1].Role == llm.RoleTool {
		return llm.ToolCall{}, false
	}
	if !m.dice.chance(rolling) {
		return llm.ToolCall{}, false
	}
	return llm.ToolCall{ID: "roll", Name: "roll", Arguments: `{"expression":"1d20+3"}`}, true
}
