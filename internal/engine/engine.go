// Package engine defines how an NPC turn is answered: a prompt and a toolset
// in, a stream of sentences and tool events out. Each way of answering is a
// sub-package.
// The package itself does no I/O.
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

// Request is what an engine answers.
type Request struct {
	// NPC answers.
	NPC config.NPC
	// Messages is the prompt, the player's line last.
	Messages []llm.Message
	Persona  llm.Persona
	// Names are what the NPC is called; a model that prefixes its answer with
	// one of them is not made to speak it.
	Names []string
	// Tools is all the NPC may use in this turn. It is never nil.
	Tools *mcphost.Toolset
	// Rounds is how many tool rounds the turn's tier allows (docs/adr/0006).
	Rounds int
	// ModelTimeout bounds the wait for each piece of the model's answer.
	ModelTimeout time.Duration
	// Hurry asks for the model that answers soonest rather than the first.
	Hurry bool
	// Late says that the first sound would come too late unless a fast model opens.
	Late bool
	// Plain says that nothing in the player's line asks for tools or careful thought:
	// a short answer may be all it takes.
	Plain bool
	// MayDecline says that the line may be meant for somebody else. Messages tell the
	// model how to stay silent ([speech.Silent]); an answer that does so, and of which
	// nothing has been said, ends in [ErrDeclined] as soon as that shows. Without it
	// such an answer is one that says nothing. It is never spoken.
	MayDecline bool
	// Clauses asks for the first clause of the answer where it can be told before its
	// sentence is complete. Engines need not.
	Clauses bool
	// Go is closed once the turn is meant: until then it is a guess at what the
	// player is saying, and no tool may run. If nil, it is meant from the start.
	Go <-chan struct{}
	// Spoken is the sound of the player's line; nil if the line was typed.
	Spoken *Recording
	// Playback tells an engine that has a voice of its own what was heard of it.
	Playback Playback
	// Again says that an answer goes on that was broken off: its beginning is among
	// Messages. Engines go on in words, without an opener or a voice of their own.
	Again bool
	// Background is what is known of the turn beside its prompt.
	Background Background
}

// Background is what a turn's answer is held to. Its slices must not be changed.
type Background struct {
	// Cast changes with the NPCs at the table.
	Cast int
	// Others are the names and aliases of the other NPCs, Players the people's names.
	Others, Players []string
	// Asked is what is answered: the player's line, and after it what another NPC has
	// answered already.
	Asked string
	// Remark says that another NPC has answered: nothing has to be said.
	Remark bool
	// Before are the sentences of the NPC's last turns, oldest first.
	Before []string
	// Told are the secrets, as the NPC has them, that it may tell now.
	Told []string
	// Rules says that rules of the game are in the prompt, because the search before the turn found them.
	Rules bool
	// Found is what tools told in the turn before, if that was cut off, each as
	// "tool(arguments): result".
	Found []string
	// Edits counts how often lines of the history were taken back or reworded, or of
	// what it had before: who remembers more than is in Messages has to forget it.
	Edits int
	// Turn numbers the turn.
	Turn int64
}

// Playback is how far an answer's own sound was heard. The zero value is that of an
// answer that is read.
type Playback struct {
	// Heard returns how much [Sound] has been heard; nil if nobody listens.
	Heard func() time.Duration
	// Over is closed once no more of it will be; nil if nobody listens.
	Over <-chan struct{}
}

// Event is something that happens while a turn is answered: one of the types
// below.
type Event interface{ event() }

// FirstToken reports the first piece of the model's first answer.
type FirstToken struct{ After time.Duration }

// Begun says that an answer which may decline does not: it has words, or a tool call.
// So does a [Sentence], before which it need not come.
type Begun struct{}

// Clause is the beginning of the sentence that comes next, which can be spoken while
// that is not complete. The [Sentence] is told in full, and begins with it. An answer
// has at most one, in its first sentence; a second, empty one takes it back: what is not
// being spoken of it is not meant any more.
type Clause struct{ Text string }

// Sentence is a complete sentence to speak.
type Sentence struct{ Text string }

// Sound is a piece of the NPC's own voice, mono at audio.SampleRate, from an engine
// that speaks for itself. The receiver must not change it.
type Sound struct{ Samples []int16 }

// Answering says that an engine with a voice of its own has begun to answer: its
// first [Sound] is near.
type Answering struct{}

// Interrupted says that an engine with a voice of its own has let a player interrupt
// it: no more of the answer comes. Whether what came is heard to its end is for who plays it
// to decide.
type Interrupted struct{}

// Wording is what the sound since the last [Spoken] says, as far as that is known.
type Wording struct{ Text string }

// Spoken ends a sentence of the NPC's own voice.
type Spoken struct {
	Text string
	// Until is where it ends, from the answer's first [Sound] on. What is beyond
	// belongs to the next sentence.
	Until time.Duration
}

// Guarded says that words were withheld: they are in no [Sentence] and no [Spoken].
type Guarded struct{ Reasons []guard.Reason }

// Withdrawn takes back what an engine says in its own voice from a place on, counted
// from the answer's first [Sound]. No more of that voice follows in the answer.
type Withdrawn struct{ At time.Duration }

// ToolCalled reports a call the model asked for, before it runs.
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

// ToolDeferred reports a call that acts when the turn is committed
// (docs/adr/0015).
type ToolDeferred struct {
	Round int
	Call  llm.ToolCall
}

// RoundEnded reports the wall-clock time of a round of parallel calls.
type RoundEnded struct {
	Round int
	Took  time.Duration
}

// Notice says something that people should know, and is no part of the story.
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

// Engine answers turns. Implementations are safe for concurrent use.
type Engine interface {
	// Answer runs one turn. The sequence yields events in order until the
	// answer is complete; a non-nil error ends it. Cancelling ctx or breaking
	// the loop ends the model stream and the tools before the sequence returns.
	// What the answer takes of a provider is charged to the cost.Account in ctx,
	// also what becomes known only later.
	Answer(ctx context.Context, req Request) iter.Seq2[Event, error]
}

// Ahead is what a player is saying to an NPC, as it seems, before it is known.
type Ahead struct {
	NPC config.NPC
	// Messages are the prompt so far: who the NPC is, and its history.
	Messages []llm.Message
	// Edits is as in [Background].
	Edits int
	// Tools is what the NPC may use at the lowest tier.
	Tools *mcphost.Toolset
	Sound *Recording
}

// Listener is an engine that listens while a player still speaks, so that less is
// left to do once it is known what was said. Its methods return at once.
type Listener interface {
	// ListenAhead: a player begins to speak whose NPC talks to them.
	ListenAhead(Ahead)
	// Decline: what was listened to ahead was not for this NPC.
	Decline(npc config.NPC, sound *Recording)
}

// ErrModelSilent means the model sent nothing for longer than allowed.
var ErrModelSilent = errors.New("the model stopped answering")

// ErrWithheld is why the context of an answer ends that said what may not be said, and
// that another goes on with: what was not heard of it counts as never said.
var ErrWithheld = errors.New("the answer said what may not be said")

// ErrTooLong means the model's answer was longer than anybody wants to hear;
// what was written until then is spoken.
var ErrTooLong = errors.New("the model's answer did not end; the rest was not taken")

// ErrNothingSaid means the model finished without a word to speak.
var ErrNothingSaid = errors.New("the model said nothing")

// ErrDeclined means that the NPC does not answer, since the line is not meant for it.
// Only an answer to a [Request.MayDecline] ends so.
var ErrDeclined = errors.New("the line was not meant for the NPC")
