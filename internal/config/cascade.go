package config

import "github.com/MrWong99/glyphoxa/internal/userfile"

// Modes of a Cascade.
const (
	CascadeOff    = "off"
	CascadeAuto   = "auto"
	CascadeAlways = "always"
)

// Cascade has a fast model open an answer that a strong one goes on with.
type Cascade struct {
	// Mode is one of the modes, or empty if nothing is said.
	Mode string `yaml:"mode" json:"mode" enum:"off|auto|always" doc:"When: off, auto (where the first sound is expected to be late) or always. If missing, always for NPCs whose engine is sentence_cascade, and off for the others."`
	// Opener and Continuation are the models; one without a name is providers.llm.
	Opener       ProviderChain `yaml:"opener" json:"opener" enum:"auto|openai|offline" doc:"The fast model, with the keys of providers.llm; providers.llm itself if missing, asked for the fastest of its fallback list."`
	Continuation ProviderChain `yaml:"continuation" json:"continuation" enum:"auto|openai|offline" doc:"The strong model, with the keys of providers.llm; providers.llm itself if missing."`
}

// CascadeMode is the mode that holds for the NPC: off for one that speaks through a
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

// checkCascades looks at the models of all cascades, and fills in for each NPC what
// its own leaves open.
func (l *loader) checkCascades() {
	common := &l.cfg.Cascade
	l.checkCascade(l.main, "cascade", common)
	for _, n := range l.npcs {
		c := &n.npc.Cascade
		l.checkCascade(n.d, n.path.Key("cascade"), c)
		// The engine an NPC names is its own word on auto.
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
		case d.Given(path) && !d.Broken(path):
			d.AddProblem(path.Key("name"), "is missing", "add it: auto, openai or offline")
		}
	}
}
