package table

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/MrWong99/glyphoxa/internal/agent"
	"github.com/MrWong99/glyphoxa/internal/untrusted"
)

// maxShownSecret bounds what is shown of a secret in a list, in characters.
const maxShownSecret = 100

// Reveal allows an NPC to tell what it keeps to itself for the rest of the session:
// the secret of a number, as it stands in the NPC's file, from 1, or "all". Without
// either it does so if there is a single one, and lists them if there are several.
func (t *Table) Reveal(ctx context.Context, npc, which string) (string, error) {
	which = strings.TrimSpace(which)
	var said string
	err := t.orderOne(ctx, npc, func(a *agent.Agent) (err error) {
		said, err = revealSecrets(a, which)
		return err
	})
	return said, err
}

// Conceal has an NPC keep everything to itself again that it keeps.
func (t *Table) Conceal(ctx context.Context, npc string) (string, error) {
	var said string
	err := t.orderOne(ctx, npc, func(a *agent.Agent) error {
		a.Conceal()
		said = a.NPC.Name + " keeps everything secret again"
		return nil
	})
	return said, err
}

// orderOne runs f in the table's goroutine for the one NPC called name.
func (t *Table) orderOne(ctx context.Context, name string, f func(*agent.Agent) error) error {
	return t.orderNPCs(ctx, name, func(who []int) error {
		if len(who) != 1 {
			return fmt.Errorf("name one NPC")
		}
		return f(t.cast.agents[who[0]])
	})
}

func revealSecrets(a *agent.Agent, which string) (string, error) {
	n := len(a.NPC.SecretKnowledge)
	number, err := strconv.Atoi(which)
	switch {
	case n == 0:
		return "", fmt.Errorf("%s keeps nothing secret", a.NPC.Name)
	case strings.EqualFold(which, all), which == "" && n == 1:
		for i := range n {
			a.Reveal(i)
		}
		return a.NPC.Name + " may tell all its secrets now", nil
	case which == "":
		return listSecrets(a), nil
	case err != nil || number < 1 || number > n:
		return "", fmt.Errorf("%s has no secret %q; there are 1 to %d, or all", a.NPC.Name, which, n)
	}
	a.Reveal(number - 1)
	return fmt.Sprintf("%s may tell secret %d now", a.NPC.Name, number), nil
}

// listSecrets numbers the secrets of an NPC, a line each.
func listSecrets(a *agent.Agent) string {
	lines := []string{a.NPC.Name + " keeps these; say which, by its number, or all"}
	for i, s := range a.NPC.SecretKnowledge {
		text := []rune(untrusted.Clean(s.Text, maxShownSecret+1))
		if len(text) > maxShownSecret {
			text = append(text[:maxShownSecret], '…')
		}
		lines = append(lines, fmt.Sprintf("%d: %s", i+1, string(text)))
	}
	return strings.Join(lines, "\n")
}

// revealByLine lets the NPC of a turn tell the secrets for which the line has the words, and emits a
// [Notice] for the DM.
func (t *Table) revealByLine(tn *turn) {
	if tn.isPuppet() {
		return
	}
	for _, i := range tn.to.agent.RevealedBy(tn.Text) {
		if tn.to.agent.Reveal(i) {
			t.effects.notify(tn.number, "info", fmt.Sprintf("%s may tell secret %d now: %s said the words for it", tn.to.agent.NPC.Name, i+1, tn.Speaker))
		}
	}
}
