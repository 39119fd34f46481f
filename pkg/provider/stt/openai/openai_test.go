package openai_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/MrWong99/glyphoxa/internal/lab/fakestt"
	"github.com/MrWong99/glyphoxa/pkg/audio"
	"github.com/MrWong99/glyphoxa/pkg/provider/stt"
	"github.com/MrWong99/glyphoxa/pkg/provider/stt/openai"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func open(t testing.TB, url string) stt.Stream {
	t.Helper()
	s, err := openai.New("", &openai.Options{BaseURL: url + "/v1/", Model: "whisper"}).Open(t.Context(), stt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() }) // always nil
	return s
}

func say(t *testing.T, s stt.Stream, length time.Duration) {
	t.Helper()
	if err := s.Send(make([]int16, int(length.Seconds()*audio.SampleRate))); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Finish(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// TestOrder has a later utterance answered first.
func TestOrder(t *testing.T) {
	first := make(chan struct{}) // closed when the second is answered
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f, _, err := r.FormFile("file")
		if err != nil {
			t.Error(err)
			return
		}
		wav, err := audio.ReadWAV(f)
		if err != nil || wav.Rate != 16000 || wav.Channels != 1 {
			t.Errorf("recording = %d Hz, %d channels, %v", wav.Rate, wav.Channels, err)
		}
		long := len(wav.Samples) == 32000
		if long {
			<-first
		}
		fmt.Fprintf(w, `{"text":" %d samples "}`, len(wav.Samples))
		if !long {
			close(first)
		}
	}))
	defer server.Close()
	s := open(t, server.URL)
	say(t, s, 2*time.Second)
	say(t, s, time.Second)
	for i, want := range []string{"32000 samples", "16000 samples"} {
		r, err := s.Recv(t.Context())
		if err != nil || r.Utterance != i || r.Text != want || !r.Final {
			t.Errorf("Recv = %+v, %v, want %q", r, err, want)
		}
	}
}

// TestDiscard discards a transcript: its request ends, its final is empty and immediate,
// and the next one does not wait.
func TestDiscard(t *testing.T) {
	begun, ended := make(chan struct{}), make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // so that the server notices the end of the request
		close(begun)
		<-r.Context().Done()
		close(ended)
	}))
	defer server.Close()
	s := open(t, server.URL)
	say(t, s, time.Second)
	<-begun
	s.(stt.Discarder).Discard(0)
	s.(stt.Discarder).Discard(7) // an utterance that does not exist
	if r, err := s.Recv(t.Context()); err != nil || r.Utterance != 0 || r.Text != "" || !r.Final || r.Err != nil {
		t.Errorf("Recv = %+v, %v, want an empty final", r, err)
	}
	<-ended
}

// TestShortSound checks that a click causes no request.
func TestShortSound(t *testing.T) {
	service := fakestt.Start(t, fakestt.Script{Lines: []string{"Nothing"}})
	s := open(t, service.URL())
	say(t, s, 50*time.Millisecond)
	if r, err := s.Recv(t.Context()); err != nil || !r.Final || r.Text != "" {
		t.Errorf("Recv = %+v, %v, want an empty final", r, err)
	}
	if n := len(service.Requests()); n != 0 {
		t.Errorf("%d requests, want none", n)
	}
}

// TestFailureCostsOneUtterance checks that the stream survives a failed request.
func TestFailureCostsOneUtterance(t *testing.T) {
	service := fakestt.Start(t, fakestt.Script{Lines: []string{"Aye."}, Fault: fakestt.RateLimited, Times: 1})
	s := open(t, service.URL())
	say(t, s, time.Second)
	if r, err := s.Recv(t.Context()); err != nil || !errors.Is(r.Err, stt.ErrRateLimited) {
		t.Errorf("Recv = %+v, %v, want the utterance to fail", r, err)
	}
	say(t, s, time.Second)
	if r, err := s.Recv(t.Context()); err != nil || r.Text != "Aye." {
		t.Errorf("Recv = %+v, %v, want %q", r, err, "Aye.")
	}
}

// TestLongAnswer checks that an endless response is cut off.
func TestLongAnswer(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"text":"`)) // the client leaves early
		for range 100 {
			_, _ = w.Write(bytes.Repeat([]byte("a"), 1<<16)) // as above
		}
	}))
	defer server.Close()
	s := open(t, server.URL)
	say(t, s, time.Second)
	if r, err := s.Recv(t.Context()); err != nil || !errors.Is(r.Err, stt.ErrUnavailable) {
		t.Errorf("Recv = %d bytes, %v, %v, want ErrUnavailable", len(r.Text), r.Err, err)
	}
}

func BenchmarkSend(b *testing.B) {
	s := open(b, "http://127.0.0.1:1")
	var frame audio.Frame
	for range 2000 { // until the queue has its maximum size
		if err := s.Send(frame[:]); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		if err := s.Send(frame[:]); err != nil {
			b.Fatal(err)
		}
	}
}
