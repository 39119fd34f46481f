package table

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/MrWong99/glyphoxa/internal/agent"
	"github.com/MrWong99/glyphoxa/internal/untrusted"
)

// maxShownSecret bounds how much of a secret is shown in a list, in characters.
const maxShownSecret = 100

// Reveal allows an NPC to tell a secret for the rest of the session. which is the number of the secret in the
// NPC's file, from 1, or "all". If which is empty, Reveal reveals a single secret, or lists several.
func (t *Table) Reveal(ctx context.Context, npc, which string) (string, error) {
	which = strings.TrimSpace(which)
	var said string
	err := t.orderOne(ctx, npc, func(a *agent.Agent) (err error) {
		said, err = revealSecrets(a, which)
		return err
	})
	return said, err
}

// Conceal makes an NPC keep all its secrets again.
func (t *Table) Conceal(ctx context.Context, npc string) (string, error) {
	var said string
	err := t.orderOne(ctx, npc, func(a *agent.Agent) error {
		a.Conceal()
		said = a.NPC.Name + " keeps everything secret again"
		return nil
	})
	return said, err
}

// orderOne runs f on the table's goroutine for the one NPC called name.
func (t *Table) orderOne(ctx context.Context, name string, f func(*agent.Agent) error) error {
	return t.orderNPCs(ctx, name, func(who []int) error {
		if len(who) != 1 {
			return fmt.Errorf("choose one NPC")
		}
		return f(t.cast.agents[who[0]])
	})
}

func revealSecrets(a *agent.Agent, which string) (string, error) {
	n := len(a.NPC.SecretKnowledge)
	number, err := strconv.Atoi(which)
	switch {
	case n == 0:
		return "", fmt.Errorf("%s has no secrets", a.NPC.Name)
	case strings.EqualFold(which, all), which == "" && n == 1:
		for i := range n {
			a.Reveal(i)
		}
		return a.NPC.Name + " may tell all its secrets now", nil
	case which == "":
		return listSecrets(a), nil
	case err != nil || number < 1 || number > n:
		return "", fmt.Errorf("%s has no secret %q; choose 1 to %d, or all", a.NPC.Name, which, n)
	}
	a.Reveal(number - 1)
	return fmt.Sprintf("%s may tell secret %d now", a.NPC.Name, number), nil
}

// listSecrets lists the secrets of an NPC with their numbers, one on each line.
func listSecrets(a *agent.Agent) string {
	lines := []string{a.NPC.Name + " keeps these secrets; choose one by its number, or all"}
	for i, s := range a.NPC.SecretKnowledge {
		text := []rune(untrusted.Clean(s.Text, maxShownSecret+1))
		if len(text) > maxShownSecret {
			text = append(text[:maxShownSecret], '…')
		}
		lines = append(lines, fmt.Sprintf("%d: %s", i+1, string(text)))
	}
	return strings.Join(lines, "\n")
}

// revealByLine allows the NPC of a turn to tell the secrets whose trigger words the line contains, and emits
// a
// [Notice] for the DM.
func (t *Table) revealByLine(tn *turn) {
	if tn.isPuppet() {
		return
	}
	for _, i := range tn.addressee.agent.RevealedBy(tn.Text) {
		if tn.addressee.agent.Reveal(i) {
			t.effects.notify(tn.number, "info", fmt.Sprintf("%s may tell secret %d now, because %s said the words for it", tn.addressee.agent.NPC.Name, i+1, tn.Speaker))
		}
	}
}
