package table

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/MrWong99/glyphoxa/internal/agent"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

// turn is one turn at work. Its goroutines only read it; what they find out
// they report to the table's goroutine.
type turn struct {
	waiting
	agent   int // -1 if nobody is addressed
	npc     *agent.Agent
	choice  agent.Choice
	route   Route
	tools   *mcphost.Toolset
	started time.Time
	cancel  context.CancelCauseFunc

	// Owned by the table's goroutine.
	ledger  Ledger
	texts   []string // delivered sentences
	tooling time.Duration
	audible bool // a sound went out
}

// report is what a turn's goroutines tell the table.
type report struct {
	apply func(*Table)
	// last marks the turn's end.
	last bool
}

// take applies a report.
func (t *Table) take(r report) {
	r.apply(t)
	if r.last {
		t.current = nil
	}
}

// begin starts the next waiting turn.
func (t *Table) begin(ctx context.Context) {
	start := time.Now()
	w := t.waiting[0]
	t.waiting = t.waiting[1:]
	tn := &turn{waiting: w, agent: w.puppet, route: RoutePuppet, started: start}
	if w.puppet < 0 {
		d := t.hearing.decide(w.Utterance)
		tn.agent, tn.route = -1, Route(d.Route)
		if len(d.NPCs) > 0 { // of several, the first answers for all
			tn.agent = d.NPCs[0]
		}
	}
	ctx, tn.cancel = context.WithCancelCause(ctx)
	t.current = tn
	if tn.agent < 0 {
		tn.ledger.RouteUS = millis(time.Since(start)) * 1000
		t.work.Go(func() { t.keepOnly(ctx, tn, OutcomeNoTarget) })
		return
	}
	tn.npc = t.o.Agents[tn.agent]
	if w.puppet < 0 {
		t.hearing.talked(tn.agent, w.Speaker)
	}
	if tn.npc.Muted && w.puppet < 0 {
		tn.ledger.RouteUS = millis(time.Since(start)) * 1000
		t.work.Go(func() { t.keepOnly(ctx, tn, OutcomeMuted) })
		return
	}
	if w.puppet >= 0 {
		tn.choice = agent.Choice{Tier: mcp.BudgetFast, Ceiling: tn.npc.Ceiling(), Reason: "puppet"}
	} else {
		tn.choice = tn.npc.Choose(w.Text, t.players())
	}
	tn.tools = t.toolset(tn)
	tn.ledger.RouteUS = millis(time.Since(start)) * 1000
	t.emit(tn.turn, KindTurnStarted, &TurnStarted{
		NPC: tn.npc.NPC.Name, Route: tn.route, Tier: tn.choice.Tier.String(), Ceiling: tn.choice.Ceiling.String(),
		Reason: tn.choice.Reason, Tools: names(tn.tools.Definitions()),
	})
	history := tn.npc.Snapshot()
	t.work.Go(func() { t.answer(ctx, tn, history) })
}

// toolset is all the NPC may use in this turn: nothing when it is a puppet.
func (t *Table) toolset(tn *turn) *mcphost.Toolset {
	o := mcphost.ToolsetOptions{
		Tier: tn.choice.Tier, Ceiling: time.Duration(t.o.Latency.Ceilings.Get(tn.choice.Tier)),
		Caller: mcp.Caller{NPC: tn.npc.NPC.ID, Session: t.o.Session.ID},
	}
	if tn.puppet < 0 {
		o.Allow = tn.npc.NPC.Tools
	}
	return t.o.Host.Toolset(o)
}

func names(defs []llm.ToolDefinition) []string {
	out := make([]string, 0, len(defs))
	for _, d := range defs {
		out = append(out, d.Name)
	}
	return out
}

// report hands something to the table's goroutine, which takes reports until
// the turn's last one.
func (t *Table) report(apply func(*Table)) { t.reports <- report{apply: apply} }

// ending is how a turn ended.
type ending struct {
	outcome Outcome
	stage   string // where it failed
	notice  string // why
}

// end is the turn's last report.
func (t *Table) end(tn *turn, e ending) {
	tn.cancel(nil)
	t.reports <- report{last: true, apply: func(t *Table) {
		if e.notice != "" {
			t.Notice(tn.turn, "error", e.notice)
		}
		text := strings.Join(tn.texts, " ")
		name := ""
		var target time.Duration
		if tn.npc != nil {
			name = tn.npc.NPC.Name
			target = time.Duration(t.o.Latency.Targets.Get(tn.choice.Tier))
			if tn.puppet < 0 {
				tn.npc.Remember(tn.Speaker, tn.Text, text)
			}
			if text != "" {
				t.hearing.talked(tn.agent, tn.Speaker)
			}
		}
		l := tn.ledger
		l.TotalMS = millis(time.Since(tn.since))
		l.judge(target, e.outcome, e.stage, tn.started.Sub(tn.since))
		t.emit(tn.turn, KindTurnEnded, &TurnEnded{NPC: name, Outcome: e.outcome, Text: text, Ledger: l})
	}}
}

// keepOnly keeps a line that nobody answers.
func (t *Table) keepOnly(ctx context.Context, tn *turn, outcome Outcome) {
	if err := t.keep(ctx, tn, nil); err != nil {
		t.end(tn, ending{OutcomeFailed, "commit", err.Error()})
		return
	}
	t.end(tn, ending{outcome: outcome})
}

// answer runs a turn from its start to its last report.
func (t *Table) answer(ctx context.Context, tn *turn, history agent.History) {
	limited, cancel := context.WithTimeoutCause(ctx, time.Duration(t.o.Latency.TurnTimeout),
		fmt.Errorf("the turn took longer than %s", t.o.Latency.TurnTimeout))
	defer cancel()
	limited = mcp.WithCaller(limited, mcp.Caller{NPC: tn.npc.NPC.ID, Session: t.o.Session.ID})

	p := &performance{table: t, turn: tn}
	err := p.run(limited, history)
	e := ending{outcome: OutcomeDelivered}
	if err != nil {
		e = ending{OutcomeFailed, p.stage, fmt.Sprintf("%s could not answer: %s", tn.npc.NPC.Name, oneLine(err))}
		if ctx.Err() != nil {
			e = ending{outcome: OutcomeCancelled, stage: p.stage}
		}
	}
	acted := err == nil
	if e.outcome == OutcomeFailed {
		p.rescue(limited)
	}
	if err := t.commit(ctx, tn, p, acted); err != nil {
		e = ending{OutcomeFailed, "commit", strings.TrimPrefix(e.notice+"; ", "; ") + oneLine(err)}
	}
	t.end(tn, e)
}

func oneLine(err error) string { return strings.ReplaceAll(err.Error(), "\n", "; ") }

// sounded notes the first sound of a turn, and of its answer.
func (t *Table) sounded(tn *turn, substance bool) {
	since := millis(time.Since(tn.since))
	if tn.ledger.FirstSoundMS == 0 {
		tn.ledger.FirstSoundMS = since
	}
	if substance && tn.ledger.FirstSubstanceMS == 0 {
		tn.ledger.FirstSubstanceMS = since
	}
}

// commit runs what waited for the turn to be heard, then keeps what was said. A
// turn that failed or was cut off changes nothing in the world.
func (t *Table) commit(ctx context.Context, tn *turn, p *performance, heard bool) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), farewell)
	defer cancel()
	ctx = mcp.WithCaller(ctx, mcp.Caller{NPC: tn.npc.NPC.ID, Session: t.o.Session.ID})
	for _, call := range p.deferred {
		var o mcphost.Outcome
		if !heard {
			o.Err = errors.New("the turn did not come to its end, so this was not done")
		} else {
			o.Result, o.Err = tn.tools.Execute(ctx, call.Name, call.Arguments)
		}
		t.report(func(t *Table) { t.emit(tn.turn, KindToolFinished, finished(call.Name, o)) })
	}
	return t.keep(ctx, tn, p.delivered)
}

// keep makes what was said durable: the player's line and what was heard of
// the answer.
func (t *Table) keep(ctx context.Context, tn *turn, delivered []string) error {
	now := time.Now()
	var lines []memory.Line
	line := memory.Line{Session: t.o.Session.ID, Turn: tn.turn, At: now}
	if tn.puppet < 0 && tn.Text != "" {
		l := line
		l.Speaker, l.Text, l.At = tn.Speaker, tn.Text, tn.since
		if tn.npc != nil {
			l.To = tn.npc.NPC.ID
		}
		lines = append(lines, l)
	}
	if len(delivered) > 0 {
		l := line
		l.Speaker, l.NPC, l.Text = tn.npc.NPC.Name, tn.npc.NPC.ID, strings.Join(delivered, " ")
		lines = append(lines, l)
	}
	if len(lines) == 0 {
		return nil
	}
	if _, err := t.o.Log.Append(context.WithoutCancel(ctx), lines...); err != nil {
		return fmt.Errorf("keeping the transcript: %w", err)
	}
	return nil
}
