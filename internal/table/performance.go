package table

import (
	"context"
	"encoding/json"
	"time"

	"github.com/MrWong99/glyphoxa/internal/agent"
	"github.com/MrWong99/glyphoxa/internal/engine"
	"github.com/MrWong99/glyphoxa/internal/hotctx"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

// ahead is how many finished sentences may wait to be spoken before the model
// is made to wait.
const ahead = 16

// performance is the work of one turn: the engine on one goroutine, the voice
// on another, so that the model writes on while a sentence is spoken.
type performance struct {
	table     *Table
	turn      *turn
	delivered []string       // owned by the voice
	deferred  []llm.ToolCall // for the commit; owned by the engine's goroutine
	hoarse    bool           // the voice has failed; owned by the voice
	stage     string         // what is at work; owned by the engine's goroutine
}

func (p *performance) run(ctx context.Context, history agent.History) error {
	tn := p.turn
	if tn.puppet >= 0 {
		return p.say(ctx, tn.Text)
	}
	p.stage = "context"
	start := time.Now()
	now, err := p.table.o.Context.Assemble(ctx, hotctx.Query{
		NPC: tn.npc.NPC.ID, Session: p.table.o.Session.ID, Scene: p.table.o.Scene(), Utterance: tn.Text, Recent: p.table.o.RecentLines,
	})
	took := time.Since(start)
	p.table.report(func(*Table) { tn.ledger.ContextMS = millis(took) })
	if err != nil {
		return err
	}
	p.stage = "llm"
	req := engine.Request{
		Messages: history.Prompt(tn.Speaker, tn.Text, now), Persona: tn.npc.Persona(), Names: tn.npc.Names(),
		Tools: tn.tools, Rounds: p.table.o.Latency.Rounds.Get(tn.choice.Tier),
		ModelTimeout: time.Duration(p.table.o.Latency.ModelTimeout),
	}
	return p.perform(ctx, req)
}

// perform runs the engine and speaks what it says, in order.
func (p *performance) perform(ctx context.Context, req engine.Request) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	sentences := make(chan string, ahead)
	spoken := make(chan error, 1)
	p.table.work.Go(func() {
		var err error
		for s := range sentences {
			if err = p.say(ctx, s); err != nil {
				cancel(err)
				break
			}
		}
		spoken <- err
	})
	err := p.think(ctx, req, sentences)
	close(sentences)
	if failed := <-spoken; failed != nil {
		return failed // what think saw is its consequence
	}
	return err
}

// think runs the engine, reports its events and passes on its sentences.
func (p *performance) think(ctx context.Context, req engine.Request, sentences chan<- string) error {
	for ev, err := range p.table.o.Engine.Answer(ctx, req) {
		if err != nil {
			return err
		}
		if s, ok := ev.(engine.Sentence); ok {
			select {
			case sentences <- s.Text:
			case <-ctx.Done():
				return context.Cause(ctx)
			}
			continue
		}
		if d, ok := ev.(engine.ToolDeferred); ok {
			p.deferred = append(p.deferred, d.Call)
			continue
		}
		p.note(ev)
	}
	return nil
}

// note reports an engine event.
func (p *performance) note(ev engine.Event) {
	tn := p.turn
	p.table.report(func(t *Table) {
		switch ev := ev.(type) {
		case engine.FirstToken:
			tn.ledger.LLMFirstTokenMS = millis(ev.After)
		case engine.RoundEnded:
			tn.tooling += ev.Took
			tn.ledger.ToolMS = millis(tn.tooling)
			tn.ledger.ToolRounds++
		case engine.ToolCalled:
			t.emit(tn.turn, KindToolCalled, &ToolCalled{Tool: ev.Call.Name, Args: rawJSON(ev.Call.Arguments), Round: ev.Round})
		case engine.ToolFinished:
			t.emit(tn.turn, KindToolFinished, finished(ev.Call.Name, ev.Outcome))
		}
	})
}

func finished(tool string, o mcphost.Outcome) *ToolFinished {
	f := &ToolFinished{Tool: tool, MS: millis(o.Result.Duration), OK: o.Err == nil && !o.Result.IsError, Cached: o.Result.Cached}
	switch {
	case o.Err != nil:
		f.Error = o.Err.Error()
	case o.Result.IsError:
		f.Error = o.Result.Text
	}
	return f
}

// rawJSON is the model's arguments as JSON: as they are, or quoted where they
// are none.
func rawJSON(args string) json.RawMessage {
	if args == "" {
		return json.RawMessage("{}")
	}
	if json.Valid([]byte(args)) {
		return json.RawMessage(args)
	}
	quoted, err := json.Marshal(args)
	if err != nil {
		return json.RawMessage(`""`) // a string always marshals
	}
	return quoted
}

// say delivers one sentence of the answer.
func (p *performance) say(ctx context.Context, text string) error { return p.deliver(ctx, text, true) }

// deliver delivers one sentence; substance says whether it is the answer or
// stands in for one. A voice that fails is noticed once; the sentence
// counts as delivered, since its text is.
func (p *performance) deliver(ctx context.Context, text string, substance bool) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	tn := p.turn
	start := time.Now()
	started := func() {
		after := time.Since(start)
		p.table.report(func(t *Table) {
			if tn.audible {
				return
			}
			tn.audible = true
			tn.ledger.TTSFirstAudioMS = millis(after)
			t.sounded(tn, substance)
			t.emit(tn.turn, KindAudioStarted, &AudioStarted{NPC: tn.npc.NPC.Name})
		})
	}
	err := p.table.o.Speaker.Speak(ctx, tn.npc.NPC, text, started)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	news := err != nil && !p.hoarse
	p.hoarse = p.hoarse || news
	p.delivered = append(p.delivered, text)
	p.table.report(func(t *Table) {
		if news {
			t.Notice(tn.turn, "warning", "the voice failed, the text goes on: "+err.Error())
		}
		t.sounded(tn, substance)
		tn.texts = append(tn.texts, text)
		t.emit(tn.turn, KindSentence, &Sentence{NPC: tn.npc.NPC.Name, Text: text})
	})
	return nil
}

// rescue lets an NPC whose answer failed before the first word say that it has
// none, rather than stay silent.
func (p *performance) rescue(ctx context.Context) {
	lines := p.turn.npc.NPC.Lines["unknown"]
	if len(p.delivered) > 0 || len(lines) == 0 || p.turn.puppet >= 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), farewell)
	defer cancel()
	_ = p.deliver(ctx, lines[int(p.turn.turn)%len(lines)], false) // the turn has failed already, with its reason
}
