package sentencevectors

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

const (
	// boundary stands for the space before a word.
	boundary = "\u2581"
	// reserved is the number of special pieces at the start. The first one stands for unknown characters.
	reserved = 6
	// maxTokens is the maximum number of pieces of a text.
	maxTokens = 128
	// maxText is the maximum number of bytes of a text, more than maxTokens pieces ever cover.
	maxText = 4096
)

// vocabulary holds the pieces into which words are split.
type vocabulary struct {
	places  map[string]int32
	scores  []float32
	spoken  []bool // by piece: contains a letter or digit
	longest int    // in bytes
}

// cut splits a text into the most likely pieces. Characters outside the vocabulary cost nothing, and a run of
// them becomes a single piece, as when the model was trained.
func (v *vocabulary) cut(text string) []int32 {
	if len(text) > maxText {
		text = strings.ToValidUTF8(text[:maxText], "")
	}
	text = norm.NFKC.String(text)
	if text == "" {
		return nil
	}
	text = boundary + strings.ReplaceAll(text, " ", boundary)
	type way struct { // the best split up to here
		score float32
		piece int32
		from  int
	}
	ways := make([]way, len(text)+1)
	for start := 0; start < len(text); {
		_, size := utf8.DecodeRuneInString(text[start:])
		for end := start + size; end <= len(text) && end-start <= v.longest; {
			if piece, ok := v.places[text[start:end]]; ok {
				score := v.scores[piece] + ways[start].score
				if w := &ways[end]; w.score == 0 || score >= w.score {
					*w = way{score, piece, start}
				}
			}
			_, next := utf8.DecodeRuneInString(text[end:])
			end += max(1, next)
		}
		start += size
	}
	var out []int32
	for end := len(text); end > 0; {
		w := ways[end]
		if w.piece == 0 {
			_, size := utf8.DecodeLastRuneInString(text[:end])
			w.from = end - size
		}
		if w.piece != 0 || len(out) == 0 || out[len(out)-1] != 0 {
			out = append(out, w.piece)
		}
		end = w.from
	}
	for i, j := 0, len(out)-1; i < j; i, j = i+1, j-1 {
		out[i], out[j] = out[j], out[i]
	}
	return out[:min(len(out), maxTokens)]
}
