package agent

import (
	"strings"

	"github.com/MrWong99/glyphoxa/internal/config"
)

const (
	// mostTopics and mostTopicRunes bound what a prompt tells of an NPC's topics.
	mostTopics     = 24
	mostTopicRunes = 160
)

// topicLines are what an NPC would say of the things it has words for, in its own
// language, as a model is told them.
func topicLines(npc config.NPC) []string {
	language, _, _ := strings.Cut(npc.Voice.Language, "-")
	var out []string
	for _, t := range npc.Topics {
		words, lines := t.Words[language], t.Lines[language]
		if len(words) == 0 || len(lines) == 0 || len(out) == mostTopics {
			continue
		}
		said := []rune(strings.TrimSpace(lines[0]))
		out = append(out, strings.Join(words[:min(3, len(words))], ", ")+": "+string(said[:min(len(said), mostTopicRunes)]))
	}
	return out
}
