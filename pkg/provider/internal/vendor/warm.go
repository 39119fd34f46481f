package vendor

import (
	"context"
	"io"
	"net/http"
)

// maxDrained bounds what is read of the answer to [Warm]; a connection with more
// to read than that is not worth keeping.
const maxDrained = 256 << 10

// Warm opens a connection for the next request, so that it need not wait for
// one. It asks address for something that costs nothing; any answer will do.
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

// Bearer is the header that authenticates with key, nothing if it is empty.
func Bearer(key string) http.Header {
	if key == "" {
		return nil
	}
	return http.Header{"Authorization": {"Bearer " + key}}
}
