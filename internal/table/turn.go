package table

import (
	"time"

	"github.com/MrWong99/glyphoxa/internal/address"
	"github.com/MrWong99/glyphoxa/internal/agent"
	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/cost"
	"github.com/MrWong99/glyphoxa/internal/elapsed"
	"github.com/MrWong99/glyphoxa/internal/engine"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
	"github.com/MrWong99/glyphoxa/internal/pace"
	"github.com/MrWong99/glyphoxa/internal/tracing"
)

// turn is one turn: an utterance and what becomes of it. It belongs to the
// table's goroutine; others get copies of what they need.
type turn struct {
	Utterance
	phase  phase
	number int64 // 0 while it is only guessed at
	timing
	sound  *engine.Recording // of what was said; nil if it was typed, or nobody listens to it
	began  time.Time         // when the utterance was known
	spoken bool              // it was heard, not typed
	// whispered says that nobody hears it but the NPC it is for, and nobody the answer
	// but who whispered.
	whispered bool
	reply     chan<- string // takes the answer to a whisper; nil for anything else
	present   []string      // who may know of it; nil until that is asked
	puppet    bool          // made to say Text, no answer to it
	voice     string        // a puppet's: the id of the voice it tries, so that nothing of it is kept; empty for its own
	// leader is the turn this one reacts to, whose answer it has heard.
	leader *turn
	also   int // who may react to the answer, -1 for nobody

	agent   int // -1 if nobody is addressed
	npc     *agent.Agent
	as      config.NPC       // who npc was when work on the answer began
	version int              // of the NPC, when its answer was guessed at
	meant   address.Decision // whom it is for
	route   Route
	// mayDecline says that nobody called the NPC: it may find that the line is not
	// meant for it.
	mayDecline bool
	renewal    address.Renewal // of the conversation, by the line
	choice     agent.Choice
	target     time.Duration // of the tier that was chosen first
	tools      *mcphost.Toolset
	started    time.Time // when work on the answer began
	plan       pace.Plan
	attempt    *attempt      // nil until it begins
	account    *cost.Account // of all its attempts; nil before the first
	wasted     *cost.Account // of the guesses at its words that were dropped; may be nil
	dropped    int           // guesses at its words that were dropped
	ahead      bool          // a guess's: the voice may work on its first sentence
	held       bool          // the player has more to say: it must not be heard yet
	floor      time.Duration // the wait for the floor

	trace   *tracing.Turn // nil if it is not traced
	ledger  Ledger
	texts   []string // what was delivered
	answer  []string // of it, what was no filler
	tooling time.Duration
	audible bool    // a sound went out
	end     turnEnd // how it ends, once it is cut or ending

	again     repeat
	unsaid    bool          // what was answered is taken back: it is not kept
	takenBack bool          // the player took the line back: it is not kept
	done      chan struct{} // closed at its end; nil if nobody waits for that
}

// timing is when a player's words came.
type timing struct {
	since    time.Time // the end of the player's speech
	endpoint time.Duration
	final    time.Duration // from there to the final transcript
}

// turnEnd is how a turn ends.
type turnEnd struct {
	outcome Outcome
	stage   string // where it failed
	notice  string // why
	by      string // who took the floor from it
}

// isAnswer reports whether the turn answers its player: no puppet's, and no
// reaction.
func (tn *turn) isAnswer() bool { return !tn.puppet && tn.leader == nil }

// silent reports whether nothing was heard of it yet that could not be taken
// back.
func (tn *turn) silent() bool { return tn.phase.isAnswering() && !tn.audible && len(tn.texts) == 0 }

// spent is the time since the end of the player's speech, without that for which
// the NPC was busy: nothing can be done about that any more.
func (tn *turn) spent() time.Duration {
	queued := time.Duration(0)
	if !tn.began.IsZero() {
		queued = max(tn.started.Sub(tn.began), 0)
	}
	return time.Since(tn.since) - queued
}

// waited is how long the utterance stood in the queue.
func (tn *turn) waited() time.Duration {
	if tn.started.IsZero() || tn.began.IsZero() {
		return max(time.Since(tn.since)-tn.endpoint-tn.final, 0)
	}
	return tn.started.Sub(tn.began)
}

// stampSound enters the first sound of a turn, and of its answer, in its ledger.
func (tn *turn) stampSound(ofAnswer bool, at time.Time) {
	since := max(elapsed.Rounded(at.Sub(tn.since)), 0.001) // 0 means never
	if tn.ledger.FirstSoundMS == 0 {
		tn.ledger.FirstSoundMS = since
	}
	if ofAnswer && tn.ledger.FirstSubstanceMS == 0 {
		tn.ledger.FirstSubstanceMS = since
	}
}

// mayGoOn is how long the player may yet go on with what was said, within a window
// from its end; 0 for a typed line.
func (tn *turn) mayGoOn(window time.Duration) time.Duration {
	if !tn.spoken {
		return 0
	}
	return time.Until(tn.since.Add(tn.endpoint + window))
}

// whenOver returns what is closed when a turn has ended.
func (tn *turn) whenOver() <-chan struct{} {
	if tn.done == nil {
		tn.done = make(chan struct{})
	}
	return tn.done
}

// source is where the words of an utterance come from.
func (u Utterance) source() agent.Source { return agent.Source{User: u.User, Ref: u.Ref} }
