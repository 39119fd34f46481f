package fakegemini

import "time"

// Turn is one answer. Its steps are sent as fast as they can be; after the last come
// generationComplete and turnComplete. The zero value is an empty answer: a
// turnComplete alone.
type Turn struct {
	// Heard is the transcript of what the player said, which comes first, in two
	// pieces.
	Heard string
	Steps []Step
	// Playing holds turnComplete back until the client's next input interrupts it, as
	// the service does while it takes its sound to be played.
	Playing bool
	// Late sends "interrupted" after turnComplete when the turn is interrupted, and not
	// before.
	Late bool
	// Reason is turnCompleteReason.
	Reason string
	// Waiting says waitingForInput in place of everything.
	Waiting bool
	// Usage comes with turnComplete.
	Usage *Usage
	// Handle is a resumption handle that comes after the turn.
	Handle string
	// Unasked is what is said after the turn without having been asked for, as a turn
	// of its own.
	Unasked []Step
}

// Step is a part of an answer: one of the types below.
type Step interface{ step() }

// Speak is sound, a tone, with its transcript.
type Speak struct {
	Text string
	// Sound is how long it is; if zero, 40 ms. It comes in pieces of 40 ms.
	Sound time.Duration
	// Odd cuts each sample's bytes apart at the end of each piece.
	Odd bool
}

// CallTools asks for tools, all in one message, and waits for all answers.
type CallTools struct {
	Calls []Call
	// Trailing is how much sound comes after the calls and before the answers.
	Trailing time.Duration
	// Cancel takes calls back at once, by their ids.
	Cancel []string
	// NoWait goes on without the answers, as for tools that do not block. An answer
	// that is not silent then has the next turn of the script begin.
	NoWait bool
}

// Call is a tool call.
type Call struct {
	ID, Name string
	Args     map[string]any
}

// Hang says nothing more until the turn is interrupted.
type Hang struct{}

// GoAway announces the end of the connection.
type GoAway struct{ Left time.Duration }

// Resumable is a resumption update; an empty handle says that there is none now.
type Resumable struct{ Handle string }

// Send is a message as it is, such as one that is none.
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

// Say is an answer of one piece of speech.
func Say(text string) Turn { return Turn{Steps: []Step{Speak{Text: text}}} }

// The service's reasons for closing a connection.
var (
	// BadKey refuses a key.
	BadKey = Close{1007, "API key not valid. Please pass a valid API key."}
	// Quota means that too much was used.
	Quota = Close{1011, "You exceeded your current quota, please check your plan and billing details. For more information on this"}
	// Internal is a failure of the service.
	Internal = Close{1011, "Internal error encountered."}
	// Aborted ends a connection that has lasted its time.
	Aborted = Close{1008, "The operation was aborted."}
	// BadHandle means a resumption handle it does not know.
	BadHandle = Close{1008, "BidiGenerateContent session not found"}

	invalid      = Close{1007, "Request contains an invalid argument."}
	notFound     = Close{1008, "Requested entity was not found."}
	noTurn       = Close{1007, "Request trace id: 0, [ORIGINAL ERROR] generic::invalid_argument: No turn to complete"}
	notManual    = Close{1007, "Explicit activity control is not supported when automatic activity detection is enabled."}
	setupFirst   = Close{1007, "setup must be the first message and only the first"}
	unregistered = Close{1008, "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other form"}
)
