package engine_test

import (
	"context"
	"errors"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/MrWong99/glyphoxa/internal/engine"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

// model streams its rounds in pieces of a few bytes.
type model struct {
	rounds []llm.Chunk
	size   int
	asked  int
	read   int // bytes that the engine read
	left   bool
}

func (*model) Name() string { return "model" }

func (m *model) Stream(_ context.Context, _ llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		r := m.rounds[min(m.asked, len(m.rounds)-1)]
		m.asked++
		for piece := range slices.Chunk([]byte(r.Text), m.size) {
			m.read += len(piece)
			if !yield(llm.Chunk{Text: string(piece)}, nil) {
				m.left = true
				return
			}
		}
		yield(llm.Chunk{ToolCalls: r.ToolCalls, FinishReason: r.FinishReason}, nil)
	}
}

// answer collects the events of a turn.
type answer struct {
	said  []string
	begun int // Begun events; 2 means one came after a sentence
	err   error
}

func ask(t interface{ Context() context.Context }, m *model, mayDecline bool) answer {
	h := mcphost.New()
	defer h.Close()
	if err := h.RegisterBuiltin(tools.Tool{
		Definition: llm.ToolDefinition{Name: "look", Parameters: map[string]any{"type": "object"}, EstimatedDurationMs: 1},
		Handler:    func(context.Context, string) (string, error) { return "{}", nil },
	}); err != nil {
		panic(err)
	}
	var a answer
	req := engine.Request{
		Names: []string{"Bartok"}, Rounds: 1, ModelTimeout: time.Minute, MayDecline: mayDecline,
		Tools: h.Toolset(mcphost.ToolsetOptions{Allow: []string{"look"}}), Messages: []llm.Message{{Role: llm.RoleUser, Content: "Nineteen to hit."}},
	}
	for ev, err := range engine.NewCascaded(m, nil).Answer(t.Context(), req) {
		if err != nil {
			a.err = err
			break
		}
		switch ev := ev.(type) {
		case engine.Sentence:
			a.said = append(a.said, ev.Text)
		case engine.Begun:
			a.begun++
			if len(a.said) > 0 {
				a.begun++
			}
		}
	}
	return a
}

func TestSilenceIsNeverSpoken(t *testing.T) {
	for _, row := range []struct {
		name, text string
		finish     string
		said       string // where the NPC may not decline; may declines if it is empty
		declines   bool
		speaks     bool // also where the NPC may decline
	}{
		{name: "marker", text: "[silent]", declines: true},
		{name: "marker_in_capitals", text: " **[SILENT]**.", declines: true},
		{name: "marker_after_the_name", text: "Bartok: [silent]", declines: true},
		{name: "marker_and_more", text: "[silent] He wipes a mug. And more of that.", said: "He wipes a mug. And more of that.", declines: true},
		{name: "stage_direction", text: "*says nothing*", declines: true},
		{name: "name_and_stage_direction", text: "Bartok: *says nothing*", declines: true},
		{name: "aside", text: "(Bartok schweigt.)", declines: true},
		{name: "dots", text: "…", declines: true},
		{name: "dash", text: "—", declines: true},
		{name: "program", text: "NO_ANSWER", declines: true},
		{name: "brackets", text: "[no response]", declines: true},
		{name: "begins_like_it", text: "[Silent night], he sings. Hush.", said: "[Silent night], he sings. Hush.", speaks: true},
		{name: "begins_with_dots", text: "… Silent, are you? Well.", said: "… Silent, are you? Well.", speaks: true},
		{name: "marker_at_the_end", text: "Aye. [silent]", said: "Aye.", speaks: true},
		{name: "marker_inside", text: "Aye, [silent] so it is.", said: "Aye, so it is.", speaks: true},
		{name: "shout", text: "Silence, all of you!", said: "Silence, all of you!", speaks: true},
		{name: "empty", text: " "},
		{name: "broken_off", text: "[sile", finish: "length", said: "[sile", speaks: true},
		{name: "nothing_but_a_call", text: `<tool_call>{"name":"look"}</tool_call>`},
	} {
		t.Run(row.name, func(t *testing.T) {
			for size := 1; size <= len(row.text); size++ {
				reply := []llm.Chunk{{Text: row.text, FinishReason: row.finish}}
				free := &model{rounds: reply, size: size}
				got := ask(t, free, true)
				want := engine.ErrNothingSaid
				switch {
				case row.declines:
					want = engine.ErrDeclined
				case row.speaks:
					want = nil
				}
				said := strings.Join(got.said, " ")
				if !errors.Is(got.err, want) || row.speaks != (said != "") || row.speaks && said != row.said || got.begun > 1 || row.name == "shout" && got.begun == 0 || !row.speaks && got.begun > 0 {
					t.Fatalf("in pieces of %d it may decline: %+v, want %v", size, got, want)
				}
				if row.name == "marker_and_more" && size == 1 && (!free.left || free.read > len("[silent]")) {
					t.Errorf("%d bytes were read of a model that declines", free.read)
				}
				got = ask(t, &model{rounds: reply, size: size}, false)
				if said := strings.Join(got.said, " "); said != row.said || (row.said == "") != errors.Is(got.err, engine.ErrNothingSaid) || got.begun > 0 {
					t.Fatalf("in pieces of %d it may not decline: %+v, want %q", size, got, row.said)
				}
			}
		})
	}
}

func TestDecliningAfterATool(t *testing.T) {
	look := llm.Chunk{ToolCalls: []llm.ToolCall{{ID: "1", Name: "look", Arguments: "{}"}}, FinishReason: "tool_calls"}
	for _, row := range []struct {
		name, before string
		want         error
	}{
		{"unheard", "", engine.ErrDeclined},
		{"once_it_has_spoken", "Let me see.", nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			first := look
			first.Text = row.before
			got := ask(t, &model{rounds: []llm.Chunk{first, {Text: "[silent]"}}, size: 3}, true)
			if !errors.Is(got.err, row.want) || strings.Join(got.said, " ") != row.before || got.begun != 1 {
				t.Errorf("got %+v, want %v", got, row.want)
			}
		})
	}
}

// TestAnySpeechIsWhole checks that an answer is the same whether it may decline or not,
// unless it declines, and that no marker is ever spoken, however it comes.
// TestToolsInsteadOfAnAnswer has a model ask for a tool again after its last round: the error says so.
func TestToolsInsteadOfAnAnswer(t *testing.T) {
	looks := llm.Chunk{ToolCalls: []llm.ToolCall{{ID: "a", Name: "look", Arguments: "{}"}}, FinishReason: "tool_calls"}
	for _, row := range []struct {
		name   string
		rounds []llm.Chunk
		want   string
	}{
		{"once more a tool", []llm.Chunk{looks, looks}, "one more tool instead of answering"},
		{"nothing", []llm.Chunk{looks, {FinishReason: "stop"}}, engine.ErrNothingSaid.Error()},
	} {
		t.Run(row.name, func(t *testing.T) {
			got := ask(t, &model{rounds: row.rounds, size: 1}, false)
			if !errors.Is(got.err, engine.ErrNothingSaid) || !strings.Contains(got.err.Error(), row.want) {
				t.Errorf("err = %v, want ErrNothingSaid with %q", got.err, row.want)
			}
		})
	}
}

func TestAnySpeechIsWhole(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		pieces := []string{"[silent]", "[sil", "ent]", "Aye.", " ", "…", "(", ")", "schweigt", "Silence!", "Well, ", "*", "no", "[", "]", "\n", "NO_ANSWER", "Bartok: "}
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 1, 8).Draw(rt, "text"), "")
		size := rapid.IntRange(1, 12).Draw(rt, "size")
		reply := []llm.Chunk{{Text: text}}
		may, must := ask(t, &model{rounds: reply, size: size}, true), ask(t, &model{rounds: reply, size: size}, false)
		if said := strings.Join(must.said, " "); strings.Contains(strings.ToLower(said), "[silent]") {
			rt.Fatalf("of %q is spoken %q", text, said)
		}
		switch {
		case errors.Is(may.err, engine.ErrDeclined):
			if len(may.said) > 0 {
				rt.Fatalf("%q declines after %q", text, may.said)
			}
		case !slices.Equal(may.said, must.said) || !errors.Is(may.err, must.err):
			rt.Fatalf("of %q is spoken %q (%v) and %q (%v)", text, may.said, may.err, must.said, must.err)
		}
	})
}
