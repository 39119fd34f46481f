package tts

import "context"

// Warm opens the connections of the wrapped provider, if it supports that.
func (p *cached) Warm(ctx context.Context) error {
	if w, ok := p.provider.(interface{ Warm(context.Context) error }); ok {
		return w.Warm(ctx)
	}
	return nil
}
