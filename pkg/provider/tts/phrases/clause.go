package phrases

import "github.com/MrWong99/glyphoxa/pkg/provider/tts"

// SpeaksClauses implements [tts.Clauser] as the provider behind the cache does.
func (p *cached) SpeaksClauses() bool { return tts.SpeaksClauses(p.provider) }
