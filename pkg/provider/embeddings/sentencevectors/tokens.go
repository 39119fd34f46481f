package sentencevectors

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

const (
	// boundary stands for the space before a word.
	boundary = "\u2581"
	// reserved are the first pieces, which stand for no text. The first is what is in no piece.
	reserved = 6
	// maxTokens is how many pieces of a text count.
	maxTokens = 128
	// maxText is how many bytes of a text are looked at, more than maxTokens ever fill.
	maxText = 4096
)

// vocabulary is the pieces that words are cut into.
type vocabulary struct {
	places  map[string]int32
	scores  []float32
	spoken  []bool // by piece: it is more than marks and the space before a word
	longest int    // in bytes
}

// cut cuts a text into the most likely pieces. A character that is in none costs nothing,
// and those in a row are one: so it was when the model learned.
func (v *vocabulary) cut(text string) []int32 {
	if len(text) > maxText {
		text = strings.ToValidUTF8(text[:maxText], "")
	}
	text = norm.NFKC.String(text)
	if text == "" {
		return nil
	}
	text = boundary + strings.ReplaceAll(text, " ", boundary)
	type way struct { // the best to here
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
