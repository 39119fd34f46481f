package openai

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

// warmDrain bounds what is read of the answer to [Provider.Warm]; a connection
// with more to read than that is not worth keeping.
const warmDrain = 256 << 10

// Warm opens a connection for the next request, so that it need not wait for
// one. It asks what the model is, which costs nothing, and any answer will do.
// The error wraps [llm.ErrUnavailable], or ctx's error once ctx is done.
func (p *Provider) Warm(ctx context.Context) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, p.base+"/models/"+url.PathEscape(p.opts.Model), nil)
	if err != nil {
		return fmt.Errorf("%w: the address of %s cannot be used", llm.ErrRejected, p.name)
	}
	if p.opts.APIKey != "" {
		req.Header.Set("Authorization", "Bearer "+p.opts.APIKey)
	}
	resp, err := p.client.Do(req)
	if err != nil {
		if ctx.Err() != nil {
			return p.ended(ctx)
		}
		return p.failed(err, nil)
	}
	defer resp.Body.Close()
	if _, err := io.CopyN(io.Discard, resp.Body, warmDrain); err != nil && err != io.EOF {
		if ctx.Err() != nil {
			return p.ended(ctx)
		}
		return p.failed(err, nil)
	}
	return nil
}
