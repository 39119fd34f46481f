package gptlive

import (
	"slices"
	"strings"

	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
	"github.com/MrWong99/glyphoxa/pkg/provider/s2s"
)

const (
	// maxHistory and maxHistoryTokens bound what a session begins with. The service
	// takes 128 messages and 8,192 tokens with their markup.
	maxHistory, maxHistoryTokens = 128, 6000
	// markup is what a message takes beside its text, in tokens.
	markup = 8
)

// voicePolicy tells the model its part: nobody else knows that it has one.
const voicePolicy = `You are the voice of this character, not its mind. Somebody else works out what the character knows, decides and does, and gives you the words.
Delegate whenever somebody says something to the character, even if you believe you know the answer, and wait. Until the words come, make at most a short sound of thinking, in character. Promise nothing and claim nothing.
When they come, say them as the character: all of them, once, and nothing beside them.
What reaches you as thinking is for you alone.`

// config is what a session begins with.
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

// initialItems are as many of the newest messages as a session may begin with.
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

// line is what a message says, with who said it; empty if it is not for the
// voice.
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
