package table

import (
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/MrWong99/glyphoxa/internal/address"
	"github.com/MrWong99/glyphoxa/internal/mixer"
	"github.com/MrWong99/glyphoxa/internal/untrusted"
	"github.com/MrWong99/glyphoxa/internal/userfile"
)

// turns holds the turns of a table that have begun and not ended, and the attempts to answer them.
type turns struct {
	log            *slog.Logger
	count          int64 // turns so far
	open           map[int64]*turn
	undecided      []*turn // spoken lines for no NPC, which their players may continue
	doubted        []*turn // lines that wait for the judge
	relevanceCheck *turn   // see [Table.startRelevanceCheck]; nil if there is none
	closing        bool    // the table closes: no turn begins

	lines    uint64              // attempts so far, and so lines on the floor
	attempts map[uint64]*attempt // running attempts, by line
	working  int                 // attempts and questions to the judge whose goroutines have not ended
}

// moveTo changes the phase of a turn. It logs a change that is not among the exits of the phase.
func (ts *turns) moveTo(tn *turn, to phase) {
	if !tn.phase.leadsTo(to) {
		ts.log.Error("a turn goes where it may not", slog.Int64("turn", tn.number), slog.String("from", tn.phase.String()), slog.String("to", to.String()))
	}
	tn.phase = to
}

func (ts *turns) nextNumber() int64 {
	ts.count++
	return ts.count
}

// addAttempt gives a turn a new attempt.
func (ts *turns) addAttempt(tn *turn) {
	ts.lines++
	a := &attempt{id: ts.lines, turn: tn, line: mixer.NewLine(ts.lines), began: time.Now(), confirmed: make(chan struct{}), phrase: make(chan string, 1)}
	if tn.phase != guessed && tn.phase != doubted && tn.phase != weighed {
		close(a.confirmed)
	}
	tn.attempt, ts.attempts[a.id] = a, a
}

// countPuppets counts the lines of the DM that have not been said yet.
func (ts *turns) countPuppets() (n int) {
	for _, a := range ts.attempts {
		if a.turn.isPuppet() {
			n++
		}
	}
	return n
}

// announceUtterance numbers a turn and emits [Heard]. From here on the turn ends in one [TurnEnded].
func (t *Table) announceUtterance(tn *turn) {
	tn.number = t.turns.nextNumber()
	text := untrusted.Clean(tn.Text, maxText)
	if len([]rune(tn.Text)) > maxText {
		t.effects.notify(tn.number, "warning", fmt.Sprintf("the line was longer than %d characters; the rest was cut", maxText))
	}
	tn.Text = text
	t.effects.emit(tn.number, KindUtterance, &Heard{Speaker: tn.Speaker, Text: tn.Text, Spoken: tn.words.spoken, Ref: tn.Ref})
}

// rewordTurn replaces the text of a turn.
func (t *Table) rewordTurn(tn *turn, text string) {
	tn.Text, tn.words.since = text, time.Now()
	t.effects.emit(tn.number, KindUtterance, &Heard{Speaker: tn.Speaker, Text: text, Continued: true})
}

// extendTurn gives a turn the full text of its utterance after the player has said more.
func (t *Table) extendTurn(tn *turn, text string, timing timing) {
	tn.Text, tn.words.timing = text, timing
	t.effects.emit(tn.number, KindUtterance, &Heard{Speaker: tn.Speaker, Text: text, Spoken: true, Continued: true})
}

// admitUtterance announces the turn of an utterance, decides whom it is for, and begins or queues it. j says
// how it affects the line it was said over.
func (t *Table) admitUtterance(tn *turn, j overlapDecision) {
	t.announceUtterance(tn)
	tn.words.knownAt = time.Now()
	t.routeJudged(tn, j)
}

// routeJudged gives a turn to the NPC it is for, as far as that is known.
func (t *Table) routeJudged(tn *turn, j overlapDecision) {
	switch {
	case isAside(tn.Text):
		t.routeTurn(tn, address.Decision{Route: address.RouteNone})
	case j.lineEffect == open && t.floor.Stopping(j.overlapped.id) && t.canCheckRelevance(j.overlapped):
		t.startRelevanceCheck(tn, j)
	case j.overlapped != nil:
		t.routeTurn(tn, j.decision)
	default:
		t.routeTurn(tn, t.conversation.decideAddressee(tn.number, tn.Utterance))
	}
}

// routeTurn gives a turn to the NPC it is for, and ends turns of NPCs whose call it corrects.
func (t *Table) routeTurn(tn *turn, d address.Decision) {
	t.assignDecision(tn, d)
	for _, npc := range d.NotFor {
		t.cancelMistakenCall(npc, tn)
	}
	if !t.awaitJudge(tn) {
		t.beginOrQueue(tn)
	}
}

// redirectTurn gives a turn to another NPC after the player has added a correction: "Sorry, not you, … Bart.
// Greta, you tell us."
func (t *Table) redirectTurn(tn *turn, d address.Decision) {
	if tn.phase != queued {
		t.rerouteTurn(tn, d)
		return
	}
	t.queue.remove(tn)
	t.turns.moveTo(tn, arrived)
	t.routeTurn(tn, d)
}

// cancelMistakenCall ends the turns of an NPC that was called by mistake, as corrected by the turn by. The lines of
// these turns are stored.
func (t *Table) cancelMistakenCall(npc int, by *turn) {
	for _, tn := range slices.Clone(t.queue.waiting) {
		if tn.addressee.index == npc && tn.Speaker == by.Speaker && tn != by {
			t.queue.remove(tn)
			t.turns.moveTo(tn, arrived)
			t.endUnanswered(tn, turnEnd{outcome: OutcomeCancelled, stage: "queue"})
		}
	}
	if tn := t.queue.busy[npc]; tn != nil && tn.Speaker == by.Speaker && tn != by && tn.isAnswer() {
		t.cutTurn(tn, turnEnd{outcome: OutcomeCancelled})
	}
}

// assignDecision records whom a turn is for.
func (t *Table) assignDecision(tn *turn, d address.Decision) {
	if tn.kind != whisperTurn {
		d.NPCs = t.cast.hearing(d.NPCs)
	}
	tn.addressee.index, tn.addressee.agent, tn.addressee.reactingNPC = -1, nil, -1
	tn.addressee.decision, tn.addressee.route, tn.addressee.mayDecline = d, Route(d.Route), false
	if len(d.NPCs) > 0 {
		t.assignNPC(tn, d.NPCs[0])
		tn.addressee.mayDecline = !d.Called
	}
	if len(d.NPCs) > 1 {
		tn.addressee.reactingNPC = d.NPCs[1]
	}
	tn.addressee.renewal = t.conversation.recordDecision(tn.number, tn.Speaker, d).After(tn.addressee.renewal)
}

func (t *Table) assignNPC(tn *turn, npc int) {
	tn.addressee.index, tn.addressee.agent = npc, t.cast.agents[npc]
	tn.addressee.npc = tn.addressee.agent.NPC
}

// beginOrQueue begins a turn, or queues it until its NPC is free.
func (t *Table) beginOrQueue(tn *turn) {
	switch {
	case tn.isPuppet(): // even if the NPC is busy, because the floor orders the lines
		t.beginTurn(tn)
	case tn.addressee.index < 0 && tn.words.spoken:
		t.awaitContinuation(tn)
	case tn.addressee.index < 0:
		t.endUnanswered(tn, turnEnd{outcome: OutcomeNoTarget})
	case t.queue.isBusy(tn.addressee.index):
		t.queueTurn(tn)
	case tn.addressee.agent.Muted:
		t.endUnanswered(tn, turnEnd{outcome: OutcomeMuted})
	default:
		t.beginTurn(tn)
	}
}

// queueFullEnd is the end of a turn for which there is no room.
var queueFullEnd = turnEnd{outcome: OutcomeCancelled, stage: "queue", notice: "too much was said at once, so this was not answered"}

// queueTurn queues a turn. If the queue is full, which happens only to speech and reworded lines, the newest
// turn of the player who has most waiting ends unanswered.
func (t *Table) queueTurn(tn *turn) {
	if t.queue.isFull() {
		out := t.queue.turnToDrop(tn)
		if out == tn {
			t.endUnanswered(tn, queueFullEnd)
			return
		}
		t.queue.remove(out)
		t.turns.moveTo(out, arrived)
		t.endUnanswered(out, queueFullEnd)
	}
	t.turns.moveTo(tn, queued)
	t.queue.add(tn)
}

// awaitContinuation keeps a spoken utterance for no NPC open while it may be continued: "What do you drink, …
// Mira?"
func (t *Table) awaitContinuation(tn *turn) {
	t.turns.moveTo(tn, undecided)
	t.turns.undecided = append(t.turns.undecided, tn)
	if tn.words.playerSpeaking {
		return // the player is speaking already
	}
	t.agenda.put(undecidedExpired{tn}, t.o.mergeWindow(), undecidedExpired{tn})
}

// continuationWindow is how long an utterance for no NPC stays open in case its player goes on. That is long enough
// to say a name last, and short enough not to delay the end of the turn.
const continuationWindow = 600 * time.Millisecond

// mergeWindow returns how long an utterance for no NPC may be continued.
func (o *Options) mergeWindow() time.Duration {
	if o.Lane.Merge == 0 {
		return continuationWindow
	}
	return min(max(o.Lane.Merge, 0), continuationWindow)
}

// endUndecided ends an utterance that is for no NPC after all.
func (t *Table) endUndecided(tn *turn) {
	t.removeUndecided(tn)
	t.endUnanswered(tn, turnEnd{outcome: OutcomeNoTarget})
}

// rerouteContinued routes an utterance again after the player has gone on.
func (t *Table) rerouteContinued(tn *turn, j overlapDecision) {
	if tn.phase == doubted {
		t.undoDoubt(tn)
	} else {
		t.removeUndecided(tn)
		t.turns.moveTo(tn, arrived)
	}
	tn.words.knownAt = time.Now()
	t.routeJudged(tn, j)
}

func (t *Table) removeUndecided(tn *turn) {
	t.agenda.remove(undecidedExpired{tn})
	t.turns.undecided = slices.DeleteFunc(t.turns.undecided, func(o *turn) bool { return o == tn })
}

// beginQueued begins the queued turns whose NPC is free.
func (t *Table) beginQueued() {
	if t.turns.closing {
		return
	}
	for tn := t.queue.popFree(); tn != nil; tn = t.queue.popFree() {
		t.turns.moveTo(tn, arrived)
		if tn.addressee.agent.Left && (tn.kind == repeatTurn || tn.kind == whisperTurn) {
			t.endUnanswered(tn, turnEnd{outcome: OutcomeNoTarget})
			continue
		}
		if tn.addressee.agent.Left { // decide again without the NPC that left
			t.assignDecision(tn, t.conversation.decideAddressee(tn.number, tn.Utterance))
		}
		t.beginOrQueue(tn)
	}
}

// queuePuppetLine makes one NPC say a line of the DM, unless too many wait. If voice is not empty, the line is a trial
// with that voice.
func (t *Table) queuePuppetLine(who []int, text, voice string) error {
	if len(who) != 1 {
		return fmt.Errorf("you can only speak as one NPC at a time")
	}
	if t.turns.countPuppets() >= maxLines {
		return fmt.Errorf("too much is waiting to be said; try again in a moment")
	}
	now := time.Now()
	tn := newTurn(puppetTurn, Utterance{Text: text}, now)
	if voice != "" {
		tn.kind, tn.voice = trialTurn, voice
	}
	tn.number, tn.words.knownAt, tn.addressee.route = t.turns.nextNumber(), now, RoutePuppet
	t.assignNPC(tn, who[0])
	t.beginOrQueue(tn)
	return nil
}

// endUntranscribed ends an utterance that has no transcript.
func (t *Table) endUntranscribed(u Utterance, heard timing, why error) {
	tn := newTurn(lineTurn, u, heard.since)
	tn.number, tn.words.timing, tn.addressee.route = t.turns.nextNumber(), heard, RouteNone
	tn.stampWords()
	t.effects.emit(tn.number, KindUtterance, &Heard{Speaker: tn.Speaker, Spoken: true})
	t.endTurn(tn, turnEnd{outcome: OutcomeFailed, stage: "stt", notice: fmt.Sprintf("what %s said could not be understood: %s", tn.Speaker, userfile.OneLine(why))})
}
