package engine

// GuardedEngine wraps an engine: nothing that the engine says reaches the table unless package guard has
// approved it. Withheld parts are replaced within the same turn: an invented roll is made for real, the model
// is asked once more to continue, and if that fails the NPC evades with a line of its own.
//
// It starts no goroutine and depends on no vendor.

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

// GuardedOptions configure a [GuardedEngine]. The zero value works.
type GuardedOptions struct {
	// Languages are spoken at the table, as BCP 47 tags, the main one first.
	Languages []string
	// Tools returns the names of all tools, including those that the NPC may not use. If
	// nil, there are none.
	Tools func() []string
	// MaxSpeech bounds an answer, which is cut at the end of a sentence. If zero, there is no bound.
	MaxSpeech time.Duration
}

// GuardedEngine is an engine whose answers are guarded. It is safe for concurrent use.
type GuardedEngine struct {
	next Engine
	o    GuardedOptions
	// newJudge is replaced only by tests.
	newJudge func(*guard.Card, guard.TurnOptions) judge

	mu    sync.Mutex       // guards the fields below; held while cards are created, which does no I/O
	cast  int              // version of the cast for which the cards were created
	cards map[string]cards // by NPC
}

// cards are the guard cards of one NPC.
type cards struct {
	own *guard.Card
	// free is for answers to players who speak another language than the table. It equals own if languages are
	// not checked.
	free *guard.Card
}

// judge judges one answer. [guard.Turn] implements it.
type judge interface {
	RecordResult(tool, arguments, result string)
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

// Answer implements [Engine]. Withholding part of an answer does not make it fail: it ends with the rest,
// with what the model said when it was asked once more, or with a stock phrase. An answer that is too long is
// cut.
func (e *GuardedEngine) Answer(ctx context.Context, req Request) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		t := &guardedTurn{engine: e, req: req, yield: yield, judge: e.judgeOf(req)}
		t.engineVoice.limit.Store(noLimit)
		if err := t.run(ctx); err != nil && !errors.Is(err, errWithdrawn) {
			yield(nil, err)
		}
	}
}

// judgeOf returns the judge of the answer to a request.
func (e *GuardedEngine) judgeOf(req Request) judge {
	b := &req.Background
	j := e.newJudge(e.cardsOf(req).forLine(b.PlayerLine), guard.TurnOptions{RevealedSecrets: b.RevealedSecrets, Rules: b.Rules, Players: b.Players, PlayerLine: b.PlayerLine, Recent: b.Recent})
	for _, f := range b.Found {
		tool, rest, _ := strings.Cut(f, "(")
		arguments, result, _ := strings.Cut(rest, "): ")
		j.RecordResult(tool, arguments, result)
	}
	return j
}

// forLine returns the card for an answer to a line: own if the line is in the table's language, otherwise
// free.
func (c cards) forLine(asked string) *guard.Card {
	if c.free != c.own && asked != "" && slices.Contains(c.own.NewTurn(guard.TurnOptions{}).Judge(asked).Reasons, guard.Language) {
		return c.free
	}
	return c.own
}

// maxCards bounds the NPCs whose cards are kept. Beyond it, all are created again.
const maxCards = 256

// cardsOf returns the cards of a request's NPC, which are created once for each cast.
func (e *GuardedEngine) cardsOf(req Request) cards {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.cast != req.Background.Cast || len(e.cards) >= maxCards {
		e.cast = req.Background.Cast
		clear(e.cards)
	}
	c, ok := e.cards[req.NPC.ID]
	if !ok {
		o := guard.CardOptions{NPC: req.NPC, Language: e.languageOf(req.NPC), Languages: e.languagesOf(req.NPC), Others: req.Background.OtherNames, Orders: agent.Orders()}
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

// languageOf returns the only language an NPC speaks; empty if it may speak several.
func (e *GuardedEngine) languageOf(npc config.NPC) string {
	if len(e.o.Languages) != 1 || npc.Voice.Language != "" && !sameLanguage(npc.Voice.Language, e.o.Languages[0]) {
		return ""
	}
	return e.o.Languages[0]
}

// languagesOf returns the languages that an NPC without a single one may speak: those of the table and its
// voice's.
func (e *GuardedEngine) languagesOf(npc config.NPC) []string {
	if len(e.o.Languages) == 0 || npc.Voice.Language == "" {
		return e.o.Languages
	}
	return append(slices.Clip(e.o.Languages), npc.Voice.Language)
}
