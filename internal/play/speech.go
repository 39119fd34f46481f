package play

import (
	"cmp"
	"errors"
	"time"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/engine"
	"github.com/MrWong99/glyphoxa/internal/engine/s2s"
	"github.com/MrWong99/glyphoxa/internal/providers"
	"github.com/MrWong99/glyphoxa/internal/userfile"
)

// openSpeech returns the engine of speech-to-speech NPCs; nil if no model is configured for it. instead
// answers what that model cannot. No connection is opened yet.
func (g *Game) openSpeech(instead engine.Engine) (*s2s.Engine, error) {
	model, name, err := providers.SpeechToSpeech(g.client, g.Config.Providers)
	switch {
	case errors.Is(err, providers.ErrNoSpeechToSpeech):
		return nil, nil
	case err != nil:
		return nil, userfile.Usage(err)
	}
	usual := providers.Option[string](g.Config.Providers.S2S, "voice")
	meant := g.Config.Providers.TTS.Name == name // voice.id names a voice of this provider
	language := ""
	if len(g.Config.Language) > 0 {
		language = g.Config.Language[0]
	}
	return s2s.New(model, g.Registry.Host, instead, &s2s.Options{
		Silence:  time.Duration(g.Config.Latency.S2SSilence),
		Voice:    func(npc config.NPC) string { return cmp.Or(npc.Voice.For(name, meant).ID, usual) },
		Language: func(npc config.NPC) string { return cmp.Or(npc.Voice.Language, language) },
		Logger:   g.log,
	}), nil
}
