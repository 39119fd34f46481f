package table

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/MrWong99/glyphoxa/internal/hotctx"
	"github.com/MrWong99/glyphoxa/internal/plural"
	"github.com/MrWong99/glyphoxa/internal/untrusted"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

const (
	// maxAccounts is how many answers the table can explain.
	maxAccounts = 32
	// maxWhyText bounds a single text of an explanation, in characters, and maxFindings the number of tool
	// results.
	maxWhyText  = 240
	maxFindings = 8
)

// Basis is the basis of an NPC's answer. It may contain secrets, so it is only for the player who leads
// the game.
type Basis struct {
	Turn      int64
	NPC       string
	Speaker   string
	Utterance string
	Route     Route
	// Addressed says why the line was for the NPC, what decided that, and the cost of asking the judge.
	Addressed string
	// Tier is the answer's tier, Reason why it was chosen, and Ceiling the highest it could have been.
	Tier, Ceiling, Reason string
	// Context is the NPC's knowledge of its place, the people there, the last lines, and the people and
	// things that were mentioned.
	Context hotctx.Context
	// Exchanges is how many exchanges of its own conversation it was given.
	Exchanges int
	// Secrets is how many secrets it has, and Told how many of them it may tell.
	Secrets, Told int
	// Withheld is how often part of its answers was withheld in this session.
	Withheld int
	// Tools are the tools it could have called. Findings are the results of those it called: facts and lines
	// with their sources, entities, rules.
	Tools, Findings []string
}

// bases holds the bases of the last answers, the oldest first.
type bases []Basis

// add adds the basis of a turn, if the turn was answered.
func (b *bases) add(tn *turn) {
	a := tn.attempt
	if a == nil || a.basis.context == nil || a.basis.stale || tn.isPuppet() || tn.retention.lineRetracted || tn.retention.answerRetracted || len(tn.delivered.answer) == 0 {
		return
	}
	one := Basis{
		Turn: tn.number, NPC: tn.addressee.npc.Name, Speaker: nameOf(memory.Line{Speaker: tn.Speaker, DM: tn.Leads}), Utterance: untrusted.Line(tn.Text, maxWhyText), Route: tn.addressee.route, Addressed: tn.describeAddressing(),
		Tier: tn.plan.choice.Tier.String(), Ceiling: tn.plan.choice.Ceiling.String(), Reason: tn.plan.choice.Reason,
		Context: *a.basis.context, Exchanges: a.basis.exchanges, Secrets: len(tn.addressee.npc.SecretKnowledge), Told: len(tn.addressee.agent.Revealed()), Withheld: tn.addressee.agent.Withheld(), Findings: slices.Clone(a.basis.toolResults[:min(len(a.basis.toolResults), maxFindings)]),
	}
	if tn.plan.tools != nil {
		one.Tools = toolNames(tn.plan.tools.Definitions())
	}
	*b = append(*b, one)
	if len(*b) > maxAccounts {
		*b = slices.Delete(*b, 0, 1)
	}
}

// Why returns the basis of an NPC's last answer, or of any NPC's if the name is empty. It knows only answers
// since the last line was taken back.
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
		for _, b := range slices.Backward(t.recentSpeech.bases) {
			if npc == "" || slices.Contains(names, b.NPC) {
				out = b
				return nil
			}
		}
		return errors.New("no NPC of that name has answered lately; only the last 32 answers can be explained, and none from before a line was taken back")
	})
	return out, err
}

// Lines describes the basis for people, one item on each line.
func (b Basis) Lines() []string {
	out := []string{
		fmt.Sprintf("turn %d: %s answered %s, %q", b.Turn, b.NPC, b.Speaker, b.Utterance),
		fmt.Sprintf("tier %s of at most %s: %s; addressed by %s", b.Tier, b.Ceiling, b.Reason, b.Route),
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
	list("remembered", c.Mind)
	list("diary", c.Diary)
	list("mentioned", c.Entities)
	list("remembered before it answered", c.Recalled)
	list("rule found before it answered", c.Rules)
	list("tool", b.Findings)
	if len(b.Findings) == 0 && len(b.Tools) > 0 {
		list("tools it could have asked", []string{strings.Join(b.Tools, ", ")})
	}
	out = append(out, "its own conversation: "+plural.Count(b.Exchanges, "exchange", "exchanges"))
	if b.Secrets > 0 {
		secrets := fmt.Sprintf("secrets it may tell: %d of %d", b.Told, b.Secrets)
		if b.Told < b.Secrets {
			secrets += "; it was not given the others"
		}
		out = append(out, secrets)
	}
	if b.Withheld > 0 {
		out = append(out, "stopped from telling a secret in this session: "+plural.Count(b.Withheld, "time", "times"))
	}
	return out
}
