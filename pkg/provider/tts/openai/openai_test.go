package openai_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/MrWong99/glyphoxa/pkg/audio"
	"github.com/MrWong99/glyphoxa/pkg/provider/tts"
	"github.com/MrWong99/glyphoxa/pkg/provider/tts/openai"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const key = "sk-proj-0123456789abcdef"

// serve starts a speech server and returns a provider that talks to it.
func serve(t *testing.T, opts openai.Options, handler http.HandlerFunc) *openai.Provider {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	opts.BaseURL = server.URL + "/v1/"
	opts.HTTPClient = server.Client()
	return openai.New(key, &opts)
}

func collect(t *testing.T, p *openai.Provider, voice tts.Voice) ([]int16, int, error) {
	t.Helper()
	var all []int16
	var rate int
	for pcm, err := range p.Synthesize(t.Context(), "Well met, traveller.", voice) {
		if err != nil {
			return all, rate, err
		}
		if n := len(pcm.Samples); n == 0 || n > pcm.Rate/10 {
			t.Errorf("piece of %d samples at %d Hz, want at most 100 ms", n, pcm.Rate)
		}
		rate = pcm.Rate
		all = append(all, pcm.Samples...)
	}
	return all, rate, nil
}

func TestRequest(t *testing.T) {
	for _, tt := range []struct {
		name  string
		opts  openai.Options
		voice tts.Voice
		want  map[string]any
	}{
		{"defaults", openai.Options{}, tts.Voice{},
			map[string]any{"model": "gpt-4o-mini-tts", "voice": "alloy"}},
		{"options", openai.Options{Model: "kokoro", Voice: "af_sky", Instructions: "whisper"}, tts.Voice{},
			map[string]any{"model": "kokoro", "voice": "af_sky", "instructions": "whisper"}},
		{"voice_wins", openai.Options{Voice: "alloy", Instructions: "whisper"},
			tts.Voice{ID: "onyx", Speed: 1.25, Instructions: "gruff", Pitch: 0.8, Language: "de"},
			map[string]any{"model": "gpt-4o-mini-tts", "voice": "onyx", "speed": 1.25, "instructions": "gruff"}},
		{"old_models_take_no_instructions", openai.Options{Model: "tts-1-hd", Instructions: "whisper"}, tts.Voice{Instructions: "gruff"},
			map[string]any{"model": "tts-1-hd", "voice": "alloy"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got map[string]any
			p := serve(t, tt.opts, func(w http.ResponseWriter, r *http.Request) {
				if r.Method != http.MethodPost || r.URL.Path != "/v1/audio/speech" || r.Header.Get("Authorization") != "Bearer "+key {
					t.Errorf("%s %s with %q", r.Method, r.URL.Path, r.Header.Get("Authorization"))
				}
				if err := json.NewDecoder(r.Body).Decode(&got); err != nil {
					t.Errorf("request body: %v", err)
				}
			})
			if _, _, err := collect(t, p, tt.voice); err != nil {
				t.Fatal(err)
			}
			tt.want["input"], tt.want["response_format"] = "Well met, traveller.", "pcm"
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("request (-want +got):\n%s", diff)
			}
		})
	}
}

func wavOf(t *testing.T, rate int, samples []int16) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := audio.NewWAVWriter(&b, rate, 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Write(samples), w.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestSound(t *testing.T) {
	want := make([]int16, 10000)
	for i := range want {
		want[i] = int16(i * 7)
	}
	raw := audio.AppendS16LE(nil, want)
	for _, tt := range []struct {
		name  string
		kind  string
		body  []byte
		piece int // bytes per write of the server
		rate  int
	}{
		{"whole", "audio/pcm", raw, len(raw), 24000},
		{"odd_pieces", "audio/pcm", raw, 777, 24000},
		{"single_bytes_first", "application/octet-stream", raw[:200], 1, 24000},
		{"odd_byte_at_the_end", "", append(slices.Clone(raw), 1), 5001, 24000},
		{"wav_all_the_same", "audio/wav", wavOf(t, 22050, want), 999, 22050},
		{"empty", "audio/pcm", nil, 1, 0},
		{"one_sample", "audio/pcm", raw[2:4], 2, 24000},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := serve(t, openai.Options{}, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", tt.kind)
				for piece := range slices.Chunk(tt.body, tt.piece) {
					w.Write(piece)
					w.(http.Flusher).Flush()
				}
			})
			got, rate, err := collect(t, p, tts.Voice{})
			if err != nil || rate != tt.rate {
				t.Fatalf("rate = %d, err = %v, want %d", rate, err, tt.rate)
			}
			want := want
			switch n := len(tt.body) / 2; {
			case n == 1:
				want = want[1:2]
			case n < len(want):
				want = want[:n]
			}
			if !slices.Equal(got, want) {
				t.Errorf("got %d samples, want the %d sent", len(got), len(want))
			}
		})
	}
}

func TestFirstPieceDoesNotWaitForTheLast(t *testing.T) {
	heard := make(chan struct{})
	p := serve(t, openai.Options{}, func(w http.ResponseWriter, r *http.Request) {
		w.Write(make([]byte, 480))
		w.(http.Flusher).Flush()
		select {
		case <-heard:
		case <-r.Context().Done():
			t.Error("the first piece was never heard")
		}
		w.Write(make([]byte, 480))
	})
	total := 0
	for pcm, err := range p.Synthesize(t.Context(), "Hm.", tts.Voice{}) {
		if err != nil {
			t.Fatal(err)
		}
		if total == 0 {
			close(heard)
		}
		total += len(pcm.Samples)
	}
	if total != 480 {
		t.Errorf("samples = %d, want 480", total)
	}
}

func TestErrors(t *testing.T) {
	apiError := func(message, code string) string {
		return fmt.Sprintf(`{"error":{"message":%q,"type":"x","code":%q}}`, message, code)
	}
	for _, tt := range []struct {
		name   string
		status int
		kind   string
		body   string
		want   error
		says   string
	}{
		{"bad_key", 401, "application/json", apiError("Incorrect API key provided: "+key+".", "invalid_api_key"), openai.ErrRejected, "Incorrect API key provided: [redacted]."},
		{"bad_key_masked", 401, "application/json", apiError("Incorrect API key provided: sk-pr***cdef.", ""), openai.ErrRejected, "provided: [redacted]"},
		{"key_in_a_proxys_page", 403, "text/html", "<h1>no</h1> " + key, openai.ErrRejected, "status 403"},
		{"unknown_voice", 400, "application/json", apiError("unknown voice", ""), openai.ErrRejected, "unknown voice"},
		{"slow_down", 429, "application/json", apiError("slow down", "rate_limit_exceeded"), openai.ErrRateLimited, "slow down"},
		{"quota_spent", 429, "application/json", apiError("pay up", "insufficient_quota"), openai.ErrRejected, "pay up"},
		{"overloaded", 503, "", "", openai.ErrUnavailable, "no reason given"},
		{"huge_page", 502, "text/html", strings.Repeat("<p>sorry \x1b[31m", 100000), openai.ErrUnavailable, "sorry"},
		{"mp3", 200, "audio/mpeg", "ID3", openai.ErrRejected, "audio/mpeg"},
		{"json_with_200", 200, "application/json", `{"detail":"no"}`, openai.ErrRejected, "application/json"},
		{"broken_wav", 200, "audio/wav", "RIFFxxxxWAVEnope", openai.ErrRejected, "not a WAV file"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := serve(t, openai.Options{}, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", tt.kind)
				w.WriteHeader(tt.status)
				io.WriteString(w, tt.body)
			})
			_, _, err := collect(t, p, tts.Voice{})
			if !errors.Is(err, tt.want) || !strings.Contains(err.Error(), tt.says) {
				t.Fatalf("err = %v, want %v saying %q", err, tt.want, tt.says)
			}
			if s := err.Error(); strings.Contains(s, "sk-") || len(s) > 400 || strings.ContainsAny(s, "\x1b\n") {
				t.Errorf("error is not fit to print: %q", s)
			}
		})
	}
}

func TestRateLimitSaysHowLong(t *testing.T) {
	p := serve(t, openai.Options{}, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "7")
		w.WriteHeader(http.StatusTooManyRequests)
	})
	_, _, err := collect(t, p, tts.Voice{})
	var busy *tts.BusyError
	if !errors.As(err, &busy) || !errors.Is(err, openai.ErrRateLimited) || busy.RetryAfter() != 7*time.Second {
		t.Errorf("err = %v, want a rate limit of 7 s", err)
	}
}

func TestCutOffSoundIsAnError(t *testing.T) {
	p := serve(t, openai.Options{}, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "9600")
		w.Write(make([]byte, 480))
	})
	samples, _, err := collect(t, p, tts.Voice{})
	if !errors.Is(err, openai.ErrUnavailable) || len(samples) != 240 {
		t.Errorf("got %d samples, %v; want 240 and ErrUnavailable", len(samples), err)
	}
}

func TestUnreachableServer(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	url := server.URL
	server.Close()
	p := openai.New("", &openai.Options{BaseURL: strings.Replace(url, "http://", "http://user:hunter2@", 1)})
	_, _, err := collect(t, p, tts.Voice{})
	if !errors.Is(err, openai.ErrUnavailable) || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("err = %v, want ErrUnavailable without credentials", err)
	}
}

func TestNothingIsSentFor(t *testing.T) {
	p := serve(t, openai.Options{}, func(http.ResponseWriter, *http.Request) { t.Error("a request was sent") })
	for _, text := range []string{"", " \n", "…", "\u200b"} {
		for _, err := range p.Synthesize(t.Context(), text, tts.Voice{}) {
			t.Errorf("Synthesize(%q) yielded, err = %v", text, err)
		}
	}
	for _, speed := range []float64{-1, 0.4, 2.1, math.NaN()} {
		if _, _, err := collect(t, p, tts.Voice{Speed: speed}); !errors.Is(err, openai.ErrVoice) {
			t.Errorf("speed %v: err = %v, want ErrVoice", speed, err)
		}
	}
}

func TestStoppingEndsTheRequest(t *testing.T) {
	cause := errors.New("barged in")
	for _, tt := range []struct {
		name   string
		cancel bool
	}{{"cancel", true}, {"break", false}} {
		t.Run(tt.name, func(t *testing.T) {
			gone := make(chan struct{})
			p := serve(t, openai.Options{}, func(w http.ResponseWriter, r *http.Request) {
				w.Write(make([]byte, 480))
				w.(http.Flusher).Flush()
				<-r.Context().Done()
				close(gone)
			})
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			var last error
			for _, err := range p.Synthesize(ctx, "A long tale.", tts.Voice{}) {
				last = err
				if !tt.cancel {
					break
				}
				cancel(cause)
			}
			select {
			case <-gone:
			case <-time.After(5 * time.Second):
				t.Error("the server still sees the request")
			}
			if tt.cancel != (errors.Is(last, context.Canceled) && errors.Is(last, cause)) {
				t.Errorf("err = %v, want cancelled: %v", last, tt.cancel)
			}
		})
	}
}

func TestName(t *testing.T) {
	if got := openai.New(key, nil).Name(); got != "openai gpt-4o-mini-tts" {
		t.Errorf("Name = %q", got)
	}
}
