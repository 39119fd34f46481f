package tts_test

import (
	"context"
	"errors"
	"testing"

	"github.com/MrWong99/glyphoxa/pkg/provider/tts"
)

// warmable counts the calls to open its connections.
type warmable struct {
	counting
	warmed int
	err    error
}

func (w *warmable) Warm(context.Context) error { w.warmed++; return w.err }

func TestWarmReachesTheProvider(t *testing.T) {
	cache := tts.NewPhraseCache(nil, nil)
	behind := &warmable{err: errors.New("connection refused")}
	warm, ok := cache.Wrap("a", behind).(interface{ Warm(context.Context) error })
	if !ok {
		t.Fatal("a provider behind a cache cannot be warmed")
	}
	if err := warm.Warm(t.Context()); !errors.Is(err, behind.err) || behind.warmed != 1 {
		t.Errorf("err = %v after %d calls, want the provider's after one", err, behind.warmed)
	}
	none := cache.Wrap("b", &counting{}).(interface{ Warm(context.Context) error })
	if err := none.Warm(t.Context()); err != nil {
		t.Errorf("err = %v for a provider without connections, want none", err)
	}
}
