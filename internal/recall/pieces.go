package recall

import (
	"cmp"
	"slices"

	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/sentencevectors"
)

const (
	// piecedLines is how many of the best lines are compared by pieces, too. Twice as many find no more.
	piecedLines = 32
	// pieceShare is how much that counts beside the words.
	pieceShare = 0.5
	// askingShare is what it counts for a line that asks: such a one has "who" and "my" of itself.
	askingShare = 0.7
	// replyShare is how much of a piece a line is if the line before asks with it.
	replyShare = 0.6
)

// addPieces adds to the score of the best lines how near the pieces of the question's words are to
// those in and around a line, more or less than on average. Unlike words they include "who"
// and "my", and what words of which nothing is known have in common with others.
func (x *Index) addPieces(best []candidate, question string, seen []int) {
	asked := sentencevectors.Pieces(question)
	asked = asked[:min(len(asked), maxPieces)]
	if len(asked) == 0 || len(best) == 0 {
		return
	}
	own := x.roomFor(len(asked), len(seen))
	known := make(map[sentencevectors.Piece][]float32)
	done := make(map[int]bool, 2*len(best))
	extra, mean := make([]float64, len(best)), 0.0
	for n, c := range best {
		for k := max(0, c.place-2); k <= min(c.place+2, len(seen)-1); k++ {
			if !done[k] {
				done[k] = true
				matchPieces(asked, x.lines[seen[k]].pieces, k, own, known)
			}
		}
		for j := range asked {
			extra[n] += x.replied(own, seen, c.place, j) / float64(len(asked))
		}
		if x.lines[seen[c.place]].asks {
			extra[n] *= askingShare
		}
		mean += extra[n] / float64(len(best))
	}
	for n := range best {
		best[n].score += pieceShare * (extra[n] - mean)
	}
	for k := range done {
		for j := range own {
			own[j][k] = 0
		}
	}
	slices.SortFunc(best, candidate.compare)
}

// roomFor returns numbers for each piece and line, all 0. Who sets some sets them to 0 again: to
// make room for all lines takes longer than to compare a few.
func (x *Index) roomFor(pieces, lines int) [][]float32 {
	for len(x.room) < pieces {
		x.room = append(x.room, nil)
	}
	for j := range pieces {
		if len(x.room[j]) < lines {
			x.room[j] = make([]float32, max(lines, len(x.lines)))
		}
	}
	return x.room[:pieces]
}

// replied is how much of a piece a line is, those around it, or the question that it answers.
func (x *Index) replied(own [][]float32, seen []int, k, j int) float64 {
	much := x.widened(own, seen, k, j)
	if k > 0 {
		if before := &x.lines[seen[k-1]]; before.asks && before.session == x.lines[seen[k]].session {
			much = max(much, replyShare*float64(own[j][k-1]))
		}
	}
	return much
}

// matchPieces sets how much of line k each piece of the question is. What pieces are like is kept
// in known.
func matchPieces(asked, line []sentencevectors.Piece, k int, own [][]float32, known map[sentencevectors.Piece][]float32) {
	for _, p := range line {
		like, ok := known[p]
		if !ok {
			like = make([]float32, len(asked))
			for j, a := range asked {
				like[j] = sentencevectors.Likeness(a, p)
			}
			known[p] = like
		}
		for j, v := range like {
			own[j][k] = max(own[j][k], v)
		}
	}
}

// compare puts the better first, of equal ones the later.
func (c candidate) compare(other candidate) int {
	return cmp.Or(cmp.Compare(other.score, c.score), cmp.Compare(other.place, c.place))
}
