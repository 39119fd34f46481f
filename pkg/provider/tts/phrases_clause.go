package tts

// SpeaksClauses implements [Clauser] as the provider behind the cache does.
func (p *cached) SpeaksClauses() bool { return SpeaksClauses(p.provider) }
