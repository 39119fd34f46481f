// Package guard decides, sentence by sentence, what of a model's answer may be heard
// or shown: no secret, no invented roll, nobody else's line, nothing that is no speech.
// It looks at words alone, does no I/O and reads no clock.
package guard

import (
	"github.com/MrWong99/glyphoxa/internal/config"
)

// Reason says why words were withheld.
type Reason string

const (
	Secret    Reason = "secret"      // what the NPC keeps to itself
	Prompt    Reason = "prompt"      // what the model was told about its part
	Roll      Reason = "roll"        // the result of a roll that no tool made in this turn
	Voice     Reason = "other_voice" // the line of somebody else
	Model     Reason = "model"       // words about being a model
	Syntax    Reason = "syntax"      // a tool call, or something else that only programs read
	Direction Reason = "direction"   // a stage direction
	Markup    Reason = "markup"      // remnants of markup, links or a terminal's codes
	Repeated  Reason = "repeated"    // the same again
	Language  Reason = "language"    // not what is spoken at the table
	TooLong   Reason = "too_long"    // beyond voice.max_speech
	Declined  Reason = "declined"    // words that stand for an answer that is silence
)

// Card is an NPC made ready for [Card.NewTurn]. It is immutable and safe for
// concurrent use.
type Card struct {
	npc      config.NPC
	language string
	others   []string
	tools    []string
	system   string
}

// CardOptions say what is known of an NPC's table.
type CardOptions struct {
	NPC config.NPC
	// Language is what the NPC speaks, a BCP 47 tag; empty if several are spoken.
	Language string
	// Others are the names of the other NPCs.
	Others []string
	// Tools are the names of all tools there are.
	Tools []string
	// System is the stable part of the NPC's prompt.
	System string
}

// NewCard prepares an NPC.
func NewCard(o CardOptions) *Card {
	return &Card{npc: o.NPC, language: o.Language, others: o.Others, tools: o.Tools, system: o.System}
}

// TurnOptions say what is known of a turn before its answer.
type TurnOptions struct {
	// Told are the secrets, as the card has them, that the NPC may tell now.
	Told []string
	// Secrets are further facts that it must not tell.
	Secrets []string
	// Players are the names of the people at the table.
	Players []string
	// Asked is the player's line.
	Asked string
	// Before are the sentences of the NPC's last turns, oldest first.
	Before []string
}

// Turn guards one answer. It belongs to one goroutine.
type Turn struct {
	card *Card
	o    TurnOptions
}

// NewTurn begins a turn of the NPC.
func (c *Card) NewTurn(o TurnOptions) *Turn { return &Turn{card: c, o: o} }

// NoteResult takes in what a tool told in this turn: its name, its arguments and its
// result, both JSON or text.
func (t *Turn) NoteResult(tool, arguments, result string) {}

// Verdict is what may be heard of a sentence.
type Verdict struct {
	// Text is what may be heard: the sentence as it stands if nothing was withheld,
	// what is left of it, or nothing.
	Text string
	// Reasons say why something was withheld; none if nothing was.
	Reasons []Reason
	// Dice is what an invented roll seems to have been thrown with, as "1d20"; empty
	// if Reasons have no Roll.
	Dice string
}

// Judge judges the next sentence of the answer and remembers it.
func (t *Turn) Judge(sentence string) Verdict { return Verdict{Text: sentence} }

// Peek judges what is known of the next sentence so far, which more words may still
// join, and remembers nothing. Where those could still make it harmless it is passed.
func (t *Turn) Peek(begun string) Verdict { return Verdict{Text: begun} }
