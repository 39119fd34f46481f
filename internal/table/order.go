package table

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/MrWong99/glyphoxa/internal/address"
	"github.com/MrWong99/glyphoxa/internal/agent"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/untrusted"
)

// orderNPCs runs f in the table's goroutine for the NPCs called name, see [cast.findNPCs].
func (t *Table) orderNPCs(ctx context.Context, name string, f func(who []int) error) error {
	return t.order(ctx, func() error {
		who, err := t.cast.findNPCs(name)
		if err != nil {
			return err
		}
		return f(who)
	})
}

// Mute silences an NPC, or lets it speak again. A muted NPC stays addressable,
// so that lines to it do not go to another.
func (t *Table) Mute(ctx context.Context, npc string, muted bool) (string, error) {
	var said string
	err := t.orderNPCs(ctx, npc, func(who []int) error {
		said = t.muteNPCs(who, muted)
		return nil
	})
	return said, err
}

// muteNPCs silences NPCs or lets them speak, and says so.
func (t *Table) muteNPCs(who []int, muted bool) string {
	for _, i := range who {
		t.cast.agents[i].Muted = muted
		if muted {
			t.cutNPC(i, turnEnd{outcome: OutcomeMuted})
		}
	}
	t.conversation.castChanged()
	if muted {
		return t.cast.namesOf(who) + " is silent now"
	}
	return t.cast.namesOf(who) + " may speak again"
}

// Say makes an NPC say a line, muted or not. It takes its turn like an
// utterance and ends in one [TurnEnded].
func (t *Table) Say(ctx context.Context, npc, text string) error {
	text = untrusted.Clean(text, maxText)
	if strings.TrimSpace(text) == "" {
		return fmt.Errorf("there is nothing to say")
	}
	return t.orderNPCs(ctx, npc, func(who []int) error {
		return t.sayAs(who, text, "")
	})
}

// maxVoice bounds the id of a voice, in characters.
const maxVoice = 100

// TryVoice makes an NPC say a text with the voice of that id, of the first provider of
// voices, instead of its own, as [Table.Say] does. It is a trial: no [Sentence] is told, and
// nothing is kept of it. Without voices it is an error.
func (t *Table) TryVoice(ctx context.Context, npc, voice, text string) error {
	voice, text = strings.TrimSpace(untrusted.Clean(voice, maxVoice)), untrusted.Clean(text, maxText)
	switch {
	case t.o.Voices == nil:
		return fmt.Errorf("nobody is heard at this table")
	case voice == "" || strings.TrimSpace(text) == "":
		return fmt.Errorf("a trial takes a voice and something to say")
	}
	return t.orderNPCs(ctx, npc, func(who []int) error {
		return t.sayAs(who, text, voice)
	})
}

// Direct tells an NPC how to play its next turns, such as "lie about the key".
// No text takes that back; without turns it holds for 3.
func (t *Table) Direct(ctx context.Context, npc, text string, turns int) (string, error) {
	text = strings.TrimSpace(untrusted.Clean(text, maxDirective))
	if turns <= 0 {
		turns = defaultDirective
	}
	var said string
	err := t.orderNPCs(ctx, npc, func(who []int) error {
		for _, i := range who {
			t.cast.agents[i].Direct(text, turns)
		}
		said = fmt.Sprintf("%s is directed for %d turns: %s", t.cast.namesOf(who), turns, text)
		if text == "" {
			said = t.cast.namesOf(who) + " plays freely again"
		}
		return nil
	})
	return said, err
}

const (
	// maxDirective bounds a directive in characters.
	maxDirective = 1000
	// defaultDirective is for how many turns a directive holds.
	defaultDirective = 3
)

// Status is what people see of an NPC at the table.
type Status struct {
	Name    string
	Tier    mcp.BudgetTier // its own
	Ceiling mcp.BudgetTier // now
	Lease   *agent.Lease
	Muted   bool
	// Directive is how the NPC is to play, for DirectiveTurns turns yet.
	Directive      string
	DirectiveTurns int
	Tools          []string
	// Revealed is how much of what it keeps secret it may tell.
	Revealed int
	// Withheld is how often something was withheld that it was about to say.
	Withheld int
}

// Status describes the NPCs at the table.
func (t *Table) Status(ctx context.Context) ([]Status, error) {
	var out []Status
	err := t.order(ctx, func() error {
		for _, i := range t.cast.present() {
			a := t.cast.agents[i]
			s := Status{Name: a.NPC.Name, Tier: a.NPC.BudgetTier, Ceiling: a.Ceiling(), Muted: a.Muted, Tools: a.NPC.Tools, Revealed: len(a.Told()), Withheld: a.Withheld()}
			s.Directive, s.DirectiveTurns = a.Directive()
			if l := a.Lease(); l != nil {
				c := *l
				s.Lease = &c
			}
			out = append(out, s)
		}
		return nil
	})
	return out, err
}

// Stop has all NPCs stop what they say, or are about to, as if the player had taken the
// floor from them. What waits for its turn is still answered.
func Stop(ctx context.Context, t *Table, speaker string) error {
	return t.order(ctx, func() error {
		working := slices.SortedFunc(maps.Values(t.turns.attempts), func(a, b *attempt) int { return cmp.Compare(a.id, b.id) })
		for _, a := range working {
			if a.turn.phase.isAnswering() {
				t.bargeIn(a, speaker)
			}
		}
		return nil
	})
}

// Notify tells those who lead the game something that a front has noticed; level is info or
// warning.
func (t *Table) Notify(ctx context.Context, level, text string) error {
	return t.order(ctx, func() error {
		t.effects.notify(0, level, text)
		return nil
	})
}

// Listen has the NPCs listen otherwise, from the next line on, and returns a sentence
// that says so. What is being answered is answered.
func (t *Table) Listen(ctx context.Context, how address.Listening) (string, error) {
	err := t.order(ctx, func() error {
		if t.conversation.listen(how) {
			t.effects.emit(0, KindListening, &Listening{Listening: how.String()})
		}
		return nil
	})
	return "the NPCs " + how.Describe(), err
}

// Listening returns how the NPCs listen.
func (t *Table) Listening(ctx context.Context) (how address.Listening, err error) {
	err = t.order(ctx, func() error {
		how = t.conversation.listening
		return nil
	})
	return how, err
}
