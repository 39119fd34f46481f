package gptlive

import (
	"slices"
	"strings"

	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
	"github.com/MrWong99/glyphoxa/pkg/provider/s2s"
)

const (
	// maxHistory and maxHistoryTokens limit the initial history. The service accepts 128 messages and 8,192
	// tokens including markup.
	maxHistory, maxHistoryTokens = 128, 6000
	// markup is the overhead of a message in tokens.
	markup = 8
)

// voicePolicy tells the model its role, which is specific to this provider.
const voicePolicy = `You are the voice of this character, not its mind. Somebody else works out what the character knows, decides and does, and gives you the words.
Delegate whenever somebody says something to the character, even if you believe you know the answer, and wait. Until the words come, make at most a short sound of thinking, in character. Promise nothing and claim nothing.
When they come, say them as the character: all of them, once, and nothing beside them.
What reaches you as thinking is for you alone.`

// config returns the configuration of a session.
func (p *Provider) config(o s2s.SessionOptions) *sessionConfig {
	c := &sessionConfig{
		Model:        p.model,
		Instructions: strings.TrimSpace(o.Instructions + "\n\n" + voicePolicy),
		Input:        initialItems(o.History),
	}
	c.Delegation.Type = "client"
	c.Audio.Format.Type, c.Audio.Format.Rate = "audio/pcm", rate
	if o.Voice != "" {
		c.Audio.Output = &audioOutput{Voice: o.Voice}
	}
	return c
}

// initialItems returns as many of the newest messages as fit into a new session.
func initialItems(history []llm.Message) []initialItem {
	var items []initialItem
	left := maxHistoryTokens
	for _, m := range slices.Backward(history) {
		text := line(m)
		if text == "" {
			continue
		}
		left -= tokens(text) + markup
		if left < 0 || len(items) == maxHistory {
			break
		}
		items = append(items, newItem(m.Role, text))
	}
	slices.Reverse(items)
	return items
}

func newItem(role llm.Role, text string) initialItem {
	if role == llm.RoleAssistant {
		return initialItem{Type: "message", Role: "assistant", Content: []initialContent{{Type: "output_text", Text: text}}}
	}
	return initialItem{Type: "message", Role: "user", Content: []initialContent{{Type: "input_text", Text: text}}}
}

// line returns the text of a message with its speaker; empty if it is not for the voice.
func line(m llm.Message) string {
	text := strings.TrimSpace(m.Content)
	if text == "" || m.Role != llm.RoleUser && m.Role != llm.RoleAssistant {
		return ""
	}
	if m.Role == llm.RoleUser && m.Name != "" {
		return m.Name + ": " + text
	}
	return text
}
