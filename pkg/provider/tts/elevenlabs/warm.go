package elevenlabs

import (
	"context"
	"fmt"
	"io"
	"net/http"
)

// warmDrain bounds what is read of the answer to [Provider.Warm]; a connection
// with more to read than that is not worth keeping.
const warmDrain = 256 << 10

// Warm opens a connection for the next sentence, so that it need not wait for
// one. It lists the vendor's models, which costs nothing, and any answer will
// do. The error wraps ErrUnavailable, or ctx's error and cause once ctx is done.
func (p *Provider) Warm(ctx context.Context) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, p.base+"/v1/models", nil)
	if err != nil {
		return fmt.Errorf("%w: the service's address cannot be used", ErrRejected)
	}
	request.Header.Set("xi-api-key", p.key)
	response, err := p.client.Do(request)
	if err != nil {
		return p.broken(ctx, err)
	}
	defer response.Body.Close()
	if _, err := io.CopyN(io.Discard, response.Body, warmDrain); err != nil && err != io.EOF {
		return p.broken(ctx, err)
	}
	return nil
}
