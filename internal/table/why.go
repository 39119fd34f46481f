package table

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/MrWong99/glyphoxa/internal/hotctx"
	"github.com/MrWong99/glyphoxa/internal/untrusted"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

const (
	// maxAccounts is how many answers it is known of what went into them.
	maxAccounts = 32
	// maxWhyText bounds a piece of that, in characters, and maxFindings the pieces that
	// tools told.
	maxWhyText  = 240
	maxFindings = 8
)

// Basis is what went into an NPC's answer. It may have in it what players are not to
// know: it is for who leads the game.
type Basis struct {
	Turn      int64
	NPC       string
	Speaker   string
	Utterance string
	Route     Route
	// Addressed says why the line was for the NPC, what decided that, and what asking the judge took.
	Addressed string
	// Tier is the answer's, and Reason why it is that; it may not be above Ceiling.
	Tier, Ceiling, Reason string
	// Context is what the NPC knew of where it is, who is there, what was said last and
	// who and what was mentioned.
	Context hotctx.Context
	// Exchanges is how much of its own conversation it was given.
	Exchanges int
	// Secrets is how many it has, and Told how many of them it may tell.
	Secrets, Told int
	// Withheld is how often what its model wrote was withheld in this session.
	Withheld int
	// Tools are those it could have asked, Findings what those it asked said: facts and
	// lines with where they are from, entities, rules.
	Tools, Findings []string
}

// bases are what went into the last answers, the oldest first.
type bases []Basis

// add keeps a turn's, if it answered.
func (b *bases) add(tn *turn) {
	a := tn.attempt
	if a == nil || a.basis.context == nil || a.basis.stale || tn.isPuppet() || tn.kept.lineTakenBack || tn.kept.answerTakenBack || len(tn.delivered.answer) == 0 {
		return
	}
	one := Basis{
		Turn: tn.number, NPC: tn.to.npc.Name, Speaker: nameOf(memory.Line{Speaker: tn.Speaker, DM: tn.Leads}), Utterance: untrusted.Line(tn.Text, maxWhyText), Route: tn.to.route, Addressed: tn.addressed(),
		Tier: tn.plan.choice.Tier.String(), Ceiling: tn.plan.choice.Ceiling.String(), Reason: tn.plan.choice.Reason,
		Context: *a.basis.context, Exchanges: a.basis.exchanges, Secrets: len(tn.to.npc.SecretKnowledge), Told: len(tn.to.agent.Told()), Withheld: tn.to.agent.Withheld(), Findings: slices.Clone(a.basis.found[:min(len(a.basis.found), maxFindings)]),
	}
	if tn.plan.tools != nil {
		one.Tools = toolNames(tn.plan.tools.Definitions())
	}
	*b = append(*b, one)
	if len(*b) > maxAccounts {
		*b = slices.Delete(*b, 0, 1)
	}
}

// Why returns what went into the last answer of an NPC, or with an empty name of anybody at the table.
// What a line that was taken back since has gone into is not known any more.
func Why(ctx context.Context, t *Table, npc string) (out Basis, err error) {
	err = t.order(ctx, func() error {
		var names []string
		if npc != "" {
			who, err := t.cast.findNPCs(npc)
			if err != nil {
				return err
			}
			for _, i := range who {
				names = append(names, t.cast.agents[i].NPC.Name)
			}
		}
		for _, b := range slices.Backward(t.past.bases) {
			if npc == "" || slices.Contains(names, b.NPC) {
				out = b
				return nil
			}
		}
		return errors.New("nobody of that name has answered lately; it is known of the last 32 answers, until a line is taken back")
	})
	return out, err
}

// Lines tells it to people, a line each.
func (b Basis) Lines() []string {
	out := []string{
		fmt.Sprintf("turn %d: %s answered %s, %q", b.Turn, b.NPC, b.Speaker, b.Utterance),
		fmt.Sprintf("tier %s of at most %s: %s; asked by %s", b.Tier, b.Ceiling, b.Reason, b.Route),
	}
	if b.Addressed != "" {
		out = append(out, "addressed: "+b.Addressed)
	}
	list := func(what string, all []string) {
		for _, one := range all {
			out = append(out, what+": "+untrusted.Line(one, maxWhyText))
		}
	}
	c := b.Context
	if c.Scene != "" {
		list("scene", []string{c.Scene})
	}
	if c.Place != "" {
		list("place", []string{c.Place + strings.TrimSuffix(" with "+strings.Join(c.Around, ", "), " with ")})
	}
	list("line", c.Lines)
	list("in mind", c.Mind)
	list("diary", c.Diary)
	list("mentioned", c.Entities)
	list("recalled before it answered", c.Recalled)
	list("rule found before it answered", c.Rules)
	list("tool", b.Findings)
	if len(b.Findings) == 0 && len(b.Tools) > 0 {
		list("tools it could have asked", []string{strings.Join(b.Tools, ", ")})
	}
	out = append(out, fmt.Sprintf("its own conversation: %d exchanges", b.Exchanges))
	if b.Secrets > 0 {
		out = append(out, fmt.Sprintf("secrets: %d of %d may be told, the others were not given to it", b.Told, b.Secrets))
	}
	if b.Withheld > 0 {
		out = append(out, fmt.Sprintf("withheld in this session, since it would have told a secret: %d times", b.Withheld))
	}
	return out
}
