package table

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/MrWong99/glyphoxa/internal/agent"
	"github.com/MrWong99/glyphoxa/internal/elapsed"
	"github.com/MrWong99/glyphoxa/internal/engine"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
	"github.com/MrWong99/glyphoxa/internal/pace"
	"github.com/MrWong99/glyphoxa/internal/problem"
	"github.com/MrWong99/glyphoxa/internal/untrusted"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// maxFound bounds what is kept of a tool's result for the next turn, in
// characters.
const maxFound = 500

// keepOnly keeps a line that nobody answers.
func (t *Table) keepOnly(ctx context.Context, tn *turn, outcome Outcome) {
	tn.end = turnEnd{outcome: outcome}
	if outcome == OutcomeCancelled {
		tn.end.stage = "queue"
		tn.end.notice = "too much was said at once; this was not answered"
	}
	t.move(tn, ending)
	tn.ledger.RouteUS = elapsed.Rounded(time.Since(tn.began)) * 1000
	tn.ledger.EndpointMS, tn.ledger.STTFinalMS = elapsed.Rounded(tn.endpoint), elapsed.Rounded(tn.final)
	t.open[tn.number] = tn
	t.commit(ctx, tn, nil)
}

// commit runs what waited for the turn to be heard, then keeps what was said,
// and ends the turn. One that failed or was cut off changes nothing in the
// world, nor one whose line was taken back.
func (t *Table) commit(ctx context.Context, tn *turn, r *result) {
	end := tn.end
	lines := t.transcript(tn)
	undone := tn.undone()
	tools, caller := tn.tools, mcp.Caller{NPC: tn.as.ID, Session: t.o.Session.ID}
	t.work.Go(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), farewell)
		defer cancel()
		if r != nil {
			ctx = mcp.WithCaller(ctx, caller)
			for _, call := range r.deferred {
				var o mcphost.Outcome
				if o.Err = undone; o.Err == nil {
					o.Result, o.Err = tools.Execute(ctx, call.Name, call.Arguments)
				}
				t.reports <- report{turn: tn, finding: callEnded{call.Name, o}}
			}
		}
		if err := t.keep(ctx, lines); err != nil {
			end = turnEnd{OutcomeFailed, "commit", strings.TrimPrefix(end.notice+"; ", "; ") + problem.OneLine(err)}
		}
		t.reports <- report{turn: tn, finding: committed{end}}
	})
}

// undone is why nothing is done that waited for the end of a turn, nil if it is.
func (tn *turn) undone() error {
	switch {
	case tn.takenBack:
		return errors.New("the line was taken back, so this was not done")
	case tn.end.outcome != OutcomeDelivered:
		return errors.New("the turn did not come to its end, so this was not done")
	}
	return nil
}

// transcript is what is kept of a turn: the player's line and what was heard
// of the answer.
func (t *Table) transcript(tn *turn) []memory.Line {
	var lines []memory.Line
	if !tn.puppet && !tn.takenBack && tn.leader == nil && tn.Text != "" {
		l := t.line(tn)
		if tn.npc != nil {
			l.To = tn.as.ID
		}
		lines = append(lines, l)
	}
	if len(tn.texts) > 0 {
		lines = append(lines, memory.Line{
			Session: t.o.Session.ID, Turn: tn.number, Speaker: tn.as.Name, NPC: tn.as.ID, Text: strings.Join(tn.texts, " "), At: time.Now(),
		})
	}
	return lines
}

// line is the player's line of a turn, to nobody.
func (t *Table) line(tn *turn) memory.Line {
	return memory.Line{
		Session: t.o.Session.ID, Turn: tn.number, Speaker: tn.Speaker, Text: tn.Text, At: tn.since, User: tn.User, Ref: tn.Ref,
	}
}

// keep makes lines durable, also once ctx has ended.
func (t *Table) keep(ctx context.Context, lines []memory.Line) error {
	if len(lines) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), farewell)
	defer cancel()
	if _, err := t.o.Log.Append(ctx, lines...); err != nil {
		return fmt.Errorf("keeping the transcript: %w", err)
	}
	return nil
}

// ended tells of the end of a turn, once.
func (t *Table) ended(tn *turn, end turnEnd) {
	t.move(tn, over)
	if end.notice != "" {
		t.Notice(tn.number, "error", end.notice)
	}
	name := ""
	if tn.npc != nil {
		name = tn.as.Name
		if t.busy[tn.agent] == tn {
			delete(t.busy, tn.agent)
		}
		t.remember(tn, end)
	}
	l := tn.ledger
	l.TotalMS = elapsed.Rounded(time.Since(tn.since))
	waited := tn.started.Sub(tn.began)
	if tn.started.IsZero() || tn.began.IsZero() {
		waited = max(time.Since(tn.since)-tn.endpoint-tn.final, 0)
	}
	l.FloorMS, l.TargetMS = elapsed.Rounded(tn.floor), elapsed.Rounded(tn.target)
	if tn.attempt != nil {
		l.BeginMS = elapsed.Rounded(tn.attempt.began.Sub(tn.since))
	}
	l.judge(tn.target, end.outcome, end.stage, waited)
	if tn.takenBack && end.outcome == OutcomeCancelled { // no answer was due
		l.Budget, l.BreachStage = budgetMet, ""
	}
	t.measure(tn, l)
	t.emit(tn.number, KindTurnEnded, &TurnEnded{NPC: name, Outcome: end.outcome, Text: strings.Join(tn.texts, " "), Ledger: l})
	for _, s := range t.seats {
		s.passages = slices.DeleteFunc(s.passages, func(sp *passage) bool { return sp.turn == tn && !sp.open && sp.due == 0 })
	}
	if tn.done != nil {
		close(tn.done)
	}
}

// remember has the NPC keep in mind what was said, and what its tools told if
// it was cut off before it could say so.
func (t *Table) remember(tn *turn, end turnEnd) {
	said := strings.Join(tn.answer, " ")
	if said != "" && !tn.puppet {
		e := agent.Exchange{Source: tn.source(), Speaker: tn.Speaker, Utterance: tn.Text, Answer: said}
		if tn.takenBack {
			e = e.TakenBack()
		}
		tn.npc.Remember(e)
		tn.npc.Answered()
	}
	if said != "" && tn.leader == nil && end.outcome != OutcomeBarged { // a remark makes no conversation
		t.hearing.talked(tn.agent, tn.Speaker, tn.route)
	}
	if tn.attempt == nil {
		return
	}
	if end.outcome == OutcomeDelivered {
		tn.npc.Found(nil)
	} else if len(tn.attempt.found) > 0 {
		tn.npc.Found(tn.attempt.found)
	}
}

// source is where the words of an utterance come from.
func (u Utterance) source() agent.Source { return agent.Source{User: u.User, Ref: u.Ref} }

// learn keeps what a tool told.
func (a *attempt) learn(ev engine.ToolFinished) {
	if !a.stale && ev.Err == nil && !ev.Result.IsError {
		a.found = append(a.found, fmt.Sprintf("%s(%s): %s", ev.Call.Name, untrusted.Clean(ev.Call.Arguments, maxFound), untrusted.Clean(ev.Result.Text, maxFound)))
	}
}

// measure takes a turn's times into what the next is expected to take.
func (t *Table) measure(tn *turn, l Ledger) {
	if tn.npc == nil || tn.puppet || tn.leader != nil || l.FirstSubstanceMS == 0 {
		return
	}
	s := pace.Sample{Tier: tn.choice.Tier, Tools: l.ToolRounds > 0, FirstSound: elapsed.Duration(l.FirstSoundMS)}
	s.Took[pace.Endpoint], s.Took[pace.Transcript] = tn.endpoint, tn.final
	s.Took[pace.Context], s.Took[pace.Model] = elapsed.Duration(l.ContextMS), elapsed.Duration(l.LLMFirstTokenMS)
	s.Took[pace.Writing], s.Took[pace.Tool], s.Took[pace.Voice] = tn.writing, tn.tooling, elapsed.Duration(l.TTSFirstAudioMS)
	t.pace.Record(s)
}

func finished(tool string, o mcphost.Outcome) *ToolFinished {
	f := &ToolFinished{Tool: tool, MS: elapsed.Rounded(o.Result.Duration), OK: o.Err == nil && !o.Result.IsError, Cached: o.Result.Cached}
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
