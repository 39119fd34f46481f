package play

import (
	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/cost"
	"github.com/MrWong99/glyphoxa/internal/engine"
)

// EngineLines is what an NPC speaks through who has stock phrases only.
const EngineLines = "lines"

// EngineInUse is the engine that an NPC speaks through.
type EngineInUse struct {
	// Engine is one of the Engine constants of package config, or EngineLines.
	Engine string
	// Why says why it is not the one that the NPC names, and is empty where it is:
	// "no_speech_model", "mode_off", "mode_auto" (another only where the first sound is
	// expected late), "mode_always", "scripted", "no_opener" or "cost".
	Why string
}

// EngineOf is what an NPC would speak through in a session, by the configuration alone.
func EngineOf(cfg *config.Config, npc config.NPC) EngineInUse {
	if npc.Engine == config.EngineS2S && !cfg.Providers.SpeaksForItself() {
		return EngineInUse{config.EngineCascaded, "no_speech_model"}
	}
	return engineByMode(npc)
}

// engineByMode is what an NPC's cascade makes of its engine.
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

// EngineOf is what an NPC speaks through now: what its configuration names may not be
// there, and dear engines give way where the session has cost too much.
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

// inUse is what an NPC speaks through, whatever the session costs.
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

// findSentence returns the engine of a cascade, if one was made.
func (e *engines) findSentence(c config.Cascade) (sentenceEngine, bool) {
	opener, continuation := e.modelsOf(c)
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.findMade(opener, continuation)
}
