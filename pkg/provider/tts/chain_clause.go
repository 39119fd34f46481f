package tts

// SpeaksClauses implements [Clauser]: the first provider, which usually speaks,
// decides.
func (c *Chain) SpeaksClauses() bool {
	return len(c.links.Links) > 0 && SpeaksClauses(c.links.Links[0].Provider)
}
