package address

import (
	"fmt"
	"strings"
)

// listenings are the names of the Listening values.
var listenings = [...]string{Attentive: "attentive", Eager: "eager", CalledOnly: "called_only"}

// String returns the name as used in configurations.
func (l Listening) String() string {
	if int(l) < len(listenings) {
		return listenings[l]
	}
	return fmt.Sprintf("Listening(%d)", uint8(l))
}

// Describe returns an explanation that continues the words "the NPCs".
func (l Listening) Describe() string {
	switch l {
	case Eager:
		return "take whatever is said while they are talked with (eager)"
	case CalledOnly:
		return "hear who calls them, and nothing else (called_only)"
	}
	return "take what is plausibly said to them (attentive)"
}

// ParseListening parses a name. It ignores case and surrounding white space, and accepts "_", "-" or a space
// between words. An empty name is the default.
func ParseListening(name string) (Listening, error) {
	plain := strings.NewReplacer("-", "_", " ", "_").Replace(strings.ToLower(strings.TrimSpace(name)))
	if plain == "" {
		return Attentive, nil
	}
	for l, n := range listenings {
		if plain == n {
			return Listening(l), nil
		}
	}
	return Attentive, fmt.Errorf("%q is no way of listening; there are eager, attentive and called_only", name)
}
