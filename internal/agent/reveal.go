package agent

import (
	"slices"
	"strings"

	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/words"
)

// Reveal allows the NPC to tell one of its secrets, by its index, and reports whether that is new.
func (a *Agent) Reveal(secret int) bool {
	text := a.NPC.SecretKnowledge[secret].Text
	if slices.Contains(a.revealed, text) {
		return false
	}
	a.version++
	a.revealed = append(slices.Clip(a.revealed), text)
	return true
}

// Conceal makes the NPC keep all its secrets again.
func (a *Agent) Conceal() {
	a.version++
	a.revealed = nil
}

// Revealed returns the secrets that the NPC may tell now. The slice is never changed.
func (a *Agent) Revealed() []string { return slices.Clip(a.revealed) }

// RevealedBy returns the indices of the secrets that a line allows the NPC to tell, because the line contains
// one of their phrases as whole words. Case and accents are ignored.
func (a *Agent) RevealedBy(line string) (secrets []int) {
	said := ""
	for i, s := range a.NPC.SecretKnowledge {
		if len(s.RevealWhen) == 0 || slices.Contains(a.revealed, s.Text) {
			continue
		}
		if said == "" {
			said = " " + words.Key(line) + " "
		}
		if slices.ContainsFunc(s.RevealWhen, func(p string) bool {
			key := words.Key(p)
			return key != "" && strings.Contains(said, " "+key+" ")
		}) {
			secrets = append(secrets, i)
		}
	}
	return secrets
}
