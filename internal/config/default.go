package config

import (
	"time"

	"github.com/MrWong99/glyphoxa/internal/mcp"
)

// Default returns the configuration that an empty file yields. Its paths are relative.
func Default() *Config {
	return &Config{
		DataDir:   ".glyphoxa",
		Language:  []string{"en"},
		Campaign:  Campaign{System: "dnd5e"},
		Providers: defaultProviders(),
		Tools:     ToolConfig{FileQuota: 64 << 20},
		Hearing:   Hearing{Detection: DetectionAuto, EarlyFinals: 3},
		Voice:     Speaking{MaxSpeech: Duration(45 * time.Second), Normalise: NormaliseAuto},
		Memory:    Memory{Store: StoreSQLite, RecentLines: 20, History: 12, Learn: LearnReview, Digest: DigestPhrases},
		Table:     Table{Listening: ListeningAttentive, Judge: JudgeAuto, JudgeWait: Duration(700 * time.Millisecond), JudgeCalls: 20},
		Latency: Latency{
			Ceilings:        perTier(500, 1500, 4000),
			Rounds:          PerTier[int]{Fast: 1, Standard: 2, Deep: 4},
			Targets:         perTier(1200, 2200, 5000),
			ModelTimeout:    Duration(15 * time.Second),
			S2SSilence:      Duration(3 * time.Second),
			TurnTimeout:     Duration(60 * time.Second),
			MinDeepInterval: Duration(90 * time.Second),
			Continuation:    Duration(90 * time.Second),
			Lease:           Duration(5 * time.Minute),
			LeaseTurns:      10,
			Policy:          []string{"lower_tier", "opener", "fallback", "filler"},
			Preemptive:      PreemptVoice,
			FirstClause:     true,
		},
		Cost: Cost{Currency: "USD"},
		Server: Server{
			Listen: "127.0.0.1:8787", Naming: "plain", FirstList: Duration(2 * time.Second), Workflows: "workflows",
			Limits: Limits{Burst: 100, PerSecond: 10, Body: 4 << 20, Sessions: 1000},
			Audit:  Audit{Keep: Duration(90 * 24 * time.Hour), MaxSize: 1 << 30},
		},
		Browser: Browser{MaxGuests: 12},
		Tracing: Tracing{Sample: 1},
	}
}

func defaultProviders() Providers {
	auto := Provider{Name: ProviderAuto}
	return Providers{LLM: ProviderChain{Provider: auto}, STT: ProviderChain{Provider: auto}, TTS: ProviderChain{Provider: auto}, S2S: auto, Embeddings: auto}
}

// DefaultNPC returns the defaults of an NPC.
func DefaultNPC() NPC {
	return NPC{
		Engine: EngineCascaded, BudgetTier: mcp.BudgetStandard,
		Interruptibility: Interruptibility{Style: StyleYields, Confirm: Duration(500 * time.Millisecond), Resumes: true},
	}
}

// DefaultServer returns the defaults of an external tool server.
func DefaultServer() MCPServerConfig {
	return MCPServerConfig{
		ConnectTimeout: Duration(10 * time.Second),
		CallTimeout:    Duration(30 * time.Second),
		MaxConcurrent:  8,
	}
}

// SetDefaults implements [userfile.Defaulter].
func (n *NPC) SetDefaults() { *n = DefaultNPC() }

// SetDefaults implements [userfile.Defaulter].
func (s *MCPServerConfig) SetDefaults() { *s = DefaultServer() }

// SetDefaults implements [userfile.Defaulter].
func (p *Profile) SetDefaults() { *p = Profile{Sees: SeesCommon} }

// HintKey implements [userfile.KeyHinter].
func (n *NPC) HintKey(key string) string {
	if key == "npcs" {
		return "an NPC file holds one NPC: put its keys at the left margin"
	}
	return ""
}

// perTier converts milliseconds.
func perTier(fast, standard, deep int64) PerTier[Duration] {
	ms := func(n int64) Duration { return Duration(time.Duration(n) * time.Millisecond) }
	return PerTier[Duration]{Fast: ms(fast), Standard: ms(standard), Deep: ms(deep)}
}
