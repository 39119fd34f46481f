// Package embeddings defines how texts become vectors that are close together if the texts have similar
// meanings. Package sentencevectors and package wordvectors run on the CPU without a service; package openai
// uses the protocol that most vendors share.
//
//	vectors, err := provider.Embed(ctx, []string{"The mill burned down."})
//
// The package does no I/O.
package embeddings

import (
	"context"
	"errors"
)

// Provider converts texts to vectors. Implementations are safe for concurrent use.
type Provider interface {
	// Embed returns one vector per text, in order, each of length Dimensions. Without texts it returns no
	// vectors and no error. It returns once ctx is done.
	Embed(ctx context.Context, texts []string) ([][]float32, error)
	// Dimensions returns the length of the vectors, or 0 while it is unknown: some providers learn it from
	// their first response, so it is known once Embed has returned vectors. Once known, it does not change.
	Dimensions() int
	// Name identifies the vector space. Vectors of providers with different names, or of different lengths,
	// must not be compared. The name never changes and contains no secret.
	Name() string
}

// Errors that providers wrap so that callers can tell how to react.
var (
	// ErrRateLimited means that the vendor asked to slow down (HTTP 429).
	ErrRateLimited = errors.New("embedding model is rate limited")
	// ErrUnavailable means that the vendor could not be reached or failed.
	ErrUnavailable = errors.New("embedding model is unavailable")
	// ErrRejected means that the vendor refused the request itself: bad key, unknown model, wrong dimensions.
	ErrRejected = errors.New("embedding model refused the request")
)
