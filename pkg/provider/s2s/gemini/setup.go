package gemini

import (
	"cmp"
	"strings"

	"golang.org/x/text/language"
	"google.golang.org/genai"

	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
	"github.com/MrWong99/glyphoxa/pkg/provider/s2s"
)

// maxHistory bounds what was said before a session, in bytes; the newest is kept.
const maxHistory = 64 << 10

// setup is what a session begins with.
func (p *Provider) setup(o s2s.SessionOptions) *genai.LiveConnectConfig {
	instruction := o.Instructions
	if !p.traits.content && o.Resume == "" {
		instruction = withHistory(instruction, o.History)
	}
	config := &genai.LiveConnectConfig{
		ResponseModalities:       []genai.Modality{genai.ModalityAudio},
		Tools:                    p.tools(o.Tools),
		InputAudioTranscription:  &genai.AudioTranscriptionConfig{},
		OutputAudioTranscription: &genai.AudioTranscriptionConfig{},
		RealtimeInputConfig: &genai.RealtimeInputConfig{
			AutomaticActivityDetection: &genai.AutomaticActivityDetection{Disabled: true},
			ActivityHandling:           genai.ActivityHandlingStartOfActivityInterrupts,
		},
		ContextWindowCompression: &genai.ContextWindowCompressionConfig{SlidingWindow: &genai.SlidingWindow{}},
		SessionResumption:        &genai.SessionResumptionConfig{Handle: o.Resume},
	}
	if instruction != "" {
		config.SystemInstruction = genai.NewContentFromText(instruction, genai.RoleUser)
	}
	code := p.languageCode(o.Language)
	if o.Voice == "" && code == "" {
		return config
	}
	config.SpeechConfig = &genai.SpeechConfig{LanguageCode: code}
	if o.Voice != "" {
		config.SpeechConfig.VoiceConfig = &genai.VoiceConfig{
			PrebuiltVoiceConfig: &genai.PrebuiltVoiceConfig{VoiceName: o.Voice},
		}
	}
	return config
}

// languageCode is a language in the service's form, which names a region; empty if
// there is none. Models of native sound choose by themselves, and refuse to be told.
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

// tools declares tools. There is always a list, so that an empty one takes all away.
func (p *Provider) tools(tools []llm.ToolDefinition) []*genai.Tool {
	var declarations []*genai.FunctionDeclaration
	for _, t := range tools {
		if !isName(t.Name) {
			continue
		}
		schema := any(t.Parameters)
		if t.Parameters == nil {
			schema = map[string]any{"type": "object"}
		}
		declarations = append(declarations, &genai.FunctionDeclaration{
			Name: t.Name, Description: t.Description, ParametersJsonSchema: schema, Behavior: p.traits.behavior,
		})
	}
	if len(declarations) == 0 {
		return nil
	}
	return []*genai.Tool{{FunctionDeclarations: declarations}}
}

// isName reports whether the service takes a tool of that name.
func isName(name string) bool {
	return name != "" && (name[0] == '_' || name[0] >= 'a' && name[0] <= 'z' || name[0] >= 'A' && name[0] <= 'Z')
}

// history is what was said before, for a model that takes it as a conversation. A
// session that is resumed has it already.
func (p *Provider) history(o s2s.SessionOptions) []*genai.Content {
	if !p.traits.content || o.Resume != "" {
		return nil
	}
	var turns []*genai.Content
	for _, m := range newest(o.History) {
		role, text := genai.Role(genai.RoleUser), line(m)
		if m.Role == llm.RoleAssistant {
			role, text = genai.RoleModel, m.Content
		}
		turns = append(turns, genai.NewContentFromText(text, role))
	}
	return turns
}

// withHistory puts what was said before into an instruction.
func withHistory(instruction string, history []llm.Message) string {
	said := newest(history)
	if len(said) == 0 {
		return instruction
	}
	return strings.TrimSpace(instruction + "\n\nWhat was said so far, which nobody repeats:\n" + lines(said))
}

// newest returns the messages that were said aloud, as many of the newest as there is
// room for.
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

// line is what a player said, with the name if there is one.
func line(m llm.Message) string {
	if m.Name == "" {
		return m.Content
	}
	return m.Name + ": " + m.Content
}

// lines is a conversation as text.
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
