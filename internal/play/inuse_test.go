package play

import (
	"testing"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/cost"
	"github.com/MrWong99/glyphoxa/internal/engine/s2s"
)

// TestEngineInUse reports the engine that answers, and why if another is configured.
func TestEngineInUse(t *testing.T) {
	scripted := config.ProviderChain{Provider: config.Provider{Name: "offline"}}
	for _, row := range []struct {
		name   string
		engine string
		c      config.Cascade
		speech *s2s.Engine
		spent  cost.Amount
		want   EngineInUse
	}{
		{name: "cascaded", engine: config.EngineCascaded, want: EngineInUse{Engine: config.EngineCascaded}},
		{name: "opener", engine: config.EngineSentenceCascade, c: config.Cascade{Opener: named("Quick.")}, want: EngineInUse{Engine: config.EngineSentenceCascade}},
		{name: "speech", engine: config.EngineS2S, speech: &s2s.Engine{}, want: EngineInUse{Engine: config.EngineS2S}},
		{name: "no_speech_model", engine: config.EngineS2S, want: EngineInUse{config.EngineCascaded, "no_speech_model"}},
		{name: "mode_off", engine: config.EngineSentenceCascade, c: config.Cascade{Mode: config.CascadeOff}, want: EngineInUse{config.EngineCascaded, "mode_off"}},
		{name: "mode_auto", engine: config.EngineSentenceCascade, c: config.Cascade{Mode: config.CascadeAuto}, want: EngineInUse{config.EngineCascaded, "mode_auto"}},
		{name: "auto_as_configured", engine: config.EngineCascaded, c: config.Cascade{Mode: config.CascadeAuto}, want: EngineInUse{Engine: config.EngineCascaded}},
		{name: "mode_always", engine: config.EngineCascaded, c: config.Cascade{Mode: config.CascadeAlways, Opener: named("Quick.")}, want: EngineInUse{config.EngineSentenceCascade, "mode_always"}},
		{name: "scripted", engine: config.EngineSentenceCascade, c: config.Cascade{Opener: scripted}, want: EngineInUse{config.EngineCascaded, "scripted"}},
		{name: "scripted_as_configured", engine: config.EngineCascaded, c: config.Cascade{Mode: config.CascadeAlways, Opener: scripted}, want: EngineInUse{Engine: config.EngineCascaded}},
		{name: "no_opener", engine: config.EngineSentenceCascade, c: config.Cascade{Opener: named("broken")}, want: EngineInUse{config.EngineCascaded, "no_opener"}},
		{name: "cheaper", engine: config.EngineS2S, speech: &s2s.Engine{}, spent: 205, want: EngineInUse{config.EngineCascaded, "cost"}},
		{name: "cascaded_is_cheap", engine: config.EngineCascaded, spent: 205, want: EngineInUse{Engine: config.EngineCascaded}},
		{name: "lines", engine: config.EngineCascaded, spent: 300, want: EngineInUse{EngineLines, "cost"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			var made []string
			e := newEngines(&made)
			e.speech = row.speech
			npc := config.NPC{Name: "Mira", Engine: row.engine, Cascade: row.c}
			_ = e.prepareEngines([]config.NPC{npc}) // some rows have an engine that cannot be created
			one := cost.Amount(1)
			meter := cost.NewMeter(cost.Options{HardCap: 200, HasCheaper: true, Prices: []cost.Price{{Provider: "p", Output: &one}}})
			meter.Account("Mira").Charge("p", cost.Usage{Output: int64(row.spent)})
			s := &Session{engines: e, meter: meter}
			if got := s.EngineOf(npc); got != row.want {
				t.Errorf("it speaks through %+v, want %+v", got, row.want)
			}
			if row.name == "no_opener" && len(made) != 2 {
				t.Errorf("asking made models: %q", made)
			}
		})
	}
}
