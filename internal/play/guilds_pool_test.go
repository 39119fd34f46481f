package play

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"
)

// TestClosingHoldsNobodyUp closes a campaign while its embedder hangs: callers wait no longer
// than their context allows, and the next one opens the campaign after the close.
func TestClosingHoldsNobodyUp(t *testing.T) {
	asked, answer := make(chan struct{}, 10), make(chan struct{})
	embedder := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		asked <- struct{}{}
		<-answer
	}))
	defer embedder.Close()
	release := sync.OnceFunc(func() { close(answer) })
	defer release()
	h := openGuilds(t, t.TempDir(), flagon)
	defer h.shut()
	h.config.Providers.Embeddings.Name, h.config.Providers.Embeddings.BaseURL = "openai", embedder.URL
	s := h.sit(GuildSessionOptions{})
	s.hears(ana, "Hello Bartok!")
	<-asked
	s.close()

	pool := h.guild(home).pool
	retired := make(chan error, 1)
	go func() { retired <- pool.retire() }()
	for h.guild(home).isOpen() {
		time.Sleep(time.Millisecond)
	}
	hurried, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, err := pool.acquire(hurried); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a lease during the closing: %v, want that the time is over", err)
	}
	select {
	case err := <-retired:
		t.Fatalf("who had no time waited until the campaign was closed, %v", err)
	default:
	}
	type leased struct {
		lease
		err error
	}
	patient := make(chan leased)
	go func() {
		l, err := pool.acquire(t.Context())
		patient <- leased{l, err}
	}()
	release()
	if err := <-retired; err != nil {
		t.Error(err)
	}
	l := <-patient
	if l.err != nil {
		t.Fatal(l.err)
	}
	if err := l.release(); err != nil {
		t.Error(err)
	}
}
