package engine

// GuardedEngine stands between an engine and those who hear it: nothing that the
// engine says reaches the table unless package guard has judged it. What is withheld
// is made good within the same turn: a roll that was invented is made, the model is
// asked once more to go on, and where that fails the NPC evades with a line of its own.
//
// It starts no goroutine and knows no vendor.

import (
	"context"
	"errors"
	"iter"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/MrWong99/glyphoxa/internal/agent"
	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/guard"
)

// GuardedOptions tune an [GuardedEngine]. The zero value works.
type GuardedOptions struct {
	// Languages are spoken at the table, as BCP 47 tags, the main one first.
	Languages []string
	// Tools returns the names of all tools there are, whoever may use them. If nil,
	// there are none.
	Tools func() []string
	// MaxSpeech bounds an answer, which is cut at the end of a sentence. If zero,
	// nothing does.
	MaxSpeech time.Duration
}

// GuardedEngine is an engine whose answers are guarded. It is safe for concurrent use.
type GuardedEngine struct {
	next Engine
	o    GuardedOptions
	// newJudge is changed by tests alone.
	newJudge func(*guard.Card, guard.TurnOptions) judge

	mu    sync.Mutex       // guards the fields below; held while cards are made, which takes no I/O
	cast  int              // of the cards
	cards map[string]cards // by NPC
}

// cards are those of one NPC.
type cards struct {
	own *guard.Card
	// free is for answers to players who speak another language than the table; own if
	// that is no matter.
	free *guard.Card
}

// judge judges one answer; [guard.Turn] does.
type judge interface {
	NoteResult(tool, arguments, result string)
	Judge(sentence string) guard.Verdict
	Peek(begun string) guard.Verdict
}

// NewGuarded returns an engine that guards next. A nil o is the zero value.
func NewGuarded(next Engine, o *GuardedOptions) *GuardedEngine {
	e := &GuardedEngine{next: next, cards: map[string]cards{}, newJudge: func(c *guard.Card, o guard.TurnOptions) judge { return c.NewTurn(o) }}
	if o != nil {
		e.o = *o
	}
	return e
}

// Answer implements [Engine]. An answer of which something was withheld does not
// fail for that: it ends with what else was said, with what the model said when it was
// asked once more, or with a stock phrase. One that is too long ends there.
func (e *GuardedEngine) Answer(ctx context.Context, req Request) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		t := &guardedTurn{engine: e, req: req, yield: yield, judge: e.judgeOf(req)}
		t.own.limit.Store(noLimit)
		if err := t.run(ctx); err != nil && !errors.Is(err, errWithdrawn) {
			yield(nil, err)
		}
	}
}

// judgeOf returns who judges the answer to a request.
func (e *GuardedEngine) judgeOf(req Request) judge {
	b := &req.Background
	j := e.newJudge(e.cardsOf(req).forLine(b.Asked), guard.TurnOptions{Told: b.Told, Rules: b.Rules, Players: b.Players, Asked: b.Asked, Before: b.Before})
	for _, f := range b.Found {
		tool, rest, _ := strings.Cut(f, "(")
		arguments, result, _ := strings.Cut(rest, "): ")
		j.NoteResult(tool, arguments, result)
	}
	return j
}

// forLine is the card for an answer to a line: in the language of the table, or in that
// of the line.
func (c cards) forLine(asked string) *guard.Card {
	if c.free != c.own && asked != "" && slices.Contains(c.own.NewTurn(guard.TurnOptions{}).Judge(asked).Reasons, guard.Language) {
		return c.free
	}
	return c.own
}

// maxCards bounds the NPCs whose cards are kept; beyond it all are made anew.
const maxCards = 256

// cardsOf returns the cards of a request's NPC, made once for each cast.
func (e *GuardedEngine) cardsOf(req Request) cards {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.cast != req.Background.Cast || len(e.cards) >= maxCards {
		e.cast = req.Background.Cast
		clear(e.cards)
	}
	c, ok := e.cards[req.NPC.ID]
	if !ok {
		o := guard.CardOptions{NPC: req.NPC, Language: e.languageOf(req.NPC), Languages: e.languagesOf(req.NPC), Others: req.Background.Others, Orders: agent.Orders()}
		if e.o.Tools != nil {
			o.Tools = e.o.Tools()
		}
		c.own = guard.NewCard(o)
		if c.free = c.own; o.Language != "" || len(o.Languages) > 0 {
			o.Language, o.Languages = "", nil
			c.free = guard.NewCard(o)
		}
		e.cards[req.NPC.ID] = c
	}
	return c
}

// languageOf is the one language an NPC speaks, empty if it may speak several.
func (e *GuardedEngine) languageOf(npc config.NPC) string {
	if len(e.o.Languages) != 1 || npc.Voice.Language != "" && !sameLanguage(npc.Voice.Language, e.o.Languages[0]) {
		return ""
	}
	return e.o.Languages[0]
}

// languagesOf are the languages an NPC may speak that has no single one: those of the table
// and that of its voice.
func (e *GuardedEngine) languagesOf(npc config.NPC) []string {
	if len(e.o.Languages) == 0 || npc.Voice.Language == "" {
		return e.o.Languages
	}
	return append(slices.Clip(e.o.Languages), npc.Voice.Language)
}
