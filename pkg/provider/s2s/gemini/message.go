package gemini

import (
	"encoding/json"
	"errors"
)

// The messages of the Live API, as far as this package uses them. Each message has one of
// the fields of clientMessage or some of those of serverMessage. Source:
// https://ai.google.dev/api/live. Fields of the client are in alphabetical order, which
// makes messages easy to compare.

type clientMessage struct {
	ClientContent *clientContent `json:"clientContent,omitempty"`
	ContextUpdate *contextUpdate `json:"contextUpdate,omitempty"`
	RealtimeInput *realtimeInput `json:"realtimeInput,omitempty"`
	Setup         *setup         `json:"setup,omitempty"`
	ToolResponse  *toolResponse  `json:"toolResponse,omitempty"`
}

// empty is an object without fields: its presence is what it says.
type empty struct{}

// setup begins a session.
type setup struct {
	ContextWindowCompression struct {
		SlidingWindow empty `json:"slidingWindow"`
	} `json:"contextWindowCompression"`
	GenerationConfig struct {
		ResponseModalities []string      `json:"responseModalities"`
		SpeechConfig       *speechConfig `json:"speechConfig,omitempty"`
	} `json:"generationConfig"`
	InputAudioTranscription  empty  `json:"inputAudioTranscription"`
	Model                    string `json:"model"`
	OutputAudioTranscription empty  `json:"outputAudioTranscription"`
	RealtimeInputConfig      struct {
		ActivityHandling           string `json:"activityHandling"`
		AutomaticActivityDetection struct {
			Disabled bool `json:"disabled"`
		} `json:"automaticActivityDetection"`
	} `json:"realtimeInputConfig"`
	SessionResumption struct {
		Handle string `json:"handle,omitempty"`
	} `json:"sessionResumption"`
	SystemInstruction *content `json:"systemInstruction,omitempty"`
	Tools             []tool   `json:"tools,omitempty"`
}

type speechConfig struct {
	LanguageCode string       `json:"languageCode,omitempty"`
	VoiceConfig  *voiceConfig `json:"voiceConfig,omitempty"`
}

type voiceConfig struct {
	PrebuiltVoiceConfig struct {
		VoiceName string `json:"voiceName"`
	} `json:"prebuiltVoiceConfig"`
}

type tool struct {
	FunctionDeclarations []declaration `json:"functionDeclarations"`
}

// declaration describes a tool. Behavior is [blocking], [nonBlocking] or empty.
type declaration struct {
	Behavior             string `json:"behavior,omitempty"`
	Description          string `json:"description,omitempty"`
	Name                 string `json:"name"`
	ParametersJSONSchema any    `json:"parametersJsonSchema"`
}

// Whether the model waits for a tool.
const (
	blocking    = "BLOCKING"
	nonBlocking = "NON_BLOCKING"
)

// content is what one side said.
type content struct {
	Parts []part `json:"parts"`
	Role  string `json:"role"`
}

type part struct {
	InlineData *blob  `json:"inlineData,omitempty"`
	Text       string `json:"text,omitempty"`
}

// says returns a text that role said, which is "user" or "model".
func says(role, text string) *content { return &content{Parts: []part{{Text: text}}, Role: role} }

type blob struct {
	Data     []byte `json:"data"`
	MIMEType string `json:"mimeType"`
}

// clientContent is what was said before the session. It asks for no answer, because it
// does not say turnComplete.
type clientContent struct {
	Turns []*content `json:"turns"`
}

// realtimeInput has one of its fields.
type realtimeInput struct {
	ActivityEnd   *empty `json:"activityEnd,omitempty"`
	ActivityStart *empty `json:"activityStart,omitempty"`
	Audio         *blob  `json:"audio,omitempty"`
	Text          string `json:"text,omitempty"`
}

type toolResponse struct {
	FunctionResponses []*functionResponse `json:"functionResponses"`
}

// functionResponse is the result of a call. Scheduling is [silent], [whenIdle] or empty.
type functionResponse struct {
	ID         string            `json:"id,omitempty"`
	Name       string            `json:"name"`
	Response   map[string]string `json:"response"`
	Scheduling string            `json:"scheduling,omitempty"`
}

// What a model does with the result of a tool.
const (
	silent   = "SILENT"    // it says nothing about it
	whenIdle = "WHEN_IDLE" // it says something once it has stopped speaking
)

// contextUpdate replaces the tools of a session.
type contextUpdate struct {
	Tools struct {
		Tools []tool `json:"tools,omitempty"`
	} `json:"tools"`
}

// serverMessage is a message of the service.
type serverMessage struct {
	Error         json.RawMessage `json:"error"`
	SetupComplete *empty          `json:"setupComplete"`
	ServerContent *serverContent  `json:"serverContent"`
	ToolCall      struct {
		FunctionCalls []*functionCall `json:"functionCalls"`
	} `json:"toolCall"`
	ToolCallCancellation struct {
		IDs []string `json:"ids"`
	} `json:"toolCallCancellation"`
	UsageMetadata *usage `json:"usageMetadata"`
	GoAway        *struct {
		TimeLeft string `json:"timeLeft"` // such as "9.5s"
	} `json:"goAway"`
	SessionResumptionUpdate struct {
		NewHandle string `json:"newHandle"`
		Resumable bool   `json:"resumable"`
	} `json:"sessionResumptionUpdate"`
}

// serverContent is what the service says of the conversation.
type serverContent struct {
	InputTranscription  *transcription `json:"inputTranscription"`
	OutputTranscription *transcription `json:"outputTranscription"`
	ModelTurn           content        `json:"modelTurn"`
	GenerationComplete  bool           `json:"generationComplete"`
	Interrupted         bool           `json:"interrupted"`
	WaitingForInput     bool           `json:"waitingForInput"`
	TurnComplete        bool           `json:"turnComplete"`
	TurnCompleteReason  string         `json:"turnCompleteReason"` // [outcome] reads it
	InteractionStatus   string         `json:"interactionStatus"`
}

// inProgress is the interaction status of a turn that is not over.
const inProgress = "IN_PROGRESS"

type transcription struct {
	Text     string `json:"text"`
	Finished bool   `json:"finished"`
}

type functionCall struct {
	ID   string         `json:"id"`
	Name string         `json:"name"`
	Args map[string]any `json:"args"`
}

// usage is how many tokens were used since the usage before.
type usage struct {
	PromptTokenCount           int32        `json:"promptTokenCount"`
	CachedContentTokenCount    int32        `json:"cachedContentTokenCount"`
	ResponseTokenCount         int32        `json:"responseTokenCount"`
	ToolUsePromptTokenCount    int32        `json:"toolUsePromptTokenCount"`
	ThoughtsTokenCount         int32        `json:"thoughtsTokenCount"`
	PromptTokensDetails        []tokenCount `json:"promptTokensDetails"`
	ResponseTokensDetails      []tokenCount `json:"responseTokensDetails"`
	ToolUsePromptTokensDetails []tokenCount `json:"toolUsePromptTokensDetails"`
}

type tokenCount struct {
	Modality   string `json:"modality"`
	TokenCount int32  `json:"tokenCount"`
}

// errMalformed means a message that is none.
var errMalformed = errors.New("it sent a message that cannot be read")

// parse reads a message. The error is a [*reported] if the message is nothing but an
// error of the service, and [errMalformed] otherwise.
func parse(data []byte) (*serverMessage, error) {
	var m serverMessage
	err := json.Unmarshal(data, &m)
	switch {
	case len(m.Error) > 0 && string(m.Error) != "null":
		r := &reported{Message: "it reported an error"}
		_ = json.Unmarshal(m.Error, r) // the words above do for one that cannot be read
		return nil, r
	case err != nil:
		return nil, errMalformed
	}
	return &m, nil
}

// reported is an error that the service reports in a message of its own.
type reported struct {
	Message string `json:"message"`
	Status  string `json:"status"`
}

func (r *reported) Error() string { return r.Message + " " + r.Status }
