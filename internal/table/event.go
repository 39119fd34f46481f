package table

import (
	"encoding/json"
	"time"
)

// Kinds of events, one JSON object each (docs/events.md).
const (
	KindUtterance    = "utterance"
	KindTurnStarted  = "turn.started"
	KindToolCalled   = "tool.called"
	KindToolFinished = "tool.finished"
	KindSentence     = "sentence"
	KindAudioStarted = "audio.started"
	KindTurnEnded    = "turn.ended"
	KindNotice       = "notice"
)

// Header begins every event.
type Header struct {
	Time time.Time `json:"time"`
	Kind string    `json:"kind"`
	// Turn is the number of the turn, from 1; 0 for events outside turns.
	Turn int64 `json:"turn"`
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

// AudioStarted reports the first sound of a turn.
type AudioStarted struct {
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
}

// Route says why an NPC was addressed.
type Route string

const (
	RouteName         Route = "name"
	RouteGroup        Route = "group"
	RouteContinuation Route = "continuation"
	RouteOnlyNPC      Route = "only_npc"
	RoutePuppet       Route = "puppet"
	RouteNone         Route = "none"
)

// Outcome says how a turn ended.
type Outcome string

const (
	OutcomeDelivered Outcome = "delivered"
	OutcomeCancelled Outcome = "cancelled"
	OutcomeFailed    Outcome = "failed"
	OutcomeMuted     Outcome = "muted"
	OutcomeNoTarget  Outcome = "no_target"
)

// Sink takes the table's events. Emit is called from the table's goroutine, in
// order; a slow Emit slows the table down and loses nothing.
type Sink interface{ Emit(Event) }
