package fakegemini

import "time"

// Turn is one answer. Its steps are sent without pauses, then
// generationComplete and turnComplete. The zero value is an empty answer: only
// turnComplete.
type Turn struct {
	// Heard is the transcript of the player's input, sent first, in two pieces.
	Heard string
	Steps []Step
	// Playing holds turnComplete back until the client's next input interrupts
	// it, as the service does while it assumes that its sound is playing.
	Playing bool
	// Late sends "interrupted" only after turnComplete when the turn is
	// interrupted.
	Late bool
	// Reason is turnCompleteReason.
	Reason string
	// Waiting sends waitingForInput instead of everything else.
	Waiting bool
	// Usage is sent with turnComplete.
	Usage *Usage
	// Handle is a resumption handle sent after the turn.
	Handle string
	// Unasked is sent unasked after the turn, as its own turn.
	Unasked []Step
}

// Step is a part of an answer, one of the types below.
type Step interface{ step() }

// Speak is sound, a tone, with its transcript.
type Speak struct {
	Text string
	// Sound is its length; zero means 40 ms. It is sent in pieces of 40 ms.
	Sound time.Duration
	// Odd splits a sample at the end of each piece.
	Odd bool
}

// CallTools calls tools in one message and waits for all answers.
type CallTools struct {
	Calls []Call
	// Trailing is the length of sound after the calls and before the answers.
	Trailing time.Duration
	// Cancel cancels calls at once, by their ids.
	Cancel []string
	// NoWait continues without the answers, as for tools that do not block. An
	// answer that is not silent then begins the script's next turn.
	NoWait bool
}

// Call is a tool call.
type Call struct {
	ID, Name string
	Args     map[string]any
}

// Hang sends no more until the turn is interrupted.
type Hang struct{}

// GoAway announces the end of the connection.
type GoAway struct{ Left time.Duration }

// Resumable is a resumption update; an empty handle means that there is none
// now.
type Resumable struct{ Handle string }

// Send is a raw message, for example an invalid one.
type Send struct{ Message string }

// Close ends the connection.
type Close struct {
	Code   int
	Reason string
}

// Usage is usageMetadata.
type Usage struct {
	PromptText, PromptAudio, ResponseText, ResponseAudio, Thoughts, Cached int
}

func (Speak) step()     {}
func (CallTools) step() {}
func (Hang) step()      {}
func (GoAway) step()    {}
func (Resumable) step() {}
func (Send) step()      {}
func (Close) step()     {}
func (Usage) step()     {}

// Say returns an answer of one piece of speech.
func Say(text string) Turn { return Turn{Steps: []Step{Speak{Text: text}}} }

// The service's reasons for a close.
var (
	// BadKey refuses a key.
	BadKey = Close{1007, "API key not valid. Please pass a valid API key."}
	// Quota means that a quota is used up.
	Quota = Close{1011, "You exceeded your current quota, please check your plan and billing details. For more information on this"}
	// Internal is a failure of the service.
	Internal = Close{1011, "Internal error encountered."}
	// Aborted ends a connection that has reached its time limit.
	Aborted = Close{1008, "The operation was aborted."}
	// BadHandle means an unknown resumption handle.
	BadHandle = Close{1008, "BidiGenerateContent session not found"}

	invalid      = Close{1007, "Request contains an invalid argument."}
	notFound     = Close{1008, "Requested entity was not found."}
	noTurn       = Close{1007, "Request trace id: 0, [ORIGINAL ERROR] generic::invalid_argument: No turn to complete"}
	notManual    = Close{1007, "Explicit activity control is not supported when automatic activity detection is enabled."}
	setupFirst   = Close{1007, "setup must be the first message and only the first"}
	unregistered = Close{1008, "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other form"}
)
