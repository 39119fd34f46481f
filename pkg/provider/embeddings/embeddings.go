// Package embeddings defines how text becomes vectors that lie close together
// when the texts mean similar things. The sub-package wordvectors needs nothing but
// the CPU, openai speaks the wire protocol most vendors share.
//
// It does no I/O and imports only the standard library.
package embeddings

import (
	"context"
	"errors"
)

// Provider turns texts into vectors. Implementations are safe for concurrent
// use.
type Provider interface {
	// Embed returns one vector per text, in order, each Dimensions long. No
	// texts yield no vectors and no error. It returns once ctx is done.
	Embed(ctx context.Context, texts []string) ([][]float32, error)
	// Dimensions is the length of every vector, 0 as long as that is not known:
	// some providers learn it from their first answer, and know it when Embed
	// has returned vectors. Once known it never changes.
	Dimensions() int
	// Name identifies the vector space: vectors of providers with different
	// names, or of different length, must not be compared. It never changes and
	// contains no secret.
	Name() string
}

// Errors a provider wraps so that callers can tell what would help.
var (
	// ErrRateLimited means the vendor asked to slow down (HTTP 429).
	ErrRateLimited = errors.New("embedding model is rate limited")
	// ErrUnavailable means the vendor could not be reached or failed.
	ErrUnavailable = errors.New("embedding model is unavailable")
	// ErrRejected means the request is refused as it is: bad key, unknown
	// model, wrong dimensions.
	ErrRejected = errors.New("embedding model refused the request")
)
