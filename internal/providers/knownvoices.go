package providers

import (
	"fmt"

	"github.com/MrWong99/glyphoxa/internal/config"
)

// openaiVoices are the voices of OpenAI's speech models.
var openaiVoices = []string{"alloy", "ash", "ballad", "coral", "echo", "fable", "nova", "onyx", "sage", "shimmer", "verse"}

// espeakVariants are the numbers of men's and women's variants that espeak-ng has of each
// voice.
var espeakVariants = []struct {
	letter string
	most   int
}{{"f", 5}, {"m", 7}}

// KnownVoices returns the voice IDs of a provider, as an NPC's file names them; for espeak
// those in the languages. It returns none for providers whose voices belong to customers,
// and for other services with OpenAI's protocol.
func KnownVoices(p config.Provider, languages []string) (all []string) {
	switch {
	case p.Name == "openai" && p.BaseURL == "":
		return append(all, openaiVoices...)
	case p.Name == "espeak" || p.Name == "auto":
		for _, language := range languages {
			all = append(all, language)
			for _, v := range espeakVariants {
				for n := 1; n <= v.most; n++ {
					all = append(all, fmt.Sprintf("%s+%s%d", language, v.letter, n))
				}
			}
		}
	}
	return all
}
