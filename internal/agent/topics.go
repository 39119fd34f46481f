package agent

import (
	"strings"

	"github.com/MrWong99/glyphoxa/internal/config"
)

// mostTopicWords bounds the words of a topic that a model is given.
const mostTopicWords = 3

// topicLines returns the NPC's lines about its topics, in its own language, as a model is given them.
func topicLines(npc config.NPC) []string {
	language, _, _ := strings.Cut(npc.Voice.Language, "-")
	var out []string
	for _, t := range npc.Topics {
		words, lines := t.Words[language], t.Lines[language]
		if len(words) == 0 || len(lines) == 0 {
			continue
		}
		out = append(out, strings.Join(words[:min(mostTopicWords, len(words))], ", ")+": "+strings.TrimSpace(lines[0]))
	}
	return out
}
