package elevenlabs_test

import (
	"context"
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
	"github.com/MrWong99/glyphoxa/pkg/provider/tts/elevenlabs"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const usualVoice = "JBFqnCBsd6RMkjVDRZzb"

func collect(ctx context.Context, p *elevenlabs.Provider, voice tts.Voice) (all []int16, err error) {
	for pcm, err := range p.Synthesize(ctx, "Well met, traveller.", voice) {
		if err != nil {
			return all, err
		}
		if n := len(pcm.Samples); n == 0 || n > 2400 || pcm.Rate != 24000 {
			return all, fmt.Errorf("piece of %d samples at %d Hz, want at most 100 ms at 24000 Hz", n, pcm.Rate)
		}
		all = append(all, pcm.Samples...)
	}
	return all, nil
}

func TestRequest(t *testing.T) {
	half := 0.5
	for _, tt := range []struct {
		name  string
		opts  elevenlabs.Options
		voice tts.Voice
		want  request
	}{
		{"defaults", elevenlabs.Options{}, tts.Voice{}, request{Voice: usualVoice, Model: "eleven_flash_v2_5"}},
		{"options", elevenlabs.Options{Model: "eleven_multilingual_v2", Voice: "abc", Stability: &half, Similarity: &half, Style: &half}, tts.Voice{},
			request{Voice: "abc", Model: "eleven_multilingual_v2", Settings: map[string]float64{"stability": 0.5, "similarity_boost": 0.5, "style": 0.5}}},
		{"voice_wins", elevenlabs.Options{Voice: "abc"}, tts.Voice{ID: "def", Language: "de-AT", Speed: 1.1, Pitch: 2, Instructions: "gruff"},
			request{Voice: "def", Model: "eleven_flash_v2_5", Language: "de", Settings: map[string]float64{"speed": 1.1}}},
		{"too_fast_is_brought_within", elevenlabs.Options{}, tts.Voice{Speed: 2},
			request{Voice: usualVoice, Model: "eleven_flash_v2_5", Settings: map[string]float64{"speed": 1.2}}},
		{"too_slow_is_brought_within", elevenlabs.Options{}, tts.Voice{Speed: 0.5},
			request{Voice: usualVoice, Model: "eleven_flash_v2_5", Settings: map[string]float64{"speed": 0.7}}},
		{"language_only_where_known", elevenlabs.Options{Model: "eleven_multilingual_v2"}, tts.Voice{Language: "de"},
			request{Voice: usualVoice, Model: "eleven_multilingual_v2"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := serve(t, func(http.ResponseWriter, *http.Request) {})
			if _, err := collect(t.Context(), s.provider(tt.opts), tt.voice); err != nil {
				t.Fatal(err)
			}
			tt.want.Text = "Well met, traveller."
			if diff := cmp.Diff([]request{tt.want}, s.sent()); diff != "" {
				t.Errorf("requests (-want +got):\n%s", diff)
			}
		})
	}
}

func TestSound(t *testing.T) {
	want := make([]int16, 10000)
	for i := range want {
		want[i] = int16(i * 7)
	}
	raw := audio.AppendS16LE(nil, want)
	for _, tt := range []struct {
		name  string
		body  []byte
		piece int // bytes per write of the server
		want  []int16
	}{
		{"whole", raw, len(raw), want},
		{"half_samples", raw, 777, want},
		{"single_bytes", raw[:200], 1, want[:100]},
		{"odd_byte_at_the_end", append(slices.Clone(raw), 1), 5001, want},
		{"empty", nil, 1, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/octet-stream")
				for piece := range slices.Chunk(tt.body, tt.piece) {
					w.Write(piece)
					w.(http.Flusher).Flush()
				}
			})
			got, err := collect(t.Context(), s.provider(elevenlabs.Options{}), tts.Voice{})
			if err != nil || !slices.Equal(got, tt.want) {
				t.Errorf("got %d samples, %v; want the %d sent", len(got), err, len(tt.want))
			}
		})
	}
}

func TestFirstPieceDoesNotWaitForTheLast(t *testing.T) {
	heard := make(chan struct{})
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
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
	for pcm, err := range s.provider(elevenlabs.Options{}).Synthesize(t.Context(), "Hm.", tts.Voice{}) {
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
	status := func(code int, status, message string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { refuse(w, code, status, message) }
	}
	page := func(code int, kind, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			w.WriteHeader(code)
			io.WriteString(w, body)
		}
	}
	for _, tt := range []struct {
		name   string
		answer http.HandlerFunc
		want   error
		says   string
	}{
		{"key_in_the_answer", status(401, "invalid_api_key", "no "+key), elevenlabs.ErrRejected, "invalid_api_key no [redacted]"},
		{"quota_spent", status(401, "quota_exceeded", "0 credits left"), elevenlabs.ErrRejected, "0 credits left"},
		{"voice_unknown", status(400, "voice_not_found", "A voice was not found"), tts.ErrVoice, "not found"},
		{"voice_gone", status(404, "gone", "x"), tts.ErrVoice, "gone"},
		{"too_many_at_once", status(429, "too_many_concurrent_requests", "calm down"), elevenlabs.ErrRateLimited, "calm down"},
		{"model_unknown", page(422, "application/json", `{"detail":[{"loc":["body"],"msg":"bad model","type":"value_error"}]}`), elevenlabs.ErrRejected, "bad model"},
		{"detail_is_a_text", page(400, "application/json", `{"detail":"odd"}`), elevenlabs.ErrRejected, "odd"},
		{"detail_is_anything", page(400, "application/json", `{"detail":7}`), elevenlabs.ErrRejected, "7"},
		{"newer_code", page(400, "application/json", `{"detail":{"type":"x","code":"paid_plan_required","message":"pay"}}`), elevenlabs.ErrRejected, "paid_plan_required pay"},
		{"overloaded", page(503, "", ""), elevenlabs.ErrUnavailable, "no reason given"},
		{"huge_page", page(502, "text/html", strings.Repeat("<p>sorry \x1b[31m", 100000)), elevenlabs.ErrUnavailable, "sorry"},
		{"redirect", page(307, "", ""), elevenlabs.ErrRejected, "status 307"},
		{"mp3", page(200, "audio/mpeg", "ID3"), elevenlabs.ErrRejected, "audio/mpeg"},
		{"json_with_200", page(200, "application/json", `{}`), elevenlabs.ErrRejected, "application/json"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := collect(t.Context(), serve(t, tt.answer).provider(elevenlabs.Options{}), tts.Voice{})
			if !errors.Is(err, tt.want) || !strings.Contains(err.Error(), tt.says) {
				t.Fatalf("err = %v, want %v saying %q", err, tt.want, tt.says)
			}
			if s := err.Error(); strings.Contains(s, key) || len(s) > 400 || strings.ContainsAny(s, "\x1b\n") {
				t.Errorf("error is not fit to print: %q", s)
			}
		})
	}
}

func TestWrongKey(t *testing.T) {
	s := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("the key was taken") })
	p := elevenlabs.New("sk_wrong", &elevenlabs.Options{BaseURL: s.URL + "/v1/", HTTPClient: s.Client()})
	_, err := collect(t.Context(), p, tts.Voice{})
	if !errors.Is(err, elevenlabs.ErrRejected) || strings.Contains(err.Error(), "sk_wrong") {
		t.Errorf("err = %v, want ErrRejected without the key", err)
	}
}

func TestRetryAfter(t *testing.T) {
	for _, tt := range []struct {
		name, header string
		low, high    time.Duration
	}{
		{"seconds", "7", 7 * time.Second, 7 * time.Second},
		{"spaces", " 7 ", 7 * time.Second, 7 * time.Second},
		{"none", "", 0, 0},
		{"garbage", "soon", 0, 0},
		{"negative", "-5", 0, 0},
		{"for_ever", "999999999", 10 * time.Minute, 10 * time.Minute},
		{"too_large", "99999999999999999999", 0, 0},
		{"date", time.Now().Add(time.Minute).UTC().Format(http.TimeFormat), 50 * time.Second, time.Minute},
		{"past_date", time.Now().Add(-time.Minute).UTC().Format(http.TimeFormat), 0, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Retry-After", tt.header)
				refuse(w, 429, "system_busy", "later")
			})
			_, err := collect(t.Context(), s.provider(elevenlabs.Options{}), tts.Voice{})
			var busy interface{ RetryAfter() time.Duration }
			if !errors.As(err, &busy) || !errors.Is(err, elevenlabs.ErrRateLimited) {
				t.Fatalf("err = %v, want a rate limit that says how long", err)
			}
			if got := busy.RetryAfter(); got < tt.low || got > tt.high {
				t.Errorf("RetryAfter = %v, want %v to %v", got, tt.low, tt.high)
			}
		})
	}
}

func TestBrokenStreamIsAnError(t *testing.T) {
	for _, tt := range []struct {
		name   string
		answer http.HandlerFunc
	}{
		{"shorter_than_announced", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "9600")
			w.Write(make([]byte, 480))
		}},
		{"connection_lost", func(w http.ResponseWriter, _ *http.Request) {
			w.Write(make([]byte, 480))
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			samples, err := collect(t.Context(), serve(t, tt.answer).provider(elevenlabs.Options{}), tts.Voice{})
			if !errors.Is(err, elevenlabs.ErrUnavailable) || len(samples) != 240 {
				t.Errorf("got %d samples, %v; want 240 and ErrUnavailable", len(samples), err)
			}
		})
	}
}

// Following a redirect would send the key to another host.
func TestRedirectsAreNotFollowed(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the redirect was followed") }))
	defer other.Close()
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
	})
	if _, err := collect(t.Context(), s.provider(elevenlabs.Options{}), tts.Voice{}); !errors.Is(err, elevenlabs.ErrRejected) {
		t.Errorf("err = %v, want ErrRejected", err)
	}
}

func TestUnreachableServer(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	address := server.URL
	server.Close()
	p := elevenlabs.New(key, &elevenlabs.Options{BaseURL: strings.Replace(address, "http://", "http://user:hunter2@", 1)})
	_, err := collect(t.Context(), p, tts.Voice{})
	if !errors.Is(err, elevenlabs.ErrUnavailable) || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("err = %v, want ErrUnavailable without credentials", err)
	}
}

func TestNothingIsSentFor(t *testing.T) {
	s := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("a request was sent") })
	p := s.provider(elevenlabs.Options{})
	for _, text := range []string{"", " \n", "…", "\u200b"} {
		for _, err := range p.Synthesize(t.Context(), text, tts.Voice{}) {
			t.Errorf("Synthesize(%q) yielded, err = %v", text, err)
		}
	}
	for _, voice := range []tts.Voice{
		{ID: "../../v1/user"}, {ID: "en-gb+f3"}, {ID: strings.Repeat("a", 65)}, {ID: "a b"}, {Speed: -1}, {Speed: math.NaN()},
	} {
		if _, err := collect(t.Context(), p, voice); !errors.Is(err, tts.ErrVoice) {
			t.Errorf("voice %+v: err = %v, want ErrVoice", voice, err)
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
			s := serve(t, func(w http.ResponseWriter, r *http.Request) {
				w.Write(make([]byte, 480))
				w.(http.Flusher).Flush()
				<-r.Context().Done()
				close(gone)
			})
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			var last error
			for _, err := range s.provider(elevenlabs.Options{}).Synthesize(ctx, "A long tale.", tts.Voice{}) {
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
	if got := elevenlabs.New(key, nil).Name(); got != "elevenlabs eleven_flash_v2_5" {
		t.Errorf("Name = %q", got)
	}
}

// FuzzErrors checks that an error is one short line without the key, whatever the server
// sends.
func FuzzErrors(f *testing.F) {
	f.Add(401, `{"detail":{"status":"invalid_api_key","message":"no"}}`)
	f.Add(422, `{"detail":[{"msg":"x"}]}`)
	f.Add(500, key)
	f.Add(400, `{"detail":"`+key+`"}`)
	f.Fuzz(func(t *testing.T, code int, body string) {
		if code < 300 || code > 599 {
			return
		}
		client := &http.Client{Transport: answer(func() *http.Response {
			return &http.Response{StatusCode: code, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body))}
		})}
		p := elevenlabs.New(key, &elevenlabs.Options{BaseURL: "http://127.0.0.1:1", HTTPClient: client})
		_, err := collect(t.Context(), p, tts.Voice{})
		if err == nil {
			t.Fatal("a refusal is no error")
		}
		if s := err.Error(); strings.Contains(s, key) || len(s) > 1200 || strings.ContainsAny(s, "\x1b\n") {
			t.Errorf("error is not fit to print: %q", s)
		}
	})
}

// answer is a transport without a network.
type answer func() *http.Response

func (a answer) RoundTrip(*http.Request) (*http.Response, error) { return a(), nil }
