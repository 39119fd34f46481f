package vendor_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"
	"go.uber.org/goleak"

	"github.com/MrWong99/glyphoxa/pkg/provider/internal/vendor"
	"github.com/MrWong99/glyphoxa/pkg/provider/stt"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const key = "secret-key-of-the-vendor"

// plain is a dialect that reports words only.
func plain() vendor.Dialect {
	return vendor.Dialect{
		Type:   websocket.MessageBinary,
		Audio:  func(dst []byte, samples []int16) []byte { return append(dst, make([]byte, len(samples))...) },
		Finish: []byte("finish"), Goodbye: []byte("goodbye"), KeepAlive: []byte("still here"), Idle: 20 * time.Millisecond,
		Parse: func(data []byte) (vendor.Event, error) {
			return vendor.Event{Kind: vendor.Closing, Text: string(data)}, nil
		},
	}
}

// serve starts a WebSocket server and returns its address.
func serve(t *testing.T, talk func(context.Context, *websocket.Conn)) string {
	t.Helper()
	var talks sync.WaitGroup
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		talks.Add(1)
		defer talks.Done()
		defer func() { _ = conn.CloseNow() }() // the client may have closed it
		talk(context.WithoutCancel(r.Context()), conn)
	}))
	t.Cleanup(func() {
		server.Close()
		talks.Wait()
	})
	return server.URL
}

// TestConversation checks the order of the messages sent, up to the farewell.
func TestConversation(t *testing.T) {
	said := make(chan string, 100)
	url := serve(t, func(ctx context.Context, conn *websocket.Conn) {
		for {
			kind, data, err := conn.Read(ctx)
			if err != nil {
				close(said)
				return
			}
			if kind == websocket.MessageBinary {
				data = []byte("sound")
			}
			said <- string(data)
			if string(data) == "finish" {
				_ = conn.Write(ctx, websocket.MessageText, []byte("Aye.")) // checked by the client
			}
		}
	})
	s, err := vendor.Open(t.Context(), vendor.Request{URL: url, Service: vendor.RecogniserService(key, url, true)}, plain(), stt.Options{SampleRate: 16000})
	if err != nil {
		t.Fatal(err)
	}
	if got := <-said; got != "still here" {
		t.Errorf("in silence the server got %q", got)
	}
	if err := s.Send(make([]int16, 320)); err != nil {
		t.Fatal(err)
	}
	if r, err := stt.Utterance(t.Context(), s, stt.UtteranceOptions{}); err != nil || r.Text != "Aye." {
		t.Errorf("heard %+v, %v", r, err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	var order []string
	for got := range said {
		if got != "still here" {
			order = append(order, got)
		}
	}
	if got := strings.Join(order, " "); got != "sound finish goodbye" {
		t.Errorf("the server got %q", got)
	}
}

// TestServerEnds checks that the error of a closed connection does not contain the key.
func TestServerEnds(t *testing.T) {
	url := serve(t, func(_ context.Context, conn *websocket.Conn) {
		_ = conn.Close(websocket.StatusInternalError, "no more for "+key) // the client may not answer
	})
	s, err := vendor.Open(t.Context(), vendor.Request{URL: url, Service: vendor.RecogniserService(key, url, true)}, plain(), stt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	_, err = s.Recv(t.Context())
	if !errors.Is(err, stt.ErrUnavailable) || !strings.Contains(err.Error(), "1011") || strings.Contains(err.Error(), key) {
		t.Errorf("Recv = %v, want the code and not the key", err)
	}
	if err := s.Send(make([]int16, 1)); !errors.Is(err, stt.ErrUnavailable) {
		t.Errorf("Send = %v, want ErrUnavailable", err)
	}
}

// TestRedirect checks that the key is not sent to another host.
func TestRedirect(t *testing.T) {
	var reached atomic.Bool
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Store(true) }))
	defer elsewhere.Close()
	server := httptest.NewServer(http.RedirectHandler(elsewhere.URL, http.StatusTemporaryRedirect))
	defer server.Close()
	_, err := vendor.Open(t.Context(), vendor.Request{URL: server.URL, Service: vendor.RecogniserService(key, server.URL, true), Header: http.Header{"Xi-Api-Key": {key}}}, plain(), stt.Options{})
	if !errors.Is(err, stt.ErrRejected) || reached.Load() {
		t.Errorf("Open = %v, followed: %v", err, reached.Load())
	}
}

// TestNobodyThere covers an address without a listener, and one whose server is silent.
func TestNobodyThere(t *testing.T) {
	_, err := vendor.Open(t.Context(), vendor.Request{URL: "http://127.0.0.1:1/?token=" + key, Service: vendor.RecogniserService(key, "http://127.0.0.1:1", true)}, plain(), stt.Options{})
	if !errors.Is(err, stt.ErrUnavailable) || strings.Contains(err.Error(), key) {
		t.Errorf("Open = %v, want ErrUnavailable without the address", err)
	}
	release := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release }))
	defer server.Close()
	defer close(release)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := vendor.Open(ctx, vendor.Request{URL: server.URL, Service: vendor.RecogniserService(key, server.URL, true)}, plain(), stt.Options{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Open = %v, want the context's error", err)
	}
}
