package gemini

import (
	"encoding/json"
	"errors"
)

// The messages of the Live API, reduced to the fields in use. A client message has one of the fields of
// clientMessage, a server message some of those of serverMessage. Source: https://ai.google.dev/api/live.
// Client fields are in alphabetical order so that messages are easy to compare.

type clientMessage struct {
	ClientContent *clientContent `json:"clientContent,omitempty"`
	ContextUpdate *contextUpdate `json:"contextUpdate,omitempty"`
	RealtimeInput *realtimeInput `json:"realtimeInput,omitempty"`
	Setup         *setup         `json:"setup,omitempty"`
	ToolResponse  *toolResponse  `json:"toolResponse,omitempty"`
}

// empty is an object without fields; only its presence matters.
type empty struct{}

// setup starts a session.
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

// Values of declaration.Behavior: whether the model waits for the tool.
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

// textContent returns a text by role, which is "user" or "model".
func textContent(role, text string) *content {
	return &content{Parts: []part{{Text: text}}, Role: role}
}

type blob struct {
	Data     []byte `json:"data"`
	MIMEType string `json:"mimeType"`
}

// clientContent is the history before the session. It requests no answer, because it does not set
// turnComplete.
type clientContent struct {
	Turns []*content `json:"turns"`
}

// realtimeInput has exactly one field set.
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

// Values of functionResponse.Scheduling: the model's reaction to a result.
const (
	silent   = "SILENT"    // it does not mention it
	whenIdle = "WHEN_IDLE" // it responds once it has stopped speaking
)

// contextUpdate replaces the tools of a session.
type contextUpdate struct {
	Tools struct {
		Tools []tool `json:"tools,omitempty"`
	} `json:"tools"`
}

// serverMessage is a message from the service.
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
		TimeLeft string `json:"timeLeft"` // for example "9.5s"
	} `json:"goAway"`
	SessionResumptionUpdate struct {
		NewHandle string `json:"newHandle"`
		Resumable bool   `json:"resumable"`
	} `json:"sessionResumptionUpdate"`
}

// serverContent is the conversation part of a message.
type serverContent struct {
	InputTranscription  *transcription `json:"inputTranscription"`
	OutputTranscription *transcription `json:"outputTranscription"`
	ModelTurn           content        `json:"modelTurn"`
	GenerationComplete  bool           `json:"generationComplete"`
	Interrupted         bool           `json:"interrupted"`
	WaitingForInput     bool           `json:"waitingForInput"`
	TurnComplete        bool           `json:"turnComplete"`
	TurnCompleteReason  string         `json:"turnCompleteReason"` // see [outcome]
	InteractionStatus   string         `json:"interactionStatus"`
}

// inProgress is the interaction status of a turn that has not ended.
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

// usage is the number of tokens used since the previous usage.
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

// errMalformed means that a message could not be parsed.
var errMalformed = errors.New("it sent a message that cannot be read")

// parse parses a message. The error is a [*reported] if the message only contains an error of the service,
// and otherwise [errMalformed].
func parse(data []byte) (*serverMessage, error) {
	var m serverMessage
	err := json.Unmarshal(data, &m)
	switch {
	case len(m.Error) > 0 && string(m.Error) != "null":
		r := &reported{Message: "it reported an error"}
		_ = json.Unmarshal(m.Error, r) // the default message covers an unreadable error
		return nil, r
	case err != nil:
		return nil, errMalformed
	}
	return &m, nil
}

// reported is an error that the service sent as a message.
type reported struct {
	Message string `json:"message"`
	Status  string `json:"status"`
}

func (r *reported) Error() string { return r.Message + " " + r.Status }
