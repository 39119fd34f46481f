package table

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/MrWong99/glyphoxa/internal/engine"
	"github.com/MrWong99/glyphoxa/internal/floor"
	"github.com/MrWong99/glyphoxa/internal/hotctx"
	"github.com/MrWong99/glyphoxa/internal/mixer"
	"github.com/MrWong99/glyphoxa/internal/untrusted"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

// maxFound bounds what is kept of a tool's result for the next turn, in characters.
const maxFound = 500

// errAbandoned is why an attempt's context ends that is not needed any more.
var errAbandoned = errors.New("the answer is not wanted any more")

// attempt is one go at answering a turn. A turn has one at a time; it has
// another if the player turns out to have said more.
type attempt struct {
	id    uint64 // of its line, on the floor and in the mixer; from 1
	turn  *turn
	began time.Time

	// With its goroutines, which a worker describes.
	line      *mixer.Line
	cancel    context.CancelCauseFunc // nil until they are started
	confirmed chan struct{}           // closed once the turn is no guess
	phrase    chan string             // a stock phrase to say while there is nothing else; has room for one
	voiced    atomic.Bool             // a voice has worked on it; set by the voice
	result    *result                 // set once they have ended

	backlog   []finding // what a guess has reported, to be handled if it proves right
	certainty certainty
	asked     time.Time // when it asked for the floor
	script
	basis basis
}

// certainty is whether there will be an answer, which an NPC that may decline decides late.
type certainty uint8

const (
	unsure    certainty = iota
	phraseDue           // as before, and a stock phrase is due once it answers
	sure
)

// script is what an attempt has to say, and how much of it is said.
type script struct {
	said      []sentence // in the order of the line
	delivered int        // sentences of said that were said to their end
	passed    time.Time  // when the sentence before the one that plays ended; zero once it is known when that began
}

// basis is what an answer rests on.
type basis struct {
	context   *hotctx.Context // what the NPC knew; nil until it is assembled
	exchanges int             // of its own conversation
	calls     []string        // tools called that have not finished
	found     []string        // what its tools told, for the next turn if this one is cut off
	stale     bool            // what was said has changed since it began: nothing is found any more
}

// forget forgets what was found, because what was said has changed or is taken back.
func (b *basis) forget() { b.found, b.stale = nil, true }

// sentence is something to say.
type sentence struct {
	text string
	kind sentenceKind
	part sentencePart
	own  bool // an engine speaks it, and knows itself what of its words was heard
}

// sentencePart is what of a sentence is spoken at once; zero is all of it.
type sentencePart uint8

const (
	// clause is how one begins, and rest what follows on that.
	clause sentencePart = iota + 1
	rest
)

type sentenceKind uint8

const (
	// answer is what the NPC has to say.
	answer sentenceKind = iota
	// filler is a stock phrase that passes the time until then.
	filler
	// excuse is a stock phrase in place of an answer that failed.
	excuse
)

// result is what an attempt's goroutines leave behind.
type result struct {
	err      error
	stage    string         // what was at work last
	deferred []llm.ToolCall // for the commit
}

// floorLine is the attempt as the floor knows it: how its NPC takes an
// interruption, and after whom it speaks.
func (a *attempt) floorLine() floor.Line {
	tn := a.turn
	how := tn.to.npc.Interruptibility
	l := floor.Line{Turn: a.id, Resumes: how.Resumes, Confirm: time.Duration(how.Confirm), Manner: manners[how.Style]}
	if tn.isPuppet() {
		l.Manner, l.Priority = floor.Dictated, 1 // the DM is not interrupted
	}
	if tn.leader != nil && tn.leader.attempt != nil {
		l.After = tn.leader.attempt.id
	}
	return l
}

// unsaid is the sentence that plays, or would be next; nil if all were said.
func (s *script) unsaid() *sentence {
	if s.delivered < len(s.said) {
		return &s.said[s.delivered]
	}
	return nil
}

// isAtAnswer reports whether the sentence that plays is part of the answer.
func (s *script) isAtAnswer() bool { next := s.unsaid(); return next != nil && next.kind == answer }

// text is everything it has to say as an answer.
func (s *script) text() string {
	var all []byte
	for _, one := range s.said {
		if one.kind == answer && one.text != "" {
			if len(all) > 0 {
				all = append(all, ' ')
			}
			all = append(all, one.text...)
		}
	}
	return string(all)
}

// learn keeps what a tool told.
func (b *basis) learn(ev engine.ToolFinished) {
	if !b.stale && ev.Err == nil && !ev.Result.IsError {
		b.found = append(b.found, fmt.Sprintf("%s(%s): %s", ev.Call.Name, untrusted.Clean(ev.Call.Arguments, maxFound), untrusted.Clean(ev.Result.Text, maxFound)))
	}
}

// wordSentence records the words of the sentence that began last.
func (s *script) wordSentence(words sentenceWorded) {
	s.said[len(s.said)-1].text = words.text
	if words.ended {
		s.said = append(s.said, sentence{kind: answer, own: true})
	}
}
