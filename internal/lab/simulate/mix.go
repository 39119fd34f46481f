package simulate

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/MrWong99/glyphoxa/internal/config"
)

// Mix gives the shares of NPCs for each engine. The zero value uses the
// cascaded engine for all.
type Mix struct{ Cascaded, SentenceCascade, S2S int }

// maxParts bounds each part of a mix.
const maxParts = 1_000_000

// ParseMix reads a mix such as "cascaded=50,s2s=30,sentence_cascade=20".
func ParseMix(text string) (m Mix, err error) {
	given := map[string]bool{}
	for entry := range strings.SplitSeq(text, ",") {
		name, parts, ok := strings.Cut(entry, "=")
		name = strings.TrimSpace(name)
		n, err := strconv.Atoi(strings.TrimSpace(parts))
		if !ok || err != nil || n < 0 || n > maxParts {
			return Mix{}, fmt.Errorf("%q is no share of the NPCs; write cascaded=50,s2s=30,sentence_cascade=20", entry)
		}
		if given[name] {
			return Mix{}, fmt.Errorf("%s is given twice", name)
		}
		given[name] = true
		switch name {
		case config.EngineCascaded:
			m.Cascaded = n
		case config.EngineSentenceCascade:
			m.SentenceCascade = n
		case config.EngineS2S:
			m.S2S = n
		default:
			return Mix{}, fmt.Errorf("there is no engine %q; there are cascaded, s2s and sentence_cascade", name)
		}
	}
	if m == (Mix{}) {
		return Mix{}, errors.New("no NPC is left; give one of the engines more than 0")
	}
	return m, nil
}

// assignEngines returns the engines of n NPCs. Every prefix of the list matches
// the shares as closely as possible.
func (m Mix) assignEngines(n int) []string {
	if m == (Mix{}) {
		m.Cascaded = 1
	}
	names := [...]string{config.EngineCascaded, config.EngineS2S, config.EngineSentenceCascade}
	parts := [...]int{m.Cascaded, m.S2S, m.SentenceCascade}
	sum := parts[0] + parts[1] + parts[2]
	var given [3]int
	out := make([]string, n)
	for k := range out {
		next, most := 0, -sum*(n+1)
		for i, p := range parts {
			if owed := p*(k+1) - given[i]*sum; p > 0 && owed > most {
				next, most = i, owed
			}
		}
		given[next]++
		out[k] = names[next]
	}
	return out
}
