// Package s2s defines what a speech-to-speech model is to Glyphoxa: a session
// that takes a player's sound and answers in sound, with tool calls in between.
// One sub-package per vendor protocol implements [Provider]. What a vendor can and
// cannot do is told by [Capabilities]; nobody above asks for its name.
//
// It does no I/O and starts no goroutine.
package s2s

import (
	"context"
	"errors"
	"time"

	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

// ToolChange says how an open session gets other tools.
type ToolChange uint8

// The ways of changing tools.
const (
	// ToolsByNewSession: not at all; only a new session has others.
	ToolsByNewSession ToolChange = iota
	// ToolsByUpdate: by an update of the session.
	ToolsByUpdate
	// ToolsByContext: by an entry of the conversation, in order with the others.
	ToolsByContext
)

// Capabilities are what the sessions of a provider can do. They do not change.
type Capabilities struct {
	// InputRate and OutputRate are the samples a second of sound to and from it,
	// mono.
	InputRate, OutputRate int
	// ToolChange is how SetTools works in the middle of a session. With
	// ToolsByNewSession it fails with [ErrUnsupported].
	ToolChange ToolChange
	// ManualTurns: nothing is answered before Respond. Without it the vendor decides
	// when it answers, so that sound may only be sent once it is known to be meant for
	// it.
	ManualTurns bool
	// Clears: sound that was sent and not answered can be taken back by ClearTurn.
	Clears bool
	// Truncates: the session forgets what of its answer was not heard.
	Truncates bool
	// Typed: Respond takes text in place of sound.
	Typed bool
	// EndsTurns: an answer's end is told by an event. Without it an answer has ended
	// once nothing more has come for a while.
	EndsTurns bool
	// Duplex: the vendor listens while it speaks and decides itself who interrupts
	// whom. Its voice delegates work, see [Delegator], and takes no tools.
	Duplex bool
	// Longest is how long a session may last; if zero, without end. A session should
	// be replaced between two answers before that.
	Longest time.Duration
}

// SessionOptions say what a session begins with.
type SessionOptions struct {
	// Instructions say who the model is and how it behaves.
	Instructions string
	// Voice is the vendor's name of a voice; empty for its usual one.
	Voice string
	// Language is what is spoken, as a BCP 47 tag; empty if any. It is part of the
	// instructions already; this is for vendors with a setting of their own.
	Language string
	// Tools are all the model may call.
	Tools []llm.ToolDefinition
	// History is what was said before, oldest first: messages of [llm.RoleUser] and
	// [llm.RoleAssistant].
	History []llm.Message
	// Resume is what the last [Resumable] of an earlier session of the same NPC said;
	// empty for a new beginning. With it the history is not sent again.
	Resume string
}

// Provider opens sessions. Implementations are safe for concurrent use.
type Provider interface {
	// Connect opens a session, ready for sound, within ctx; ctx does not bound the
	// session's life.
	Connect(ctx context.Context, o SessionOptions) (Session, error)
	Capabilities() Capabilities
	// Name identifies vendor and model in logs and notices, such as
	// "openai gpt-realtime".
	Name() string
}

// Response is what a session is asked to answer.
type Response struct {
	// Text is what a player typed. If empty, the sound since BeginTurn is answered.
	Text string
	// Speaker is who spoke; it may be empty.
	Speaker string
	// Context is what the model should know for this answer alone: the scene, what
	// others said. It may be empty.
	Context string
	// Silent says that nobody listens: an answer in words alone will do, where the
	// vendor has any.
	Silent bool
}

// ToolResult answers a tool call.
type ToolResult struct {
	ID string // of the call
	// Name is the tool's.
	Name string
	// Text is what the tool told, or why it failed.
	Text string
	// IsError says that Text is a failure's.
	IsError bool
	// Silent says that nobody waits for it any more: the model is to say nothing about
	// it.
	Silent bool
}

// ToolCallHandler takes a tool call. It is called by the goroutine that is in
// Recv, and must return at once; the result follows by SendToolResult.
type ToolCallHandler func(llm.ToolCall)

// Session is one conversation with a model. Recv is called by one goroutine at a
// time; all other methods are safe for concurrent use, but what is sent is meant
// in order, so that a session should have one goroutine that speaks to it: only
// SendToolResult and SetTools come from others. Each returns ctx's error once ctx
// ends, and one that wraps [ErrClosed] once the session has ended.
type Session interface {
	// BeginTurn says that the sound of a player's turn follows.
	BeginTurn(ctx context.Context) error
	// SendAudio adds sound to the turn: mono, at Capabilities.InputRate. It keeps no
	// reference to samples.
	SendAudio(ctx context.Context, samples []int16) error
	// ClearTurn takes back the sound since BeginTurn. Without Capabilities.Clears it
	// fails with [ErrUnsupported].
	ClearTurn(ctx context.Context) error
	// Respond ends the turn and asks for an answer. It is not called while an answer is
	// on its way.
	Respond(ctx context.Context, r Response) error
	// Inject adds messages to what the session knows, without an answer.
	Inject(ctx context.Context, messages ...llm.Message) error
	// SetTools replaces the tools from the next answer on.
	SetTools(ctx context.Context, tools []llm.ToolDefinition) error
	// OnToolCall has tool calls handled; nil has them refused, each with an error the
	// model is told.
	OnToolCall(handle ToolCallHandler)
	// SendToolResult answers a call. Once all calls of an answer have their results
	// the session goes on with the answer by itself, unless all of them are silent.
	SendToolResult(ctx context.Context, r ToolResult) error
	// Interrupt ends the answer, whether it is still being made or only still being
	// played. heard is how much of its sound was heard; it is clamped to what came.
	// What was not heard is forgotten, if Capabilities.Truncates.
	Interrupt(ctx context.Context, heard time.Duration) error
	// Recv returns the next event. An error that wraps [ErrClosed] is the session's
	// end, and says why.
	Recv(ctx context.Context) (Event, error)
	// Close ends the session, and a Recv under way. It may be called more than once.
	Close() error
}

// Delegator is a session whose voice has others do the work: after [Delegated] it
// waits to be told what to say.
type Delegator interface {
	// Tell has the voice say text as the answer to a delegation, or know it silently.
	Tell(ctx context.Context, delegation, text string, silent bool) error
}

// Event is what a session tells: one of the types below.
type Event interface{ event() }

// InputTranscript is what the session understood of the player. Text is a further
// piece of it, or all of it if Final.
type InputTranscript struct {
	Text  string
	Final bool
}

// ResponseStarted says that an answer is being made. It comes before all else of an
// answer to a Respond, and after all that is left of the one before it, such as the
// end of one that was interrupted.
type ResponseStarted struct{}

// Audio is a piece of the answer's sound, mono, at Capabilities.OutputRate.
type Audio struct {
	// Item tells the parts of an answer apart; the sound of one part comes in one
	// piece after the other, that of another may begin before it has ended.
	Item    string
	Samples []int16
}

// OutputTranscript is a piece of what the answer's sound says. It may come before
// the sound, or after it.
type OutputTranscript struct {
	Item string
	Text string
}

// ItemDone says that the sound and the transcript of a part are complete.
type ItemDone struct{ Item string }

// ToolCalled tells of a call, which has been given to the handler.
type ToolCalled struct{ Call llm.ToolCall }

// ToolCancelled says that the model does not want the results of calls any more.
type ToolCancelled struct{ IDs []string }

// Delegated says that the voice waits for an answer to what the player said. The
// same delegation may be told more than once.
type Delegated struct{ ID string }

// Interrupted says that the vendor itself has ended its answer since somebody
// spoke: sound that was not played yet is not meant any more.
type Interrupted struct{}

// GenerationDone says that all of the answer has been sent. Calls says how many
// tool calls it had; if any, it goes on once they are answered.
type GenerationDone struct {
	Calls int
	// Status is "completed", "cancelled", "incomplete" or "failed".
	Status string
	// Err is why it failed, nil if it did not.
	Err error
}

// Usage is what has been used since the last one.
type Usage struct {
	InputTextTokens, OutputTextTokens   int
	InputAudioTokens, OutputAudioTokens int
	CachedTokens                        int // of the input tokens
	// AudioSeconds is for vendors who charge by the time.
	AudioSeconds float64
}

// Failed is an error the session survives.
type Failed struct {
	Err error
	// Call is the id of the tool call it is about; empty if about none.
	Call string
}

// GoingAway says that the vendor will end the session.
type GoingAway struct{ Left time.Duration }

// Resumable says that a new session can go on where this one is.
type Resumable struct{ Handle string }

func (InputTranscript) event()  {}
func (ResponseStarted) event()  {}
func (Audio) event()            {}
func (OutputTranscript) event() {}
func (ItemDone) event()         {}
func (ToolCalled) event()       {}
func (ToolCancelled) event()    {}
func (Delegated) event()        {}
func (Interrupted) event()      {}
func (GenerationDone) event()   {}
func (Usage) event()            {}
func (Failed) event()           {}
func (GoingAway) event()        {}
func (Resumable) event()        {}

// Errors a provider wraps so that callers can tell what would help.
var (
	// ErrClosed means the session is over.
	ErrClosed = errors.New("the session is over")
	// ErrUnsupported means that the vendor cannot do this; Capabilities say so.
	ErrUnsupported = errors.New("the speech-to-speech service cannot do this")
	// ErrRateLimited means the vendor asked to slow down.
	ErrRateLimited = errors.New("the speech-to-speech service is rate limited")
	// ErrUnavailable means the vendor could not be reached or failed; trying again may
	// help.
	ErrUnavailable = errors.New("the speech-to-speech service is unavailable")
	// ErrRejected means that no retry helps, in another session neither: a bad key, no
	// quota, an unknown model. A request that is refused in the middle of a session is
	// none of these.
	ErrRejected = errors.New("the speech-to-speech service refused")
	// ErrFiltered means that the vendor's safety filter refused what was said: it will
	// not answer this, but it may answer something else.
	ErrFiltered = errors.New("the speech-to-speech service's safety filter refused this")
)
