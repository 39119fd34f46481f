package tts

// SpeaksClauses implements [Clauser] by asking the wrapped provider.
func (p *cached) SpeaksClauses() bool { return SpeaksClauses(p.provider) }
