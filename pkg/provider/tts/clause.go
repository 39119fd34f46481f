package tts

// Clauser is a [Provider] that may be able to speak a sentence in two parts, split after a comma or similar
// mark, without harming its intonation, because the mark tells it that more follows. Wrappers forward the
// method.
type Clauser interface {
	// SpeaksClauses reports whether the provider can do so.
	SpeaksClauses() bool
}

// SpeaksClauses reports whether p can speak a sentence in two parts. It returns false if p is not a
// [Clauser].
func SpeaksClauses(p Provider) bool {
	c, ok := p.(Clauser)
	return ok && c.SpeaksClauses()
}
