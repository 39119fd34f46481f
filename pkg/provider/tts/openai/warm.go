package openai

import (
	"context"
	"net/url"

	"github.com/MrWong99/glyphoxa/pkg/provider/internal/vendor"
)

// Warm opens a connection in advance for the next sentence. It requests the description of the model, which
// costs nothing. The error wraps ErrUnavailable, or ctx's error and cause once ctx is done.
func (p *Provider) Warm(ctx context.Context) error {
	address := p.service.Address + "/models/" + url.PathEscape(p.opts.Model)
	if err := vendor.Warm(ctx, p.opts.HTTPClient, address, vendor.Bearer(p.service.Key)); err != nil {
		return p.service.Unreachable(ctx, err)
	}
	return nil
}
