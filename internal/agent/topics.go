package agent

import (
	"strings"

	"github.com/MrWong99/glyphoxa/internal/config"
)

// mostTopicWords is how many of a topic's words a model is told.
const mostTopicWords = 3

// topicLines are what an NPC would say of the things it has words for, in its own
// language, as a model is told them.
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
