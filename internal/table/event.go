package table

import (
	"encoding/json"
	"time"

	"github.com/MrWong99/glyphoxa/internal/cost"
)

// Kinds of events, one JSON object each (docs/events.md).
const (
	KindUtterance    = "utterance"
	KindTurnStarted  = "turn.started"
	KindToolCalled   = "tool.called"
	KindToolFinished = "tool.finished"
	KindSentence     = "sentence"
	KindAudioStarted = "audio.started"
	KindCutSentence  = "sentence.cut"
	KindFiller       = "filler"
	KindBarge        = "barge"
	KindPolicy       = "policy"
	KindGuarded      = "guarded"
	KindTier         = "tier"
	KindCost         = "cost"
	KindListening    = "listening"
	KindSpokenOrder  = "spoken.order"
	KindUnsaid       = "unsaid"
	KindErased       = "erased"
	// What waits for somebody who leads, and what became of it.
	KindApprovalWaits = "approval.waits"
	KindApprovalEnded = "approval.ended"
	KindTurnEnded     = "turn.ended"
	KindNotice        = "notice"
)

// Header begins every event.
type Header struct {
	Time time.Time `json:"time"`
	Kind string    `json:"kind"`
	// Turn is the number of the turn, from 1; 0 for events outside turns.
	Turn int64 `json:"turn"`
	// Whisper says that the turn is between a player and an NPC: it is not for others.
	Whisper bool `json:"whisper,omitempty"`
	// Session is whose turns they are. A number is that of one turn in a session.
	Session string `json:"-"`
}

// Event is one of the event types of this package; it marshals to one JSON
// object.
type Event interface{ header() *Header }

func (h *Header) header() *Header { return h }

// HeaderOf returns the header of an event.
func HeaderOf(e Event) Header { return *e.header() }

// Heard reports an utterance, before anything is decided about it.
type Heard struct {
	Header
	Speaker string `json:"speaker"`
	Text    string `json:"text"`
	// Spoken says that it was heard, not typed.
	Spoken bool `json:"spoken,omitempty"`
	// Continued says that the player had more to say or reworded it: Text takes
	// the place of what this turn's utterance was before.
	Continued bool `json:"continued,omitempty"`
}

// TurnStarted reports what was decided: who answers, why, and with what.
type TurnStarted struct {
	Header
	NPC     string `json:"npc"`
	Route   Route  `json:"route"`
	Tier    string `json:"tier"`
	Ceiling string `json:"ceiling"`
	// Reason says why the selector chose the tier.
	Reason string   `json:"reason"`
	Tools  []string `json:"tools"`
	// MayDecline says that nobody called the NPC: it may find that the line is not
	// for it, and the turn then ends [OutcomePassed].
	MayDecline bool `json:"may_decline,omitempty"`
	// Again is the turn whose answer was taken back, in whose place this one is; 0 if none
	// was.
	Again int64 `json:"again,omitempty"`
	// Found is what was found for the line before the model is asked; nil if nothing was.
	Found *FoundBefore `json:"found,omitempty"`
}

// ToolCalled reports a call the model asked for.
type ToolCalled struct {
	Header
	Tool string `json:"tool"`
	// Args is the model's JSON, or its text where that is no JSON.
	Args  json.RawMessage `json:"args"`
	Round int             `json:"round"`
}

// ToolFinished reports how a call ended.
type ToolFinished struct {
	Header
	Tool   string  `json:"tool"`
	MS     float64 `json:"ms"`
	OK     bool    `json:"ok"`
	Cached bool    `json:"cached"`
	Error  string  `json:"error,omitempty"`
}

// Sentence reports a sentence that was delivered.
type Sentence struct {
	Header
	NPC  string `json:"npc"`
	Text string `json:"text"`
}

// CutSentence reports what was heard of the sentence in which an NPC was stopped, as far as
// that can be told. It is for who reads along: the NPC is remembered to have said whole
// sentences only, and the turn's end does not have it.
type CutSentence struct {
	Header
	NPC string `json:"npc"`
	// Text is whole words, and ends in a dash.
	Text string `json:"text"`
}

// AudioStarted reports the first sound of a turn.
type AudioStarted struct {
	Header
	NPC string `json:"npc"`
}

// Filler reports a stock phrase that was said while the answer was late.
type Filler struct {
	Header
	NPC  string `json:"npc"`
	Text string `json:"text"`
}

// Barge reports that a player took the floor from an NPC.
type Barge struct {
	Header
	NPC     string `json:"npc"`
	Speaker string `json:"speaker"`
	// Text is what had been delivered by then.
	Text string `json:"text"`
}

// Policy reports what was done since the first sound was expected too late.
type Policy struct {
	Header
	NPC         string  `json:"npc"`
	Step        string  `json:"step"`
	Reason      string  `json:"reason"`
	ProjectedMS float64 `json:"projected_ms"`
	TargetMS    float64 `json:"target_ms"`
}

// Guarded reports that something an NPC was about to say was withheld. It never has
// the words.
type Guarded struct {
	Header
	NPC string `json:"npc"`
	// Reason is one of those of package guard, such as "secret".
	Reason string `json:"reason"`
}

// Tier reports that a raise or a cap of an NPC began or ended. It is outside of
// turns; a raise counts for the turn that uses it up although its end is told
// when that begins.
type Tier struct {
	Header
	NPC    string     `json:"npc"`
	Change TierChange `json:"change"`
	// Tier is that of the raise or cap, and Ceiling the highest that the NPC may
	// reach from now on.
	Tier    string `json:"tier"`
	Ceiling string `json:"ceiling"`
	// Until and Turns bound a raise that begins.
	Until time.Time `json:"until,omitzero"`
	Turns int       `json:"turns,omitempty"`
}

// Cost reports that the session has passed a cap. It is outside of turns and comes
// once for each level; a notice beside it says the same in words.
type Cost struct {
	Header
	// Level is "soft_cap", "cheaper" (the hard cap is reached: NPCs answer through the
	// cheaper engine) or "lines" (with stock phrases, without a model).
	Level string `json:"level"`
	// Spent is what the session has cost so far, as far as there are prices.
	Spent    cost.Amount `json:"spent"`
	Currency string      `json:"currency"`
	SoftCap  cost.Amount `json:"soft_cap,omitzero"`
	HardCap  cost.Amount `json:"hard_cap,omitzero"`
}

// Listening reports that the NPCs listen otherwise from now on. It is outside of turns.
type Listening struct {
	Header
	// Listening is "eager", "attentive" or "called_only".
	Listening string `json:"listening"`
}

// Unsaid reports that what an NPC said in the turn is taken back: nobody is given it any more. It
// may come before the turn's end.
type Unsaid struct {
	Header
	NPC string `json:"npc"`
	// By is who wanted that, as in [Utterance.User]; empty where the transport does not
	// tell people apart.
	By string `json:"by,omitempty"`
	// Again says that the NPC answers the same again, in a turn of its own.
	Again bool `json:"again,omitempty"`
}

// Erased reports that what was taken back in the turn is out of the log, for good: whoever shows
// it may remove it now. It follows an [Unsaid], unless the log could not be changed.
type Erased struct {
	Header
	NPC string `json:"npc"`
}

// TurnEnded reports the end of a turn. Every utterance ends in exactly one.
type TurnEnded struct {
	Header
	NPC     string  `json:"npc"`
	Outcome Outcome `json:"outcome"`
	// Text is what was heard of the answer.
	Text   string `json:"text"`
	Ledger Ledger `json:"ledger"`
}

// Notice tells people something outside the story.
type Notice struct {
	Header
	Level string `json:"level"` // "info", "warning" or "error"
	Text  string `json:"text"`
	Code  string `json:"code,omitempty"` // what it is about, one of those below, where programs may want to know
}

// Codes of notices about what was said.
const (
	CodeWaits = "waits_to_be_kept" // it cannot be kept right now, and is tried again
	CodeKept  = "kept_again"       // it could be kept in the end
	CodeAside = "set_aside"        // the session ends, and it is in a file until memory takes it
	CodeLost  = "lost"             // it will not be kept
)

// Route says why an NPC was addressed.
type Route string

const (
	RouteName         Route = "name"
	RouteGroup        Route = "group"
	RouteContinuation Route = "continuation"
	RouteOnlyNPC      Route = "only_npc"
	RoutePuppet       Route = "puppet"
	// RouteReaction is a second NPC's remark on the answer of the first, where a
	// group was addressed.
	RouteReaction Route = "reaction"
	// RouteAgain is an answer in place of one that was taken back.
	RouteAgain Route = "again"
	// RouteWhisper is a whisper.
	RouteWhisper Route = "whisper"
	RouteNone    Route = "none"
)

// TierChange is what became of a raise or cap.
type TierChange string

const (
	TierRaised TierChange = "raised"
	// TierLowered is the end of a raise by the DM.
	TierLowered  TierChange = "lowered"
	TierCapped   TierChange = "capped"
	TierUncapped TierChange = "uncapped"
	// TierExpired is the end of a raise whose time or turns are over, also since
	// the NPC has left or the table closes.
	TierExpired TierChange = "expired"
)

// Outcome says how a turn ended.
type Outcome string

const (
	OutcomeDelivered Outcome = "delivered"
	OutcomeBarged    Outcome = "barged"
	OutcomeCancelled Outcome = "cancelled"
	OutcomeFailed    Outcome = "failed"
	OutcomeMuted     Outcome = "muted"
	OutcomeNoTarget  Outcome = "no_target"
	// OutcomePassed is the end of a turn whose NPC found that the line was not meant
	// for it. Nothing of it was heard.
	OutcomePassed Outcome = "passed"
)

// Sink takes the table's events. Emit is called from the table's goroutine, in
// order; a slow Emit slows the table down and loses nothing. It must not call
// the table, which would wait for itself.
type Sink interface{ Emit(Event) }
