package config

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

const (
	// mostTopicWords is the maximum number of words in one entry of a topic's words. The limit exists because
	// everything that is said is searched for them.
	mostTopicWords = 4
	// longestTopicLine is the maximum length of a topic's line, in characters. A longer one would be a speech
	// rather than an answer.
	longestTopicLine = 400
)

// checkTopics reports topics that can never come up, or have no lines.
func checkTopics(n located) {
	for i, topic := range n.npc.Topics {
		root := n.path.Key("topics").Item(i)
		if n.d.Broken(root) {
			continue
		}
		if len(topic.Intents) == 0 && len(topic.Words) == 0 {
			n.d.AddProblem(root, "the topic has neither words nor intents", "add the words players know it by, or the intents it answers")
		}
		for language, words := range topic.Words {
			for k, word := range words {
				if c := len(strings.Fields(word)); c == 0 || c > mostTopicWords {
					n.d.AddProblem(root.Key("words").Key(language).Item(k), fmt.Sprintf("an entry has %d words", c), fmt.Sprintf("give it 1 to %d", mostTopicWords))
				}
			}
		}
		for language, lines := range topic.Lines {
			if len(lines) == 0 {
				n.d.AddProblem(root.Key("lines").Key(language), "there is no line", "add one, or remove the language")
			}
			for k, line := range lines {
				path := root.Key("lines").Key(language).Item(k)
				switch c := utf8.RuneCountInString(line); {
				case strings.TrimSpace(line) == "":
					n.d.AddProblem(path, "the line is empty", "write what the NPC says, or remove it")
				case c > longestTopicLine:
					n.d.AddProblem(path, fmt.Sprintf("the line has %d characters", c), fmt.Sprintf("keep it to %d; make two lines of it", longestTopicLine))
				}
			}
		}
	}
}
