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
		return "answer anything that is said while someone is talking with them (eager)"
	case CalledOnly:
		return "only answer when someone calls them by name (called_only)"
	}
	return "answer what is probably meant for them (attentive)"
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
	return Attentive, fmt.Errorf("%q is not a way of listening; use eager, attentive or called_only", name)
}
