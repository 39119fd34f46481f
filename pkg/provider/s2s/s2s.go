// Package s2s defines speech-to-speech models: a session takes a player's audio and answers with audio, with
// tool calls in between. One sub-package per vendor protocol implements [Provider]. [Capabilities] describe
// what a vendor can do, so that callers need not know its name.
//
//	session, err := provider.Connect(ctx, s2s.SessionOptions{Instructions: prompt, Tools: tools})
//	err = session.BeginTurn(ctx)
//	err = session.SendAudio(ctx, samples)
//	err = session.Respond(ctx, s2s.Response{Speaker: "Ana"})
//	event, err := session.Recv(ctx)
//
// The package does no I/O and starts no goroutine.
package s2s

import (
	"context"
	"errors"
	"time"

	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

// ToolChange is how an open session gets other tools.
type ToolChange uint8

// Values of ToolChange.
const (
	// ToolsByNewSession: only a new session can have other tools.
	ToolsByNewSession ToolChange = iota
	// ToolsByUpdate: by a session update.
	ToolsByUpdate
	// ToolsByContext: by an entry of the conversation, in order with the others.
	ToolsByContext
)

// Capabilities describe what a provider's sessions can do. They do not change.
type Capabilities struct {
	// InputRate and OutputRate are the sample rates in hertz of mono audio to and from the session.
	InputRate, OutputRate int
	// ToolChange is how SetTools works in an open session. With ToolsByNewSession it fails with
	// [ErrUnsupported].
	ToolChange ToolChange
	// ManualTurns: the session answers only after Respond. Without it, the vendor decides when to answer, so
	// audio must be sent only once it is known to be meant for the session.
	ManualTurns bool
	// Clears: ClearTurn can withdraw audio that was sent and not answered.
	Clears bool
	// Truncates: the session forgets the part of its answer that was not heard.
	Truncates bool
	// Typed: Respond accepts text instead of audio.
	Typed bool
	// EndsTurns: an event reports the end of an answer. Without it, an answer has ended once nothing has
	// arrived for a while.
	EndsTurns bool
	// Duplex: the vendor listens while it speaks and decides itself who interrupts whom. Its voice delegates
	// work, see [Delegator], and takes no tools.
	Duplex bool
	// Longest is the maximum duration of a session; zero means no limit. A session should be replaced between
	// two answers before it ends.
	Longest time.Duration
}

// SessionOptions configure a session.
type SessionOptions struct {
	// Instructions describe the model's role and behaviour.
	Instructions string
	// Voice is the vendor's name of a voice; empty for the default.
	Voice string
	// Language is the spoken language as a BCP 47 tag; empty for any. The instructions contain it already;
	// this is for vendors with a separate setting.
	Language string
	// Tools are the tools that the model may call.
	Tools []llm.ToolDefinition
	// History is the conversation so far, oldest first: messages of [llm.RoleUser] and [llm.RoleAssistant].
	History []llm.Message
	// Resume is the handle of the last [Resumable] of an earlier session of the same NPC; empty to start
	// anew. If set, the history is not sent again.
	Resume string
}

// Provider opens sessions. Implementations are safe for concurrent use.
type Provider interface {
	// Connect opens a session that is ready for audio. ctx limits only the opening, not the life of the
	// session.
	Connect(ctx context.Context, o SessionOptions) (Session, error)
	Capabilities() Capabilities
	// Name identifies vendor and model in logs and notices, such as
	// "openai gpt-realtime".
	Name() string
}

// Response is a request for an answer.
type Response struct {
	// Text is a player's typed text. If empty, the session answers the audio since
	// BeginTurn.
	Text string
	// Speaker is the speaker's name; it may be empty.
	Speaker string
	// Context is information for the model for this answer only: the scene, other speakers' lines. It
	// may be empty.
	Context string
	// Silent means that no one listens: a text-only answer suffices, if the vendor supports it.
	Silent bool
}

// ToolResult is the result of a tool call.
type ToolResult struct {
	ID string // of the call
	// Name is the tool's name.
	Name string
	// Text is the tool's output, or why it failed.
	Text string
	// IsError means that Text describes a failure.
	IsError bool
	// Silent means that the result is no longer awaited and the model must not respond to it.
	Silent bool
}

// ToolCallHandler handles a tool call. It is called by the goroutine that calls Recv, and must return at
// once; the result follows by SendToolResult.
type ToolCallHandler func(llm.ToolCall)

// Session is a conversation with a model. Only one goroutine may call Recv at a time; all other methods are
// safe for concurrent use. Since the order of messages matters, a single goroutine should drive a session;
// only SendToolResult and SetTools may come from others. Each method returns ctx's error once ctx is done,
// and an error that wraps [ErrClosed] once the session has ended.
type Session interface {
	// BeginTurn announces the audio of a player's turn.
	BeginTurn(ctx context.Context) error
	// SendAudio adds mono audio at Capabilities.InputRate to the turn. It does not retain samples.
	SendAudio(ctx context.Context, samples []int16) error
	// ClearTurn withdraws the audio since BeginTurn. Without Capabilities.Clears it fails with
	// [ErrUnsupported].
	ClearTurn(ctx context.Context) error
	// Respond ends the turn and requests an answer. It must not be called while an answer is in progress.
	Respond(ctx context.Context, r Response) error
	// Inject adds messages to the session's context without requesting an answer.
	Inject(ctx context.Context, messages ...llm.Message) error
	// SetTools replaces the tools from the next answer on.
	SetTools(ctx context.Context, tools []llm.ToolDefinition) error
	// OnToolCall sets the handler of tool calls. If nil, each call is refused with an error that the model
	// receives.
	OnToolCall(handle ToolCallHandler)
	// SendToolResult sends the result of a call. Once all calls of an answer have results, the session
	// continues the answer by itself, unless all of them are silent.
	SendToolResult(ctx context.Context, r ToolResult) error
	// Interrupt ends the answer, whether it is still being generated or only being played. heard is the
	// duration that was heard, clamped to the duration that has arrived. With Capabilities.Truncates, the
	// session forgets the rest.
	Interrupt(ctx context.Context, heard time.Duration) error
	// Recv returns the next event. An error that wraps [ErrClosed] means that the session has ended, and says
	// why.
	Recv(ctx context.Context) (Event, error)
	// Close ends the session and unblocks Recv. It may be called more than once.
	Close() error
}

// Delegator is a session whose voice delegates the work: after [Delegated] it waits to be told what to say.
type Delegator interface {
	// Tell makes the voice say text as the answer to a delegation, or, if silent is set, only know it.
	Tell(ctx context.Context, delegation, text string, silent bool) error
}

// Event is something a session reports: one of the types below.
type Event interface{ event() }

// InputTranscript is the transcript of the player. Text is a further part of it, or the whole if Final is
// set.
type InputTranscript struct {
	Text  string
	Final bool
}

// ResponseStarted means that an answer is being generated. It precedes all other events of an answer to
// Respond, and follows all events of the previous answer, such as the end of an interrupted one.
type ResponseStarted struct{}

// Audio is a piece of the answer's mono audio at Capabilities.OutputRate.
type Audio struct {
	// Item identifies a part of the answer. The audio of a part arrives in order, but another part may begin
	// before it has ended.
	Item    string
	Samples []int16
}

// OutputTranscript is a piece of the answer's transcript. It may arrive before or after the audio.
type OutputTranscript struct {
	Item string
	Text string
}

// ItemDone means that the audio and the transcript of a part are complete.
type ItemDone struct{ Item string }

// ToolCalled reports a call that has been passed to the handler.
type ToolCalled struct{ Call llm.ToolCall }

// ToolCancelled means that the model no longer wants the results of calls.
type ToolCancelled struct{ IDs []string }

// Delegated means that the voice waits for an answer to the player's words. The same delegation may be
// reported more than once.
type Delegated struct{ ID string }

// Interrupted means that the vendor ended its answer because a player spoke. Audio that has not been played
// must be dropped.
type Interrupted struct{}

// GenerationDone means that the whole answer has been sent. Calls is its number of tool calls; if there are
// any, the answer continues once they have results.
type GenerationDone struct {
	Calls int
	// Status is "completed", "cancelled", "incomplete" or "failed".
	Status string
	// Err is why it failed, or nil.
	Err error
}

// Usage is the usage since the previous Usage.
type Usage struct {
	InputTextTokens, OutputTextTokens   int
	InputAudioTokens, OutputAudioTokens int
	CachedTokens                        int // of the input tokens
	// AudioSeconds is for vendors that charge by time.
	AudioSeconds float64
}

// Failed reports an error that the session survives.
type Failed struct {
	Err error
	// Call is the ID of the tool call concerned; empty if there is none.
	Call string
}

// GoingAway means that the vendor will end the session.
type GoingAway struct{ Left time.Duration }

// Resumable means that a new session can continue from this point.
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

// Errors that providers wrap so that callers can tell how to react.
var (
	// ErrClosed means that the session has ended.
	ErrClosed = errors.New("the session is over")
	// ErrUnsupported means that the vendor does not support the operation, see Capabilities.
	ErrUnsupported = errors.New("the speech-to-speech service cannot do this")
	// ErrRateLimited means that the vendor asked to slow down.
	ErrRateLimited = errors.New("the speech-to-speech service is rate limited")
	// ErrUnavailable means that the vendor could not be reached or failed; retrying may help.
	ErrUnavailable = errors.New("the speech-to-speech service is unavailable")
	// ErrRejected means that no retry helps, not even in another session: a bad key, an exhausted quota, an
	// unknown model. A request that is refused during a session is not such an error.
	ErrRejected = errors.New("the speech-to-speech service refused")
	// ErrFiltered means that the vendor's safety filter refused the content: the session will not answer
	// this, but may answer something else.
	ErrFiltered = errors.New("the speech-to-speech service's safety filter refused this")
)
