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

// report is sent to Run by a goroutine that works for a turn or an edit. Run receives reports until each
// attempt has reported its end, each turn its commit, and each edit that erases lines its end.
type report struct {
	attempt *attempt // for findings of the first group
	turn    *turn    // for findings of the second group
	finding finding
}

// finding is one of the types below, or an [engine.Event].
type finding any

// Findings of an attempt.
type (
	// contextRead: the NPC's context was read.
	contextRead struct {
		took      time.Duration
		now       *hotctx.Context // nil if that failed
		exchanges int             // exchanges of its own conversation
	}
	// firstSentence: the model has written the first sentence that can be spoken.
	firstSentence struct{ took time.Duration } // since the first token
	// wordsEnded: the model has finished or failed.
	wordsEnded struct{ err error }
	// phraseBegins: a stock phrase begins.
	phraseBegins struct{}
	// sentenceBegins: the next sentence of the line.
	sentenceBegins struct{ sentence sentence }
	// sentenceWorded: the words of the sentence that began last, as far as they are known. ended says that they
	// are complete and that another sentence follows.
	sentenceWorded struct {
		text  string
		ended bool
	}
	// soundReady: the line can be heard.
	soundReady struct{ took time.Duration } // of the voice until its first sound; negative if there was none
	// voiceFailed: the voice has failed, and the text goes on without it.
	voiceFailed struct{ err error }
	// workEnded: the attempt's goroutines have ended. It is the last finding of an attempt.
	workEnded struct{ result *result }
)

// Findings of a commit.
type (
	// callEnded: a deferred call was made, or will not be.
	callEnded struct {
		tool    string
		outcome mcphost.Outcome
	}
	// committed: the lines were stored, or cannot be. It is the last finding of a turn.
	committed struct{ end turnEnd }
)

// handleReport handles a report. It drops reports of attempts that were dropped, and keeps those of a guess
// until the guess is adopted.
func (t *Table) handleReport(r report) {
	a := r.attempt
	switch f := r.finding.(type) {
	case *erasure:
		t.handleErasure(f)
		return
	case *judgeReport:
		t.handleJudged(f)
		return
	case storageNotice:
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
		t.handleRelevanceFinding(a, r.finding)
	default:
		t.handleFinding(a, r.finding)
	}
}

// handleFinding handles a finding of a turn's current attempt.
func (t *Table) handleFinding(a *attempt, f finding) {
	tn := a.turn
	switch f := f.(type) {
	case contextRead:
		tn.record.ledger.ContextMS = mcp.RoundedMillis(f.took)
		a.basis.context, a.basis.exchanges = f.now, f.exchanges
	case firstSentence:
		t.recordAnswering(tn)
		tn.record.ledger.LLMFirstSentenceMS = mcp.RoundedMillis(max(f.took-tn.record.tooling, 0))
	case phraseBegins:
		t.announcePhrase(tn)
	case sentenceBegins:
		a.sentences = append(a.sentences, f.sentence)
	case sentenceWorded:
		a.wordSentence(f)
	case soundReady:
		if f.took >= 0 && tn.record.ledger.TTSFirstAudioMS == 0 {
			tn.record.ledger.TTSFirstAudioMS = mcp.RoundedMillis(f.took)
		}
		t.soundReady(tn)
	case voiceFailed:
		t.effects.notify(tn.number, "warning", "the voice failed; the NPC goes on in writing: "+userfile.OneLine(f.err))
	case workEnded:
		t.startReaction(a)
		t.effects.add(endIfDone{a})
	case engine.Event:
		t.handleEngineEvent(a, f)
	}
}

// handleEngineEvent handles an event of the engine.
func (t *Table) handleEngineEvent(a *attempt, ev engine.Event) {
	tn := a.turn
	switch ev := ev.(type) {
	case engine.FirstToken:
		tn.record.ledger.LLMFirstTokenMS = mcp.RoundedMillis(ev.After)
	case engine.Begun:
		t.recordAnswering(tn)
	case engine.Interrupted:
		t.effects.add(engineInterrupted{a})
	case engine.Guarded:
		for _, reason := range ev.Reasons {
			tn.addressee.agent.CountWithheld()
			t.effects.emit(tn.number, KindGuarded, &Guarded{NPC: tn.addressee.npc.Name, Reason: string(reason)})
		}
	case engine.Notice:
		t.effects.notify(tn.number, ev.Level, ev.Text)
	case engine.RoundEnded:
		tn.record.tooling += ev.Duration
		tn.record.ledger.ToolMS = mcp.RoundedMillis(tn.record.tooling)
		tn.record.ledger.ToolRounds++
	case engine.ToolCalled:
		a.basis.pendingCalls = append(a.basis.pendingCalls, ev.Call.Name)
		t.effects.emit(tn.number, KindToolCalled, &ToolCalled{Tool: ev.Call.Name, Args: rawJSON(ev.Call.Arguments), Round: ev.Round})
	case engine.ToolFinished:
		if i := slices.Index(a.basis.pendingCalls, ev.Call.Name); i >= 0 {
			a.basis.pendingCalls = slices.Delete(a.basis.pendingCalls, i, i+1)
		}
		a.basis.learn(ev)
		t.effects.emit(tn.number, KindToolFinished, toolFinished(ev.Call.Name, ev.Outcome))
	}
}
