package elevenlabs

import (
	"context"
	"net/http"

	"github.com/MrWong99/glyphoxa/pkg/provider/internal/vendor"
)

// Warm opens a connection in advance for the next sentence. It lists the vendor's models, which costs
// nothing. The error wraps ErrUnavailable, or ctx's error and cause once ctx is done.
func (p *Provider) Warm(ctx context.Context) error {
	header := http.Header{"Xi-Api-Key": {p.service.Key}}
	if err := vendor.Warm(ctx, p.client, p.service.Address+"/v1/models", header); err != nil {
		return p.service.Unreachable(ctx, err)
	}
	return nil
}
