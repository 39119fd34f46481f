// Package engine defines how an NPC turn is answered. An engine receives a prompt and a toolset, and returns
// a stream of sentences and tool events:
//
//	for ev, err := range engine.NewCascaded(model, nil).Answer(ctx, req) {
//		// handle err; ev is for example an engine.Sentence
//	}
//
// The engines for language models are in this package, and the one for speech-to-speech models is in the
// subpackage s2s. The package itself does no I/O.
package engine

import (
	"context"
	"errors"
	"iter"
	"time"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/guard"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

// Request describes the turn to answer.
type Request struct {
	// NPC is the NPC that answers.
	NPC config.NPC
	// Messages is the prompt, the player's line last.
	Messages []llm.Message
	Persona  llm.Persona
	// Names are the names of the NPC. If a model prefixes its answer with one of them, the prefix is not spoken.
	Names []string
	// Tools are the tools that the NPC may use in this turn. It is never nil.
	Tools *mcphost.Toolset
	// Rounds is the number of tool rounds that the turn's tier allows (docs/adr/0005).
	Rounds int
	// ModelTimeout bounds the wait for each piece of the model's answer.
	ModelTimeout time.Duration
	// Hurry requests the model that answers soonest instead of the first one.
	Hurry bool
	// FirstSoundLate says that the first sound would come too late without a fast model's opener.
	FirstSoundLate bool
	// Plain says that nothing in the player's line asks for tools or careful thought, so that a short answer may
	// be enough.
	Plain bool
	// MayDecline says that the line may be meant for someone else. Messages then tell the model how to stay
	// silent ([speech.Silent]). Such an answer ends in [ErrDeclined] as soon as that is clear, if none of it has
	// been said. Without MayDecline, it counts as an answer that says nothing. It is never spoken.
	MayDecline bool
	// Clauses requests the first clause of the answer before its sentence is complete, if possible. Engines need
	// not support it.
	Clauses bool
	// Confirmed is closed once the turn is confirmed. Until then it is a guess at the player's words, and no tool
	// may run. If nil, the turn is confirmed from the start.
	Confirmed <-chan struct{}
	// Spoken is the sound of the player's line; nil if the line was typed.
	Spoken *Recording
	// Playback tells a speech-to-speech engine how much of its voice was heard.
	Playback Playback
	// Retry says that the answer continues one that was broken off, whose beginning is in Messages. Engines
	// continue in text, without an opener or a voice of their own.
	Retry bool
	// Background is further information about the turn that is not in its prompt.
	Background Background
}

// Background holds the texts against which a turn's answer is checked. Its slices must
// not be changed.
type Background struct {
	// Cast is a number that changes with the NPCs at the table.
	Cast int
	// OtherNames are the names and aliases of the other NPCs, and Players the names of the players.
	OtherNames, Players []string
	// PlayerLine is the player's line, followed by another NPC's answer to it if there is one.
	PlayerLine string
	// IsReaction says that another NPC has answered already, so that this one need not say anything.
	IsReaction bool
	// Recent are the sentences of the NPC's last turns, oldest first.
	Recent []string
	// RevealedSecrets are the secrets that the NPC may tell now, in the words of its file.
	RevealedSecrets []string
	// Rules says that the prompt contains rules of the game, which the search before the turn found.
	Rules bool
	// Found are the tool results of the previous turn if it was cut, each as "tool(arguments): result".
	Found []string
	// Edits counts how often lines were taken back or reworded that are in the history, or were before it was
	// shortened. An engine that remembers more than Messages must then forget it.
	Edits int
	// Turn is the number of the turn.
	Turn int64
}

// Playback says how much of an answer's own sound was heard. In the zero value the answer is shown, not
// heard.
type Playback struct {
	// Heard returns how much [Sound] has been heard; nil if the answer is not heard.
	Heard func() time.Duration
	// Ended is closed once no more of it will be heard; nil if the answer is not heard.
	Ended <-chan struct{}
}

// Event is an event while a turn is answered: one of the types below.
type Event interface{ event() }

// FirstToken reports the first piece of the model's first answer.
type FirstToken struct{ After time.Duration }

// Begun reports that an answer which may decline does not, because it has words or a tool call. A [Sentence]
// implies this, so Begun need not come before it.
type Begun struct{}

// Clause is the beginning of the next sentence, which can be spoken before that is complete. The [Sentence]
// follows in full, and begins with the clause. An answer has at most one clause, in its first sentence. A
// second, empty clause withdraws the first, unless it is being spoken already.
type Clause struct{ Text string }

// Sentence is a complete sentence to speak.
type Sentence struct{ Text string }

// Sound is a piece of the NPC's own voice, mono at audio.SampleRate, from a speech-to-speech engine. The
// receiver must not change it.
type Sound struct{ Samples []int16 }

// Answering reports that a speech-to-speech engine has begun to answer, so that its first [Sound] will come
// soon.
type Answering struct{}

// Interrupted reports that a speech-to-speech engine let a player interrupt it, so that no more of the answer
// comes. The receiver decides whether to play what came before to its end.
type Interrupted struct{}

// Wording is the text of the sound since the last [Spoken], as far as it is known.
type Wording struct{ Text string }

// Spoken ends a sentence of the NPC's own voice.
type Spoken struct {
	Text string
	// Until is the position of its end, measured from the answer's first [Sound]. Later sound belongs to the
	// next sentence.
	Until time.Duration
}

// Guarded reports that words were withheld. No [Sentence] and no [Spoken] contains them.
type Guarded struct{ Reasons []guard.Reason }

// Withdrawn withdraws an engine's own voice from a position on, measured from the answer's first [Sound]. No
// more of that voice follows in the answer.
type Withdrawn struct{ At time.Duration }

// ToolCalled reports a call that the model requested, before it runs.
type ToolCalled struct {
	Round int // from 1
	Call  llm.ToolCall
}

// ToolFinished reports how a call ended.
type ToolFinished struct {
	Round int
	Call  llm.ToolCall
	mcphost.Outcome
}

// ToolDeferred reports a call that is made when the turn is committed (docs/adr/0016).
type ToolDeferred struct {
	Round int
	Call  llm.ToolCall
}

// RoundEnded reports the end of a round of parallel calls and its wall-clock time.
type RoundEnded struct {
	Round    int
	Duration time.Duration
}

// Notice is a message to people that is not part of the story.
type Notice struct {
	Level string // "info", "warning" or "error"
	Text  string
}

func (FirstToken) event()   {}
func (Begun) event()        {}
func (Notice) event()       {}
func (Clause) event()       {}
func (Sentence) event()     {}
func (Sound) event()        {}
func (Answering) event()    {}
func (Interrupted) event()  {}
func (Wording) event()      {}
func (Spoken) event()       {}
func (Guarded) event()      {}
func (Withdrawn) event()    {}
func (ToolCalled) event()   {}
func (ToolFinished) event() {}
func (ToolDeferred) event() {}
func (RoundEnded) event()   {}

// Engine answers turns. Implementations must be safe for concurrent use.
type Engine interface {
	// Answer runs one turn. The sequence yields events in order until the answer is complete. A non-nil error
	// ends it. Cancelling ctx or breaking the loop ends the model stream and the tools before the sequence
	// returns. Provider usage is charged to the cost.Account in ctx, even if it is reported later.
	Answer(ctx context.Context, req Request) iter.Seq2[Event, error]
}

// Ahead describes a player's probable line to an NPC, before it is certain.
type Ahead struct {
	NPC config.NPC
	// Messages are the beginning of the prompt: who the NPC is, and its history.
	Messages []llm.Message
	// Edits is as in [Background].
	Edits int
	// Tools are the tools that the NPC may use at the lowest tier.
	Tools *mcphost.Toolset
	Sound *Recording
}

// Listener is an engine that listens while a player is still speaking, so that less work is left once the
// words are known. Its methods must not block.
type Listener interface {
	// ListenAhead: a player begins to speak, probably to the NPC.
	ListenAhead(Ahead)
	// Decline: the sound that was listened to ahead was not for this NPC.
	Decline(npc config.NPC, sound *Recording)
}

// ErrModelSilent means that the model sent nothing for longer than allowed.
var ErrModelSilent = errors.New("the model stopped answering")

// ErrWithheld is the cause with which the context of an answer is cancelled that said something forbidden and
// that another engine continues. The part that was not heard counts as never said.
var ErrWithheld = errors.New("the answer contained what the NPC must not say")

// ErrTooLong means that the model's answer exceeded the limit. What was written before that is spoken.
var ErrTooLong = errors.New("the model's answer did not end, so the rest was dropped")

// ErrNothingSaid means that the model finished without a word to speak.
var ErrNothingSaid = errors.New("the model said nothing")

// errOnlyCalls means that the model asked for tools until no more were allowed, and then for another one instead
// of answering. It is an [ErrNothingSaid] with words of its own.
var errOnlyCalls error = onlyCalls{}

type onlyCalls struct{}

func (onlyCalls) Error() string {
	return "the model asked for one more tool instead of answering; give the NPC fewer tools, or choose another model"
}

func (onlyCalls) Is(target error) bool { return target == ErrNothingSaid }

// ErrDeclined means that the NPC does not answer, because the line is not meant for it. Only an answer to a
// request with
// [Request.MayDecline] ends with it.
var ErrDeclined = errors.New("the line was not meant for the NPC")
