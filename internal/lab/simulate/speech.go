package simulate

import (
	"context"
	"fmt"
	"iter"
	"time"

	"github.com/MrWong99/glyphoxa/internal/lab/rig"
	"github.com/MrWong99/glyphoxa/internal/lab/s2stest"
	"github.com/MrWong99/glyphoxa/internal/speech"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
	"github.com/MrWong99/glyphoxa/pkg/provider/s2s"
)

// connecting is the time to open a speech-to-speech session.
const connecting = 150 * time.Millisecond

// newSpeech returns a simulated speech-to-speech model with the NPCs' names as
// voices. violated is called with violations of the sessions' contract.
func newSpeech(p *pool, d *dice, latency Latency, violated func(string)) s2s.Provider {
	return s2stest.New(s2stest.Options{
		Name: "simulated",
		Capabilities: s2s.Capabilities{
			InputRate: voiceRate, OutputRate: voiceRate, ToolChange: s2s.ToolsByUpdate,
			ManualTurns: true, Clears: true, Truncates: true, Typed: true, EndsTurns: true,
		},
		Forgets: true,
		Open:    func(int, s2s.SessionOptions) s2stest.Opening { return s2stest.Opening{Takes: connecting} },
		Answer: func(t s2stest.Turn) s2stest.Answer {
			wait := d.latency(latency)
			if t.Round == 0 && len(t.Tools) > 0 && d.chance(rolling) {
				return s2stest.Answer{Steps: s2stest.After(wait, s2stest.Calls(llm.ToolCall{Name: "roll", Arguments: `{"expression":"1d20+3"}`}))}
			}
			return s2stest.Answer{Steps: s2stest.After(wait, spokenAnswer(p, d, t))}
		},
		Observe: func(n s2stest.Note) {
			if n.Kind == s2stest.Violation {
				violated(n.Text)
			}
		},
	})
}

// spokenAnswer speaks an answer in the session's voice.
func spokenAnswer(p *pool, d *dice, t s2stest.Turn) (steps []s2stest.Step) {
	item := fmt.Sprintf("item-%d-%d-%d", t.Session, t.Number, t.Round)
	sound := p.spoken[pitchOf(t.Options.Voice)]
	var split speech.Splitter
	for _, text := range append(split.Push(d.drawAnswer()), split.Flush()...) {
		n := min(int(speaking(text)*voiceRate/time.Second), len(sound))
		steps = append(steps, s2stest.Say(item, text+" ", sound[:n], voiceRate, speed)...)
	}
	return append(steps, s2stest.Done(item))
}

// openers is a simulated fast model, which gives the openings.
type openers struct {
	dice    *dice
	latency Latency // to the whole sentence
}

// opened are the NPCs' openings; the last one has no continuation.
var opened = [...]string{"[MORE] Hm, that is a question.", "[MORE] Let me tell you something.", "[MORE] You again.", "[DONE] So it goes, my friend."}

func (*openers) Name() string { return "simulated" }

// Stream implements [llm.Provider].
func (m *openers) Stream(ctx context.Context, _ llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		if err := rig.Pause(ctx, m.dice.latency(m.latency)); err != nil {
			yield(llm.Chunk{}, err)
			return
		}
		yield(llm.Chunk{Text: opened[m.dice.one(len(opened))], FinishReason: "stop"}, nil)
	}
}
