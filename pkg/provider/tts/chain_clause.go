package tts

// SpeaksClauses implements [Clauser] by asking the first provider, which usually speaks.
func (c *Chain) SpeaksClauses() bool {
	return len(c.links.Links) > 0 && SpeaksClauses(c.links.Links[0].Provider)
}
