package wordvectors

import (
	_ "embed"
	"encoding/binary"
	"sort"
	"strings"

	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings"
)

// Dimensions is the length of the vectors.
const Dimensions = 100

// english is written by make.go, which describes the format.
//
//go:embed english.bin
var english string

// table holds the parts of english.
type table struct {
	words                          int
	offsets, ranks, vectors, texts string
}

func readTable(s string) table {
	n := int(binary.LittleEndian.Uint32([]byte(s[:4])))
	s = s[4:]
	cut := func(size int) string {
		part := s[:size]
		s = s[size:]
		return part
	}
	return table{words: n, offsets: cut(4 * (n + 1)), ranks: cut(2 * n), vectors: cut(Dimensions * n), texts: s}
}

func uint32At(s string, i int) int {
	s = s[4*i : 4*i+4]
	return int(s[0]) | int(s[1])<<8 | int(s[2])<<16 | int(s[3])<<24
}

func (t *table) text(i int) string {
	return t.texts[uint32At(t.offsets, i):uint32At(t.offsets, i+1)]
}

// find returns the index of a word, or -1 if it is not listed.
func (t *table) find(word string) int {
	i := sort.Search(t.words, func(i int) bool { return t.text(i) >= word })
	if i < t.words && t.text(i) == word {
		return i
	}
	return -1
}

func (t *table) rank(i int) int { return int(t.ranks[2*i]) | int(t.ranks[2*i+1])<<8 }

func (t *table) vector(i int) string { return t.vectors[Dimensions*i : Dimensions*(i+1)] }

// dot returns the dot product of two vectors of length [scale].
func dot(a, b string) int32 { return embeddings.DotBytes(embeddings.Bytes(a), embeddings.Bytes(b)) }

// findInflected finds a word or its base form.
func (t *table) findInflected(word string) int {
	if i := t.find(word); i >= 0 {
		return i
	}
	for _, f := range []struct{ ending, with string }{
		{"ies", "y"}, {"es", ""}, {"s", ""}, {"ied", "y"}, {"ed", "e"}, {"ed", ""}, {"ing", "e"}, {"ing", ""}, {"ly", ""}, {"in", "ing"},
	} {
		if stem, ok := strings.CutSuffix(word, f.ending); ok && len(stem) > 2 {
			if i := t.find(stem + f.with); i >= 0 {
				return i
			}
		}
	}
	return -1
}
