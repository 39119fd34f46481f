package tts

import "context"

// Warm has the provider behind the cache open its connections, if it can.
func (p *cached) Warm(ctx context.Context) error {
	if w, ok := p.provider.(interface{ Warm(context.Context) error }); ok {
		return w.Warm(ctx)
	}
	return nil
}
