package play

import (
	"context"
	"crypto/x509"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/mixer"
	"github.com/MrWong99/glyphoxa/internal/providers"
	"github.com/MrWong99/glyphoxa/internal/table"
	"github.com/MrWong99/glyphoxa/pkg/audio"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
	openaillm "github.com/MrWong99/glyphoxa/pkg/provider/llm/openai"
)

// vendor is a model and a voice on loopback. It counts its connections.
type vendor struct {
	*httptest.Server
	opened atomic.Int32
	// gather, if not nil, is called before each answer of the model.
	gather func()
	// stuck makes requests that warm a connection hang.
	stuck chan struct{}
	asked chan string // requests, while there is room
}

// protocols are the protocols of vendors.
var protocols = map[string]func(*httptest.Server){
	"plain": (*httptest.Server).Start,
	"tls":   (*httptest.Server).StartTLS,
	"http2": func(s *httptest.Server) { s.EnableHTTP2 = true; s.StartTLS() },
}

func startVendor(t testing.TB, protocol string) *vendor {
	t.Helper()
	v := &vendor{asked: make(chan string, 100)}
	v.Server = httptest.NewUnstartedServer(v)
	v.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			v.opened.Add(1)
		}
	}
	protocols[protocol](v.Server)
	t.Cleanup(v.Close)
	return v
}

func (v *vendor) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	select {
	case v.asked <- r.Method + " " + r.URL.Path:
	default:
	}
	switch {
	case r.Method == http.MethodGet:
		if v.stuck != nil {
			close(v.stuck)
			<-r.Context().Done()
		}
		_, _ = fmt.Fprint(w, `{"id":"m"}`)
	case strings.HasSuffix(r.URL.Path, "/chat/completions"):
		if v.gather != nil {
			v.gather()
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = fmt.Fprint(w, `data: {"choices":[{"delta":{"content":"Aye."},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
	default:
		_, _ = w.Write(make([]byte, 4800))
	}
}

// requests returns the requests since the last call.
func (v *vendor) requests() []string {
	var all []string
	for {
		select {
		case r := <-v.asked:
			all = append(all, r)
		default:
			slices.Sort(all)
			return all
		}
	}
}

// trusting returns a transport that trusts the certificates of vendors.
func trusting(vendors ...*vendor) *http.Transport {
	pool := x509.NewCertPool()
	for _, v := range vendors {
		if c := v.Certificate(); c != nil {
			pool.AddCert(c)
		}
	}
	t := providers.NewTransport()
	t.TLSClientConfig.RootCAs = pool
	return t
}

// nowhere discards sound.
type nowhere struct{}

func (nowhere) Write(context.Context, *audio.Frame) error { return nil }

// unheard opens a sound that discards its samples at once.
func unheard() (Sound, error) {
	return Sound{Outlet: nowhere{}, Playback: mixer.Options{Unpaced: true}}, nil
}

// ends receives the ends of turns.
type ends chan *table.TurnEnded

func (s ends) Emit(e table.Event) {
	if e, ok := e.(*table.TurnEnded); ok {
		s <- e
	}
}

// openAt opens an app whose model, fallback model and voice are three vendors.
func openAt(t *testing.T, model, standIn, voice *vendor) *Game {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "glyphoxa.yaml")
	text := fmt.Sprintf(`languages: [en]
providers:
  llm: {name: openai, base_url: %q, model: m, fallback: [{name: openai, base_url: %q, model: m}]}
  embeddings: none
  stt: none
  tts: {name: elevenlabs, base_url: %q}
npcs:
  - name: Bart
    voice: {id: abc}
`, model.URL, standIn.URL, voice.URL)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg, err := LoadConfig(file)
	if err != nil {
		t.Fatal(err)
	}
	a, err := Open(t.Context(), Options{Config: cfg, Client: providers.ClientOn(trusting(model, standIn, voice))})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	return a
}

// TestFirstTurnFindsConnectionsOpen checks that a session opens the connections of its first
// turn and of the fallback, and no others later.
func TestFirstTurnFindsConnectionsOpen(t *testing.T) {
	for protocol := range protocols {
		t.Run(protocol, func(t *testing.T) {
			all := []*vendor{startVendor(t, protocol), startVendor(t, protocol), startVendor(t, protocol)}
			a := openAt(t, all[0], all[1], all[2])
			for sitting := range 2 { // the second reuses the connections of the first
				turns := make(ends, 1)
				s, err := a.StartSession(t.Context(), SessionOptions{Sink: turns, OpenSound: unheard})
				if err != nil {
					t.Fatal(err)
				}
				s.warming.Wait()
				for i, want := range []string{"GET /v1/models/m", "GET /v1/models/m", "GET /v1/models"} {
					if got := all[i].requests(); !slices.Equal(got, []string{want}) {
						t.Errorf("before the first turn vendor %d was asked %q, want %q", i, got, want)
					}
				}
				if err := s.Table.Hear(t.Context(), table.Utterance{Speaker: "Ana", Text: "Bart, are you there?"}); err != nil {
					t.Fatal(err)
				}
				if end := <-turns; end.Outcome != table.OutcomeDelivered || end.Text != "Aye." {
					t.Errorf("the turn was %s: %q", end.Outcome, end.Text)
				}
				if err := s.Close(); err != nil {
					t.Fatal(err)
				}
				for i, v := range all {
					if n := v.opened.Load(); n != 1 {
						t.Errorf("sitting %d: vendor %d saw %d connections, want the warm one alone", sitting, i, n)
					}
				}
				want := [][]string{{"POST /v1/chat/completions"}, nil, {"POST /v1/text-to-speech/abc/stream"}}
				for i, v := range all {
					if got := v.requests(); !slices.Equal(got, want[i]) {
						t.Errorf("sitting %d: vendor %d was asked %q by the turn, want %q", sitting, i, got, want[i])
					}
				}
			}
		})
	}
}

// TestUnheardVoicesStayCold checks that a session without sound opens no connection to the
// voice.
func TestUnheardVoicesStayCold(t *testing.T) {
	model, voice := startVendor(t, "plain"), startVendor(t, "plain")
	a := openAt(t, model, model, voice)
	s, err := a.StartSession(t.Context(), SessionOptions{Sink: make(ends, 1)})
	if err != nil {
		t.Fatal(err)
	}
	s.warming.Wait()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if n := voice.opened.Load(); n != 0 {
		t.Errorf("%d connections to a voice that nobody hears", n)
	}
}

// TestSessionEndsWhileWarming checks that a vendor that hangs does not delay the end of a
// session.
func TestSessionEndsWhileWarming(t *testing.T) {
	v := startVendor(t, "plain")
	standIn := startVendor(t, "plain")
	v.stuck = make(chan struct{})
	a := openAt(t, v, standIn, standIn)
	s, err := a.StartSession(t.Context(), SessionOptions{Sink: make(ends, 1)})
	if err != nil {
		t.Fatal(err)
	}
	<-v.stuck
	if err := s.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
}

// ask asks a model with its own client once.
func ask(ctx context.Context, client *http.Client, base string) error {
	m, err := openaillm.New(openaillm.Options{BaseURL: base, Model: "m", HTTPClient: client})
	if err != nil {
		return err
	}
	for _, err := range m.Stream(ctx, llm.Request{Messages: []llm.Message{{Role: llm.RoleUser, Content: "hi"}}}) {
		if err != nil {
			return err
		}
	}
	return nil
}

// TestTurnsAtOnceKeepTheirConnections lets ten tables ask at the same instant, repeatedly:
// HTTP/2 uses one connection for all, HTTP/1.1 one for each, and none is opened twice.
func TestTurnsAtOnceKeepTheirConnections(t *testing.T) {
	const tables, rounds = 10, 5
	for protocol, want := range map[string]int32{"plain": tables, "tls": tables, "http2": 1} {
		t.Run(protocol, func(t *testing.T) {
			v := startVendor(t, protocol)
			var together sync.WaitGroup // until all requests are being answered
			v.gather = func() { together.Done(); together.Wait() }
			client := providers.ClientOn(trusting(v))
			defer client.CloseIdleConnections()
			m, err := openaillm.New(openaillm.Options{BaseURL: v.URL, Model: "m", HTTPClient: client})
			if err != nil {
				t.Fatal(err)
			}
			providers.Warm(t.Context(), slog.New(slog.DiscardHandler), m)
			for range rounds {
				together.Add(tables)
				var answers sync.WaitGroup
				for range tables {
					answers.Go(func() {
						if err := ask(t.Context(), client, v.URL); err != nil {
							t.Error(err)
						}
					})
				}
				answers.Wait()
			}
			if n := v.opened.Load(); n != want {
				t.Errorf("%d connections for %d turns at once, %d times; want %d", n, tables, rounds, want)
			}
		})
	}
}
