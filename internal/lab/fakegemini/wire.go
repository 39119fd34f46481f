package fakegemini

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// clientMessage is a client's message: one of its fields is set. Fields that
// are not here do not exist in the protocol, or are not covered.
type clientMessage struct {
	Setup         *setup          `json:"setup"`
	ClientContent *clientContent  `json:"clientContent"`
	RealtimeInput json.RawMessage `json:"realtimeInput"`
	ToolResponse  json.RawMessage `json:"toolResponse"`
	ContextUpdate *contextUpdate  `json:"contextUpdate"`
}

type setup struct {
	Model             string   `json:"model"`
	SystemInstruction *content `json:"systemInstruction"`
	Tools             []tool   `json:"tools"`
	GenerationConfig  struct {
		ResponseModalities    []string        `json:"responseModalities"`
		Temperature           *float64        `json:"temperature"`
		TopP                  *float64        `json:"topP"`
		TopK                  *float64        `json:"topK"`
		MaxOutputTokens       int             `json:"maxOutputTokens"`
		Seed                  *int            `json:"seed"`
		MediaResolution       string          `json:"mediaResolution"`
		ThinkingConfig        json.RawMessage `json:"thinkingConfig"`
		EnableAffectiveDialog *bool           `json:"enableAffectiveDialog"`
		SpeechConfig          *struct {
			VoiceConfig *struct {
				PrebuiltVoiceConfig *struct {
					VoiceName string `json:"voiceName"`
				} `json:"prebuiltVoiceConfig"`
			} `json:"voiceConfig"`
			LanguageCode string `json:"languageCode"`
		} `json:"speechConfig"`
	} `json:"generationConfig"`
	RealtimeInputConfig struct {
		AutomaticActivityDetection struct {
			Disabled                 bool   `json:"disabled"`
			StartOfSpeechSensitivity string `json:"startOfSpeechSensitivity"`
			EndOfSpeechSensitivity   string `json:"endOfSpeechSensitivity"`
			PrefixPaddingMs          *int   `json:"prefixPaddingMs"`
			SilenceDurationMs        *int   `json:"silenceDurationMs"`
		} `json:"automaticActivityDetection"`
		ActivityHandling string `json:"activityHandling"`
		TurnCoverage     string `json:"turnCoverage"`
	} `json:"realtimeInputConfig"`
	SessionResumption *struct {
		Handle json.RawMessage `json:"handle"`
	} `json:"sessionResumption"`
	ContextWindowCompression *struct {
		TriggerTokens json.RawMessage `json:"triggerTokens"`
		SlidingWindow *struct {
			TargetTokens json.RawMessage `json:"targetTokens"`
		} `json:"slidingWindow"`
	} `json:"contextWindowCompression"`
	InputAudioTranscription  json.RawMessage `json:"inputAudioTranscription"`
	OutputAudioTranscription json.RawMessage `json:"outputAudioTranscription"`
	HistoryConfig            struct {
		InitialHistoryInClientContent bool `json:"initialHistoryInClientContent"`
	} `json:"historyConfig"`
	Proactivity *struct {
		ProactiveAudio *bool `json:"proactiveAudio"`
	} `json:"proactivity"`
	SafetySettings json.RawMessage `json:"safetySettings"`
}

type tool struct {
	FunctionDeclarations []declaration `json:"functionDeclarations"`
}

type declaration struct {
	Name                 string          `json:"name"`
	Description          string          `json:"description"`
	Parameters           json.RawMessage `json:"parameters"`
	ParametersJSONSchema json.RawMessage `json:"parametersJsonSchema"`
	Response             json.RawMessage `json:"response"`
	ResponseJSONSchema   json.RawMessage `json:"responseJsonSchema"`
	Behavior             string          `json:"behavior"`
}

type content struct {
	Role  string `json:"role"`
	Parts []part `json:"parts"`
}

type part struct {
	Text             *string         `json:"text"`
	InlineData       *blob           `json:"inlineData"`
	FunctionCall     json.RawMessage `json:"functionCall"`
	FunctionResponse json.RawMessage `json:"functionResponse"`
	Thought          bool            `json:"thought"`
}

type blob struct {
	MIMEType string `json:"mimeType"`
	Data     []byte `json:"data"`
}

type clientContent struct {
	Turns        []content `json:"turns"`
	TurnComplete bool      `json:"turnComplete"`
}

type realtimeInput struct {
	MediaChunks    []blob    `json:"mediaChunks"`
	Audio          *blob     `json:"audio"`
	Text           *string   `json:"text"`
	ActivityStart  *struct{} `json:"activityStart"`
	ActivityEnd    *struct{} `json:"activityEnd"`
	AudioStreamEnd bool      `json:"audioStreamEnd"`
}

type toolResponse struct {
	FunctionResponses []functionResponse `json:"functionResponses"`
}

type functionResponse struct {
	ID           string         `json:"id"`
	Name         string         `json:"name"`
	Response     map[string]any `json:"response"`
	Scheduling   string         `json:"scheduling"`
	WillContinue *bool          `json:"willContinue"`
}

type contextUpdate struct {
	SystemInstruction *content `json:"systemInstruction"`
	Tools             *struct {
		Tools []tool `json:"tools"`
	} `json:"tools"`
}

// unknownField matches a JSON decoder's error about an unknown field.
var unknownField = regexp.MustCompile(`^json: unknown field "(.*)"$`)

// decode decodes JSON as strictly as the service does. A nil result is success.
func decode(data []byte, into any) *Close {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	err := d.Decode(into)
	if err == nil {
		if _, err = d.Token(); errors.Is(err, io.EOF) {
			return nil
		}
		return &invalid
	}
	if found := unknownField.FindStringSubmatch(err.Error()); found != nil {
		return &Close{1007, "Invalid JSON payload received. Unknown name \"" + found[1] + "\": Cannot find field."}
	}
	return &invalid
}

// traits are the differences between models.
type traits struct {
	updates     bool // accepts contextUpdate
	content     bool // accepts clientContent at any time
	scheduling  bool // supports behavior and scheduling
	asyncOnly   bool // has no blocking tools
	async       bool // tools do not block by default
	bareOptions bool // refuses options of older models
}

var versioned = regexp.MustCompile(`^gemini-(?:live-)?(\d+)\.(\d+)`)

func traitsOf(model string) traits {
	found := versioned.FindStringSubmatch(model)
	if found == nil {
		return traits{}
	}
	major, errMajor := strconv.Atoi(found[1])
	minor, errMinor := strconv.Atoi(found[2])
	switch {
	case errMajor != nil || errMinor != nil:
		return traits{}
	case major < 3:
		return traits{content: true, scheduling: true}
	case major == 3 && minor < 8:
		return traits{bareOptions: true}
	}
	asyncOnly := strings.Contains(model, "extended-thinking")
	return traits{updates: true, content: true, scheduling: true, asyncOnly: asyncOnly, async: true, bareOptions: true}
}

var functionName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.:-]{0,127}$`)

// checkTools returns why tools are refused, or nil.
func checkTools(tools []tool, t traits) *Close {
	seen := map[string]bool{}
	for _, list := range tools {
		for _, d := range list.FunctionDeclarations {
			switch {
			case !functionName.MatchString(d.Name):
				return &Close{1007, "Invalid function name. Must start with a letter or an underscore."}
			case seen[d.Name]:
				return &Close{1007, "Duplicate function declaration found: " + d.Name}
			case d.Parameters != nil && d.ParametersJSONSchema != nil:
				return &invalid
			case !slices.Contains([]string{"", "BLOCKING", "NON_BLOCKING"}, d.Behavior),
				d.Behavior != "" && !t.scheduling,
				d.Behavior == "BLOCKING" && t.asyncOnly:
				return &invalid
			case d.ParametersJSONSchema != nil && !isObjectSchema(d.ParametersJSONSchema):
				return &invalid
			}
			seen[d.Name] = true
		}
	}
	return nil
}

func isObjectSchema(schema json.RawMessage) bool {
	var s struct {
		Type string `json:"type"`
	}
	return json.Unmarshal(schema, &s) == nil && s.Type == "object"
}

// checkContents returns why a conversation is refused, or nil.
func checkContents(turns []content) *Close {
	for _, c := range turns {
		if c.Role != "user" && c.Role != "model" || len(c.Parts) == 0 {
			return &invalid
		}
		for _, p := range c.Parts {
			if p.FunctionCall != nil || p.FunctionResponse != nil || p.Text == nil && p.InlineData == nil {
				return &invalid
			}
		}
	}
	return nil
}
