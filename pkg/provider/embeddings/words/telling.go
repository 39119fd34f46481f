package words

import (
	"cmp"
	"slices"
	"unicode/utf8"
)

const (
	// MaxNames is how many different words of a text those who look for names
	// take: enough for a whole utterance, since a name in it may be its shortest
	// word.
	MaxNames = 64
	// maxTold bounds how many words Telling looks at.
	maxTold = 256
)

// Telling returns the different words without stop words, or all if there are
// no others, at most as many as most. Of more, it returns the longest, which
// tend to be the rarest. It looks at the first 256 words, which it leaves alone.
func Telling(all []string, most int) []string {
	all = slices.Clone(all[:min(len(all), maxTold)])
	slices.Sort(all)
	all = slices.Compact(all)
	out := slices.DeleteFunc(slices.Clone(all), Stop)
	if len(out) == 0 {
		out = all
	}
	if len(out) > most {
		slices.SortStableFunc(out, func(a, b string) int {
			return cmp.Compare(utf8.RuneCountInString(b), utf8.RuneCountInString(a))
		})
		out = out[:most]
	}
	return out
}
