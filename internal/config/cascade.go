package config

import "github.com/MrWong99/glyphoxa/internal/userfile"

// Modes of a Cascade.
const (
	CascadeOff    = "off"
	CascadeAuto   = "auto"
	CascadeAlways = "always"
)

// Cascade configures an NPC so that a fast model begins an answer and a strong model continues it.
type Cascade struct {
	// Mode is one of the modes, or empty if not set.
	Mode string `yaml:"mode" json:"mode" enum:"off|auto|always" doc:"When to do so: off, auto (if the first sound is expected to be late) or always. If missing: always for NPCs with engine sentence_cascade, off for others."`
	// Opener and Continuation are the two models. One without a name defaults to providers.llm.
	Opener       ProviderChain `yaml:"opener" json:"opener" enum:"auto|openai|offline" doc:"The fast model, with the keys of providers.llm. If missing, the fastest model of providers.llm and its fallback list."`
	Continuation ProviderChain `yaml:"continuation" json:"continuation" enum:"auto|openai|offline" doc:"The strong model, with the keys of providers.llm. If missing, providers.llm itself."`
}

// CascadeMode returns the mode that applies to the NPC. It is off for an NPC that speaks through a
// speech-to-speech model.
func (n *NPC) CascadeMode() string {
	switch {
	case n.Engine == EngineS2S:
		return CascadeOff
	case n.Cascade.Mode != "":
		return n.Cascade.Mode
	case n.Engine == EngineSentenceCascade:
		return CascadeAlways
	}
	return CascadeOff
}

// checkCascades checks the models of all cascades, and fills in the settings that an NPC's own cascade leaves
// open.
func (l *loader) checkCascades() {
	common := &l.cfg.Cascade
	l.checkCascade(l.main, "cascade", common)
	for _, n := range l.npcs {
		c := &n.npc.Cascade
		l.checkCascade(n.d, n.path.Key("cascade"), c)
		// An NPC with the engine sentence_cascade and no mode uses always, unless the common mode is off.
		if c.Mode == "" && (n.npc.Engine != EngineSentenceCascade || common.Mode == CascadeOff) {
			c.Mode = common.Mode
		}
		if c.Opener.Name == "" {
			c.Opener = common.Opener
		}
		if c.Continuation.Name == "" {
			c.Continuation = common.Continuation
		}
	}
}

func (l *loader) checkCascade(d *userfile.Document, root userfile.Path, c *Cascade) {
	for _, e := range []struct {
		key string
		p   *ProviderChain
	}{{"opener", &c.Opener}, {"continuation", &c.Continuation}} {
		path := root.Key(e.key)
		switch {
		case e.p.Name != "":
			l.checkProvider(d, path, "llm", &e.p.Provider)
			l.checkFallback(d, path, "llm", e.p)
		case d.HasValue(path) && !d.Broken(path):
			d.AddProblem(path.Key("name"), "is missing", "add it: auto, openai or offline")
		}
	}
}
