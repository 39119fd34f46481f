package sqlstore

// This file calls the embedder on behalf of a store. It checks the results, limits the time of a slow
// embedder so that some is left for full text, and keeps one rejected text from blocking the others.

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings"
)

// questionShare is the share of a search's remaining time that the embedder may use, so that a slow vendor
// leaves time for full text.
const questionShare = 0.6

// embedTexts calls the embedder and checks that it returned one vector of equal length for each text. Vectors
// are scaled to length 1. A vector without a direction becomes nil, because nothing is near to it.
func embedTexts(ctx context.Context, e embeddings.Provider, texts []string) (vectors [][]float32, dims int, err error) {
	got, err := e.Embed(ctx, texts)
	if err != nil {
		return nil, 0, err
	}
	if len(got) != len(texts) {
		return nil, 0, fmt.Errorf("%s gave %d vectors for %d texts", e.Name(), len(got), len(texts))
	}
	vectors = make([][]float32, len(got))
	if dims = e.Dimensions(); dims <= 0 {
		return nil, 0, fmt.Errorf("%s has %d dimensions", e.Name(), dims)
	}
	for i, v := range got {
		if len(v) != dims {
			return nil, 0, fmt.Errorf("%s gave %d dimensions, not %d", e.Name(), len(v), dims)
		}
		vectors[i] = normalised(v)
	}
	return vectors, dims, nil
}

// embedQuestion returns the vector of a question. It returns nil if the question has to be answered by full
// text, because there is no embedder or the embedder fails or is too slow. An error means that ctx has ended.
func embedQuestion(ctx context.Context, e embeddings.Provider, log *slog.Logger, text string) ([]float32, error) {
	if e == nil {
		return nil, nil
	}
	bounded := ctx
	if deadline, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		bounded, cancel = context.WithTimeout(ctx, time.Duration(questionShare*float64(time.Until(deadline))))
		defer cancel()
	}
	vectors, _, err := embedTexts(bounded, e, []string{text})
	if err == nil {
		return vectors[0], nil
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	log.LogAttrs(ctx, slog.LevelWarn, "what is asked is searched by words alone",
		slog.String("embedder", e.Name()), slog.Any("error", err))
	return nil, nil
}

// embedAroundRefused embeds texts that an embedder rejected as a whole. It tries ever smaller parts to find
// the texts that the embedder rejects, and calls refused for each of them.
func embedAroundRefused[T any](all []T, embed func(some []T) error, refused func(one T, why error) error) error {
	for len(all) > 0 {
		n := len(all)
		var err error
		for ; n > 0; n /= 2 {
			if err = embed(all[:n]); !errors.Is(err, embeddings.ErrRejected) {
				break
			}
		}
		if n == 0 {
			n, err = 1, refused(all[0], err)
		}
		if err != nil {
			return err
		}
		all = all[n:]
	}
	return nil
}
