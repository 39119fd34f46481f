// Package config reads glyphoxa.yaml and the NPC files beside it.
//
// [Load] is strict: it reports every problem it finds in one go, each with its
// file and line, what is wrong and what would be right. It expands ${VAR} and
// ${VAR:-default}. Nothing here reaches the network.
package config

import (
	"time"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/pkg/provider/tts"
)

// Config is the whole configuration, checked and with every default filled in.
type Config struct {
	// DataDir holds the database and the file sandbox. Default ".glyphoxa"
	// beside the configuration file. Absolute after loading.
	DataDir   string     `yaml:"data_dir" json:"data_dir"`
	Language  []string   `yaml:"languages" json:"languages"`
	Campaign  Campaign   `yaml:"campaign" json:"campaign"`
	NPCs      []NPC      `yaml:"npcs" json:"npcs"`
	NPCsDir   string     `yaml:"npcs_dir" json:"npcs_dir"`
	Providers Providers  `yaml:"providers" json:"providers"`
	MCP       MCP        `yaml:"mcp" json:"mcp"`
	Tools     ToolConfig `yaml:"tools" json:"tools"`
	Memory    Memory     `yaml:"memory" json:"memory"`
	Latency   Latency    `yaml:"latency" json:"latency"`
	Server    Server     `yaml:"server" json:"server"`
	Discord   Discord    `yaml:"discord" json:"discord"`

	// File is the path the configuration was read from, or "built-in".
	File string `yaml:"-" json:"-"`
}

// Campaign names the world the table plays in.
type Campaign struct {
	Name string `yaml:"name" json:"name"`
	// System is the rule system, such as "dnd5e".
	System string `yaml:"system" json:"system"`
	// World is the path of the campaign file with entities and relations.
	World string `yaml:"world" json:"world"`
	// Scene is what is going on when a session starts.
	Scene string `yaml:"scene" json:"scene"`
}

// Engines an NPC can speak through.
const (
	EngineCascaded        = "cascaded"
	EngineS2S             = "s2s"
	EngineSentenceCascade = "sentence_cascade"
)

// NPC is one character.
type NPC struct {
	// ID is a slug made from the name unless given.
	ID      string   `yaml:"id" json:"id"`
	Name    string   `yaml:"name" json:"name"`
	Aliases []string `yaml:"aliases" json:"aliases"`
	// Personality is who the NPC is, in prose.
	Personality string `yaml:"personality" json:"personality"`
	// Engine is one of the Engine constants.
	Engine string `yaml:"engine" json:"engine"`
	// BudgetTier is the NPC's ceiling.
	BudgetTier mcp.BudgetTier `yaml:"budget_tier" json:"budget_tier"`
	// Tools is the whitelist; empty means no tools.
	Tools []string `yaml:"tools" json:"tools"`
	// BehaviorRules are instructions the NPC always follows.
	BehaviorRules []string `yaml:"behavior_rules" json:"behavior_rules"`
	// SecretKnowledge is what the NPC knows and does not readily tell.
	SecretKnowledge []string `yaml:"secret_knowledge" json:"secret_knowledge"`
	// KnowledgeScope names what the NPC is knowledgeable about.
	KnowledgeScope []string  `yaml:"knowledge_scope" json:"knowledge_scope"`
	Voice          tts.Voice `yaml:"voice" json:"voice"`
	// Lines are stock phrases by occasion: greeting, filler, answer, roll,
	// unknown, refusal, smalltalk, farewell.
	Lines map[string][]string `yaml:"lines" json:"lines"`

	// File and Line say where the NPC is defined.
	File string `yaml:"-" json:"-"`
	Line int    `yaml:"-" json:"-"`
}

// Provider configures one vendor.
type Provider struct {
	Name    string         `yaml:"name" json:"name"`
	BaseURL string         `yaml:"base_url" json:"base_url"`
	APIKey  Secret         `yaml:"api_key" json:"api_key"`
	Model   string         `yaml:"model" json:"model"`
	Options map[string]any `yaml:"options" json:"options"`
}

// Providers configures every vendor. A scalar is short for {name: scalar}.
type Providers struct {
	// LLM is auto (openai when its key is set, else offline), openai or offline.
	LLM Provider `yaml:"llm" json:"llm"`
	STT Provider `yaml:"stt" json:"stt"`
	// TTS is auto (espeak when installed, else silent), espeak, openai or silent.
	TTS        Provider `yaml:"tts" json:"tts"`
	S2S        Provider `yaml:"s2s" json:"s2s"`
	Embeddings Provider `yaml:"embeddings" json:"embeddings"`
}

// MCP lists external tool servers.
type MCP struct {
	Servers []MCPServerConfig `yaml:"servers" json:"servers"`
}

// Transports of external tool servers.
const (
	TransportStdio          = "stdio"
	TransportStreamableHTTP = "streamable-http"
)

// MCPServerConfig is one external tool server (text 004, "Full Configuration
// Reference").
type MCPServerConfig struct {
	Name      string `yaml:"name" json:"name"`
	Transport string `yaml:"transport" json:"transport"`
	// Command is split like a shell would, without running one.
	Command string `yaml:"command" json:"command"`
	// Args takes over the splitting when given; Command is then one word.
	Args []string          `yaml:"args" json:"args"`
	URL  string            `yaml:"url" json:"url"`
	Env  map[string]Secret `yaml:"env" json:"env"`
	Auth MCPAuth           `yaml:"auth" json:"auth"`
}

// MCPAuth authenticates to a streamable-http server. OAuth wins over Token.
type MCPAuth struct {
	// Token is a static bearer token, with or without "Bearer ".
	Token Secret    `yaml:"token" json:"token"`
	OAuth *MCPOAuth `yaml:"oauth" json:"oauth"`
}

// MCPOAuth is the OAuth 2.1 client-credentials grant.
type MCPOAuth struct {
	ClientID     string   `yaml:"client_id" json:"client_id"`
	ClientSecret Secret   `yaml:"client_secret" json:"client_secret"`
	TokenURL     string   `yaml:"token_url" json:"token_url"`
	Scopes       []string `yaml:"scopes" json:"scopes"`
}

// ToolConfig tunes built-in tools.
type ToolConfig struct {
	// Floors overrides the declared floor of a tool by name.
	Floors map[string]mcp.BudgetTier `yaml:"floors" json:"floors"`
	// Tables adds random tables for roll_table, or replaces one, by name.
	Tables map[string]RandomTable `yaml:"tables" json:"tables"`
	// FileQuota is the most bytes the file sandbox may hold. Default 64 MiB.
	FileQuota int64 `yaml:"file_quota" json:"file_quota"`
}

// RandomTable is a table for roll_table. Entries are rolled with equal chance.
type RandomTable struct {
	Description string   `yaml:"description" json:"description"`
	Entries     []string `yaml:"entries" json:"entries"`
}

// Memory configures what NPCs remember.
type Memory struct {
	// Path of the database. Default DataDir/glyphoxa.db.
	Path string `yaml:"path" json:"path"`
	// RecentLines is how many lines of the session an NPC has in mind. Default 20.
	RecentLines int `yaml:"recent_lines" json:"recent_lines"`
	// History is how many of its own turns an NPC keeps word by word. Default 12.
	History int `yaml:"history" json:"history"`
}

// Duration is a time.Duration that reads "500ms", "5m" or a whole number of
// milliseconds.
type Duration time.Duration

// PerTier holds one value per tier.
type PerTier[T any] struct {
	Fast     T `yaml:"fast" json:"fast"`
	Standard T `yaml:"standard" json:"standard"`
	Deep     T `yaml:"deep" json:"deep"`
}

// Get returns the value for t.
func (p PerTier[T]) Get(t mcp.BudgetTier) T {
	switch t {
	case mcp.BudgetFast:
		return p.Fast
	case mcp.BudgetStandard:
		return p.Standard
	}
	return p.Deep
}

// Latency holds the budgets.
type Latency struct {
	// Ceilings bound one round of parallel tools. Default 500/1500/4000 ms.
	Ceilings PerTier[Duration] `yaml:"ceilings" json:"ceilings"`
	// Rounds is how many tool rounds a turn may take. Default 1/2/4.
	Rounds PerTier[int] `yaml:"rounds" json:"rounds"`
	// Targets bound the time to the first sound. Default 1200/2200/5000 ms.
	Targets PerTier[Duration] `yaml:"targets" json:"targets"`
	// ModelTimeout bounds the wait for the next piece of a model's answer.
	// Default 15s.
	ModelTimeout Duration `yaml:"model_timeout" json:"model_timeout"`
	// TurnTimeout bounds a whole turn. Default 60s.
	TurnTimeout Duration `yaml:"turn_timeout" json:"turn_timeout"`
	// MinDeepInterval is the anti-spam interval between DEEP turns. Default 30s.
	MinDeepInterval Duration `yaml:"min_deep_interval" json:"min_deep_interval"`
	// DeepKeywords and StandardKeywords replace the built-in lists if not empty.
	DeepKeywords     []string `yaml:"deep_keywords" json:"deep_keywords"`
	StandardKeywords []string `yaml:"standard_keywords" json:"standard_keywords"`
	// Continuation is how long a line without a name goes to the last NPC.
	// Default 30s.
	Continuation Duration `yaml:"continuation" json:"continuation"`
	// Lease is how long a DM's raise lasts unless said otherwise. Default 5m.
	Lease Duration `yaml:"lease" json:"lease"`
	// LeaseTurns is how many turns it lasts at most. Default 10.
	LeaseTurns int `yaml:"lease_turns" json:"lease_turns"`
}

// Server configures the outward MCP server.
type Server struct {
	// Listen is the address of the network transports. Default "127.0.0.1:8787".
	Listen string `yaml:"listen" json:"listen"`
}

// Discord configures the bot.
type Discord struct {
	Token Secret `yaml:"token" json:"token"`
	Guild string `yaml:"guild" json:"guild"`
	// DMRoles names the roles that may use DM commands.
	DMRoles []string `yaml:"dm_roles" json:"dm_roles"`
}

// Secret is a string that never shows itself: every way of printing or
// encoding it yields "[redacted]" (or "" when empty). Reveal returns the value.
type Secret string
