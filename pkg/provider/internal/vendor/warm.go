package vendor

import (
	"context"
	"io"
	"net/http"
)

// maxDrained is the maximum number of bytes read from the response to [Warm]. A connection with more to read
// is not worth keeping.
const maxDrained = 256 << 10

// Warm opens a connection in advance, so that the next request need not wait for one. It sends a GET request
// that costs nothing to address; any response will do.
func Warm(ctx context.Context, client *http.Client, address string, header http.Header) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	for name, values := range header {
		request.Header[name] = values
	}
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if _, err := io.CopyN(io.Discard, response.Body, maxDrained); err != nil && err != io.EOF {
		return err
	}
	return nil
}

// Bearer returns the header that authenticates with key, or nil if key is empty.
func Bearer(key string) http.Header {
	if key == "" {
		return nil
	}
	return http.Header{"Authorization": {"Bearer " + key}}
}
