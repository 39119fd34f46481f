package play

import "github.com/MrWong99/glyphoxa/internal/providers"

// VoiceIDs are voices that an NPC's file may name as voice.id: those of the cast first,
// then those that the first provider of voices is known to have.
func (g *Game) VoiceIDs() (all []string) {
	for _, n := range g.Cast() {
		if n.Voice.ID != "" {
			all = append(all, n.Voice.ID)
		}
	}
	return append(all, providers.KnownVoices(g.Config.Providers.TTS.Provider, g.Config.Language)...)
}
