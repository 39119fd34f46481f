package recall

import (
	"cmp"
	"slices"

	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/sentencevectors"
)

const (
	// piecedLines is the number of top lines that are also compared by pieces. Twice as many find no more.
	piecedLines = 32
	// pieceShare is the weight of the pieces relative to the words.
	pieceShare = 0.5
	// askingShare reduces that weight for a line that is a question, because it contains "who" and "my"
	// anyway.
	askingShare = 0.7
	// replyShare is the share of a piece credited to a line if the question just before it contains the
	// piece.
	replyShare = 0.6
)

// addPieces adjusts the scores of the best lines by how similar the pieces of the question are to those in
// and around each line, relative to the average. Unlike words, pieces cover "who" and "my", and relate words
// without a known meaning.
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
		if x.lines[seen[c.place]].isQuestion {
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

// roomFor returns a zeroed matrix of pieces by lines. The caller has to reset the entries it sets to 0,
// because allocating for all lines takes longer than comparing a few.
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

// replied returns how well a line, its neighbours or the question it answers match a piece.
func (x *Index) replied(own [][]float32, seen []int, k, j int) float64 {
	much := x.widened(own, seen, k, j)
	if k > 0 {
		if before := &x.lines[seen[k-1]]; before.isQuestion && before.session == x.lines[seen[k]].session {
			much = max(much, replyShare*float64(own[j][k-1]))
		}
	}
	return much
}

// matchPieces sets how well line k matches each piece of the question. known caches the similarity of pieces.
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

// compare orders candidates by descending score; on a tie the later line comes first.
func (c candidate) compare(other candidate) int {
	return cmp.Or(cmp.Compare(other.score, c.score), cmp.Compare(other.place, c.place))
}
