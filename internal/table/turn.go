package table

import (
	"context"
	"slices"
	"time"

	"github.com/MrWong99/glyphoxa/internal/address"
	"github.com/MrWong99/glyphoxa/internal/agent"
	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/elapsed"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
	"github.com/MrWong99/glyphoxa/internal/pace"
	"github.com/MrWong99/glyphoxa/internal/problem"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

// turn is one turn: an utterance and what becomes of it. It belongs to the
// table's goroutine; others get copies of what they need.
type turn struct {
	Utterance
	phase  phase
	number int64     // 0 while it is only guessed at
	since  time.Time // the end of the player's speech
	began  time.Time // when the utterance was known
	spoken bool      // it was heard, not typed
	puppet bool      // made to say Text, no answer to it
	// leader is the turn this one reacts to, whose answer it has heard.
	leader *turn
	also   int // who may react to the answer, -1 for nobody

	agent    int // -1 if nobody is addressed
	npc      *agent.Agent
	as       config.NPC // who npc was when work on the answer began
	version  int        // of the NPC, when its answer was guessed at
	route    Route
	choice   agent.Choice
	target   time.Duration // of the tier that was chosen first
	tools    *mcphost.Toolset
	started  time.Time // when work on the answer began
	plan     pace.Plan
	attempt  *attempt      // nil until it begins
	held     bool          // the player is still talking: it must not be heard yet
	floor    time.Duration // the wait for the floor
	endpoint time.Duration
	final    time.Duration // from there to the final transcript

	ledger  Ledger
	texts   []string // what was delivered
	answer  []string // of it, what was no filler
	tooling time.Duration
	writing time.Duration // first token to first sentence
	audible bool          // a sound went out
	end     turnEnd       // how it ends, once it is cut or ending

	takenBack bool          // the player took the line back: it is not kept
	done      chan struct{} // closed at its end; nil if nobody waits for that
}

// turnEnd is how a turn ends.
type turnEnd struct {
	outcome Outcome
	stage   string // where it failed
	notice  string // why
}

// route gives a turn to whom it is for.
func (t *Table) route(ctx context.Context, tn *turn, d address.Decision) {
	t.aim(tn, d)
	t.next(ctx, tn)
}

// aim notes whom a turn is for.
func (t *Table) aim(tn *turn, d address.Decision) {
	tn.agent, tn.npc, tn.route, tn.also = -1, nil, Route(d.Route), -1
	if len(d.NPCs) > 0 {
		t.give(tn, d.NPCs[0])
		t.hearing.talked(tn.agent, tn.Speaker, tn.route)
	}
	if len(d.NPCs) > 1 {
		tn.also = d.NPCs[1]
	}
}

// give gives a turn to an NPC.
func (t *Table) give(tn *turn, npc int) {
	tn.agent, tn.npc = npc, t.agents[npc]
	tn.as = tn.npc.NPC
}

// next begins a turn, or lets it wait until its NPC is free.
func (t *Table) next(ctx context.Context, tn *turn) {
	switch {
	case tn.puppet: // whatever the NPC is doing: the floor puts the line where it belongs
		t.begin(ctx, tn)
	case tn.agent < 0 && tn.spoken:
		t.undecided(ctx, tn)
	case tn.agent < 0:
		t.keepOnly(ctx, tn, OutcomeNoTarget)
	case t.busy[tn.agent] != nil && len(t.waiting) >= maxWaiting: // speech, or a line that was reworded
		t.keepOnly(ctx, tn, OutcomeCancelled)
	case t.busy[tn.agent] != nil:
		t.move(tn, queued)
		t.waiting = append(t.waiting, tn)
	case tn.npc.Muted:
		t.keepOnly(ctx, tn, OutcomeMuted)
	default:
		t.begin(ctx, tn)
	}
}

// undecided keeps a spoken utterance for nobody open as long as it may be
// continued: "What do you drink, … Mira?"
func (t *Table) undecided(ctx context.Context, tn *turn) {
	t.move(tn, undecided)
	t.nobodys = append(t.nobodys, tn)
	wait := t.o.Lane.Merge
	if wait == 0 {
		wait = defaultMerge
	}
	t.agenda.set(tn, max(wait, 0), func() { t.forNobody(ctx, tn) })
}

// forNobody ends an utterance that proved to be for nobody.
func (t *Table) forNobody(ctx context.Context, tn *turn) {
	t.decided(tn)
	t.keepOnly(ctx, tn, OutcomeNoTarget)
}

// decided takes an utterance back from those that are undecided.
func (t *Table) decided(tn *turn) {
	t.agenda.stop(tn)
	t.nobodys = slices.DeleteFunc(t.nobodys, func(o *turn) bool { return o == tn })
}

// defaultMerge is the lane's default for how long an utterance may be continued.
const defaultMerge = 600 * time.Millisecond

// freed begins what waited for an NPC.
func (t *Table) freed(ctx context.Context) {
	if t.closing {
		return
	}
	for i := 0; i < len(t.waiting); {
		tn := t.waiting[i]
		if t.busy[tn.agent] != nil {
			i++
			continue
		}
		t.waiting = slices.Delete(t.waiting, i, i+1)
		t.move(tn, arrived)
		if tn.npc.Left { // it is for whom it would be for without that one
			t.aim(tn, t.hearing.decide(tn.Utterance))
		}
		t.next(ctx, tn)
	}
}

// begin decides how a turn is answered, and has it answered.
func (t *Table) begin(ctx context.Context, tn *turn) {
	if !tn.puppet {
		t.busy[tn.agent] = tn
	}
	t.open[tn.number] = tn
	tn.started = time.Now()
	t.lapse(tn.agent)
	switch {
	case tn.puppet:
		tn.choice = agent.Choice{Tier: mcp.BudgetFast, Ceiling: tn.npc.Ceiling(), Reason: "puppet"}
	case tn.leader != nil:
		tn.choice = agent.Choice{Tier: mcp.BudgetFast, Ceiling: tn.npc.Ceiling(), Reason: "reaction"}
	default:
		tn.choice = tn.npc.Choose(tn.Text, t.players(tn))
	}
	t.prepare(tn)
	t.announce(tn)
	t.lapse(tn.agent) // this may have been the last turn of a raise
	t.attend(ctx, tn)
}

// prepare decides what a turn may use, now that its tier is chosen.
func (t *Table) prepare(tn *turn) {
	tn.as = tn.npc.NPC
	tn.target = time.Duration(t.o.Latency.Targets.Get(tn.choice.Tier))
	tn.plan = pace.Plan{Tier: tn.choice.Tier}
	if !tn.puppet && tn.leader == nil {
		tn.plan = t.planned(tn)
		tn.choice.Tier = tn.plan.Tier
	}
	tn.tools = t.toolset(tn)
}

// announce tells of a turn that begins.
func (t *Table) announce(tn *turn) {
	tn.ledger.RouteUS = elapsed.Rounded(time.Since(tn.started)) * 1000
	tn.ledger.EndpointMS, tn.ledger.STTFinalMS = elapsed.Rounded(tn.endpoint), elapsed.Rounded(tn.final)
	t.emit(tn.number, KindTurnStarted, &TurnStarted{
		NPC: tn.as.Name, Route: tn.route, Tier: tn.choice.Tier.String(), Ceiling: tn.choice.Ceiling.String(),
		Reason: tn.choice.Reason, Tools: names(tn.tools.Definitions()),
	})
	for _, d := range tn.plan.Decisions {
		t.policy(tn, d)
	}
}

// toolset is all the NPC may use in this turn: nothing when it is a puppet or
// reacts to another.
func (t *Table) toolset(tn *turn) *mcphost.Toolset {
	o := mcphost.ToolsetOptions{
		Tier: tn.choice.Tier, Ceiling: time.Duration(t.o.Latency.Ceilings.Get(tn.choice.Tier)),
		Caller: mcp.Caller{NPC: tn.as.ID, Session: t.o.Session.ID},
	}
	if !tn.puppet && tn.leader == nil {
		o.Allow = tn.as.Tools
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

// attend starts an attempt to answer a turn; a guess is not meant yet.
func (t *Table) attend(ctx context.Context, tn *turn) {
	t.lines++
	a := newAttempt(t.lines, tn)
	tn.attempt = a
	t.attempts[a.id] = a
	t.alive++
	ctx, a.cancel = context.WithCancelCause(ctx)
	w := t.worker(tn, a)
	t.work.Go(func() { w.run(ctx) })
	if tn.phase != guessed {
		t.move(tn, thinking)
		t.armFiller(tn)
	}
}

// settle ends a turn's attempt once all it does is done: its goroutines have
// ended, and what it has to say was said or never will be.
func (t *Table) settle(ctx context.Context, a *attempt) {
	tn := a.turn
	saysNothing := tn.phase == thinking && len(a.said) == 0 && !tn.held
	if a.result == nil || tn.attempt != a || tn.phase != cut && tn.phase != spoken && !saysNothing {
		return // there is more to play, or the player is not done
	}
	switch {
	case tn.phase != cut && a.result.err != nil:
		tn.end = turnEnd{OutcomeFailed, a.result.stage, tn.as.Name + " could not answer: " + problem.OneLine(a.result.err)}
	case tn.phase != cut:
		tn.end = turnEnd{outcome: OutcomeDelivered}
	case tn.end.stage == "":
		tn.end.stage = a.result.stage
	}
	t.move(tn, ending)
	a.cancel(nil) // all of it has ended
	t.agenda.stop(a)
	delete(t.attempts, a.id)
	t.floorEvent(ctx, gone(a))
	t.mixer.Stop(a.line)
	t.commit(ctx, tn, a.result)
}

// abandon has an attempt end without being heard further. Its goroutines have
// yet to report.
func (t *Table) abandon(ctx context.Context, a *attempt, end turnEnd) {
	if !a.turn.phase.answering() {
		return
	}
	a.turn.end = end
	t.move(a.turn, cut)
	a.cancel(errAbandoned)
	t.agenda.stop(a)
	t.silence(a)
	t.floorEvent(ctx, gone(a))
	t.forsake(ctx, a.turn)
	t.settle(ctx, a)
}

// forsake gives up the reactions to an answer that was cut short.
func (t *Table) forsake(ctx context.Context, leader *turn) {
	for _, tn := range t.busy {
		if tn.leader == leader && tn.attempt != nil {
			t.abandon(ctx, tn.attempt, turnEnd{outcome: OutcomeCancelled, stage: "queue"})
		}
	}
}

// restart answers a turn anew, since the player had more to say.
func (t *Table) restart(ctx context.Context, tn *turn) {
	t.undo(ctx, tn)
	tn.started = time.Now()
	t.prepare(tn)
	t.announce(tn)
	t.attend(ctx, tn)
}

// undo takes back what was done about a turn of which nothing was heard.
func (t *Table) undo(ctx context.Context, tn *turn) {
	t.move(tn, arrived)
	t.forsake(ctx, tn)
	t.drop(ctx, tn)
	tn.tooling, tn.writing, tn.target, tn.ledger = 0, 0, 0, Ledger{}
	tn.began, tn.started, tn.held = time.Now(), time.Time{}, false
}

// move takes a turn into another phase.
func (t *Table) move(tn *turn, to phase) {
	if !tn.phase.leadsTo(to) {
		t.o.Logger.Error("a turn goes where it may not", "turn", tn.number, "from", tn.phase.String(), "to", to.String())
	}
	tn.phase = to
}

// drop gives up the attempt of a turn that goes on without it, or never was.
func (t *Table) drop(ctx context.Context, tn *turn) {
	a := tn.attempt
	tn.attempt = nil
	for _, tool := range a.calls {
		t.emit(a.turn.number, KindToolFinished, &ToolFinished{Tool: tool, Error: "the player had more to say; this call came to nothing"})
	}
	delete(t.attempts, a.id)
	a.cancel(errAbandoned)
	t.agenda.stop(a)
	t.mixer.Stop(a.line)
	t.floorEvent(ctx, gone(a))
}
