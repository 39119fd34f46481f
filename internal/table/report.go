package table

import (
	"slices"
	"time"

	"github.com/MrWong99/glyphoxa/internal/engine"
	"github.com/MrWong99/glyphoxa/internal/hotctx"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
	"github.com/MrWong99/glyphoxa/internal/userfile"
)

// report is sent to Run by a goroutine that works for a turn or an edit. Run receives reports
// until each attempt has reported its end, each turn its commit, and each edit that erases
// something its end.
type report struct {
	attempt *attempt // of the first group of findings
	turn    *turn    // of the second
	finding finding
}

// finding is what was found: one of the types below, or an [engine.Event].
type finding any

// What an attempt finds.
type (
	// contextRead: what the NPC knows is assembled.
	contextRead struct {
		took      time.Duration
		now       *hotctx.Context // nil if it could not be
		exchanges int             // of its own conversation
	}
	// firstSentence: the model has written what can be spoken first.
	firstSentence struct{ took time.Duration } // since the first token
	// wordsEnded: the model is done, or has failed.
	wordsEnded struct{ err error }
	// phraseBegins: a stock phrase passes the time.
	phraseBegins struct{}
	// sentenceBegins: the next sentence of the line.
	sentenceBegins struct{ sentence sentence }
	// sentenceWorded: what the sentence that began last says, as far as it is known;
	// ended says that this is all, and that another follows.
	sentenceWorded struct {
		text  string
		ended bool
	}
	// soundReady: there is something to hear.
	soundReady struct{ took time.Duration } // of the voice for its first sound; negative if there was none
	// voiceFailed: the text goes on without it.
	voiceFailed struct{ err error }
	// workEnded: the attempt's goroutines are done. It is an attempt's last.
	workEnded struct{ result *result }
)

// What a commit finds.
type (
	// callEnded: a call that waited for the turn's end was made, or will not be.
	callEnded struct {
		tool    string
		outcome mcphost.Outcome
	}
	// committed: what was said is kept, or cannot be. It is a turn's last.
	committed struct{ end turnEnd }
)

// handleReport handles a report. It drops what an attempt reports that was given up, and keeps
// what a guess reports until that proves right.
func (t *Table) handleReport(r report) {
	a := r.attempt
	switch f := r.finding.(type) {
	case *erased:
		t.handleErased(f)
		return
	case *judged:
		t.handleJudged(f)
		return
	case kept:
		t.effects.emit(0, KindNotice, &Notice{Level: f.level, Text: f.text, Code: f.code})
		return
	case callEnded, committed:
		t.handleCommit(r.turn, f)
		return
	case workEnded:
		t.turns.working--
		a.result = f.result
	}
	switch {
	case a.turn.attempt != a:
	case a.turn.phase == guessed || a.turn.phase == doubted:
		a.backlog = append(a.backlog, r.finding)
	case a.turn.phase == weighed:
		t.weigh(a, r.finding)
	default:
		t.handleFinding(a, r.finding)
	}
}

// handleFinding handles what the attempt of a turn reports.
func (t *Table) handleFinding(a *attempt, f finding) {
	tn := a.turn
	switch f := f.(type) {
	case contextRead:
		tn.record.ledger.ContextMS = mcp.RoundedMillis(f.took)
		a.basis.context, a.basis.exchanges = f.now, f.exchanges
	case firstSentence:
		t.recordBegun(tn)
		tn.record.ledger.LLMFirstSentenceMS = mcp.RoundedMillis(max(f.took-tn.record.tooling, 0))
	case phraseBegins:
		t.announcePhrase(tn)
	case sentenceBegins:
		a.said = append(a.said, f.sentence)
	case sentenceWorded:
		a.wordSentence(f)
	case soundReady:
		if f.took >= 0 && tn.record.ledger.TTSFirstAudioMS == 0 {
			tn.record.ledger.TTSFirstAudioMS = mcp.RoundedMillis(f.took)
		}
		t.soundReady(tn)
	case voiceFailed:
		t.effects.notify(tn.number, "warning", "the voice failed, the text goes on: "+userfile.OneLine(f.err))
	case workEnded:
		t.startReaction(a)
		t.effects.add(endIfDone{a})
	case engine.Event:
		t.handleEngineEvent(a, f)
	}
}

// handleEngineEvent handles what the model and its tools do.
func (t *Table) handleEngineEvent(a *attempt, ev engine.Event) {
	tn := a.turn
	switch ev := ev.(type) {
	case engine.FirstToken:
		tn.record.ledger.LLMFirstTokenMS = mcp.RoundedMillis(ev.After)
	case engine.Begun:
		t.recordBegun(tn)
	case engine.Interrupted:
		t.effects.add(interruptedItself{a})
	case engine.Guarded:
		for _, reason := range ev.Reasons {
			tn.to.agent.CountWithheld()
			t.effects.emit(tn.number, KindGuarded, &Guarded{NPC: tn.to.npc.Name, Reason: string(reason)})
		}
	case engine.Notice:
		t.effects.notify(tn.number, ev.Level, ev.Text)
	case engine.RoundEnded:
		tn.record.tooling += ev.Took
		tn.record.ledger.ToolMS = mcp.RoundedMillis(tn.record.tooling)
		tn.record.ledger.ToolRounds++
	case engine.ToolCalled:
		a.basis.calls = append(a.basis.calls, ev.Call.Name)
		t.effects.emit(tn.number, KindToolCalled, &ToolCalled{Tool: ev.Call.Name, Args: rawJSON(ev.Call.Arguments), Round: ev.Round})
	case engine.ToolFinished:
		if i := slices.Index(a.basis.calls, ev.Call.Name); i >= 0 {
			a.basis.calls = slices.Delete(a.basis.calls, i, i+1)
		}
		a.basis.learn(ev)
		t.effects.emit(tn.number, KindToolFinished, toolFinished(ev.Call.Name, ev.Outcome))
	}
}
