// Package guard decides, sentence by sentence, which parts of a model's answer may be heard or shown. It
// withholds secrets, invented rolls, lines of others, and everything that is not speech. For example:
//
//	turn := card.NewTurn(guard.TurnOptions{Players: players, Asked: line})
//	v := turn.Judge(sentence) // v.Text is what may be heard
//
// It examines words and sentence vectors, does no I/O and reads no clock.
package guard

import (
	"maps"
	"slices"
	"strings"

	"github.com/MrWong99/glyphoxa/internal/config"
)

// Reason is why words were withheld.
type Reason string

const (
	Secret    Reason = "secret"      // a secret of the NPC
	Prompt    Reason = "prompt"      // the prompt's description of the model's part
	Roll      Reason = "roll"        // the result of a roll that no tool made in this turn
	Voice     Reason = "other_voice" // a line of someone else
	Model     Reason = "model"       // talk about being a model
	Syntax    Reason = "syntax"      // a tool call, or other text for programs
	Direction Reason = "direction"   // a stage direction
	Mechanics Reason = "mechanics"   // the game's rules by their terms
	Markup    Reason = "markup"      // remnants of markup, links or terminal codes
	Repeated  Reason = "repeated"    // a repetition
	Language  Reason = "language"    // not a language spoken at the table
	TooLong   Reason = "too_long"    // beyond voice.max_speech
	Declined  Reason = "declined"    // words that mean silence
)

// Card is an NPC prepared for [Card.NewTurn]. It is immutable and safe for concurrent use.
type Card struct {
	language  tongue
	spoken    languages
	cardWords wordSet // words of the card, including its secrets
	secrets   *secrets
	like      *likeness
	prompt    *promptWords
	tools     wordSet // tool names that never occur in speech
	commands  wordSet // tool names that are also words
	own       wordSet // words of the NPC's names
	others    wordSet // words of the other NPCs' names
	roles     wordSet // words for its role
	callings  wordSet // words for its role from a very short personality
	byName    bool    // it uses its name instead of "I"
	mottos    []string
	scripted  map[uint64]bool // sentences that its file makes it say
}

// CardOptions describe an NPC and its table.
type CardOptions struct {
	NPC config.NPC
	// Language is the language that the NPC speaks, as a BCP 47 tag; empty if it speaks several.
	Language string
	// Languages are the languages spoken at the table, for an NPC without Language. If empty, all are
	// allowed.
	Languages []string
	// Others are the names of the other NPCs.
	Others []string
	// Tools are the names of all available tools.
	Tools []string
	// Orders are the instructions that every NPC gets on how to answer. They must not be heard.
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
	c.cardWords = wordSet{}
	for _, w := range readWords(strings.Join(append(append(card, npc.Aliases...), npc.Secrets()...), "\n"), nil).words {
		if w.capital {
			c.cardWords[w.text], c.cardWords[w.text+"'s"] = true, true
		}
	}
	c.byName, c.roles, c.callings = speaksByName(npc), roleWords(npc), callingsOf(npc.Personality)
	return c
}

// TurnOptions describe a turn before its answer.
type TurnOptions struct {
	// RevealedSecrets are the secrets that the NPC may now tell, as written on its card.
	RevealedSecrets []string
	// Players are the names of the players at the table.
	Players []string
	// Rules reports that the prompt contains rules of the game, which the NPC may explain in their terms.
	Rules bool
	// PlayerLine is the player's line.
	PlayerLine string
	// Recent are the sentences of the NPC's last turns, oldest first.
	Recent []string
}

// Turn guards one answer. It is not safe for concurrent use.
type Turn struct {
	card       *Card
	playerLine sentence
	players    wordSet
	secrets    *disclosure
	revealed   []string // secrets that it may tell now
	rules      bool     // it was given rules of the game
	recent     []string // the last sentences that were heard
	rolls      rolls
	repetition repetitionCheck
	open       rune // the mark that ends an open stage direction, 0 if none is open
	openFor    int  // number of sentences that the direction has spanned
	named      bool // the NPC used its name instead of "I"
	narrated   bool // words of a game master were withheld
	words      []word
	peekWords  []word
}

// NewTurn begins a turn of the NPC.
func (c *Card) NewTurn(o TurnOptions) *Turn {
	t := &Turn{card: c, revealed: o.RevealedSecrets, rules: o.Rules, playerLine: readWords(o.PlayerLine, nil), players: nameWords(o.Players)}
	t.secrets = newDisclosure(c.secrets, o.RevealedSecrets, &t.playerLine)
	t.rolls = newRolls(&t.playerLine, c.language)
	t.repetition = newRepetitionCheck(o.Recent, &t.playerLine)
	return t
}

// RecordResult records the result of a tool call in this turn: the tool's name, its arguments and its result,
// each as JSON or text.
func (t *Turn) RecordResult(tool, arguments, result string) {
	t.rolls.recordResult(tool, arguments, result)
}

// Verdict is the result of judging a sentence.
type Verdict struct {
	// Text is the part that may be heard: the unchanged sentence, the rest of it, or
	// nothing.
	Text string
	// Reasons are why something was withheld; empty if nothing was.
	Reasons []Reason
	// Dice is the dice of an invented roll, such as "1d20"; empty if Reasons does not contain Roll.
	Dice string
}

// addReason adds a reason, once.
func (v *Verdict) addReason(r Reason) {
	if !slices.Contains(v.Reasons, r) {
		v.Reasons = append(v.Reasons, r)
	}
}

// Judge judges the next sentence of the answer and remembers it.
func (t *Turn) Judge(sentence string) Verdict {
	var v Verdict
	if reason := t.declines(sentence); reason != "" {
		v.addReason(reason)
		return v
	}
	if n := t.ownLabel(sentence); n > 0 {
		sentence = sentence[n:]
		v.addReason(Markup)
	}
	v.Text = t.strip(sentence, &v)
	if v.Text == "" {
		return v
	}
	s := readWords(v.Text, t.words)
	t.words = s.words
	t.judgeContent(&s, &v)
	if v.Text == "" {
		return v
	}
	t.recordHeard(&s)
	return v
}

// judgeContent withholds a sentence that must not be heard at all.
func (t *Turn) judgeContent(s *sentence, v *Verdict) {
	n := len(v.Reasons)
	told := t.secrets.reveals(s, t.card.own)
	if told || t.card.like.reveals(strings.Join(t.recent, " "), s.raw, t.revealed) {
		v.addReason(Secret)
	}
	scripted := t.card.scripted[s.sum()]
	if !scripted && t.revealsPrompt(s) {
		v.addReason(Prompt)
	}
	if t.isCode(s) {
		v.addReason(Syntax)
	}
	if !scripted && t.isModelTalk(s) {
		v.addReason(Model)
	}
	if n := s.label(); n > 0 && n <= 3 {
		if r := headings[s.at(n-1)]; r != "" {
			v.addReason(r)
		} else if headings[s.at(0)] == Model {
			v.addReason(Model)
		}
	}
	if t.isOthersLine(s) || t.actsForOthers(s) {
		v.addReason(Voice)
	}
	if t.isNarration(s) {
		v.addReason(Direction)
	}
	if t.namesRules(s) {
		v.addReason(Mechanics)
	}
	if dice := t.rolls.invents(s, t.speaksForOthers(s)); dice != "" {
		v.addReason(Roll)
		v.Dice = dice
	}
	if t.card.spoken.isForeign(s, t.card.cardWords) {
		v.addReason(Language)
	}
	if t.repetition.repeats(s, t.card.mottos) {
		v.addReason(Repeated)
	}
	if len(v.Reasons) > n {
		v.Text = ""
	}
}

// mostRecent is how many sentences besides the last are checked together for a secret.
const mostRecent = 2

// recordHeard remembers a sentence that was heard.
func (t *Turn) recordHeard(s *sentence) {
	t.secrets.recordHeard(s)
	t.repetition.recordHeard(s)
	t.rolls.recordHeard(s)
	if t.card.like != nil {
		t.recent = append(t.recent[max(0, len(t.recent)-mostRecent+1):], s.raw)
	}
	t.named = t.named || t.namesSelf(s)
}

// Peek judges an incomplete sentence without remembering it. If further words could still make it harmless,
// it passes.
func (t *Turn) Peek(begun string) Verdict {
	var v Verdict
	s := readWords(begun, t.peekWords)
	t.peekWords = s.words
	if t.secrets.peeks(&s, t.card.own) {
		v.addReason(Secret)
	}
	if t.revealsPrompt(&s) {
		v.addReason(Prompt)
	}
	if t.isCode(&s) {
		v.addReason(Syntax)
	}
	if t.isModelTalk(&s) {
		v.addReason(Model)
	}
	if len(v.Reasons) == 0 {
		v.Text = begun
	}
	return v
}
