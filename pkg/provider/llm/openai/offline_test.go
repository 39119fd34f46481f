package openai_test

import (
	"errors"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm/openai"
)

// noNetwork is a machine whose network is down.
type noNetwork struct{}

func (noNetwork) RoundTrip(r *http.Request) (*http.Response, error) {
	return nil, &net.OpError{Op: "dial", Net: "tcp", Err: &net.DNSError{Err: "no such host", Name: r.URL.Hostname(), IsNotFound: true}}
}

// TestNoNetwork says what people can do when nobody answers: base_url is only
// worth a look if it was set.
func TestNoNetwork(t *testing.T) {
	for base, want := range map[string]string{
		"":                       "no such host); check that this machine is online and reaches api.openai.com",
		"http://llm.example/v1/": "no such host); check that it runs and that base_url is right",
	} {
		p, err := openai.New(openai.Options{BaseURL: base, APIKey: key, Model: "m", MaxRetries: -1, HTTPClient: &http.Client{Transport: noNetwork{}}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := collect(t.Context(), p, hello()); !errors.Is(err, llm.ErrUnavailable) || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("with base_url %q err = %v, want it to end with %q", base, err, want)
		}
	}
}
