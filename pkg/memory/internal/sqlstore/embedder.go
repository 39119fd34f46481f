package sqlstore

// This file is how stores of memory ask an embedder: what it says is checked, a slow
// one leaves time for full text, and a text that it refuses does not keep others from theirs.

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings"
)

// questionShare is the part of a search's remaining time the embedder may use,
// so that a slow vendor leaves time for full text.
const questionShare = 0.6

// embedTexts asks the embedder and checks what it says: vectors of one length, which are scaled to
// length 1. A vector without a direction becomes nil: nothing is near to it.
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

// embedQuestion returns a question's vector, or nil if it is to be answered by full text: without
// an embedder, or when the embedder fails or dawdles. An error says that ctx has ended.
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

// embedAroundRefused embeds what an embedder refused as a whole, in smaller and smaller parts, so
// that it is found which of all it refuses: those are given to refused.
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
