package table

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/MrWong99/glyphoxa/internal/address"
	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/engine"
	"github.com/MrWong99/glyphoxa/internal/floor"
)

const (
	// sureOdds is the probability from which an utterance over an NPC's line ends the line at once. Below noOdds
	// the line goes on. Between them the NPC's model decides.
	sureOdds = 0.95
	noOdds   = 0.1
	// bareOrder is the highest number of words of an order to stop that asks for nothing else.
	bareOrder = 4
)

// bearing says how an utterance affects the line of an NPC that it is said over.
type bearing uint8

const (
	// passes: the utterance is assent, or for someone else, so the line goes on. The zero bearing means that it
	// was said over no line, or over one that cannot be interrupted.
	passes bearing = iota + 1
	// open: it may be meant for the NPC; the NPC's model decides.
	open
	// ends: it is meant for the NPC.
	ends
	// halts: it tells the NPC to stop, or calls it. This also stops an NPC that insists.
	halts
)

// judgement says how an utterance affects the line it is said over, and whom it is for.
type judgement struct {
	bearing
	over     *attempt // whose line; nil if it is said over none
	decision address.Decision
}

// judgeOver decides how an utterance affects the line of a, over which it is said. turn is the number of the
// utterance's turn, or 0 if it has none yet.
func (t *Table) judgeOver(a *attempt, turn int64, u Utterance) judgement {
	npc := a.turn.to.index
	d := t.conversation.decideDuring(turn, u, npc, a.turn.Speaker, a.told())
	j := judgement{over: a, decision: d}
	uptake, answers := t.conversation.uptake(u.Text, a.lastTold())
	odds := d.Confidence
	if len(d.NPCs) == 0 {
		odds = 1 - odds
	}
	forNPC := slices.Contains(d.NPCs, npc)
	switch {
	case isAside(u.Text), d.Elsewhere, t.conversation.isLeaderName(u.Speaker) && !forNPC:
		j.bearing = passes
	case d.Called && forNPC, d.Called && uptake == address.Order, slices.Contains(d.NotFor, npc): // "Be quiet, Bart!" is for the NPC that is speaking
		j.bearing = halts
	case d.Called:
		j.bearing = passes
	case uptake == address.Order:
		j.bearing = halts
		if !forNPC && len(wordsOf(u.Text)) > bareOrder {
			j.decision = goingOn(d, npc, odds)
		}
	case d.BackChannel:
		j.bearing = passes
	case answers && (uptake == address.Words || a.asks() || !t.mayWeigh(a)):
		j.bearing = ends
		if !forNPC {
			j.decision = goingOn(d, npc, odds)
		}
	case answers:
		j.bearing, j.decision = open, goingOn(d, npc, odds)
	case uptake == address.Assent:
		j.bearing, j.decision = passes, address.Decision{Route: address.RouteNone, Confidence: 1, Why: "it shows that the player listens", BackChannel: true, Gist: d.Gist}
	case len(d.NPCs) > 0 && !forNPC, odds < noOdds:
		j.bearing = passes
	case odds >= sureOdds, d.Route == address.RouteOnlyNPC:
		j.bearing = ends
	case t.mayWeigh(a):
		j.bearing, j.decision = open, goingOn(d, npc, odds)
	case forNPC:
		j.bearing = ends
	default:
		j.bearing = passes
	}
	return j
}

// goingOn returns a decision for the NPC that is speaking.
func goingOn(d address.Decision, npc int, odds float64) address.Decision {
	return address.Decision{NPCs: []int{npc}, Route: address.RouteContinuation, Confidence: odds, Why: "said over what it says", Gist: d.Gist}
}

// told returns the words of an answer that were said, including the current sentence.
func (s *script) told() string { return s.textOf(0) }

// lastTold returns the words of the current sentence and the one before.
func (s *script) lastTold() string { return s.textOf(max(0, s.delivered-1)) }

// asks reports whether the current sentence contains a question.
func (s *script) asks() bool {
	next := s.unsaid()
	return next != nil && strings.Contains(next.text, "?")
}

// textOf returns the words of the sentences from index from up to the current one.
func (s *script) textOf(from int) string {
	var all []string
	for _, one := range s.said[min(from, len(s.said)):min(s.delivered+1, len(s.said))] {
		if one.text != "" {
			all = append(all, one.text)
		}
	}
	return strings.Join(all, " ")
}

// spokenOver returns the attempt over whose line a player's words are said; nil if there is none. It is the
// line that the player's voice has stopped, or the one that is playing. If the player's microphone picks up
// NPCs and the words may be an echo, only the former counts, or words that are final or numerous enough.
func (t *Table) spokenOver(s *Seat, p *passage, words string, final bool) *attempt {
	line, heard := t.floor.Speaking()
	over := t.stoppedSpeaker(p) || heard && p.overlap.line == line
	if s.echoes() {
		over = t.stoppedSpeaker(p) || p.overlap.any && (final || len(wordsOf(words)) >= echoWords)
	}
	if !over {
		return nil
	}
	return t.lineOf(line)
}

// writtenOver returns the attempt whose line is played or shown while a player types; nil if there is none.
func (t *Table) writtenOver() *attempt {
	line, ok := t.floor.UnderWay()
	if !ok {
		return nil
	}
	return t.lineOf(line)
}

// lineOf returns the attempt of a line that players may interrupt, otherwise nil.
func (t *Table) lineOf(line uint64) *attempt {
	a := t.turns.attempts[line]
	if a == nil || a.turn.phase != speaking || a.turn.isPuppet() || a.turn.kind == whisperTurn {
		return nil
	}
	return a
}

// judgeTyped judges a typed utterance. A line of another player than the one who is answered ends the
// answer only if it tells the NPC to stop. Otherwise it waits its turn, even if it calls the NPC, because
// players who type call an NPC by name all the time.
func (t *Table) judgeTyped(u Utterance) judgement {
	a := t.writtenOver()
	if a == nil {
		return judgement{}
	}
	j := t.judgeOver(a, 0, u)
	if j.bearing == passes || cmp.Or(u.User, u.Speaker) == a.turn.owner() {
		return j
	}
	if how, _ := t.conversation.uptake(u.Text, a.lastTold()); how != address.Order {
		return judgement{}
	}
	return j
}

// applyJudgement reports to the floor how an utterance affects the line that has it.
func (t *Table) applyJudgement(j judgement, speaker string) {
	switch j.bearing {
	case open:
		t.floor.handle(floor.Event{Kind: floor.Doubt})
	case ends, halts:
		t.interruptSpeaker(speaker, j.bearing == halts, slices.Contains(j.decision.NPCs, j.over.turn.to.index))
	}
}

// interruptSpeaker interrupts the line that has the floor, because of a player's words. order says that the
// player told the NPC to stop or called it; answered says that the NPC answers these words.
func (t *Table) interruptSpeaker(speaker string, order, answered bool) {
	t.seats.lastVoice, t.seats.answered = speaker, answered
	t.floor.handle(floor.Event{Kind: floor.Interrupt, Order: order})
}

// passOver lets a line go on that players have stopped, once no utterance is left that may be meant for its
// NPC.
func (t *Table) passOver(line uint64) {
	if t.turns.weighed == nil && !t.seats.awaitsWords(line) {
		t.floor.handle(floor.Event{Kind: floor.Heard})
	}
}

// mayWeigh reports whether the NPC's model can be asked, while the NPC's line waits, whether an utterance is
// meant for it. A speech-to-speech engine cannot be asked without dropping its current answer.
func (t *Table) mayWeigh(a *attempt) bool {
	return t.turns.weighed == nil && a.turn.to.npc.Engine != config.EngineS2S && t.purse.mayGuess() && !t.turns.closing
}

// weighTime is how long an NPC's line waits for its model to decide whether an utterance is meant for it.
// After that the line goes on, and the utterance waits for its end.
const weighTime = 4 * time.Second

// weighTurn lets the NPC's model start an answer to an utterance that may be meant for it, while its line
// waits. None of the answer is reported or heard before the model has decided to answer.
func (t *Table) weighTurn(tn *turn, j judgement) {
	t.assignDecision(tn, j.decision)
	tn.over = j.over
	now := time.Now()
	t.turns.moveTo(tn, weighed)
	t.turns.weighed, tn.plan.started = tn, now
	t.searchBefore(tn)
	tn.plan.choice = tn.to.agent.PeekChoice(tn.Text, t.queue.countPlayers(tn)).Raised(tn.plan.found.Reason())
	t.planner.prepareTurn(tn, t.mayFill(tn))
	t.startAttempt(tn)
	t.agenda.put(weighingExpired{tn}, weighTime, weighingExpired{tn})
}

// weigh handles a finding about an utterance that may be meant for its NPC.
func (t *Table) weigh(a *attempt, f finding) {
	tn := a.turn
	a.backlog = append(a.backlog, f)
	switch f := f.(type) {
	case engine.Begun, engine.ToolCalled, sentenceBegins, firstSentence:
		t.adoptWeighed(tn)
	case wordsEnded:
		if errors.Is(f.err, engine.ErrDeclined) {
			t.passWeighed(tn)
			return
		}
		t.queueWeighed(tn)
	}
}

// adoptWeighed ends the line that an utterance was said over, because the NPC answers the utterance.
func (t *Table) adoptWeighed(tn *turn) {
	t.endWeighing(tn)
	if line, _ := t.floor.Speaking(); line == tn.over.id { // otherwise it has ended meanwhile
		t.interruptSpeaker(tn.Speaker, true, true)
	}
	tn.over = nil
	t.confirmAttempt(tn)
}

// passWeighed ends an utterance that its NPC finds not meant for it. The line goes on.
func (t *Table) passWeighed(tn *turn) {
	t.endWeighing(tn)
	t.conversation.withdraw(tn.to.renewal)
	tn.end = turnEnd{outcome: OutcomePassed}
	t.turns.moveTo(tn, ending)
	t.turns.open[tn.number] = tn
	t.dropAttempt(tn)
	t.passOver(tn.over.id)
	tn.over = nil
	t.effects.add(commitTurn{tn})
}

// queueWeighed stops weighing an utterance: the NPC's line goes on, and the utterance waits for its end.
func (t *Table) queueWeighed(tn *turn) {
	over := tn.over
	t.dropWeighing(tn)
	t.turns.moveTo(tn, arrived)
	t.beginOrQueue(tn)
	t.passOver(over.id)
}

// settleWeighed calls queueWeighed for the utterance that is being weighed, if there is one.
func (t *Table) settleWeighed() {
	if tn := t.turns.weighed; tn != nil {
		t.queueWeighed(tn)
	}
}

// dropWeighing drops the answer to an utterance that is being weighed.
func (t *Table) dropWeighing(tn *turn) {
	t.endWeighing(tn)
	t.dropAttempt(tn)
	tn.record.tooling, tn.plan.target, tn.plan.started, tn.record.ledger, tn.over = 0, 0, time.Time{}, Ledger{}, nil
}

func (t *Table) endWeighing(tn *turn) {
	t.agenda.remove(weighingExpired{tn})
	t.turns.weighed = nil
}
