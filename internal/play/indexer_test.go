package play

import (
	"context"
	"log/slog"
	"path/filepath"
	"slices"
	"testing"

	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/memory/sqlite"
	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings"
	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/hashing"
)

// slowEmbedder says which text is at work and goes on once it may.
type slowEmbedder struct {
	embeddings.Provider
	at chan string
	on chan struct{}
}

func (e *slowEmbedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	for _, text := range texts {
		e.at <- text
	}
	<-e.on
	return e.Provider.Embed(ctx, texts)
}

// TestWhatWaitsIsIndexedAsItIsThen takes lines back and rewords them while one
// is at the embedder and others wait for it.
func TestWhatWaitsIsIndexedAsItIsThen(t *testing.T) {
	ctx := t.Context()
	embedder := &slowEmbedder{Provider: hashing.New(), at: make(chan string, 16), on: make(chan struct{})}
	store, err := sqlite.Open(ctx, filepath.Join(t.TempDir(), "a.db"), &sqlite.Options{Embedder: embedder})
	if err != nil {
		t.Fatal(err)
	}
	info, err := store.StartSession(ctx, "x")
	if err != nil {
		t.Fatal(err)
	}
	x := NewIndexer(store, slog.New(slog.DiscardHandler))
	say := func(ref, user, text string) {
		t.Helper()
		if _, err := x.Append(ctx, memory.Line{Session: info.ID, Speaker: "Ada", Text: text, User: user, Ref: ref}); err != nil {
			t.Fatal(err)
		}
	}
	one := func(doing string, n int, err error) {
		t.Helper()
		if err != nil || n != 1 {
			t.Errorf("%s = %d, %v; want 1", doing, n, err)
		}
	}
	say("m1", "", "one zebra")
	if got := <-embedder.at; got != "Ada: one zebra" {
		t.Fatalf("the embedder has %q, want the first line", got)
	}
	say("m2", "", "two zebras")
	say("m3", "", "three zebras")
	say("", "discord:1", "four zebras")
	say("m5", "", "five zebras")
	n, err := x.Retract(ctx, info.ID, "m1")
	one("Retract at the embedder", n, err)
	n, err = x.Retract(ctx, info.ID, "m2")
	one("Retract", n, err)
	n, err = x.Reword(ctx, info.ID, "m3", "no zebra")
	one("Reword", n, err)
	n, err = x.Forget(ctx, "discord:1")
	one("Forget", n, err)

	close(embedder.on)
	x.Close()
	close(embedder.at)
	if got, want := slices.Sorted(seq(embedder.at)), []string{"Ada: five zebras", "Ada: no zebra"}; !slices.Equal(got, want) {
		t.Errorf("the embedder was given %q, want %q", got, want)
	}
	embedder.at = make(chan string, 16)
	hits, err := store.SearchFacts(ctx, "zebra", "", 10)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, h := range hits {
		got = append(got, h.Text)
	}
	slices.Sort(got)
	if want := []string{"Ada: five zebras", "Ada: no zebra"}; !slices.Equal(got, want) {
		t.Errorf("facts = %q, want %q", got, want)
	}
	if err := store.Close(); err != nil {
		t.Error(err)
	}
}

// TestARewordedFactGetsItsNewMeaning rewords a line that is indexed already.
func TestARewordedFactGetsItsNewMeaning(t *testing.T) {
	ctx := t.Context()
	embedder := &slowEmbedder{Provider: hashing.New(), at: make(chan string, 16), on: make(chan struct{})}
	close(embedder.on)
	store, err := sqlite.Open(ctx, filepath.Join(t.TempDir(), "a.db"), &sqlite.Options{Embedder: embedder})
	if err != nil {
		t.Fatal(err)
	}
	info, err := store.StartSession(ctx, "x")
	if err != nil {
		t.Fatal(err)
	}
	x := NewIndexer(store, slog.New(slog.DiscardHandler))
	if _, err := x.Append(ctx, memory.Line{Session: info.ID, Speaker: "Ada", Text: "a zebra", Ref: "m1"}); err != nil {
		t.Fatal(err)
	}
	x.Close() // the fact is there
	<-embedder.at

	x = NewIndexer(store, slog.New(slog.DiscardHandler))
	if n, err := x.Reword(ctx, info.ID, "m1", "a griffon"); err != nil || n != 1 {
		t.Fatalf("Reword = %d, %v; want 1", n, err)
	}
	x.Close()
	if got := <-embedder.at; got != "Ada: a griffon" {
		t.Errorf("the embedder was given %q, want the new text", got)
	}
	if n, err := store.Reindex(ctx); err != nil || n != 0 {
		t.Errorf("%d facts were without a vector, %v; want none", n, err)
	}
	if err := store.Close(); err != nil {
		t.Error(err)
	}
}

// seq ranges over a closed channel.
func seq[T any](ch <-chan T) func(func(T) bool) {
	return func(yield func(T) bool) {
		for x := range ch {
			if !yield(x) {
				return
			}
		}
	}
}
