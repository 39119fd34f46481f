package gptlive

import (
	"strings"
	"unicode/utf8"
)

// maxAppend is the maximum number of tokens that the service accepts at once.
const maxAppend = 500

// tokens returns an upper bound of the number of tokens in text without the vendor's tokenizer: no token is
// shorter than a byte, and words in the Latin alphabet have at least two letters per token, even invented
// ones.
func tokens(text string) int {
	halves := 0
	for _, r := range text {
		halves += cost(r)
	}
	return (halves + 1) / 2
}

// cost returns the maximum cost of a rune in half tokens.
func cost(r rune) int {
	switch {
	case r == ' ', 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z':
		return 1
	}
	return 2 * utf8.RuneLen(r)
}

// split splits text into pieces of at most limit tokens, between sentences if possible, or else between
// words.
func split(text string, limit int) []string {
	var all []string
	for text = strings.TrimSpace(text); text != ""; {
		n := cut(text, limit)
		if piece := strings.TrimSpace(text[:n]); piece != "" {
			all = append(all, piece)
		}
		text = strings.TrimSpace(text[n:])
	}
	return all
}

// cut returns the end of the first piece of text in bytes.
func cut(text string, limit int) int {
	halves, sentence, word := 0, 0, 0
	ended := false // the preceding runes end a sentence
	for i, r := range text {
		halves += cost(r)
		if halves > 2*limit {
			switch {
			case sentence > 0:
				return sentence
			case word > 0:
				return word
			case i > 0:
				return i
			}
			_, first := utf8.DecodeRuneInString(text)
			return first // guarantees progress
		}
		switch {
		case strings.ContainsRune(".!?…\n", r), ended && strings.ContainsRune(`"'”»)`, r):
			ended = true
		case strings.ContainsRune("。！？", r):
			sentence = i + utf8.RuneLen(r)
		case r == ' ':
			word = i
			if ended {
				sentence = i
			}
			ended = false
		default:
			if ended && i > 0 && text[i-1] == '\n' {
				sentence = i
			}
			ended = false
		}
	}
	return len(text)
}
