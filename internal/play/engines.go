package play

import (
	"context"
	"iter"
	"reflect"
	"sync"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/engine"
	"github.com/MrWong99/glyphoxa/internal/engine/s2s"
	"github.com/MrWong99/glyphoxa/internal/judge"
	"github.com/MrWong99/glyphoxa/internal/providers"
	"github.com/MrWong99/glyphoxa/internal/table"
	"github.com/MrWong99/glyphoxa/internal/userfile"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

// engines answers each turn with the engine of its NPC. It implements [engine.Engine].
type engines struct {
	cascaded engine.Engine
	speech   *s2s.Engine // speech-to-speech; nil if no model is configured for it
	// model creates the model of a cascade; setting is its configuration key. It reports whether that is the
	// scripted model.
	model func(c config.ProviderChain, setting string) (m llm.Provider, scripted bool, err error)
	// llm is used by a cascade that names no model.
	llm config.ProviderChain

	mu       sync.Mutex // guards the fields below; held while an engine is created, which does no I/O
	sentence []sentenceEngine
	made     []any // models in addition to the session's own
}

// isDearer reports whether an NPC's engine costs more than the cascaded one.
func (e *engines) isDearer(npc config.NPC) bool {
	return npc.Engine == config.EngineS2S && e.speech != nil || npc.CascadeMode() != config.CascadeOff
}

// prepareEngines creates the engines of the NPCs.
func (e *engines) prepareEngines(cast []config.NPC) error {
	for _, npc := range cast {
		if npc.CascadeMode() == config.CascadeOff {
			continue
		}
		if _, err := e.sentenceEngine(npc.Cascade); err != nil {
			return err
		}
	}
	return nil
}

// sentenceEngine is the engine of all NPCs with the same cascade.
type sentenceEngine struct {
	opener, continuation config.ProviderChain
	engine               engine.Engine
}

// Answer implements [engine.Engine].
func (e *engines) Answer(ctx context.Context, req engine.Request) iter.Seq2[engine.Event, error] {
	if req.NPC.Engine == config.EngineS2S && e.speech != nil {
		return e.speech.Answer(ctx, req)
	}
	mode := req.NPC.CascadeMode()
	if mode != config.CascadeAlways && (mode != config.CascadeAuto || !req.FirstSoundLate) {
		return e.cascaded.Answer(ctx, req)
	}
	chosen, err := e.sentenceEngine(req.NPC.Cascade)
	answer := chosen.Answer(ctx, req)
	if err == nil {
		return answer
	}
	return func(yield func(engine.Event, error) bool) {
		if yield(engine.Notice{Level: "warning", Text: req.NPC.Name + " answers without a quick first sentence: " + userfile.OneLine(err)}, nil) {
			answer(yield)
		}
	}
}

// sentenceEngine returns the engine of a cascade. If it cannot be created, the first call also returns the
// reason, and all calls return the cascaded engine.
func (e *engines) sentenceEngine(c config.Cascade) (engine.Engine, error) {
	opener, continuation := e.modelsOf(c)
	e.mu.Lock()
	defer e.mu.Unlock()
	if s, ok := e.findMade(opener, continuation); ok {
		return s.engine, nil
	}
	made, err := e.makeSentence(opener, continuation)
	e.sentence = append(e.sentence, made)
	return made.engine, err
}

// modelsOf returns the models of a cascade.
func (e *engines) modelsOf(c config.Cascade) (opener, continuation config.ProviderChain) {
	opener, continuation = c.Opener, c.Continuation
	if opener.Name == "" {
		opener = e.llm
	}
	if continuation.Name == "" {
		continuation = e.llm
	}
	return opener, continuation
}

// findMade returns the engine of two models, if it was created. The caller holds mu.
func (e *engines) findMade(opener, continuation config.ProviderChain) (sentenceEngine, bool) {
	for _, s := range e.sentence {
		if reflect.DeepEqual(s.opener, opener) && reflect.DeepEqual(s.continuation, continuation) {
			return s, true
		}
	}
	return sentenceEngine{}, false
}

// makeSentence creates an engine. A scripted model needs no opener, because its answer comes at once.
func (e *engines) makeSentence(opener, continuation config.ProviderChain) (s sentenceEngine, err error) {
	s = sentenceEngine{opener: opener, continuation: continuation, engine: e.cascaded}
	strong, _, err := e.model(continuation, "cascade.continuation")
	if err != nil {
		return s, err
	}
	fast, scripted, err := e.model(opener, "cascade.opener")
	if err != nil {
		return s, err
	}
	if scripted {
		s.engine = engine.NewCascaded(strong, engineOptions(continuation))
	} else {
		s.engine = engine.NewSentenceCascade(fast, strong, &engine.SentenceCascadeOptions{Opener: *engineOptions(opener), Continuation: *engineOptions(continuation)})
	}
	return s, nil
}

// makeEngines creates the engines of a session. model answers for NPCs that name no other.
func (g *Game) makeEngines(o SessionOptions, model llm.Provider, scripted bool) *engines {
	e := &engines{cascaded: engine.NewCascaded(model, engineOptions(g.Config.Providers.LLM)), llm: g.Config.Providers.LLM}
	e.model = func(c config.ProviderChain, setting string) (llm.Provider, bool, error) {
		if reflect.DeepEqual(c, e.llm) {
			return model, scripted, nil
		}
		m, scripted, err := g.makeModel(o, c, setting)
		e.made = append(e.made, m)
		return m, scripted, err
	}
	return e
}

// makeModel creates the language model of a setting, and reports whether it is the scripted one.
func (g *Game) makeModel(o SessionOptions, c config.ProviderChain, setting string) (m llm.Provider, scripted bool, err error) {
	if g.model != nil && reflect.DeepEqual(c, g.Config.Providers.LLM) {
		m = g.model
	} else {
		m, scripted, err = providers.ModelOf(g.client, c, setting, providers.Reports{Switched: g.reportSwitch(o, "model", providers.Answers), Learned: g.reportLesson(o)})
	}
	if err == nil && g.wrap != nil {
		m = g.wrap(m)
	}
	return m, scripted, err
}

// judge returns the judge of doubtful lines: the fast model of the cascade if there is one, otherwise the
// model that answers. It is nil if that model is scripted, or if the judge is turned off.
func (g *Game) judge(e *engines) (table.Judge, error) {
	if g.Config.Table.Judge == config.JudgeOff {
		return nil, nil
	}
	for _, c := range []struct {
		chain   config.ProviderChain
		setting string
	}{{g.Config.Cascade.Opener, "cascade.opener"}, {g.Config.Providers.LLM, "providers.llm"}} {
		if c.chain.Name == "" && c.setting == "cascade.opener" {
			continue
		}
		m, scripted, err := e.model(c.chain, c.setting)
		if err != nil {
			return nil, err
		}
		if !scripted {
			return judge.New(m), nil
		}
	}
	return nil, nil
}

// Close ends the sessions with speech-to-speech models.
func (e *engines) Close() {
	if e.speech != nil {
		e.speech.Close()
	}
}
