package play

import "github.com/MrWong99/glyphoxa/internal/providers"

// VoiceIDs returns voices that an NPC's file may name as voice.id: first those of the cast, then the known
// voices of the first voice provider.
func (g *Game) VoiceIDs() (all []string) {
	for _, n := range g.Cast() {
		if n.Voice.ID != "" {
			all = append(all, n.Voice.ID)
		}
	}
	return append(all, providers.KnownVoices(g.Config.Providers.TTS.Provider, g.Config.Language)...)
}
