// Package elevenlabs implements speech recognition through ElevenLabs' realtime endpoint, or any server with
// the same protocol.
//
//	p, err := elevenlabs.New(key, nil)
//	stream, err := p.Open(ctx, stt.Options{Language: "en", Interim: true})
//
// It sends audio as it arrives, as 16 kHz PCM in messages of at least a tenth of a second. The caller, not
// the vendor, decides where an utterance ends. The package retries nothing.
package elevenlabs

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/coder/websocket"

	"github.com/MrWong99/glyphoxa/pkg/audio"
	"github.com/MrWong99/glyphoxa/pkg/provider/internal/vendor"
	"github.com/MrWong99/glyphoxa/pkg/provider/stt"
)

const (
	// DefaultBaseURL is the root of the vendor's API.
	DefaultBaseURL = "https://api.elevenlabs.io"

	defaultModel = "scribe_v2_realtime"
	// maxKeyterms and maxKeytermRunes are the vendor's limits.
	maxKeyterms, maxKeytermRunes = 50, 20
	// idle is the maximum time without a message; the vendor hangs up after about 15 s.
	idle = 5 * time.Second
	// minAudio is a tenth of a second. Shorter messages cost more in base64 and framing than they gain.
	minAudio = vendor.Rate / 10
	// silence is the length of the keep-alive message, 20 ms.
	silence = vendor.Rate / 50
)

// Options configure a [Provider].
type Options = vendor.RecogniserOptions

// Provider implements [stt.Provider]. It is safe for concurrent use.
type Provider = vendor.RecogniserProvider

// New returns a provider that authenticates with key; opts may be nil. It returns an error if the address is
// invalid; the error does not contain the address.
func New(key string, opts *Options) (*Provider, error) {
	return vendor.NewRecogniser(vendor.Recogniser{
		Name: "elevenlabs", BaseURL: DefaultBaseURL, Path: "/v1/speech-to-text/realtime", Model: defaultModel,
		Header: func(key string) http.Header { return http.Header{"Xi-Api-Key": {key}} },
		Query:  query, Reason: reason, Dialect: dialect,
	}, key, opts)
}

// query sets the audio format, model and options.
func query(q url.Values, model string, o stt.Options) url.Values {
	q.Set("model_id", model)
	q.Set("audio_format", "pcm_16000")
	q.Set("commit_strategy", "manual") // the caller decides where an utterance ends
	if o.Language != "" {
		language, _, _ := strings.Cut(o.Language, "-")
		q.Set("language_code", strings.ToLower(language))
	}
	for _, term := range vendor.Keyterms(o.Keyterms, maxKeyterms, 0, maxKeytermRunes) {
		q.Add("keyterms", term)
	}
	return q
}

// dialect returns the vendor's protocol.
func dialect() vendor.Dialect {
	return vendor.Dialect{
		Type:     websocket.MessageText,
		Audio:    appendChunk,
		MinAudio: minAudio,
		Finish:   []byte(`{"message_type":"input_audio_chunk","audio_base_64":"","commit":true,"sample_rate":16000}`),
		// The protocol has no goodbye message; closing the connection is enough.
		KeepAlive: appendChunk(nil, make([]int16, silence)),
		Idle:      idle,
		Parse:     parse,
	}
}

// appendChunk appends to dst a message that carries samples.
func appendChunk(dst []byte, samples []int16) []byte {
	dst = append(dst, `{"message_type":"input_audio_chunk","audio_base_64":"`...)
	// Groups of a multiple of three bytes need no padding in between.
	var group [3 * 512]byte
	for len(samples) > 0 {
		n := min(len(samples), len(group)/2)
		dst = base64.StdEncoding.AppendEncode(dst, audio.AppendS16LE(group[:0], samples[:n]))
		samples = samples[n:]
	}
	return append(dst, `","commit":false,"sample_rate":16000}`...)
}
