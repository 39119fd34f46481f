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

// maxFound bounds how much of a tool's result is kept for the next turn, in characters.
const maxFound = 500

// errAbandoned is the cause with which the context of an attempt is cancelled that is no longer needed.
var errAbandoned = errors.New("the answer is no longer needed")

// attempt is one try at answering a turn. A turn has at most one at a time; a new one replaces it if the
// player turns out to have said more.
type attempt struct {
	id    uint64 // of its line, on the floor and in the mixer; from 1
	turn  *turn
	began time.Time

	// Shared with the goroutines of its worker.
	line         *mixer.Line
	cancel       context.CancelCauseFunc // nil until they are started
	confirmed    chan struct{}           // closed once the turn is no longer a guess
	phrase       chan string             // a stock phrase to say while the answer is not ready; has room for one
	voiceStarted atomic.Bool             // the voice has worked on it; set by the voice
	result       *result                 // set once they have ended

	backlog        []finding // findings of a guess, handled once it is adopted
	certainty      certainty
	floorRequested time.Time // when it requested the floor
	script
	basis basis
}

// certainty says whether an answer will come. An NPC that may decline decides that late.
type certainty uint8

const (
	unsure    certainty = iota
	phraseDue           // like unsure, and a stock phrase is due once the NPC answers
	sure
)

// script is the text of an attempt, and how much of it was said.
type script struct {
	sentences   []sentence // in the order of the line
	delivered   int        // sentences of said that were played in full
	previousEnd time.Time  // when the previous sentence ended; zero once the time of the current one's first sound is known
}

// basis is the information that an answer is based on.
type basis struct {
	context      *hotctx.Context // the NPC's knowledge; nil until it is read
	exchanges    int             // exchanges of its own conversation
	pendingCalls []string        // tools that were called and have not finished
	toolResults  []string        // tool results, kept for the next turn if this one is cut
	stale        bool            // a line was edited or taken back since it began, so findings are no longer kept
}

// dropResults drops the tool results because a line was edited or taken back.
func (b *basis) dropResults() { b.toolResults, b.stale = nil, true }

// sentence is one sentence to say.
type sentence struct {
	text     string
	kind     sentenceKind
	part     sentencePart
	byEngine bool // an engine speaks it itself, and knows which of its words were heard
}

// sentencePart says which part of a sentence is spoken; zero is all of it.
type sentencePart uint8

const (
	// clause is the beginning of a sentence, and rest is the remainder.
	clause sentencePart = iota + 1
	restOfSentence
)

type sentenceKind uint8

const (
	// answer is part of the NPC's answer.
	answer sentenceKind = iota
	// filler is a stock phrase that bridges the wait for the answer.
	filler
	// excuse is a stock phrase in place of an answer that failed.
	excuse
)

// result is the report of an attempt's goroutines at their end.
type result struct {
	err      error
	stage    string         // the stage that was running last
	deferred []llm.ToolCall // calls to make at commit
}

// floorLine describes the attempt's line to the floor: how its NPC handles interruptions, and which line it
// follows.
func (a *attempt) floorLine() floor.Line {
	tn := a.turn
	how := tn.addressee.npc.Interruptibility
	l := floor.Line{Turn: a.id, Resumes: how.Resumes, Confirm: time.Duration(how.Confirm), Manner: manners[how.Style]}
	if tn.isPuppet() {
		l.Manner, l.Priority = floor.Dictated, 1 // the DM is not interrupted
	}
	if tn.leader != nil && tn.leader.attempt != nil {
		l.After = tn.leader.attempt.id
	}
	return l
}

// currentSentence returns the sentence that is playing or comes next; nil if all were said.
func (s *script) currentSentence() *sentence {
	if s.delivered < len(s.sentences) {
		return &s.sentences[s.delivered]
	}
	return nil
}

// isAtAnswer reports whether the sentence that is playing or comes next belongs to the answer.
func (s *script) isAtAnswer() bool {
	next := s.currentSentence()
	return next != nil && next.kind == answer
}

// text returns all sentences of the answer, joined.
func (s *script) text() string {
	var all []byte
	for _, one := range s.sentences {
		if one.kind == answer && one.text != "" {
			if len(all) > 0 {
				all = append(all, ' ')
			}
			all = append(all, one.text...)
		}
	}
	return string(all)
}

// learn records the result of a successful tool call.
func (b *basis) learn(ev engine.ToolFinished) {
	if !b.stale && ev.Err == nil && !ev.Result.IsError {
		b.toolResults = append(b.toolResults, fmt.Sprintf("%s(%s): %s", ev.Call.Name, untrusted.Clean(ev.Call.Arguments, maxFound), untrusted.Clean(ev.Result.Text, maxFound)))
	}
}

// wordSentence records the words of the sentence that began last.
func (s *script) wordSentence(words sentenceWorded) {
	s.sentences[len(s.sentences)-1].text = words.text
	if words.ended {
		s.sentences = append(s.sentences, sentence{kind: answer, byEngine: true})
	}
}
