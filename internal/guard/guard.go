// Package guard decides, sentence by sentence, what of a model's answer may be heard
// or shown: no secret, no invented roll, nobody else's line, nothing that is no speech.
// It looks at words and at the vectors of sentences, does no I/O and reads no clock.
package guard

import (
	"maps"
	"slices"
	"strings"

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
	Mechanics Reason = "mechanics"   // the rules of the game by their names
	Markup    Reason = "markup"      // remnants of markup, links or a terminal's codes
	Repeated  Reason = "repeated"    // the same again
	Language  Reason = "language"    // not what is spoken at the table
	TooLong   Reason = "too_long"    // beyond voice.max_speech
	Declined  Reason = "declined"    // words that stand for an answer that is silence
)

// Card is an NPC made ready for [Card.NewTurn]. It is immutable and safe for
// concurrent use.
type Card struct {
	language tongue
	spoken   languages
	said     wordSet // words of the card, secrets and all
	secrets  *secrets
	like     *likeness
	prompt   *promptWords
	tools    wordSet // names that no speech has in it
	commands wordSet // names of tools that are words, too
	own      wordSet // words of the NPC's names
	others   wordSet // words of the others' names
	roles    wordSet // words for what it is
	callings wordSet // likewise, of a card that says nothing else
	byName   bool    // it speaks of itself by name
	mottos   []string
	scripted map[uint64]bool // sentences that the card has it say
}

// CardOptions say what is known of an NPC's table.
type CardOptions struct {
	NPC config.NPC
	// Language is what the NPC speaks, a BCP 47 tag; empty if several are spoken.
	Language string
	// Languages are what is spoken at the table, for an NPC without Language. If empty,
	// any may be.
	Languages []string
	// Others are the names of the other NPCs.
	Others []string
	// Tools are the names of all tools there are.
	Tools []string
	// Orders are what every NPC is told of how it answers, which nobody is to hear.
	Orders string
}

// NewCard prepares an NPC.
func NewCard(o CardOptions) *Card {
	npc := o.NPC
	c := &Card{
		language: tongueOf(o.Language),
		tools:    wordSet{}, commands: wordSet{},
		own: nameWords(append([]string{npc.Name}, npc.Aliases...)), others: nameWords(o.Others),
		prompt: newPromptWords(npc, o.Orders),
		mottos: quotedIn(npc.BehaviorRules), scripted: scriptOf(npc),
	}
	for w := range maps.Clone(c.own) {
		c.own[w+"s"], c.own[w+"'s"] = true, true
	}
	for w := range c.own {
		delete(c.others, w)
	}
	for _, tool := range append(slices.Clone(o.Tools), npc.Tools...) {
		if name := fold(tool); strings.ContainsAny(name, "_-.") {
			c.tools[name] = true
		} else {
			c.commands[name] = true
		}
	}
	if c.spoken = languagesOf(o.Languages); o.Language != "" {
		c.spoken = languagesOf([]string{o.Language})
	}
	card := []string{npc.Name, npc.Personality, strings.Join(npc.BehaviorRules, "\n"), strings.Join(npc.KnowledgeScope, "\n")}
	c.secrets = newSecrets(npc.Secrets(), strings.Join(append(card, npc.Aliases...), "\n"), c.own)
	c.like = newLikeness(npc)
	c.said = wordSet{}
	for _, w := range readWords(strings.Join(append(append(card, npc.Aliases...), npc.Secrets()...), "\n"), nil).words {
		if w.capital {
			c.said[w.text], c.said[w.text+"'s"] = true, true
		}
	}
	c.byName, c.roles, c.callings = speaksByName(npc), roleWords(npc), callingsOf(npc.Personality)
	return c
}

// TurnOptions say what is known of a turn before its answer.
type TurnOptions struct {
	// Told are the secrets, as the card has them, that the NPC may tell now.
	Told []string
	// Players are the names of the people at the table.
	Players []string
	// Rules says that the prompt has rules of the game in it, which the NPC may tell in their words.
	Rules bool
	// Asked is the player's line.
	Asked string
	// Before are the sentences of the NPC's last turns, oldest first.
	Before []string
}

// Turn guards one answer. It belongs to one goroutine.
type Turn struct {
	card     *Card
	asked    sentence
	players  wordSet
	secrets  *telling
	told     []string // secrets that it may tell now
	rules    bool     // it was given rules of the game
	recent   []string // the last sentences that were heard
	rolls    rolls
	said     saidBefore
	open     rune // the bracket that ends a stage direction, 0 if none is open
	openFor  int  // sentences that the direction went through
	named    bool // the NPC said its name for "I"
	narrated bool // a game master's words were withheld
	words    []word
	again    []word
}

// NewTurn begins a turn of the NPC.
func (c *Card) NewTurn(o TurnOptions) *Turn {
	t := &Turn{card: c, told: o.Told, rules: o.Rules, asked: readWords(o.Asked, nil), players: nameWords(o.Players)}
	t.secrets = newTelling(c.secrets, o.Told, &t.asked)
	t.rolls = newRolls(&t.asked, c.language)
	t.said = newSaidBefore(o.Before, &t.asked)
	return t
}

// NoteResult takes in what a tool told in this turn: its name, its arguments and its
// result, both JSON or text.
func (t *Turn) NoteResult(tool, arguments, result string) { t.rolls.note(tool, arguments, result) }

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

// withhold notes a reason, once.
func (v *Verdict) withhold(r Reason) {
	if !slices.Contains(v.Reasons, r) {
		v.Reasons = append(v.Reasons, r)
	}
}

// Judge judges the next sentence of the answer and remembers it.
func (t *Turn) Judge(sentence string) Verdict {
	var v Verdict
	if reason := t.declines(sentence); reason != "" {
		v.withhold(reason)
		return v
	}
	if n := t.ownLabel(sentence); n > 0 {
		sentence = sentence[n:]
		v.withhold(Markup)
	}
	v.Text = t.strip(sentence, &v)
	if v.Text == "" {
		return v
	}
	s := readWords(v.Text, t.words)
	t.words = s.words
	t.judgeWhole(&s, &v)
	if v.Text == "" {
		return v
	}
	t.hears(&s)
	return v
}

// judgeWhole withholds a sentence that must not be heard as a whole.
func (t *Turn) judgeWhole(s *sentence, v *Verdict) {
	n := len(v.Reasons)
	told := t.secrets.tells(s, t.card.own)
	if told || t.card.like.tells(strings.Join(t.recent, " "), s.raw, t.told) {
		v.withhold(Secret)
	}
	scripted := t.card.scripted[s.sum()]
	if !scripted && t.tellsPrompt(s) {
		v.withhold(Prompt)
	}
	if t.isCode(s) {
		v.withhold(Syntax)
	}
	if !scripted && t.isModelTalk(s) {
		v.withhold(Model)
	}
	if n := s.label(); n > 0 && n <= 3 {
		if r := headings[s.at(n-1)]; r != "" {
			v.withhold(r)
		} else if headings[s.at(0)] == Model {
			v.withhold(Model)
		}
	}
	if t.isOthersLine(s) || t.actsForOthers(s) {
		v.withhold(Voice)
	}
	if t.isNarration(s) {
		v.withhold(Direction)
	}
	if t.namesRules(s) {
		v.withhold(Mechanics)
	}
	if dice := t.rolls.invents(s, t.speaksForOthers(s)); dice != "" {
		v.withhold(Roll)
		v.Dice = dice
	}
	if t.card.spoken.isForeign(s, t.card.said) {
		v.withhold(Language)
	}
	if t.said.repeats(s, t.card.mottos) {
		v.withhold(Repeated)
	}
	if len(v.Reasons) > n {
		v.Text = ""
	}
}

// mostRecent is how many sentences a secret may be told in, besides the last.
const mostRecent = 2

// hears remembers a sentence that is heard.
func (t *Turn) hears(s *sentence) {
	t.secrets.hears(s)
	t.said.hears(s)
	t.rolls.hears(s)
	if t.card.like != nil {
		t.recent = append(t.recent[max(0, len(t.recent)-mostRecent+1):], s.raw)
	}
	t.named = t.named || t.namesSelf(s)
}

// Peek judges what is known of the next sentence so far, which more words may still
// join, and remembers nothing. Where those could still make it harmless it is passed.
func (t *Turn) Peek(begun string) Verdict {
	var v Verdict
	s := readWords(begun, t.again)
	t.again = s.words
	if t.secrets.peeks(&s, t.card.own) {
		v.withhold(Secret)
	}
	if t.tellsPrompt(&s) {
		v.withhold(Prompt)
	}
	if t.isCode(&s) {
		v.withhold(Syntax)
	}
	if t.isModelTalk(&s) {
		v.withhold(Model)
	}
	if len(v.Reasons) == 0 {
		v.Text = begun
	}
	return v
}
