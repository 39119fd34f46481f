package words

import (
	"cmp"
	"slices"
	"unicode/utf8"
)

const (
	// MaxNames is the maximum number of distinct words of a text to consider when looking for names. It
	// covers a whole utterance, because a name may be its shortest word.
	MaxNames = 64
	// maxTold is the maximum number of words that Telling considers.
	maxTold = 256
)

// ContentWords returns at most most distinct words, without stop words unless there are no others. If there are
// more, it prefers the longest, which tend to be the rarest. It considers only the first 256 words and does
// not modify all.
func ContentWords(all []string, most int) []string {
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
