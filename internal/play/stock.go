package play

import (
	"strings"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/speech"
	"github.com/MrWong99/glyphoxa/pkg/provider/tts"
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

// normaliseAs says what is put into words: mode is one of config's. It returns the stock
// phrases of the cast as they reach the providers, and what puts text into words for
// those that do not do so by themselves; nil if it comes to none.
func (v *voice) normaliseAs(mode string, cast []config.NPC) (stock []string, reword func(string, tts.Voice) string) {
	v.asWritten = mode == config.NormaliseAuto || mode == config.NormaliseNever
	if mode == config.NormaliseAuto {
		reword = v.putIntoWords
	}
	for _, npc := range cast {
		for _, line := range stockLines(npc, stockOccasions...) {
			text := v.speakableText(npc, line)
			if stock = append(stock, text); reword != nil {
				stock = append(stock, reword(text, npc.Voice))
			}
		}
	}
	return stock, reword
}
