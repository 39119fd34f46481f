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
	id        uint64 // of its line, on the floor and in the mixer
	turn      *turn
	line      *mixer.Line
	began     time.Time
	cancel    context.CancelCauseFunc // nil until it is at work
	confirmed chan struct{}           // closed once it is no guess
	phrase    chan string             // a stock phrase to say while there is nothing else

	backlog []finding   // of a guess
	voiced  atomic.Bool // it is a guess that a voice works on; set by the voice

	said   []sentence // in the order of the line
	asked  time.Time  // for the floor
	ended  int        // sentences of said that were delivered
	result *result    // set once its goroutines have ended
	passed time.Time  // when the sentence before the one that plays ended
	calls  []string   // tools called that have not finished
	found  []string   // what its tools told, for the next turn if this one is cut off
	begun  bool       // it is sure that there will be an answer
	owed   bool       // a stock phrase was due before that
	stale  bool       // what was said has changed since it began: nothing is found

	context   *hotctx.Context // what the NPC knew; nil before
	exchanges int             // of its own conversation
}

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

func newAttempt(id uint64, tn *turn) *attempt {
	a := &attempt{id: id, turn: tn, line: mixer.NewLine(id), began: time.Now(), confirmed: make(chan struct{}), phrase: make(chan string, 1)}
	if tn.phase != guessed {
		close(a.confirmed)
	}
	return a
}

// floorLine is the attempt as the floor knows it: how its NPC takes an
// interruption, and after whom it speaks.
func (a *attempt) floorLine() floor.Line {
	tn := a.turn
	how := tn.as.Interruptibility
	l := floor.Line{Turn: a.id, Resumes: how.Resumes, Confirm: time.Duration(how.Confirm), Manner: manners[how.Style]}
	if tn.puppet {
		l.Manner, l.Priority = floor.Insists, 1 // the DM is not interrupted
	}
	if tn.leader != nil && tn.leader.attempt != nil {
		l.After = tn.leader.attempt.id
	}
	return l
}

// unsaid is the sentence that plays, or would be next; nil if all were said.
func (a *attempt) unsaid() *sentence {
	if a.ended < len(a.said) {
		return &a.said[a.ended]
	}
	return nil
}

// isAtAnswer reports whether the sentence that plays is part of the answer.
func (a *attempt) isAtAnswer() bool { s := a.unsaid(); return s != nil && s.kind == answer }

// text is everything the attempt has to say as an answer.
func (a *attempt) text() string {
	var all []byte
	for _, s := range a.said {
		if s.kind == answer && s.text != "" {
			if len(all) > 0 {
				all = append(all, ' ')
			}
			all = append(all, s.text...)
		}
	}
	return string(all)
}

// learnFinding keeps what a tool told.
func (a *attempt) learnFinding(ev engine.ToolFinished) {
	if !a.stale && ev.Err == nil && !ev.Result.IsError {
		a.found = append(a.found, fmt.Sprintf("%s(%s): %s", ev.Call.Name, untrusted.Clean(ev.Call.Arguments, maxFound), untrusted.Clean(ev.Result.Text, maxFound)))
	}
}

// wordSentence records the words of the sentence that began last.
func (a *attempt) wordSentence(words sentenceWorded) {
	a.said[len(a.said)-1].text = words.text
	if words.ended {
		a.said = append(a.said, sentence{kind: answer, own: true})
	}
}
