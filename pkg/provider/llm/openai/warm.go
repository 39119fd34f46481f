package openai

import (
	"context"
	"net/url"

	"github.com/MrWong99/glyphoxa/pkg/provider/internal/vendor"
)

// Warm opens a connection in advance for the next request. It requests the description of the model, which
// costs nothing. The error wraps [llm.ErrUnavailable], or ctx's error once ctx is done.
func (p *Provider) Warm(ctx context.Context) error {
	address := p.service.Address + "/models/" + url.PathEscape(p.opts.Model)
	err := vendor.Warm(ctx, p.client, address, vendor.Bearer(p.opts.APIKey))
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return p.stoppedError(ctx)
	}
	return p.failureOf(err, nil)
}
