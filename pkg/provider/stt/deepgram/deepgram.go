// Package deepgram implements speech recognition through Deepgram's streaming endpoint, or any server with
// the same protocol.
//
//	p, err := deepgram.New(key, nil)
//	stream, err := p.Open(ctx, stt.Options{Language: "en", Interim: true})
//
// It sends audio as it arrives, as 16 kHz PCM. The caller, not the vendor, decides where an utterance ends.
// The package retries nothing.
package deepgram

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/coder/websocket"

	"github.com/MrWong99/glyphoxa/pkg/audio"
	"github.com/MrWong99/glyphoxa/pkg/provider/internal/vendor"
	"github.com/MrWong99/glyphoxa/pkg/provider/stt"
)

const (
	// DefaultBaseURL is the root of the vendor's API.
	DefaultBaseURL = "https://api.deepgram.com"

	defaultModel = "nova-3"
	// maxKeyterms is the maximum number of terms sent. The vendor refuses requests with more than 500 tokens
	// of terms.
	maxKeyterms = 100
	// maxKeytermBytes is the maximum total length of the terms, well below that token limit.
	maxKeytermBytes = 1500
	// idle is the maximum time without a message; the vendor hangs up after 10 s.
	idle = 4 * time.Second
)

// Options configure a [Provider].
type Options = vendor.RecogniserOptions

// Provider implements [stt.Provider]. It is safe for concurrent use.
type Provider = vendor.RecogniserProvider

// New returns a provider that authenticates with key; opts may be nil. It returns an error if the address is
// invalid; the error does not contain the address.
func New(key string, opts *Options) (*Provider, error) {
	return vendor.NewRecogniser(vendor.Recogniser{
		Name: "deepgram", BaseURL: DefaultBaseURL, Path: "/v1/listen", Model: defaultModel,
		Header: func(key string) http.Header { return http.Header{"Authorization": {"Token " + key}} },
		Query:  query, Reason: reason, Dialect: dialect,
	}, key, opts)
}

// query sets the audio format, model and options.
func query(q url.Values, model string, o stt.Options) url.Values {
	q.Set("model", model)
	q.Set("encoding", "linear16")
	q.Set("sample_rate", strconv.Itoa(vendor.Rate))
	q.Set("channels", "1")
	q.Set("interim_results", strconv.FormatBool(o.Interim))
	q.Set("punctuate", "true")
	q.Set("endpointing", "false") // the caller decides where an utterance ends
	newer := !strings.HasPrefix(model, "nova-2") && !strings.HasPrefix(model, "nova-1") &&
		strings.HasPrefix(model, "nova-")
	switch {
	case o.Language != "":
		q.Set("language", o.Language)
	case newer:
		q.Set("language", "multi")
	}
	parameter := "keywords"
	if newer {
		parameter = "keyterm"
	}
	for _, term := range vendor.Keyterms(o.Keyterms, maxKeyterms, maxKeytermBytes, 0) {
		q.Add(parameter, term)
	}
	return q
}

// dialect returns the vendor's protocol.
func dialect() vendor.Dialect {
	return vendor.Dialect{
		Type:      websocket.MessageBinary,
		Audio:     audio.AppendS16LE,
		Finish:    []byte(`{"type":"Finalize"}`),
		Goodbye:   []byte(`{"type":"CloseStream"}`),
		KeepAlive: []byte(`{"type":"KeepAlive"}`),
		Idle:      idle,
		Parse:     parse,
		Timed:     true,
	}
}
