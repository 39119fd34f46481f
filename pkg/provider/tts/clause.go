package tts

// Clauser is a [Provider] that can be given a sentence in two pieces, cut behind a
// comma or a sign like it, without its melody suffering: it hears from the sign that more follows.
// Wrappers pass the question on.
type Clauser interface {
	// SpeaksClauses reports whether it can.
	SpeaksClauses() bool
}

// SpeaksClauses reports whether a provider can be given a sentence in two pieces. One
// that does not say so cannot.
func SpeaksClauses(p Provider) bool {
	c, ok := p.(Clauser)
	return ok && c.SpeaksClauses()
}
