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

// turn is one turn: an utterance, and what becomes of it. Its number, its phase and its end apart, its
// fields are groups in the order of its way: why there is a turn, how its words came, whom they are
// for, how it is answered, what of the answer was delivered, what of both is kept, and its account.
// A goroutine other than Run's gets copies of what it needs, and the turn only to report about it.
type turn struct {
	Utterance
	number int64 // from 1; 0 while it is only guessed at
	phase  phase // moved by [turns.moveTo]
	origin

	words     words
	to        addressee
	plan      turnPlan
	guesses   guesses
	attempt   *attempt // at an answer; nil before the first, and after one that was given up
	inquiry   *inquiry // to the judge, about whom the line is for; nil unless that is in doubt
	over      *attempt // the line that it was said over, as long as it is weighed
	delivered delivered
	kept      retention
	record    record

	end  turnEnd       // set once it is cut or ending
	done chan struct{} // closed at its end; nil if nothing waits for that
}

// turnKind is why there is a turn.
type turnKind uint8

const (
	// lineTurn answers what a player said.
	lineTurn turnKind = iota
	// whisperTurn answers what a player said to one NPC. No other player or NPC hears either.
	whisperTurn
	// repeatTurn gives another answer to a line whose answer was taken back.
	repeatTurn
	// reactionTurn has a second NPC react to the answer of a first.
	reactionTurn
	// puppetTurn has an NPC say Text for the DM.
	puppetTurn
	// trialTurn is a puppetTurn with another voice than the NPC's. Nothing is kept of it.
	trialTurn
)

// origin is why there is a turn, with what its kind needs.
type origin struct {
	kind   turnKind
	again  repeat        // of a repeatTurn
	leader *turn         // of a reactionTurn: the turn that it reacts to
	voice  string        // of a trialTurn: the id of the voice
	reply  chan<- string // of a whisperTurn: receives the answer
}

// repeat is which utterance a turn answers, and how often it was answered before. The zero
// value is that of a turn with an utterance of its own.
type repeat struct {
	first    int64      // the turn in which it was said; 0 for one's own
	instead  int64      // the turn whose answer was taken back last
	unwanted [][]string // the answers before, the latest last, each in sentences
}

// answers are those before, each as a whole.
func (k repeat) answers() (all []string) {
	for _, sentences := range k.unwanted {
		if len(sentences) > 0 { // else it was nothing but a stock phrase
			all = append(all, strings.Join(sentences, " "))
		}
	}
	return all
}

// words are how the words of a turn came.
type words struct {
	timing
	known  time.Time         // when all of them were known
	spoken bool              // heard, not typed
	sound  *engine.Recording // nil if they were typed, or no engine listens to sound
	held   bool              // their player goes on: the answer must not be heard yet
}

// timing is when a player's words came.
type timing struct {
	since    time.Time     // the end of the player's speech
	endpoint time.Duration // from there until the utterance counted as finished
	final    time.Duration // from that until the final transcript
}

// addressee is whom a turn is for.
type addressee struct {
	index int          // of the cast; -1 for no NPC
	agent *agent.Agent // nil for no NPC
	npc   config.NPC   // who agent was when work on the answer began
	also  int          // index of an NPC that may react to the answer; -1 for none

	decision   address.Decision
	route      Route
	renewal    address.Renewal // of the conversation, by the line
	mayDecline bool            // the NPC was not called: it may find that the line is not for it
	version    int             // of agent, when the answer was guessed at
}

// nobody is the addressee of a turn that is for no NPC so far.
var nobody = addressee{index: -1, also: -1}

// turnPlan is how a turn is answered.
type turnPlan struct {
	started time.Time      // when work on the answer began
	found   retrieve.Found // what was found for the line before the model is asked
	choice  agent.Choice
	target  time.Duration // from the end of the player's speech to the first sound, for the tier chosen first
	pace    cost.Plan     // what is done so that the sound comes in time
	tools   *mcphost.Toolset
}

// guesses are the answers that were begun on words that were not final, see [Table.guess].
type guesses struct {
	dropped int           // how many came to nothing
	wasted  *cost.Account // of the one dropped last; may be nil
	ahead   bool          // this turn is one, and the voice may work on its first sentence
}

// delivered is what of an answer reached the players.
type delivered struct {
	texts   []string // sentences, in order
	answer  []string // of texts, those that are no stock phrases
	audible bool     // a sound went out
}

// retention is what of a turn is kept, and who may know of it.
type retention struct {
	present         []string // as in [memory.Line]; nil until [Table.presentAt]
	lineTakenBack   bool     // the player took the line back: it is not kept
	answerTakenBack bool     // the answer was taken back: it is not kept
}

// record is the account of a turn.
type record struct {
	ledger  Ledger
	tooling time.Duration // of all tool rounds
	floor   time.Duration // the wait for the floor
	account *cost.Account // of all attempts; nil before the first
	judged  judgment      // what became of asking the judge
	trace   *tracing.Turn // nil if it is not traced
}

// newTurn returns a turn for no NPC so far. since is when its player ended, or, for a turn without
// words of a player, when it was asked for.
func newTurn(kind turnKind, u Utterance, since time.Time) *turn {
	return &turn{Utterance: u, origin: origin{kind: kind}, words: words{timing: timing{since: since}}, to: nobody}
}

// turnEnd is how a turn ends.
type turnEnd struct {
	outcome Outcome
	stage   string // where it failed
	notice  string // why
	by      string // who took the floor from it
}

// owner is whose turn it is, by the transport's account if there is one.
func (tn *turn) owner() string { return cmp.Or(tn.User, tn.Speaker) }

// isPuppet reports whether an NPC says for the DM what it is given.
func (tn *turn) isPuppet() bool { return tn.kind == puppetTurn || tn.kind == trialTurn }

// isAnswer reports whether the turn answers its player: it is no puppet's, and no
// reaction.
func (tn *turn) isAnswer() bool { return !tn.isPuppet() && tn.kind != reactionTurn }

// mayRedirect reports whether a turn may still go to another NPC.
func (tn *turn) mayRedirect() bool { return tn.phase == queued || tn.silent() && tn.leader == nil }

// asked is the number of the turn in which the utterance was said that this one answers.
func (tn *turn) asked() int64 {
	switch {
	case tn.kind == repeatTurn:
		return tn.again.first
	case tn.leader != nil:
		return tn.leader.asked()
	}
	return tn.number
}

// silent reports whether nothing was heard of it yet that could not be taken
// back.
func (tn *turn) silent() bool {
	return tn.phase.isAnswering() && !tn.delivered.audible && len(tn.delivered.texts) == 0
}

// spent is the time since the end of the player's speech, without that for which
// the NPC was busy: nothing can be done about that any more.
func (tn *turn) spent() time.Duration {
	queued := time.Duration(0)
	if !tn.words.known.IsZero() {
		queued = max(tn.plan.started.Sub(tn.words.known), 0)
	}
	return time.Since(tn.words.since) - queued
}

// waited is how long the utterance stood in the queue.
func (tn *turn) waited() time.Duration {
	if tn.plan.started.IsZero() || tn.words.known.IsZero() {
		return max(time.Since(tn.words.since)-tn.words.endpoint-tn.words.final, 0)
	}
	return tn.plan.started.Sub(tn.words.known)
}

// stampWords enters in the ledger of a turn how long its words took to come.
func (tn *turn) stampWords() {
	tn.record.ledger.EndpointMS, tn.record.ledger.STTFinalMS = mcp.RoundedMillis(tn.words.endpoint), mcp.RoundedMillis(tn.words.final)
}

// stampSound enters the first sound of a turn, and of its answer, in its ledger.
func (tn *turn) stampSound(ofAnswer bool, at time.Time) {
	since := max(mcp.RoundedMillis(at.Sub(tn.words.since)), 0.001) // 0 means never
	if tn.record.ledger.FirstSoundMS == 0 {
		tn.record.ledger.FirstSoundMS = since
	}
	if ofAnswer && tn.record.ledger.FirstSubstanceMS == 0 {
		tn.record.ledger.FirstSubstanceMS = since
	}
}

// mayGoOn is how long the player may yet go on with what was said, within a window
// from its end; 0 for a typed line.
func (tn *turn) mayGoOn(window time.Duration) time.Duration {
	if !tn.words.spoken {
		return 0
	}
	return time.Until(tn.words.since.Add(tn.words.endpoint + window))
}

// whenOver returns a channel that is closed when the turn has ended.
func (tn *turn) whenOver() <-chan struct{} {
	if tn.done == nil {
		tn.done = make(chan struct{})
	}
	return tn.done
}

// source is where the words of an utterance come from.
func (u Utterance) source() agent.Source { return agent.Source{User: u.User, Ref: u.Ref} }
