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
	"github.com/MrWong99/glyphoxa/internal/plural"
	"github.com/MrWong99/glyphoxa/internal/untrusted"
)

// orderNPCs runs f on the table's goroutine for the NPCs called name, see [cast.findNPCs].
func (t *Table) orderNPCs(ctx context.Context, name string, f func(who []int) error) error {
	return t.order(ctx, func() error {
		who, err := t.cast.findNPCs(name)
		if err != nil {
			return err
		}
		return f(who)
	})
}

// Mute silences an NPC, or lets it speak again. Lines can still be addressed to a muted NPC, so that they do
// not go to another one.
func (t *Table) Mute(ctx context.Context, npc string, muted bool) (string, error) {
	var said string
	err := t.orderNPCs(ctx, npc, func(who []int) error {
		said = t.muteNPCs(who, muted)
		return nil
	})
	return said, err
}

// muteNPCs silences NPCs or lets them speak again, and returns a sentence that says so.
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

// Say makes an NPC say a line, even if it is muted. The line waits for the floor like any other, and ends in
// one [TurnEnded].
func (t *Table) Say(ctx context.Context, npc, text string) error {
	text = untrusted.Clean(text, maxText)
	if strings.TrimSpace(text) == "" {
		return fmt.Errorf("there is nothing to say")
	}
	return t.orderNPCs(ctx, npc, func(who []int) error {
		return t.queuePuppetLine(who, text, "")
	})
}

// maxVoice bounds the id of a voice, in characters.
const maxVoice = 100

// TryVoice makes an NPC say a text as [Table.Say] does, but with the voice of that id of the first voice
// provider. It is a trial: it emits no [Sentence], and nothing of it is stored. Without voices it returns an
// error.
func (t *Table) TryVoice(ctx context.Context, npc, voice, text string) error {
	voice, text = strings.TrimSpace(untrusted.Clean(voice, maxVoice)), untrusted.Clean(text, maxText)
	switch {
	case t.o.Voices == nil:
		return fmt.Errorf("there is no sound at this table")
	case voice == "" || strings.TrimSpace(text) == "":
		return fmt.Errorf("to try a voice, give its name and a sentence")
	}
	return t.orderNPCs(ctx, npc, func(who []int) error {
		return t.queuePuppetLine(who, text, voice)
	})
}

// Direct instructs an NPC how to play its next turns, for example "lie about the key". An empty text removes
// the directive. If turns is not positive, it holds for 3 turns.
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
		said = fmt.Sprintf("your direction for %s (%s): %s", t.cast.namesOf(who), plural.Count(turns, "answer", "answers"), text)
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
	// defaultDirective is how many turns a directive holds by default.
	defaultDirective = 3
)

// Status describes an NPC at the table.
type Status struct {
	Name    string
	Tier    mcp.BudgetTier // its own
	Ceiling mcp.BudgetTier // now
	Lease   *agent.Lease
	Muted   bool
	// Directive is how the NPC is to play its next DirectiveTurns turns.
	Directive      string
	DirectiveTurns int
	Tools          []string
	// Revealed is the number of its secrets that it may tell.
	Revealed int
	// Withheld is how often part of its answer was withheld.
	Withheld int
}

// Status describes the NPCs at the table.
func (t *Table) Status(ctx context.Context) ([]Status, error) {
	var out []Status
	err := t.order(ctx, func() error {
		for _, i := range t.cast.present() {
			a := t.cast.agents[i]
			s := Status{Name: a.NPC.Name, Tier: a.NPC.BudgetTier, Ceiling: a.Ceiling(), Muted: a.Muted, Tools: a.NPC.Tools, Revealed: len(a.Revealed()), Withheld: a.Withheld()}
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

// Stop ends what all NPCs are saying or about to say, as if the player had interrupted them. Queued turns are
// still answered.
func Stop(ctx context.Context, t *Table, speaker string) error {
	return t.order(ctx, func() error {
		working := slices.SortedFunc(maps.Values(t.turns.attempts), func(a, b *attempt) int { return cmp.Compare(a.id, b.id) })
		for _, a := range working {
			if a.turn.phase.isAnswering() {
				t.endBargedTurn(a, speaker)
			}
		}
		return nil
	})
}

// Notify emits a notice that something a front has detected; level is info or warning.
func (t *Table) Notify(ctx context.Context, level, text string) error {
	return t.order(ctx, func() error {
		t.effects.notify(0, level, text)
		return nil
	})
}

// Listen sets how readily NPCs answer lines that call none of them, from the next line on, and returns a
// sentence that says so. Current answers continue.
func (t *Table) Listen(ctx context.Context, how address.Listening) (string, error) {
	err := t.order(ctx, func() error {
		if t.conversation.setListening(how) {
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
