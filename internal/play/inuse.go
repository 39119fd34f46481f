package play

import (
	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/cost"
	"github.com/MrWong99/glyphoxa/internal/engine"
)

// EngineLines is the engine of an NPC that has only stock phrases.
const EngineLines = "lines"

// EngineInUse describes the engine that an NPC uses.
type EngineInUse struct {
	// Engine is one of the Engine constants of package config, or EngineLines.
	Engine string
	// Why says why it is not the engine that the NPC names; empty if it is. It is "no_speech_model", "mode_off",
	// "mode_auto" (another engine only when the first sound is expected late), "mode_always", "scripted",
	// "no_opener" or "cost".
	Why string
}

// EngineOf returns the engine an NPC would use in a session according to the configuration.
func EngineOf(cfg *config.Config, npc config.NPC) EngineInUse {
	if npc.Engine == config.EngineS2S && !cfg.Providers.SpeaksForItself() {
		return EngineInUse{config.EngineCascaded, "no_speech_model"}
	}
	return engineByMode(npc)
}

// engineByMode returns an NPC's engine according to the mode of its cascade.
func engineByMode(npc config.NPC) EngineInUse {
	mode, opens := npc.CascadeMode(), npc.Engine == config.EngineSentenceCascade
	switch {
	case opens && mode != config.CascadeAlways:
		return EngineInUse{config.EngineCascaded, "mode_" + mode}
	case !opens && mode == config.CascadeAlways:
		return EngineInUse{config.EngineSentenceCascade, "mode_always"}
	}
	return EngineInUse{Engine: npc.Engine}
}

// EngineOf returns the engine that an NPC uses now. The configured one may be unavailable, and expensive ones
// are replaced when the session has cost too much.
func (s *Session) EngineOf(npc config.NPC) EngineInUse {
	in := s.engines.inUse(npc)
	switch level := s.meter.Level(); {
	case level == cost.LinesOnly:
		return EngineInUse{EngineLines, "cost"}
	case level == cost.Cheaper && in.Engine != config.EngineCascaded:
		return EngineInUse{config.EngineCascaded, "cost"}
	}
	return in
}

// inUse returns the engine that an NPC uses, regardless of the session's cost.
func (e *engines) inUse(npc config.NPC) EngineInUse {
	if npc.Engine == config.EngineS2S && e.speech == nil {
		return EngineInUse{config.EngineCascaded, "no_speech_model"}
	}
	in := engineByMode(npc)
	if in.Engine != config.EngineSentenceCascade {
		return in
	}
	made, ok := e.findSentence(npc.Cascade)
	if _, opens := made.engine.(*engine.SentenceCascade); !ok || opens {
		return in
	}
	if npc.Engine == config.EngineCascaded {
		return EngineInUse{Engine: config.EngineCascaded}
	}
	if made.engine == e.cascaded {
		return EngineInUse{config.EngineCascaded, "no_opener"}
	}
	return EngineInUse{config.EngineCascaded, "scripted"}
}

// findSentence returns the engine of a cascade, if it was created.
func (e *engines) findSentence(c config.Cascade) (sentenceEngine, bool) {
	opener, continuation := e.modelsOf(c)
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.findMade(opener, continuation)
}
