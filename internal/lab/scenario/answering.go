package scenario

import (
	"context"
	"iter"
	"slices"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/engine"
	"github.com/MrWong99/glyphoxa/internal/engine/s2s"
)

// answering answers for each NPC with its engine, all with the scene's scripts.
// It implements [engine.Engine].
type answering struct {
	byName map[string]engine.Engine
	talker *talker // nil if no NPC uses a session
	listen engine.Listener
	stop   func()
}

// newAnswering creates the engines that the scene's NPCs need.
func newAnswering(st *stage, voices *speaker) *answering {
	s := st.scene
	w := &writer{script: s.Model, npcs: s.NPCs, rec: st.rec}
	plain := engine.NewCascaded(w, nil)
	a := &answering{stop: func() {}, byName: map[string]engine.Engine{
		config.EngineCascaded: plain, config.EngineSentenceCascade: engine.NewSentenceCascade(opening{w}, w, nil),
	}}
	if slices.ContainsFunc(s.NPCs, func(n config.NPC) bool { return n.Engine == config.EngineS2S }) {
		a.talker = newTalker(s, w, voices, st.lastSaid)
		talks := s2s.New(a.talker.provider, st.host, plain, nil)
		a.byName[config.EngineS2S], a.listen, a.stop = talks, talks, talks.Close
	}
	return a
}

// Answer implements [engine.Engine].
func (a *answering) Answer(ctx context.Context, req engine.Request) iter.Seq2[engine.Event, error] {
	name := req.NPC.Engine
	if mode := req.NPC.CascadeMode(); mode == config.CascadeAlways || mode == config.CascadeAuto && req.FirstSoundLate {
		name = config.EngineSentenceCascade
	} else if name == config.EngineSentenceCascade {
		name = config.EngineCascaded
	}
	e, ok := a.byName[name]
	if !ok {
		e = a.byName[config.EngineCascaded]
	}
	return e.Answer(ctx, req)
}

// listener returns the engine's listener to players, or nil.
func (a *answering) listener() engine.Listener { return a.listen }

// Close closes the engines.
func (a *answering) Close() { a.stop() }
