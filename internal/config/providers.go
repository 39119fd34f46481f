package config

import "github.com/MrWong99/glyphoxa/internal/mcp"

// ProviderAuto selects the best provider that works in the current environment.
const ProviderAuto = "auto"

// Provider configures one vendor.
type Provider struct {
	Name    string          `yaml:"name" json:"name" short:"true" inherit:"true" doc:"Name of the provider."`
	BaseURL string          `yaml:"base_url" json:"base_url" format:"url" doc:"Address of another service that speaks the same protocol, such as Ollama."`
	APIKey  Secret          `yaml:"api_key" json:"api_key" doc:"Key for the service."`
	Model   string          `yaml:"model" json:"model" doc:"Model to use. If missing, the provider's default."`
	Options ProviderOptions `yaml:"options" json:"options" doc:"Further settings of this provider."`
}

// ProviderChain is a provider and those that take over if it fails.
type ProviderChain struct {
	Provider `yaml:",inline"`
	// Fallback lists providers in order of preference. Each has its own settings and inherits nothing from
	// the first.
	Fallback []Provider `yaml:"fallback" json:"fallback" inherit:"true" except:"auto|none|silent" doc:"Providers that take over in order if the one above fails."`
}

// Providers configures all vendors. A scalar is short for {name: scalar}.
type Providers struct {
	// LLM is auto, openai or offline. auto means openai if its key is set, otherwise the fallbacks, or
	// offline if there are none.
	LLM ProviderChain `yaml:"llm" json:"llm" enum:"auto|openai|offline" doc:"Language model: auto (openai if there is a key, else the models under fallback, or offline), openai (or any server with its protocol) or offline (stock phrases)."`
	// STT is auto, openai, deepgram, elevenlabs or none. auto means openai if its key is set, otherwise none.
	STT ProviderChain `yaml:"stt" json:"stt" enum:"auto|openai|deepgram|elevenlabs|none" doc:"Speech recognition: auto (openai if there is a key, else none), openai (or any server with its protocol), deepgram, elevenlabs or none."`
	// TTS is auto, espeak, openai, elevenlabs or silent. auto means espeak if it is installed, otherwise
	// silent.
	TTS ProviderChain `yaml:"tts" json:"tts" enum:"auto|espeak|openai|elevenlabs|silent" doc:"Voices: auto (espeak if it is installed, else silent), espeak, openai, elevenlabs or silent."`
	// S2S is auto, openai, gemini, gpt_live or none. auto means openai if its key is set, otherwise none.
	S2S Provider `yaml:"s2s" json:"s2s" enum:"auto|openai|gemini|gpt_live|none" doc:"Speech-to-speech model for NPCs with engine s2s: auto (openai if there is a key, else none), openai (Realtime, or any server with its protocol), gemini (Live), gpt_live (a voice for the answers of providers.llm) or none."`
	// Embeddings is auto, openai, ollama, offline or none. auto means openai if its key is set, otherwise
	// offline.
	Embeddings Provider `yaml:"embeddings" json:"embeddings" enum:"auto|openai|ollama|offline|none" doc:"Search by meaning: auto (openai if there is a key, else offline), openai, ollama (on this machine, unless base_url names another), offline (built-in word vectors) or none."`
}

// SpeaksForItself reports whether a speech-to-speech model is configured.
func (p *Providers) SpeaksForItself() bool {
	return p.S2S.Name != "none" && (p.S2S.Name != ProviderAuto || p.S2S.APIKey != "" || p.S2S.BaseURL != "")
}

// MCP lists external tool servers.
type MCP struct {
	Servers []MCPServerConfig `yaml:"servers" json:"servers" doc:"External tool servers."`
	// Recalibrate is how often the latency of the tools is measured again while Glyphoxa runs. 0 means only
	// at startup.
	Recalibrate Duration `yaml:"recalibrate" json:"recalibrate" min:"0s" max:"24h" doc:"How often the tools' speed is measured again; 0s means only at the start."`
}

// Transports of external tool servers.
const (
	TransportStdio          = "stdio"
	TransportStreamableHTTP = "streamable-http"
)

// MCPServerConfig is one external tool server.
type MCPServerConfig struct {
	Name      string `yaml:"name" json:"name" required:"true" max:"64" doc:"Unique name of the server."`
	Transport string `yaml:"transport" json:"transport" required:"true" enum:"stdio|streamable-http" doc:"How to reach the server: stdio (a program on this machine) or streamable-http (a web address)."`
	// Command is split into words as a shell would do, without running a shell.
	Command string `yaml:"command" json:"command" doc:"Program to start and its arguments; required for stdio."`
	// Args, if set, holds the arguments; Command is then not split.
	Args []string `yaml:"args" json:"args" doc:"The program's arguments, one by one. If set, command contains only the program."`
	URL  string   `yaml:"url" json:"url" format:"url" doc:"Address of the server; required for streamable-http."`
	// Env is added to the minimal environment of a stdio server.
	Env  map[string]Secret `yaml:"env" json:"env" doc:"Environment variables for a stdio server."`
	Auth MCPAuth           `yaml:"auth" json:"auth" doc:"Credentials for a streamable-http server."`

	// Disabled servers are checked but never connected to.
	Disabled bool `yaml:"disabled" json:"disabled" doc:"Whether to keep the entry but not connect."`
	// ConnectTimeout limits connecting and listing tools. Default 10s.
	ConnectTimeout Duration `yaml:"connect_timeout" json:"connect_timeout" min:"1ms" max:"10m" doc:"Time limit for connecting."`
	// CallTimeout limits one call. The budget of a tier may be shorter. Default 30s.
	CallTimeout Duration `yaml:"call_timeout" json:"call_timeout" min:"1ms" max:"1h" doc:"Time limit for one call."`
	// MaxConcurrent is the maximum number of concurrent calls. Default 8.
	MaxConcurrent int `yaml:"max_concurrent" json:"max_concurrent" min:"1" max:"1000" doc:"Maximum number of calls at the same time."`
	// IdleSleep is the time without calls after which the server is disconnected. Its tools stay listed, and
	// the next call connects again. 0 means never.
	IdleSleep Duration `yaml:"idle_sleep" json:"idle_sleep" min:"0s" max:"24h" doc:"Disconnect after this long without a call; the next call connects again. 0s means never."`
	// AllowPrivate allows URLs that lead to loopback or private addresses.
	AllowPrivate bool `yaml:"allow_private" json:"allow_private" doc:"Whether the web address may be on this machine or in the home network."`
	// Pin hides new and changed tools until the operator approves them.
	Pin bool `yaml:"pin" json:"pin" doc:"Whether to hide new and changed tools until you approve them with glyphoxa tools approve."`
	// Probe lists tools that calibration may call although they do not declare themselves read-only and
	// idempotent.
	Probe []string `yaml:"probe" json:"probe" doc:"Tools that Glyphoxa may call to measure how fast they are."`
	// Floors sets the fastest tier of tools, by the server's name for the tool.
	Floors map[string]mcp.BudgetTier `yaml:"floors" json:"floors" enum:"fast|standard|deep" doc:"Fastest tier in which each tool of this server may be offered."`
}

// MCPAuth holds the credentials for a streamable-http server. OAuth takes precedence over Token.
type MCPAuth struct {
	// Token is a static bearer token, with or without "Bearer ".
	Token Secret    `yaml:"token" json:"token" doc:"Fixed access token."`
	OAuth *MCPOAuth `yaml:"oauth" json:"oauth" doc:"OAuth 2.1 client credentials, instead of token."`
}

// MCPOAuth configures the OAuth 2.1 client-credentials grant.
type MCPOAuth struct {
	ClientID     string   `yaml:"client_id" json:"client_id" required:"true" doc:"Client ID of Glyphoxa."`
	ClientSecret Secret   `yaml:"client_secret" json:"client_secret" required:"true" doc:"Client secret of Glyphoxa."`
	TokenURL     string   `yaml:"token_url" json:"token_url" required:"true" format:"url" doc:"Address that issues access tokens."`
	Scopes       []string `yaml:"scopes" json:"scopes" doc:"Scopes to request."`
}
