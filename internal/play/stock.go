package play

import (
	"strings"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/speech"
)

// stockOccasions are the occasions whose phrases always sound the same.
var stockOccasions = []string{"greeting", "filler", "unknown", "refusal", "smalltalk", "farewell"}

// warmedOccasions returns the occasions whose phrases are spoken ahead: those that are
// wanted without delay, or none where that is not to be paid for.
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

// stockLines are the phrases of an NPC for some occasions that always sound the
// same, sentence by sentence as the voice gets them.
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
