package play

import "github.com/MrWong99/glyphoxa/pkg/provider/tts"

// SpeaksClauses implements [table.ClauseSpeaker].
func (v *voice) SpeaksClauses() bool { return tts.SpeaksClauses(v.provider) }
