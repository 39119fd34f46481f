package table

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/MrWong99/glyphoxa/internal/agent"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
	"github.com/MrWong99/glyphoxa/internal/tracing"
	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

// endUnanswered ends a turn without an answer. Its line is stored.
func (t *Table) endUnanswered(tn *turn, end turnEnd) {
	tn.end = end
	t.turns.moveTo(tn, ending)
	tn.record.ledger.RouteUS = mcp.RoundedMillis(time.Since(tn.words.knownAt)) * 1000
	tn.stampWords()
	t.turns.open[tn.number] = tn
	t.commit(tn)
}

// commit runs the deferred tool calls, then stores the lines and ends the turn. A turn that failed, was cut
// or whose line was taken back makes no deferred calls.
func (t *Table) commit(tn *turn) {
	c := &commitWork{turn: tn, end: tn.end, lines: t.transcript.linesOf(tn, t.presentAt(tn)), skipReason: tn.skipReason(), tools: tn.plan.tools, trace: tn.record.trace}
	if l := tn.leader; l != nil && len(c.lines) > 0 && l.phase != over {
		c.waitFor = l.whenEnded()
	}
	if tn.attempt != nil {
		c.deferred = tn.attempt.result.deferred
		c.caller = mcp.Caller{NPC: tn.addressee.npc.ID, Session: t.o.Session.ID, Blind: tn.addressee.npc.Senses.Blind}
	}
	t.effects.add(c)
}

// commitWork is the work of a commit. Its fields do not change.
type commitWork struct {
	turn       *turn // used only in reports
	end        turnEnd
	waitFor    <-chan struct{} // of a reaction: closed once the turn it reacts to is stored; nil for any other turn
	lines      []memory.Line
	deferred   []llm.ToolCall
	skipReason error // why the deferred calls are not made; nil if they are
	tools      *mcphost.Toolset
	caller     mcp.Caller
	trace      *tracing.Turn
}

func (c *commitWork) run(ctx context.Context, t *Table) {
	if c.waitFor != nil {
		<-c.waitFor
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c.trace.With(ctx)), storeTimeout)
	defer cancel()
	for _, call := range c.deferred {
		var o mcphost.Outcome
		if o.Err = c.skipReason; o.Err == nil {
			o.Result, o.Err = c.tools.Execute(mcp.WithCaller(ctx, c.caller), call.Name, call.Arguments)
		}
		t.inbox.reports <- report{turn: c.turn, finding: callEnded{call.Name, o}}
	}
	if err := t.transcript.writer.store(ctx, c.lines); err != nil { // the keeper has reported it
		c.end = turnEnd{outcome: OutcomeFailed, stage: "commit", notice: c.end.notice}
	}
	t.inbox.reports <- report{turn: c.turn, finding: committed{c.end}}
}

// skipReason returns why the deferred calls of a turn are not made, nil if they are.
func (tn *turn) skipReason() error {
	switch {
	case tn.retention.lineRetracted:
		return errors.New("the line was taken back, so this was not done")
	case tn.end.outcome != OutcomeDelivered:
		return errors.New("the turn did not finish, so this was not done")
	}
	return nil
}

// handleCommit handles a report of a turn's commit.
func (t *Table) handleCommit(tn *turn, f finding) {
	switch f := f.(type) {
	case callEnded:
		t.effects.emit(tn.number, KindToolFinished, toolFinished(f.tool, f.outcome))
	case committed:
		delete(t.turns.open, tn.number)
		t.transcript.rememberTurn(tn, t.presentAt(tn))
		t.endTurn(tn, f.end)
		t.beginQueued()
	}
}

// endTurn ends a turn: it emits [TurnEnded], once for each turn, and frees the NPC.
func (t *Table) endTurn(tn *turn, end turnEnd) {
	t.turns.moveTo(tn, over)
	if end.notice != "" {
		t.effects.notify(tn.number, "error", end.notice)
	}
	name := ""
	if tn.addressee.agent != nil {
		name = tn.addressee.npc.Name
		t.queue.releaseNPC(tn)
		t.rememberAnswer(tn, end)
		t.recentSpeech.bases.add(tn)
	}
	l := tn.closeLedger(end)
	t.planner.recordTimes(tn, l)
	t.closeTrace(tn, l, end.outcome)
	tn.replyTo()
	t.effects.emit(tn.number, KindTurnEnded, &TurnEnded{NPC: name, Outcome: end.outcome, Text: strings.Join(tn.delivered.texts, " "), Ledger: l})
	t.effects.add(turnFinished{tn})
	t.costAccounts.reportLevel()
}

// rememberAnswer adds the exchange to the NPC's history. If the answer was cut, the NPC also remembers the
// tool results that it could not report.
func (t *Table) rememberAnswer(tn *turn, end turnEnd) {
	said := strings.Join(tn.delivered.answer, " ")
	if said != "" && !tn.isPuppet() && !tn.retention.answerRetracted {
		e := agent.Exchange{Source: tn.source(), Turn: tn.number, Speaker: tn.attribution(), Utterance: tn.Text, Answer: said}
		if tn.retention.lineRetracted {
			e = e.WithoutLine()
		}
		tn.addressee.agent.Remember(e)
		tn.addressee.agent.RecordSentences(tn.delivered.answer)
		tn.addressee.agent.CountAnswer()
	}
	switch {
	case said == "" || end.outcome == OutcomeBarged: // recorded when it was interrupted
	case tn.leader != nil:
		t.conversation.recordReaction(tn.addressee.index)
	default:
		t.conversation.recordWords(tn.addressee.index, tn.Speaker, said)
	}
	if tn.attempt == nil {
		return
	}
	if end.outcome == OutcomeDelivered {
		tn.addressee.agent.RememberFindings(nil)
	} else if end.outcome != OutcomePassed && len(tn.attempt.basis.toolResults) > 0 {
		tn.addressee.agent.RememberFindings(tn.attempt.basis.toolResults)
	}
}

func toolFinished(tool string, o mcphost.Outcome) *ToolFinished {
	f := &ToolFinished{Tool: tool, MS: mcp.RoundedMillis(o.Result.Duration), OK: o.Err == nil && !o.Result.IsError, Cached: o.Result.Cached}
	switch {
	case o.Err != nil:
		f.Error = o.Err.Error()
	case o.Result.IsError:
		f.Error = o.Result.Text
	}
	return f
}

// rawJSON returns the model's arguments as JSON, quoted if they are not valid JSON.
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

func toolNames(defs []llm.ToolDefinition) []string {
	out := make([]string, 0, len(defs))
	for _, d := range defs {
		out = append(out, d.Name)
	}
	return out
}
