package play

import (
	"slices"
	"strings"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/providers"
	"github.com/MrWong99/glyphoxa/internal/speech"
)

// stockOccasions are the occasions whose phrases always sound the same.
var stockOccasions = []string{"greeting", "filler", "unknown", "refusal", "smalltalk", "farewell"}

// warmedOccasions returns the occasions whose phrases are synthesized in advance: those that are needed
// without delay, or none if the provider's option "warm" is false.
func warmedOccasions(p config.Provider) []string {
	on, set := p.Options["warm"].(bool)
	switch {
	case !set:
		return []string{"filler"}
	case on:
		return []string{"filler", "greeting"}
	}
	return nil
}

// stockLines returns the phrases of an NPC that always sound the same, for some occasions, sentence by
// sentence.
func stockLines(npc config.NPC, occasions ...string) []string {
	var all []string
	for _, occasion := range occasions {
		for _, line := range npc.Lines[occasion] {
			if strings.Contains(line, "{") {
				continue
			}
			var split speech.Splitter
			all = append(append(all, split.Push(line)...), split.Flush()...)
		}
	}
	return all
}

// preparedStock returns the stock phrases of the cast as speech engines receive them.
func preparedStock(cast []config.NPC, prepare providers.Prepare) []string {
	var all []string
	for _, npc := range cast {
		for _, line := range stockLines(npc, stockOccasions...) {
			for _, engine := range []speech.Profile{speech.Full, speech.Game} {
				if text := prepare(line, npc.Voice, engine); !slices.Contains(all, text) {
					all = append(all, text)
				}
			}
		}
	}
	return all
}
