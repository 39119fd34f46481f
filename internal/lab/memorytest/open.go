package memorytest

import (
	"context"
	"errors"
	"testing"

	"github.com/MrWong99/glyphoxa/pkg/memory"
)

func testReopenKeepsEverything(t *testing.T, h Harness) {
	path := h.New(t)
	s, err := h.Open(t.Context(), path, nil, nil)
	must(t, "Open", err)
	id := StartSession(t, s)
	Say(t, s, id, "the dragon sleeps")
	must(t, "Remember", s.Remember(t.Context(), Rumours()...))
	Village(t, s)
	must(t, "Close", s.Close())

	s = h.open(t, path, nil)
	if hits, err := s.SearchLines(t.Context(), memory.LineQuery{Text: "dragon"}); err != nil || len(hits) != 1 {
		t.Errorf("lines = %v, %v, want one", hits, err)
	}
	if hits, err := s.SearchFacts(t.Context(), "crown", "", 5); err != nil || len(hits) != 2 {
		t.Errorf("facts = %v, %v, want two", hits, err)
	}
	if n, err := s.Neighbours(t.Context(), "bartok", "", 3); err != nil || len(n.Connected) != 6 {
		t.Errorf("neighbours = %v, %v, want six", n, err)
	}
	if s.Location() == "" {
		t.Error("Location is empty")
	}
}

func testClosed(t *testing.T, h Harness) {
	s, err := h.Open(t.Context(), h.New(t), nil, nil)
	must(t, "Open", err)
	must(t, "Close", s.Close())
	must(t, "Close again", s.Close())
	_, searchErr := s.SearchLines(t.Context(), memory.LineQuery{Text: "x"})
	_, startErr := s.StartSession(t.Context(), "x")
	for name, err := range map[string]error{"SearchLines": searchErr, "StartSession": startErr} {
		if !errors.Is(err, memory.ErrClosed) {
			t.Errorf("%s = %v, want ErrClosed", name, err)
		}
	}
}

func testCloseWaitsForCalls(t *testing.T, h Harness) {
	s, err := h.Open(t.Context(), h.New(t), nil, nil)
	must(t, "Open", err)
	id := StartSession(t, s)
	const writers = 8
	started := make(chan struct{}, writers)
	results := make(chan error, writers)
	for range writers {
		go func() {
			started <- struct{}{}
			for {
				if _, err := s.Append(context.Background(), memory.Line{Session: id, Text: "on and on"}); err != nil {
					results <- err
					return
				}
			}
		}()
	}
	for range writers {
		<-started
	}
	must(t, "Close", s.Close())
	for range writers {
		if err := <-results; !errors.Is(err, memory.ErrClosed) {
			t.Errorf("Append during Close = %v, want ErrClosed alone", err)
		}
	}
}
