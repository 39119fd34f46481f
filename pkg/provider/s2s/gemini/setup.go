package gemini

import (
	"cmp"
	"strings"

	"golang.org/x/text/language"

	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
	"github.com/MrWong99/glyphoxa/pkg/provider/s2s"
)

// maxHistory is the maximum size of the history in bytes; the newest messages are kept.
const maxHistory = 64 << 10

// setup returns the setup message of a session.
func (p *Provider) setup(o s2s.SessionOptions) *setup {
	b := &setup{Model: p.opts.Model, Tools: p.tools(o.Tools)}
	if !strings.HasPrefix(b.Model, "models/") && !strings.HasPrefix(b.Model, "tunedModels/") {
		b.Model = "models/" + b.Model
	}
	instruction := o.Instructions
	if !p.traits.content && o.Resume == "" {
		instruction = withHistory(instruction, o.History)
	}
	if instruction != "" {
		b.SystemInstruction = textContent("user", instruction)
	}
	b.SessionResumption.Handle = o.Resume
	b.RealtimeInputConfig.ActivityHandling = "START_OF_ACTIVITY_INTERRUPTS"
	b.RealtimeInputConfig.AutomaticActivityDetection.Disabled = true
	b.GenerationConfig.ResponseModalities = []string{"AUDIO"}
	code := p.languageCode(o.Language)
	if o.Voice == "" && code == "" {
		return b
	}
	b.GenerationConfig.SpeechConfig = &speechConfig{LanguageCode: code}
	if o.Voice != "" {
		voice := &voiceConfig{}
		voice.PrebuiltVoiceConfig.VoiceName = o.Voice
		b.GenerationConfig.SpeechConfig.VoiceConfig = voice
	}
	return b
}

// languageCode returns a language in the service's format, which includes a region; empty if there is none.
// Native-audio models choose the language themselves and refuse the setting.
func (p *Provider) languageCode(tag string) string {
	parsed, err := language.Parse(tag)
	if err != nil || parsed.IsRoot() || strings.Contains(p.opts.Model, "native-audio") {
		return ""
	}
	base, _ := parsed.Base()
	region, sure := parsed.Region()
	if sure == language.No || !region.IsCountry() {
		return ""
	}
	return base.String() + "-" + region.String()
}

// tools returns the declarations of tools, or nil if there are none.
func (p *Provider) tools(tools []llm.ToolDefinition) []tool {
	var declarations []declaration
	for _, t := range tools {
		if !isName(t.Name) {
			continue
		}
		schema := any(t.Parameters)
		if t.Parameters == nil {
			schema = map[string]any{"type": "object"}
		}
		declarations = append(declarations, declaration{
			Name: t.Name, Description: t.Description, ParametersJSONSchema: schema, Behavior: p.traits.behavior,
		})
	}
	if len(declarations) == 0 {
		return nil
	}
	return []tool{{FunctionDeclarations: declarations}}
}

// isName reports whether the service accepts a tool name.
func isName(name string) bool {
	return name != "" && (name[0] == '_' || name[0] >= 'a' && name[0] <= 'z' || name[0] >= 'A' && name[0] <= 'Z')
}

// history returns the history for a model that accepts it as a conversation. A resumed session already has
// it.
func (p *Provider) history(o s2s.SessionOptions) []*content {
	if !p.traits.content || o.Resume != "" {
		return nil
	}
	var turns []*content
	for _, m := range newest(o.History) {
		role, text := "user", line(m)
		if m.Role == llm.RoleAssistant {
			role, text = "model", m.Content
		}
		turns = append(turns, textContent(role, text))
	}
	return turns
}

// withHistory appends the history to an instruction.
func withHistory(instruction string, history []llm.Message) string {
	said := newest(history)
	if len(said) == 0 {
		return instruction
	}
	return strings.TrimSpace(instruction + "\n\nWhat was said so far, which nobody repeats:\n" + lines(said))
}

// newest returns the newest spoken messages that fit into maxHistory.
func newest(history []llm.Message) []llm.Message {
	var said []llm.Message
	for _, m := range history {
		if (m.Role == llm.RoleUser || m.Role == llm.RoleAssistant) && strings.TrimSpace(m.Content) != "" {
			said = append(said, m)
		}
	}
	room := maxHistory
	for i := len(said) - 1; i >= 0; i-- {
		if room -= len(said[i].Content) + len(said[i].Name); room < 0 {
			return said[i+1:]
		}
	}
	return said
}

// line returns a player's words, prefixed with the name if there is one.
func line(m llm.Message) string {
	if m.Name == "" {
		return m.Content
	}
	return m.Name + ": " + m.Content
}

// lines returns a conversation as text.
func lines(messages []llm.Message) string {
	var b strings.Builder
	for _, m := range messages {
		if m.Role == llm.RoleAssistant {
			m.Name = "You"
		}
		m.Name = cmp.Or(m.Name, "Someone")
		b.WriteString(line(m) + "\n")
	}
	return strings.TrimSpace(b.String())
}
