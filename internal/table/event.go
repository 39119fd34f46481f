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
	// Tool calls that wait for approval.
	KindApprovalWaits = "approval.waits"
	KindApprovalEnded = "approval.ended"
	KindTurnEnded     = "turn.ended"
	KindNotice        = "notice"
)

// Header is the part that all events have in common.
type Header struct {
	Time time.Time `json:"time"`
	Kind string    `json:"kind"`
	// Turn is the number of the turn, from 1; 0 for events outside turns.
	Turn int64 `json:"turn"`
	// Whisper says that only the player and the NPC of the turn may see the event.
	Whisper bool `json:"whisper,omitempty"`
	// Session is the id of the session in which Turn is counted.
	Session string `json:"-"`
}

// Event is one of the event types of this package. It marshals to one JSON object.
type Event interface{ header() *Header }

func (h *Header) header() *Header { return h }

// HeaderOf returns the header of an event.
func HeaderOf(e Event) Header { return *e.header() }

// Heard reports an utterance before the table decides anything about it.
type Heard struct {
	Header
	Speaker string `json:"speaker"`
	Text    string `json:"text"`
	// Spoken says that it was spoken, not typed.
	Spoken bool `json:"spoken,omitempty"`
	// Continued says that the player said more or reworded the line: Text replaces the previous text of this
	// turn's utterance.
	Continued bool `json:"continued,omitempty"`
	// Ref is [Utterance.Ref]. It is not part of the JSON, because it identifies a message of a transport.
	Ref string `json:"-"`
}

// TurnStarted reports which NPC answers, why, and with which tier and tools.
type TurnStarted struct {
	Header
	NPC     string `json:"npc"`
	Route   Route  `json:"route"`
	Tier    string `json:"tier"`
	Ceiling string `json:"ceiling"`
	// Reason says why the selector chose the tier.
	Reason string   `json:"reason"`
	Tools  []string `json:"tools"`
	// MayDecline says that the line called no NPC: this one may find that the line is not for it, and the turn
	// then ends with [OutcomePassed].
	MayDecline bool `json:"may_decline,omitempty"`
	// Again is the number of the turn whose answer was taken back and which this one answers again; otherwise 0.
	Again int64 `json:"again,omitempty"`
	// Found is the result of the search for the line before the model was asked; nil if there was
	// none.
	Found *FoundBefore `json:"found,omitempty"`
}

// ToolCalled reports a call the model asked for.
type ToolCalled struct {
	Header
	Tool string `json:"tool"`
	// Args is the model's JSON, or its text as a JSON string if that is not valid JSON.
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

// CutSentence reports the words that were heard of the sentence in which an NPC was stopped, as far as that
// is known. It is meant for display: the NPC remembers whole sentences only, and [TurnEnded] does not contain
// these words.
type CutSentence struct {
	Header
	NPC string `json:"npc"`
	// Text consists of whole words, and ends with a dash.
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
	// Text is what had been delivered before.
	Text string `json:"text"`
}

// Policy reports a step that was taken because the first sound was expected too late.
type Policy struct {
	Header
	NPC         string  `json:"npc"`
	Step        string  `json:"step"`
	Reason      string  `json:"reason"`
	ProjectedMS float64 `json:"projected_ms"`
	TargetMS    float64 `json:"target_ms"`
}

// Guarded reports that part of an NPC's answer was withheld. It never contains the words.
type Guarded struct {
	Header
	NPC string `json:"npc"`
	// Reason is one of the reasons of package guard, such as "secret".
	Reason string `json:"reason"`
}

// Tier reports that a raise or cap of an NPC began or ended. It belongs to no turn. A raise also applies to
// the turn that uses it up, although its end is reported when that turn begins.
type Tier struct {
	Header
	NPC    string     `json:"npc"`
	Change TierChange `json:"change"`
	// Tier is the tier of the raise or cap, and Ceiling the highest tier that the NPC may reach from now on.
	Tier    string `json:"tier"`
	Ceiling string `json:"ceiling"`
	// Until and Turns bound a raise that begins.
	Until time.Time `json:"until,omitzero"`
	Turns int       `json:"turns,omitempty"`
}

// Cost reports that the session has passed a cap. It belongs to no turn, and is emitted once for each level,
// together with a notice that says the same in words.
type Cost struct {
	Header
	// Level is "soft_cap", "cheaper" (the hard cap is reached: NPCs answer through the cheaper engine) or
	// "lines" (NPCs answer with stock phrases, without a model).
	Level string `json:"level"`
	// Spent is the cost of the session so far, as far as prices are known.
	Spent    cost.Amount `json:"spent"`
	Currency string      `json:"currency"`
	SoftCap  cost.Amount `json:"soft_cap,omitzero"`
	HardCap  cost.Amount `json:"hard_cap,omitzero"`
}

// Listening reports a change of how the NPCs listen. It belongs to no turn.
type Listening struct {
	Header
	// Listening is "eager", "attentive" or "called_only".
	Listening string `json:"listening"`
}

// Unsaid reports that an NPC's answer in the turn was taken back: no NPC is given it from now on. It may
// come before the turn's end.
type Unsaid struct {
	Header
	NPC string `json:"npc"`
	// By is the person who took it back, as in [Utterance.User]; empty if the transport does not identify
	// people.
	By string `json:"by,omitempty"`
	// Again says that the NPC answers the same line again, in a new turn.
	Again bool `json:"again,omitempty"`
}

// Erased reports that the answer that was taken back is deleted from the log for good, so that fronts may
// remove it from display. It follows [Unsaid], unless the log could not be changed.
type Erased struct {
	Header
	NPC string `json:"npc"`
}

// TurnEnded reports the end of a turn. Every utterance ends in exactly one.
type TurnEnded struct {
	Header
	NPC     string  `json:"npc"`
	Outcome Outcome `json:"outcome"`
	// Text is the part of the answer that was heard.
	Text   string `json:"text"`
	Ledger Ledger `json:"ledger"`
}

// Notice is a message to people outside the story.
type Notice struct {
	Header
	Level string `json:"level"` // "info", "warning" or "error"
	Text  string `json:"text"`
	Code  string `json:"code,omitempty"` // its subject for programs: one of the codes below, or empty
}

// Codes of notices about the storage of lines.
const (
	CodeWaits   = "waits_to_be_kept" // lines cannot be stored now; storing them is retried
	CodeKept    = "kept_again"       // waiting lines were stored after all
	CodeSpilled = "set_aside"        // the session ended before lines could be stored; they are in a file until the store accepts them
	CodeLost    = "lost"             // lines will not be stored
)

// Route says why an NPC was addressed.
type Route string

const (
	RouteName         Route = "name"
	RouteGroup        Route = "group"
	RouteContinuation Route = "continuation"
	RouteOnlyNPC      Route = "only_npc"
	RoutePuppet       Route = "puppet"
	// RouteReaction is a second NPC's reaction to the answer of the first, after a line to a group.
	RouteReaction Route = "reaction"
	// RouteAgain is a new answer in place of one that was taken back.
	RouteAgain Route = "again"
	// RouteWhisper is a whisper to the NPC.
	RouteWhisper Route = "whisper"
	RouteNone    Route = "none"
)

// TierChange says how a raise or cap changed.
type TierChange string

const (
	TierRaised TierChange = "raised"
	// TierLowered: the DM ended a raise.
	TierLowered  TierChange = "lowered"
	TierCapped   TierChange = "capped"
	TierUncapped TierChange = "uncapped"
	// TierExpired: the time or the turns of a raise were used up, the NPC left, or the table closed.
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
	// OutcomePassed: the NPC found that the line was not meant for it. None of the answer was heard.
	OutcomePassed Outcome = "passed"
)

// Sink receives the table's events. The table's goroutine calls Emit, in order. A slow Emit slows the table
// down and loses nothing. Emit must not call the table, because that would deadlock.
type Sink interface{ Emit(Event) }
