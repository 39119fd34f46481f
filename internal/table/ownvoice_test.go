package table_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/MrWong99/glyphoxa/internal/engine"
	"github.com/MrWong99/glyphoxa/internal/engine/s2s"
	"github.com/MrWong99/glyphoxa/internal/lab/s2stest"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
	"github.com/MrWong99/glyphoxa/internal/table"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
	provider "github.com/MrWong99/glyphoxa/pkg/provider/s2s"
)

// vendor returns a speech-to-speech service with one answer for every turn.
func vendor(answer func(s2stest.Turn) s2stest.Answer) *s2stest.Provider {
	return s2stest.New(s2stest.Options{
		Capabilities: provider.Capabilities{
			InputRate: 24_000, OutputRate: 24_000, ToolChange: provider.ToolsByUpdate,
			ManualTurns: true, Clears: true, Truncates: true, Typed: true, EndsTurns: true,
		},
		Answer: answer,
	})
}

// tells returns an answer with a text, spoken at 15 letters per second and sent ten times as
// fast, after 300 ms.
func tells(text string) s2stest.Answer {
	d := time.Duration(len(text)) * time.Second / 15
	steps := s2stest.After(300*time.Millisecond, s2stest.Say("item", text, s2stest.Tone(440, d, 24_000), 24_000, 10))
	return s2stest.Answer{Steps: append(steps, s2stest.Done("item"))}
}

// ownRoom returns a room in which Mira has an engine with its own voice.
func ownRoom(t *testing.T, p *s2stest.Provider, s setting) *room {
	t.Helper()
	s.ownVoice = func(h *mcphost.Host, instead engine.Engine) *s2s.Engine { return s2s.New(p, h, instead, nil) }
	if s.model == nil {
		s.model = says("By the cascade.")
	}
	r := heard(t, s)
	t.Cleanup(func() {
		for _, v := range p.Violations() {
			t.Errorf("against the contract: %s", v)
		}
	})
	return r
}

func always(a s2stest.Answer) func(s2stest.Turn) s2stest.Answer {
	return func(s2stest.Turn) s2stest.Answer { return a }
}

func TestAnNPCSpeaksForItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := vendor(always(tells("The inn is full tonight. Try the mill.")))
		r := ownRoom(t, p, setting{})
		ana := r.join("Ana")
		time.Sleep(100 * ms)
		ana.say("Mira, have you got a room?", 2*time.Second)
		end := r.until(1)
		if want := "The inn is full tonight. Try the mill."; end.Outcome != table.OutcomeDelivered || end.Text != want {
			t.Fatalf("ended %s with %q, want %q delivered; notices %+v", end.Outcome, end.Text, want, of[*table.Notice](r.events))
		}
		if got := len(r.wire.heard()); got < 120 || got > 140 { // 2.5 s of frames
			t.Errorf("%d frames were heard", got)
		}
		if c := p.Notes(s2stest.Committed); len(c) != 1 || c[0].Spoken < 1900*ms || c[0].Spoken > 2700*ms || c[0].Response.Text != "" {
			t.Errorf("committed %+v, want what was said", c)
		}
		if end.Ledger.LLMFirstTokenMS < 290 || end.Ledger.FirstSubstanceMS <= end.Ledger.LLMFirstTokenMS {
			t.Errorf("ledger %+v", end.Ledger)
		}
		// The next line starts ahead although it has no name, and is answered in the same
		// session.
		ana.say("And where is that?", 2*time.Second)
		r.until(2)
		if o := p.Notes(s2stest.Opened); len(o) != 1 {
			t.Errorf("%d sessions", len(o))
		}
		if b := p.Notes(s2stest.Begun); len(b) != 2 {
			t.Fatalf("begun %+v", b)
		}
		if begun, committed := p.Notes(s2stest.Begun)[1], p.Notes(s2stest.Committed)[1]; committed.At.Sub(begun.At) < 1500*ms {
			t.Errorf("the second line did not go ahead: %s", committed.At.Sub(begun.At))
		}
	})
}

func TestAnInterruptionOfItsOwnVoice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := vendor(always(tells("Once there was a king who had three sons. None of them could sing, and none of them could dance. So they went out.")))
		r := ownRoom(t, p, setting{})
		ana := r.join("Ana")
		time.Sleep(100 * ms)
		ana.say("Mira, tell us a story.", 2*time.Second)
		r.awaitAudio()
		time.Sleep(4 * time.Second)
		ana.say("Wait, Mira!", time.Second)
		end := r.until(1)
		if want := "Once there was a king who had three sons."; end.Outcome != table.OutcomeBarged || end.Text != want {
			t.Errorf("ended %s with %q, want %q", end.Outcome, end.Text, want)
		}
		synctest.Wait()
		n := p.Notes(s2stest.Interrupted)
		if len(n) != 1 || n[0].Sound < 4400*ms || n[0].Sound > 4800*ms {
			t.Errorf("interrupted %+v, want after 4 s and what it takes to confirm", n)
		}
	})
}

func TestTalkForOthersIsNotAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := vendor(always(tells("Aye.")))
		r := ownRoom(t, p, setting{})
		ana := r.join("Ana")
		time.Sleep(100 * ms)
		ana.say("Mira, hello.", 2*time.Second)
		r.until(1)
		ana.say("Bart, a beer please.", 2*time.Second)
		if end := r.until(2); end.Text != "By the cascade." {
			t.Errorf("ended with %+v", end)
		}
		time.Sleep(5 * time.Second)
		if c := p.Notes(s2stest.Committed); len(c) != 1 {
			t.Errorf("committed %+v", c)
		}
		if c := p.Notes(s2stest.Cleared); len(c) != 1 || c[0].Spoken < 1900*ms {
			t.Errorf("cleared %+v, want what Bart was told", c)
		}
	})
}

func TestAToolOfItsOwnVoice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := vendor(func(turn s2stest.Turn) s2stest.Answer {
			if turn.Round == 0 {
				return s2stest.Answer{Steps: s2stest.Calls(llm.ToolCall{Name: "roll", Arguments: "{}"}, llm.ToolCall{Name: "write", Arguments: "{}"})}
			}
			return tells("You roll " + turn.Results[0].Text + ".")
		})
		r := ownRoom(t, p, setting{})
		end := r.hear("Mira, roll for me.")
		if !strings.Contains(end.Text, "9") || end.Outcome != table.OutcomeDelivered {
			t.Errorf("ended %s with %q", end.Outcome, end.Text)
		}
		if end.Ledger.ToolRounds != 1 {
			t.Errorf("ledger %+v, want one round", end.Ledger)
		}
		if *r.wrote != 1 {
			t.Errorf("written %d times, want once, at the commit", *r.wrote)
		}
	})
}

func TestASilentModelIsAnsweredForInTheSameTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := ownRoom(t, vendor(always(s2stest.Answer{Hangs: true})), setting{})
		if end := r.hear("Mira, hello."); end.Outcome != table.OutcomeDelivered || end.Text != "By the cascade." {
			t.Errorf("ended %s with %q", end.Outcome, end.Text)
		}
		if n := of[*table.Notice](r.events); len(n) != 1 || !strings.Contains(n[0].Text, "another model") {
			t.Errorf("notices %+v", n)
		}
	})
}

func TestItsOwnVoiceIsReadWhereNobodyListens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := vendor(always(tells("The inn is full tonight. Try the mill.")))
		r := open(t, setting{model: says("By the cascade."), ownVoice: func(h *mcphost.Host, instead engine.Engine) *s2s.Engine { return s2s.New(p, h, instead, nil) }})
		end := r.hear("Mira, have you got a room?")
		if want := "The inn is full tonight. Try the mill."; end.Text != want {
			t.Errorf("ended %s with %q, want %q", end.Outcome, end.Text, want)
		}
	})
}

// TestAnEchoOfItsOwnVoiceIsNoInterruption: a microphone picks up an NPC whose transcript came
// before its sound. The table recognises the echo from the first word on.
func TestAnEchoOfItsOwnVoiceIsNoInterruption(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const text = "Once there was a king who had three sons and none of them could sing or dance at all."
		sound := s2stest.Say("item", "", s2stest.Tone(440, 6*time.Second, 24_000), 24_000, 10)
		steps := append([]s2stest.Step{{Tell: provider.OutputTranscript{Item: "item", Text: text}}}, s2stest.After(300*ms, sound)...)
		p := vendor(always(s2stest.Answer{Steps: append(steps, s2stest.Step{After: 2 * time.Second, Tell: provider.ItemDone{Item: "item"}})}))
		r := ownRoom(t, p, setting{})
		ana := r.join("Ana")
		time.Sleep(100 * ms)
		ana.say("Mira, tell us a story.", 2*time.Second)
		r.awaitAudio()
		time.Sleep(time.Second)
		ana.say("there was a king who had", time.Second)
		if end := r.until(1); end.Outcome != table.OutcomeDelivered || end.Text != text {
			t.Errorf("ended %s with %q, want it delivered; notices %+v", end.Outcome, end.Text, of[*table.Notice](r.events))
		}
	})
}
