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
	// certainOdds is the probability from which an utterance over an NPC's line ends the line at once. Below dismissOdds
	// the line goes on. Between them the NPC's model decides.
	certainOdds = 0.95
	dismissOdds = 0.1
	// maxStopOrderWords is the highest number of words of an order to stop that asks for nothing else.
	maxStopOrderWords = 4
)

// lineEffect says how an utterance affects the line of an NPC that it is said over.
type lineEffect uint8

const (
	// lineContinues: the utterance is assent, or for someone else, so the line goes on. The zero bearing means that it
	// was said over no line, or over one that cannot be interrupted.
	lineContinues lineEffect = iota + 1
	// open: it may be meant for the NPC; the NPC's model decides.
	open
	// lineEnds: it is meant for the NPC.
	lineEnds
	// lineHalts: it tells the NPC to stop, or calls it. This also stops an NPC that insists.
	lineHalts
)

// overlapDecision says how an utterance affects the line it is said over, and whom it is for.
type overlapDecision struct {
	lineEffect
	overlapped *attempt // whose line; nil if it is said over none
	decision   address.Decision
}

// decideOverlap decides how an utterance affects the line of a, over which it is said. turn is the number of the
// utterance's turn, or 0 if it has none yet.
func (t *Table) decideOverlap(a *attempt, turn int64, u Utterance) overlapDecision {
	npc := a.turn.addressee.index
	d := t.conversation.decideOverSpeech(turn, u, npc, a.turn.Speaker, a.spokenText())
	j := overlapDecision{overlapped: a, decision: d}
	uptake, answers := t.conversation.classifyReply(u.Text, a.recentText())
	odds := d.Confidence
	if len(d.NPCs) == 0 {
		odds = 1 - odds
	}
	forNPC := slices.Contains(d.NPCs, npc)
	switch {
	case isAside(u.Text), d.Elsewhere, t.conversation.isLeaderName(u.Speaker) && !forNPC:
		j.lineEffect = lineContinues
	case d.Called && forNPC, d.Called && uptake == address.Order, slices.Contains(d.NotFor, npc): // "Be quiet, Bart!" is for the NPC that is speaking
		j.lineEffect = lineHalts
	case d.Called:
		j.lineEffect = lineContinues
	case uptake == address.Order:
		j.lineEffect = lineHalts
		if !forNPC && len(wordsOf(u.Text)) > maxStopOrderWords {
			j.decision = continuationFor(d, npc, odds)
		}
	case d.BackChannel:
		j.lineEffect = lineContinues
	case answers && (uptake == address.Words || a.asksQuestion() || !t.canCheckRelevance(a)):
		j.lineEffect = lineEnds
		if !forNPC {
			j.decision = continuationFor(d, npc, odds)
		}
	case answers:
		j.lineEffect, j.decision = open, continuationFor(d, npc, odds)
	case uptake == address.Assent:
		j.lineEffect, j.decision = lineContinues, address.Decision{Route: address.RouteNone, Confidence: 1, Why: "it shows that the player listens", BackChannel: true, Gist: d.Gist}
	case len(d.NPCs) > 0 && !forNPC, odds < dismissOdds:
		j.lineEffect = lineContinues
	case odds >= certainOdds, d.Route == address.RouteOnlyNPC:
		j.lineEffect = lineEnds
	case t.canCheckRelevance(a):
		j.lineEffect, j.decision = open, continuationFor(d, npc, odds)
	case forNPC:
		j.lineEffect = lineEnds
	default:
		j.lineEffect = lineContinues
	}
	return j
}

// continuationFor returns a decision for the NPC that is speaking.
func continuationFor(d address.Decision, npc int, odds float64) address.Decision {
	return address.Decision{NPCs: []int{npc}, Route: address.RouteContinuation, Confidence: odds, Why: "said over what it says", Gist: d.Gist}
}

// spokenText returns the words of an answer that were said, including the current sentence.
func (s *script) spokenText() string { return s.textFrom(0) }

// recentText returns the words of the current sentence and the one before.
func (s *script) recentText() string { return s.textFrom(max(0, s.delivered-1)) }

// asksQuestion reports whether the current sentence contains a question.
func (s *script) asksQuestion() bool {
	next := s.currentSentence()
	return next != nil && strings.Contains(next.text, "?")
}

// textFrom returns the words of the sentences from index from up to the current one.
func (s *script) textFrom(from int) string {
	var all []string
	for _, one := range s.sentences[min(from, len(s.sentences)):min(s.delivered+1, len(s.sentences))] {
		if one.text != "" {
			all = append(all, one.text)
		}
	}
	return strings.Join(all, " ")
}

// overlappedAttempt returns the attempt over whose line a player's words are said; nil if there is none. It is the
// line that the player's voice has stopped, or the one that is playing. If the player's microphone picks up
// NPCs and the words may be an echo, only the former counts, or words that are final or numerous enough.
func (t *Table) overlappedAttempt(s *Seat, p *passage, words string, final bool) *attempt {
	line, heard := t.floor.Speaking()
	over := t.hasStoppedLine(p) || heard && p.overlap.line == line
	if s.hasEcho() {
		over = t.hasStoppedLine(p) || p.overlap.any && (final || len(wordsOf(words)) >= echoWords)
	}
	if !over {
		return nil
	}
	return t.interruptibleAttempt(line)
}

// attemptUnderWay returns the attempt whose line is played or shown while a player types; nil if there is none.
func (t *Table) attemptUnderWay() *attempt {
	line, ok := t.floor.UnderWay()
	if !ok {
		return nil
	}
	return t.interruptibleAttempt(line)
}

// interruptibleAttempt returns the attempt of a line that players may interrupt, otherwise nil.
func (t *Table) interruptibleAttempt(line uint64) *attempt {
	a := t.turns.attempts[line]
	if a == nil || a.turn.phase != speaking || a.turn.isPuppet() || a.turn.kind == whisperTurn {
		return nil
	}
	return a
}

// decideTypedOverlap judges a typed utterance. A line of another player than the one who is answered ends the
// answer only if it tells the NPC to stop. Otherwise it waits its turn, even if it calls the NPC, because
// players who type call an NPC by name all the time.
func (t *Table) decideTypedOverlap(u Utterance) overlapDecision {
	a := t.attemptUnderWay()
	if a == nil {
		return overlapDecision{}
	}
	j := t.decideOverlap(a, 0, u)
	if j.lineEffect == lineContinues || cmp.Or(u.User, u.Speaker) == a.turn.owner() {
		return j
	}
	if how, _ := t.conversation.classifyReply(u.Text, a.recentText()); how != address.Order {
		return overlapDecision{}
	}
	return j
}

// applyOverlap reports to the floor how an utterance affects the line that has it.
func (t *Table) applyOverlap(j overlapDecision, speaker string) {
	switch j.lineEffect {
	case open:
		t.floor.handle(floor.Event{Kind: floor.PossiblyMeant})
	case lineEnds, lineHalts:
		t.interruptSpeaker(speaker, j.lineEffect == lineHalts, slices.Contains(j.decision.NPCs, j.overlapped.turn.addressee.index))
	}
}

// interruptSpeaker interrupts the line that has the floor, because of a player's words. order says that the
// player told the NPC to stop or called it; answered says that the NPC answers these words.
func (t *Table) interruptSpeaker(speaker string, order, answered bool) {
	t.seats.lastSpeaker, t.seats.interruptionAnswered = speaker, answered
	t.floor.handle(floor.Event{Kind: floor.Interrupt, Order: order})
}

// resumeLine lets a line go on that players have stopped, once no utterance is left that may be meant for its
// NPC.
func (t *Table) resumeLine(line uint64) {
	if t.turns.relevanceCheck == nil && !t.seats.awaitsWords(line) {
		t.floor.handle(floor.Event{Kind: floor.NotMeant})
	}
}

// canCheckRelevance reports whether the NPC's model can be asked, while the NPC's line waits, whether an utterance is
// meant for it. A speech-to-speech engine cannot be asked without dropping its current answer.
func (t *Table) canCheckRelevance(a *attempt) bool {
	return t.turns.relevanceCheck == nil && a.turn.addressee.npc.Engine != config.EngineS2S && t.costAccounts.guessAllowed() && !t.turns.closing
}

// relevanceTimeout is how long an NPC's line waits for its model to decide whether an utterance is meant for it.
// After that the line goes on, and the utterance waits for its end.
const relevanceTimeout = 4 * time.Second

// startRelevanceCheck lets the NPC's model start an answer to an utterance that may be meant for it, while its line
// waits. None of the answer is reported or heard before the model has decided to answer.
func (t *Table) startRelevanceCheck(tn *turn, j overlapDecision) {
	t.assignDecision(tn, j.decision)
	tn.overlapped = j.overlapped
	now := time.Now()
	t.turns.moveTo(tn, weighed)
	t.turns.relevanceCheck, tn.plan.started = tn, now
	t.searchBefore(tn)
	tn.plan.choice = tn.addressee.agent.PeekChoice(tn.Text, t.queue.countPlayers(tn)).Raised(tn.plan.found.Reason())
	t.planner.prepareTurn(tn, t.fillerAllowed(tn))
	t.startAttempt(tn)
	t.agenda.put(relevanceCheckExpired{tn}, relevanceTimeout, relevanceCheckExpired{tn})
}

// handleRelevanceFinding handles a finding about an utterance that may be meant for its NPC.
func (t *Table) handleRelevanceFinding(a *attempt, f finding) {
	tn := a.turn
	a.backlog = append(a.backlog, f)
	switch f := f.(type) {
	case engine.Begun, engine.ToolCalled, sentenceBegins, firstSentence:
		t.adoptRelevant(tn)
	case wordsEnded:
		if errors.Is(f.err, engine.ErrDeclined) {
			t.endIrrelevant(tn)
			return
		}
		t.queueUnresolved(tn)
	}
}

// adoptRelevant ends the line that an utterance was said over, because the NPC answers the utterance.
func (t *Table) adoptRelevant(tn *turn) {
	t.clearRelevanceCheck(tn)
	if line, _ := t.floor.Speaking(); line == tn.overlapped.id { // otherwise it has ended meanwhile
		t.interruptSpeaker(tn.Speaker, true, true)
	}
	tn.overlapped = nil
	t.confirmAttempt(tn)
}

// endIrrelevant ends an utterance that its NPC finds not meant for it. The line goes on.
func (t *Table) endIrrelevant(tn *turn) {
	t.clearRelevanceCheck(tn)
	t.conversation.undoRenewal(tn.addressee.renewal)
	tn.end = turnEnd{outcome: OutcomePassed}
	t.turns.moveTo(tn, ending)
	t.turns.open[tn.number] = tn
	t.dropAttempt(tn)
	t.resumeLine(tn.overlapped.id)
	tn.overlapped = nil
	t.effects.add(commitTurn{tn})
}

// queueUnresolved stops weighing an utterance: the NPC's line goes on, and the utterance waits for its end.
func (t *Table) queueUnresolved(tn *turn) {
	over := tn.overlapped
	t.dropRelevanceCheck(tn)
	t.turns.moveTo(tn, arrived)
	t.beginOrQueue(tn)
	t.resumeLine(over.id)
}

// cancelRelevanceCheck calls queueUnresolved for the utterance that is being weighed, if there is one.
func (t *Table) cancelRelevanceCheck() {
	if tn := t.turns.relevanceCheck; tn != nil {
		t.queueUnresolved(tn)
	}
}

// dropRelevanceCheck drops the answer to an utterance that is being weighed.
func (t *Table) dropRelevanceCheck(tn *turn) {
	t.clearRelevanceCheck(tn)
	t.dropAttempt(tn)
	tn.record.tooling, tn.plan.target, tn.plan.started, tn.record.ledger, tn.overlapped = 0, 0, time.Time{}, Ledger{}, nil
}

func (t *Table) clearRelevanceCheck(tn *turn) {
	t.agenda.remove(relevanceCheckExpired{tn})
	t.turns.relevanceCheck = nil
}
