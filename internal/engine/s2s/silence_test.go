package s2s_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/MrWong99/glyphoxa/internal/engine"
	"github.com/MrWong99/glyphoxa/internal/lab/s2stest"
	"github.com/MrWong99/glyphoxa/internal/speech"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
	"github.com/MrWong99/glyphoxa/pkg/provider/s2s"
)

// utters returns text as sound, preceded by its words in pieces of some letters.
func utters(text string, letters int) []s2stest.Step {
	var steps []s2stest.Step
	for piece := range slices.Chunk([]rune(text), letters) {
		steps = append(steps, s2stest.Step{Tell: s2s.OutputTranscript{Item: "a", Text: string(piece)}})
	}
	sound := slices.Repeat([]int16{500}, 24_000*len(text)/15)
	return append(append(steps, s2stest.Say("a", "", sound, 24_000, 0)...), s2stest.Done("a"))
}

func TestSessionDeclines(t *testing.T) {
	silence := []s2stest.Step(s2stest.Calls(llm.ToolCall{ID: "1", Name: "stay_silent", Arguments: "{}"}))
	for _, row := range []struct {
		name  string
		steps []s2stest.Step
		may   error  // the turn's error where it may decline
		said  string // the text where it may decline
		must  string // the text where it may not
	}{
		{"with_the_tool", silence, engine.ErrDeclined, "", "Then I answer."},
		{"with_nothing", nil, engine.ErrDeclined, "", "The cascade answers."},
		{"with_the_marker", utters("[silent]", 1), engine.ErrDeclined, "", "[silent]"},
		{"with_other_words", utters("(says nothing)", 3), engine.ErrDeclined, "", "(says nothing)"},
		{"not_at_all", utters("Silence is golden, my friends.", 2), nil, "Silence is golden, my friends.", "Silence is golden, my friends."},
		{"not_after_it_spoke", append(utters("Well, well.", 4), silence...), nil, "Well, well.", "Well, well. Then I answer."},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var context []string
				b := newBench(t, s2stest.Options{Answer: func(turn s2stest.Turn) s2stest.Answer {
					if turn.Round > 0 {
						return s2stest.Answer{Steps: utters("Then I answer.", 5)}
					}
					context = append(context, turn.Response.Context)
					if len(turn.Tools) != 3 || turn.Tools[2].Name != "stay_silent" {
						t.Errorf("the session is given %+v", turn.Tools)
					}
					return s2stest.Answer{Steps: row.steps}
				}}, nil)
				defer b.close()
				req := b.request("Nineteen to hit.")
				req.Messages[1].Content = "If it is not for you, " + speech.SilentRule + "."
				req.MayDecline = true
				got := b.answer(t.Context(), req)
				if said := got.text(); !errors.Is(got.err, row.may) || said != row.said || (row.said == "") != (got.sound == 0) || len(got.tools) > 0 {
					t.Errorf("where it may decline: %q, %v of sound, %v, tools %v; want %q, %v", said, got.sound, got.err, got.tools, row.said, row.may)
				}
				must := b.request("Mira!")
				if got := b.answer(t.Context(), must); got.err != nil || got.text() != row.must {
					t.Errorf("where it may not: %q, %v; want %q", got.text(), got.err, row.must)
				}
				if len(context) < 1 || strings.Contains(context[0], speech.Silent) || !strings.Contains(context[0], "stay_silent") {
					t.Errorf("the session is told %q", context)
				}
			})
		})
	}
}

// text returns everything that was said, by the voice or the fallback.
func (a answered) text() string {
	said := slices.Clone(a.sentences)
	for _, s := range a.spoken {
		said = append(said, s.Text)
	}
	return strings.Join(said, " ")
}

// TestSoundWithoutWordsWaitsNotLong: an answer that may decline waits for its first words
// for at most 200 ms of sound.
func TestSoundWithoutWordsWaitsNotLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sound := slices.Repeat([]int16{500}, 24_000)
		steps := append(s2stest.Say("a", "", sound, 24_000, 1), s2stest.Step{Tell: s2s.OutputTranscript{Item: "a", Text: "Fifteen letters."}}, s2stest.Done("a"))
		b := newBench(t, s2stest.Options{Answer: func(s2stest.Turn) s2stest.Answer { return s2stest.Answer{Steps: steps} }}, nil)
		defer b.close()
		first := map[bool]time.Duration{}
		for _, may := range []bool{false, true} {
			req := b.request("Mira?")
			req.MayDecline = may
			got := b.answer(t.Context(), req)
			if got.err != nil || got.sound < 990*time.Millisecond || got.text() != "Fifteen letters." {
				t.Errorf("%+v", got)
			}
			first[may] = got.first
		}
		if held := first[true] - first[false]; held <= 0 || held > 240*time.Millisecond {
			t.Errorf("the first sound comes %v later where it may decline", held)
		}
	})
}

func TestDelegateDeclines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		duplex := able
		duplex.Duplex, duplex.EndsTurns, duplex.ManualTurns, duplex.Clears, duplex.Truncates = true, false, false, false, false
		duplex.ToolChange = s2s.ToolsByNewSession
		quiet := false
		b := newBench(t, s2stest.Options{Capabilities: duplex, Answer: func(turn s2stest.Turn) s2stest.Answer {
			if len(turn.Tools) > 0 {
				t.Errorf("a voice that delegates is given %+v", turn.Tools)
			}
			if turn.Told != nil || quiet {
				return s2stest.Answer{}
			}
			return s2stest.Answer{Steps: []s2stest.Step{{Tell: s2s.Delegated{ID: "d"}}}}
		}}, nil)
		defer b.close()
		b.instead.declines = true
		for _, quiet = range []bool{false, true} { // the delegate is silent; the voice neither speaks nor delegates
			req := b.request("Nineteen to hit.")
			req.MayDecline = true
			if got := b.answer(t.Context(), req); !errors.Is(got.err, engine.ErrDeclined) || got.text() != "" {
				t.Errorf("quiet %v: %q, %v", quiet, got.text(), got.err)
			}
		}
	})
}
