package simulate

import (
	"context"
	"iter"
	"slices"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/engine"
	"github.com/MrWong99/glyphoxa/internal/engine/s2s"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
)

// engines answer for a table's NPCs, each with its own engine. It implements
// [engine.Engine]; Close ends its sessions.
type engines struct {
	cascaded, sentence engine.Engine
	speech             *s2s.Engine // nil if no NPC uses speech-to-speech
}

// newEngines creates the named engines of a table's NPCs.
func newEngines(named []string, host *mcphost.Host, d *dice, p *pool, o *Options, violated func(string)) *engines {
	strong := &model{d, o.Model}
	e := &engines{cascaded: engine.NewCascaded(strong, nil), sentence: engine.NewSentenceCascade(&openers{d, o.Opener}, strong, nil)}
	if slices.Contains(named, config.EngineS2S) {
		e.speech = s2s.New(newSpeech(p, d, o.Speech, violated), host, e.cascaded, &s2s.Options{
			Voice: func(npc config.NPC) string { return npc.Voice.ID },
		})
	}
	return e
}

// Answer implements [engine.Engine].
func (e *engines) Answer(ctx context.Context, req engine.Request) iter.Seq2[engine.Event, error] {
	switch req.NPC.Engine {
	case config.EngineS2S:
		return e.speech.Answer(ctx, req)
	case config.EngineSentenceCascade:
		return e.sentence.Answer(ctx, req)
	}
	return e.cascaded.Answer(ctx, req)
}

// listener returns the engine's listener to players, or nil.
func (e *engines) listener() engine.Listener {
	if e.speech == nil {
		return nil
	}
	return e.speech
}

// Close ends all sessions and waits for their goroutines.
func (e *engines) Close() {
	if e.speech != nil {
		e.speech.Close()
	}
}
