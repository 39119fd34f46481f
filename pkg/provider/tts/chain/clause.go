package chain

import "github.com/MrWong99/glyphoxa/pkg/provider/tts"

// SpeaksClauses implements [tts.Clauser]: the first provider, which usually speaks,
// decides.
func (c *Chain) SpeaksClauses() bool {
	return len(c.links.Links) > 0 && tts.SpeaksClauses(c.links.Links[0].Provider)
}
