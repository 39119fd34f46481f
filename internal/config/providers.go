package config

import "github.com/MrWong99/glyphoxa/internal/mcp"

// ProviderAuto picks the best provider that works with what is there.
const ProviderAuto = "auto"

// Provider configures one vendor.
type Provider struct {
	Name    string          `yaml:"name" json:"name" short:"true" inherit:"true" doc:"Which provider."`
	BaseURL string          `yaml:"base_url" json:"base_url" format:"url" doc:"Address of another service that speaks the same protocol, such as Ollama."`
	APIKey  Secret          `yaml:"api_key" json:"api_key" doc:"Key for the service."`
	Model   string          `yaml:"model" json:"model" doc:"Model to use; the provider's usual one if missing."`
	Options ProviderOptions `yaml:"options" json:"options" doc:"Further settings that only this provider knows."`
}

// ProviderChain is a provider and those that take over when it fails.
type ProviderChain struct {
	Provider `yaml:",inline"`
	// Fallback lists providers by falling preference. Each has settings of its
	// own: nothing is inherited from the first.
	Fallback []Provider `yaml:"fallback" json:"fallback" inherit:"true" except:"auto|none|silent" doc:"Providers that take over, one after the other, when the one above fails."`
}

// Providers configures every vendor. A scalar is short for {name: scalar}.
type Providers struct {
	// LLM is auto (openai when its key is set, else its fallbacks, or offline if
	// there are none), openai or offline.
	LLM ProviderChain `yaml:"llm" json:"llm" enum:"auto|openai|offline" doc:"Language model: auto (openai when its key is set, else what is under fallback, or offline), openai (or anything that speaks its protocol) or offline (stock phrases)."`
	// STT is auto (openai when its key is set, else none), openai, deepgram,
	// elevenlabs or none.
	STT ProviderChain `yaml:"stt" json:"stt" enum:"auto|openai|deepgram|elevenlabs|none" doc:"Speech recognition: auto (openai when its key is set, else none), openai (or anything that speaks its protocol), deepgram, elevenlabs or none."`
	// TTS is auto (espeak when installed, else silent), espeak, openai,
	// elevenlabs or silent.
	TTS ProviderChain `yaml:"tts" json:"tts" enum:"auto|espeak|openai|elevenlabs|silent" doc:"Voices: auto (espeak when installed, else silent), espeak, openai, elevenlabs or silent."`
	// S2S is auto (openai when its key is set, else none), openai, gemini, gpt_live or
	// none.
	S2S Provider `yaml:"s2s" json:"s2s" enum:"auto|openai|gemini|gpt_live|none" doc:"Speech-to-speech model for NPCs with engine s2s: auto (openai when its key is set, else none), openai (Realtime, or anything that speaks its protocol), gemini (Live), gpt_live (a voice that has providers.llm think for it) or none."`
	// Embeddings is auto (openai when its key is set, else offline), openai, ollama,
	// offline or none.
	Embeddings Provider `yaml:"embeddings" json:"embeddings" enum:"auto|openai|ollama|offline|none" doc:"Search by meaning: auto (openai when its key is set, else offline), openai, ollama (on this machine unless base_url says otherwise), offline (word vectors of the program's own) or none."`
}

// SpeaksForItself reports whether there is a speech-to-speech model.
func (p *Providers) SpeaksForItself() bool {
	return p.S2S.Name != "none" && (p.S2S.Name != ProviderAuto || p.S2S.APIKey != "" || p.S2S.BaseURL != "")
}

// MCP lists external tool servers.
type MCP struct {
	Servers []MCPServerConfig `yaml:"servers" json:"servers" doc:"External tool servers."`
	// Recalibrate is how often the tools are measured again while Glyphoxa runs;
	// 0 means only at the start.
	Recalibrate Duration `yaml:"recalibrate" json:"recalibrate" min:"0s" max:"24h" doc:"How often the tools are measured again; 0s means only at the start."`
}

// Transports of external tool servers.
const (
	TransportStdio          = "stdio"
	TransportStreamableHTTP = "streamable-http"
)

// MCPServerConfig is one external tool server.
type MCPServerConfig struct {
	Name      string `yaml:"name" json:"name" required:"true" max:"64" doc:"Unique name of the server."`
	Transport string `yaml:"transport" json:"transport" required:"true" enum:"stdio|streamable-http" doc:"How to reach it: stdio (a program on this machine) or streamable-http (a web address)."`
	// Command is split like a shell would, without running one.
	Command string `yaml:"command" json:"command" doc:"Program to start and its arguments; required for stdio."`
	// Args takes over the splitting when given; Command is then one word.
	Args []string `yaml:"args" json:"args" doc:"Arguments one by one; command is then the program alone."`
	URL  string   `yaml:"url" json:"url" format:"url" doc:"Address of the server; required for streamable-http."`
	// Env adds to the minimal environment a stdio server is given.
	Env  map[string]Secret `yaml:"env" json:"env" doc:"Environment variables for a stdio server."`
	Auth MCPAuth           `yaml:"auth" json:"auth" doc:"Credentials for a streamable-http server."`

	// Disabled servers are checked but never connected.
	Disabled bool `yaml:"disabled" json:"disabled" doc:"Keep the entry but do not connect."`
	// ConnectTimeout bounds connecting and listing tools. Default 10s.
	ConnectTimeout Duration `yaml:"connect_timeout" json:"connect_timeout" min:"1ms" max:"10m" doc:"Longest time for connecting."`
	// CallTimeout bounds one call; a tier's budget may be shorter. Default 30s.
	CallTimeout Duration `yaml:"call_timeout" json:"call_timeout" min:"1ms" max:"1h" doc:"Longest time for one call."`
	// MaxConcurrent bounds the calls under way at once. Default 8.
	MaxConcurrent int `yaml:"max_concurrent" json:"max_concurrent" min:"1" max:"1000" doc:"Most calls at the same time."`
	// IdleSleep disconnects the server when nobody has called it for so long;
	// its tools stay listed and the next call connects it again. 0 means never.
	IdleSleep Duration `yaml:"idle_sleep" json:"idle_sleep" min:"0s" max:"24h" doc:"Disconnect after this long without a call; the next call connects again. 0s means never."`
	// AllowPrivate permits URLs that lead to loopback or private addresses.
	AllowPrivate bool `yaml:"allow_private" json:"allow_private" doc:"Allow a web address on this machine or in the home network."`
	// Pin holds back new and changed tools until the operator approves them.
	Pin bool `yaml:"pin" json:"pin" doc:"Hide new or changed tools until you approve them with glyphoxa tools approve."`
	// Probe names tools that calibration may call although they do not declare
	// themselves read-only and idempotent.
	Probe []string `yaml:"probe" json:"probe" doc:"Tools that may be called to measure how fast they are."`
	// Floors sets the fastest tier of a tool by the server's name for it.
	Floors map[string]mcp.BudgetTier `yaml:"floors" json:"floors" enum:"fast|standard|deep" doc:"Fastest tier a tool of this server may be offered in, by tool."`
}

// MCPAuth authenticates to a streamable-http server. OAuth wins over Token.
type MCPAuth struct {
	// Token is a static bearer token, with or without "Bearer ".
	Token Secret    `yaml:"token" json:"token" doc:"Fixed access token."`
	OAuth *MCPOAuth `yaml:"oauth" json:"oauth" doc:"OAuth 2.1 client credentials; used instead of token."`
}

// MCPOAuth is the OAuth 2.1 client-credentials grant.
type MCPOAuth struct {
	ClientID     string   `yaml:"client_id" json:"client_id" required:"true" doc:"Name Glyphoxa is known by."`
	ClientSecret Secret   `yaml:"client_secret" json:"client_secret" required:"true" doc:"Its secret."`
	TokenURL     string   `yaml:"token_url" json:"token_url" required:"true" format:"url" doc:"Address that hands out access tokens."`
	Scopes       []string `yaml:"scopes" json:"scopes" doc:"Rights to ask for."`
}
