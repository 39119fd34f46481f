package table

import (
	"cmp"
	"strings"
	"time"

	"github.com/MrWong99/glyphoxa/internal/address"
	"github.com/MrWong99/glyphoxa/internal/agent"
	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/cost"
	"github.com/MrWong99/glyphoxa/internal/engine"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
	"github.com/MrWong99/glyphoxa/internal/retrieve"
	"github.com/MrWong99/glyphoxa/internal/tracing"
)

// turn is one turn: an utterance and its consequences. Apart from its number, phase and end, its fields are
// groups in the order of events: why there is a turn, when its words came, whom they are for, how it is
// answered, how much of the answer was delivered, which lines are stored, and its account. Goroutines other
// than Run's get copies of what they need, and use the turn itself only in reports.
type turn struct {
	Utterance
	number int64 // from 1; 0 for a guess
	phase  phase // changed by [turns.moveTo]
	origin

	words      words
	addressee  addressee
	plan       turnPlan
	guesses    guesses
	attempt    *attempt // at an answer; nil before the first, and after one was dropped
	inquiry    *inquiry // to the judge, about whom the line is for; nil unless that is in doubt
	overlapped *attempt // the attempt whose line it was said over, while it is weighed
	delivered  delivered
	retention  retention
	record     record

	end   turnEnd       // set once it is cut or ending
	ended chan struct{} // closed at its end; nil if nothing waits for it
}

// turnKind says why there is a turn.
type turnKind uint8

const (
	// lineTurn answers a player's line.
	lineTurn turnKind = iota
	// whisperTurn answers a player's whisper to one NPC. No other player or NPC hears either.
	whisperTurn
	// repeatTurn answers a line again whose answer was taken back.
	repeatTurn
	// reactionTurn lets a second NPC react to the answer of the first.
	reactionTurn
	// puppetTurn lets an NPC say Text for the DM.
	puppetTurn
	// trialTurn is a puppetTurn with another voice than the NPC's. Nothing of it is stored.
	trialTurn
)

// origin says why there is a turn, with the data of its kind.
type origin struct {
	kind   turnKind
	again  repeat        // of a repeatTurn
	leader *turn         // of a reactionTurn: the turn that it reacts to
	voice  string        // of a trialTurn: the id of the voice
	reply  chan<- string // of a whisperTurn: receives the answer
}

// repeat says which utterance a turn answers again, and which answers it had before. The zero value means
// that the turn has its own utterance.
type repeat struct {
	first    int64      // the turn in which it was said; 0 for the turn's own utterance
	replaces int64      // the turn whose answer was taken back last
	rejected [][]string // the previous answers, the latest last, each in sentences
}

// answers returns the previous answers, each as one text.
func (k repeat) answers() (all []string) {
	for _, sentences := range k.rejected {
		if len(sentences) > 0 { // otherwise it was only a stock phrase
			all = append(all, strings.Join(sentences, " "))
		}
	}
	return all
}

// words describes how the words of a turn came.
type words struct {
	timing
	knownAt        time.Time         // when all of them were known
	spoken         bool              // heard, not typed
	sound          *engine.Recording // nil if they were typed, or no engine listens to sound
	playerSpeaking bool              // their player is still speaking, so the answer must not be heard yet
}

// timing says when a player's words came.
type timing struct {
	since    time.Time     // the end of the player's speech
	endpoint time.Duration // from there until the utterance counted as finished
	final    time.Duration // from then until the final transcript
}

// addressee says whom a turn is for.
type addressee struct {
	index       int          // in the cast; -1 for no NPC
	agent       *agent.Agent // nil for no NPC
	npc         config.NPC   // configuration of agent when work on the answer began
	reactingNPC int          // index of an NPC that may react to the answer; -1 for none

	decision   address.Decision
	route      Route
	renewal    address.Renewal // change of the conversation by the line
	mayDecline bool            // the line did not call the NPC, which may find that it is not for it
	version    int             // of agent, when the answer was guessed at
}

// noAddressee is the addressee of a turn until an NPC is found for it.
var noAddressee = addressee{index: -1, reactingNPC: -1}

// turnPlan says how a turn is answered.
type turnPlan struct {
	started time.Time      // when work on the answer began
	found   retrieve.Found // search results for the line, before the model is asked
	choice  agent.Choice
	target  time.Duration // from the end of the player's speech to the first sound, for the tier chosen first
	pace    cost.Plan     // the steps by which the sound comes in time
	tools   *mcphost.Toolset
}

// guesses counts the answers that were started on words that were not final, see [Table.guess].
type guesses struct {
	dropped        int           // how many were dropped
	droppedAccount *cost.Account // account of the last dropped one; may be nil
	voiceAllowed   bool          // this turn is a guess whose first sentence the voice may prepare
}

// delivered is the part of an answer that reached the players.
type delivered struct {
	texts   []string // sentences, in order
	answer  []string // the sentences in texts that are no stock phrases
	audible bool     // some sound was played
}

// retention says what of a turn is stored, and who may know it.
type retention struct {
	present         []string // as in [memory.Line]; nil until [Table.presentAt]
	lineRetracted   bool     // the player took the line back, so it is not stored
	answerRetracted bool     // the answer was taken back, so it is not stored
}

// record is the account of a turn.
type record struct {
	ledger  Ledger
	tooling time.Duration // of all tool rounds
	floor   time.Duration // the wait for the floor
	account *cost.Account // of all attempts; nil before the first
	judged  judgeOutcome  // outcome of asking the judge
	trace   *tracing.Turn // nil if it is not traced
}

// newTurn returns a turn without an addressee. since is when its player stopped speaking, or, for a turn
// without words of a player, when it was requested.
func newTurn(kind turnKind, u Utterance, since time.Time) *turn {
	return &turn{Utterance: u, origin: origin{kind: kind}, words: words{timing: timing{since: since}}, addressee: noAddressee}
}

// turnEnd says how a turn ends.
type turnEnd struct {
	outcome Outcome
	stage   string // the stage that failed
	notice  string // the reason, sent as a notice
	by      string // the player who interrupted it
}

// owner returns the player's account with the transport, or the name if there is none.
func (tn *turn) owner() string { return cmp.Or(tn.User, tn.Speaker) }

// isPuppet reports whether the NPC says a text that the DM gave it.
func (tn *turn) isPuppet() bool { return tn.kind == puppetTurn || tn.kind == trialTurn }

// isAnswer reports whether the turn answers its player: it is neither a puppet's nor a reaction.
func (tn *turn) isAnswer() bool { return !tn.isPuppet() && tn.kind != reactionTurn }

// mayRedirect reports whether a turn may still go to another NPC.
func (tn *turn) mayRedirect() bool { return tn.phase == queued || tn.isUnheard() && tn.leader == nil }

// askedTurn returns the number of the turn with the utterance that this turn answers.
func (tn *turn) askedTurn() int64 {
	switch {
	case tn.kind == repeatTurn:
		return tn.again.first
	case tn.leader != nil:
		return tn.leader.askedTurn()
	}
	return tn.number
}

// isUnheard reports whether the turn is being answered and none of the answer was heard or shown yet.
func (tn *turn) isUnheard() bool {
	return tn.phase.isAnswering() && !tn.delivered.audible && len(tn.delivered.texts) == 0
}

// elapsed returns the time since the end of the player's speech, without the wait for the busy NPC, because
// nothing can be done about that any more.
func (tn *turn) elapsed() time.Duration {
	queued := time.Duration(0)
	if !tn.words.knownAt.IsZero() {
		queued = max(tn.plan.started.Sub(tn.words.knownAt), 0)
	}
	return time.Since(tn.words.since) - queued
}

// queueWait returns how long the utterance queueWait in the queue.
func (tn *turn) queueWait() time.Duration {
	if tn.plan.started.IsZero() || tn.words.knownAt.IsZero() {
		return max(time.Since(tn.words.since)-tn.words.endpoint-tn.words.final, 0)
	}
	return tn.plan.started.Sub(tn.words.knownAt)
}

// stampWords records in the ledger of a turn how long its words took.
func (tn *turn) stampWords() {
	tn.record.ledger.EndpointMS, tn.record.ledger.STTFinalMS = mcp.RoundedMillis(tn.words.endpoint), mcp.RoundedMillis(tn.words.final)
}

// stampSound records the first sound of a turn, and of its answer, in its ledger.
func (tn *turn) stampSound(ofAnswer bool, at time.Time) {
	since := max(mcp.RoundedMillis(at.Sub(tn.words.since)), 0.001) // 0 means never
	if tn.record.ledger.FirstSoundMS == 0 {
		tn.record.ledger.FirstSoundMS = since
	}
	if ofAnswer && tn.record.ledger.FirstSubstanceMS == 0 {
		tn.record.ledger.FirstSubstanceMS = since
	}
}

// continuationLeft returns how much longer the player may continue the utterance, within a window from its end; 0 for
// a typed line.
func (tn *turn) continuationLeft(window time.Duration) time.Duration {
	if !tn.words.spoken {
		return 0
	}
	return time.Until(tn.words.since.Add(tn.words.endpoint + window))
}

// whenEnded returns a channel that is closed when the turn has ended.
func (tn *turn) whenEnded() <-chan struct{} {
	if tn.ended == nil {
		tn.ended = make(chan struct{})
	}
	return tn.ended
}

// source returns where the words of an utterance come from.
func (u Utterance) source() agent.Source { return agent.Source{User: u.User, Ref: u.Ref} }
