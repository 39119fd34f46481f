package play_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/MrWong99/glyphoxa/internal/play"
	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/memory/sqlite"
	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings"
	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/wordvectors"
)

// slowEmbedder reports the text it works on and waits for permission to continue.
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

// flaky is an embedder that can be down. It counts its texts.
type flaky struct {
	embeddings.Provider
	name string

	mu    sync.Mutex // guards the fields below
	down  error
	tries int
	given []string
}

func (e *flaky) Name() string { return e.name }

func (e *flaky) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.tries++
	if e.down != nil {
		return nil, e.down
	}
	e.given = append(e.given, texts...)
	return e.Provider.Embed(ctx, texts)
}

func (e *flaky) set(down error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.down = down
}

// rig is a store with its indexer. Call stop to end it.
type rig struct {
	*sqlite.Store
	t       *testing.T
	session string
	stop    func()

	mu      sync.Mutex // guards the field below
	notices []string
}

// watchedStore reports the first request for its lines.
type watchedStore struct {
	*sqlite.Store
	asked func()
}

func (s watchedStore) IndexLines(ctx context.Context) (int, error) {
	defer s.asked()
	return s.Store.IndexLines(ctx)
}

// start opens a store and returns once its indexer has seen the backlog, so that later lines
// are new.
func start(t *testing.T, path string, e embeddings.Provider) *rig {
	t.Helper()
	store, err := sqlite.Open(t.Context(), path, &sqlite.Options{Embedder: e})
	if err != nil {
		t.Fatal(err)
	}
	info, err := store.StartSession(t.Context(), "x")
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{Store: store, t: t, session: info.ID}
	ctx, cancel := context.WithCancel(t.Context())
	done, asked := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		play.RunIndexer(ctx, watchedStore{store, sync.OnceFunc(func() { close(asked) })}, slog.New(slog.DiscardHandler), func(text string) {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.notices = append(r.notices, text)
		})
	}()
	r.stop = func() {
		cancel()
		<-done
	}
	<-asked
	return r
}

func (r *rig) say(text, user, ref string) {
	r.t.Helper()
	if _, err := r.Append(r.t.Context(), memory.Line{Session: r.session, Speaker: "Ada", Text: text, User: user, Ref: ref}); err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) close() {
	r.t.Helper()
	r.stop()
	if err := r.Close(); err != nil {
		r.t.Error(err)
	}
}

// facts returns the texts of the found facts, sorted.
func (r *rig) facts(question string) (found []string) {
	r.t.Helper()
	hits, err := r.SearchFacts(r.t.Context(), question, "", 10)
	if err != nil {
		r.t.Fatal(err)
	}
	for _, h := range hits {
		found = append(found, h.Text)
	}
	slices.Sort(found)
	return found
}

// left checks the size of the backlog.
func (r *rig) left(want int) {
	r.t.Helper()
	if n, err := r.Backlog(r.t.Context()); err != nil || n != want {
		r.t.Errorf("%d are not indexed, %v; want %d", n, err, want)
	}
}

func (r *rig) told() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.notices)
}

// TestWhatWaitsIsIndexedAsItIsThen retracts and rewords lines while the embedder works on one
// and others wait.
func TestWhatWaitsIsIndexedAsItIsThen(t *testing.T) {
	ctx := t.Context()
	embedder := &slowEmbedder{Provider: wordvectors.New(), at: make(chan string, 16), on: make(chan struct{})}
	r := start(t, filepath.Join(t.TempDir(), "a.db"), embedder)
	one := func(doing string, n int, err error) {
		t.Helper()
		if err != nil || n != 1 {
			t.Errorf("%s = %d, %v; want 1", doing, n, err)
		}
	}
	r.say("one zebra", "", "m1")
	if got := <-embedder.at; got != "Ada: one zebra" {
		t.Fatalf("the embedder has %q, want the first line", got)
	}
	r.say("two zebras", "", "m2")
	r.say("three zebras", "", "m3")
	r.say("four zebras", "discord:1", "")
	r.say("five zebras", "", "m5")
	n, err := r.Retract(ctx, r.session, "m1")
	one("Retract at the embedder", n, err)
	n, err = r.Retract(ctx, r.session, "m2")
	one("Retract", n, err)
	n, err = r.Reword(ctx, r.session, "m3", "no zebra")
	one("Reword", n, err)
	n, err = r.Forget(ctx, "discord:1")
	one("Forget", n, err)

	close(embedder.on)
	r.stop()
	close(embedder.at)
	var given []string
	for text := range embedder.at {
		given = append(given, text)
	}
	slices.Sort(given)
	want := []string{"Ada: five zebras", "Ada: no zebra"}
	if !slices.Equal(given, want) {
		t.Errorf("the embedder was given %q, want %q", given, want)
	}
	embedder.at = make(chan string, 16)
	if got := r.facts("zebra"); !slices.Equal(got, want) {
		t.Errorf("facts = %q, want %q", got, want)
	}
	r.close()
}

// TestARewordedFactGetsItsNewMeaning rewords an indexed line.
func TestARewordedFactGetsItsNewMeaning(t *testing.T) {
	embedder := &slowEmbedder{Provider: wordvectors.New(), at: make(chan string, 16), on: make(chan struct{})}
	close(embedder.on)
	r := start(t, filepath.Join(t.TempDir(), "a.db"), embedder)
	r.say("a zebra", "", "m1")
	<-embedder.at
	if n, err := r.Reword(t.Context(), r.session, "m1", "a griffon"); err != nil || n != 1 {
		t.Fatalf("Reword = %d, %v; want 1", n, err)
	}
	if got := <-embedder.at; got != "Ada: a griffon" {
		t.Errorf("the embedder was given %q, want the new text", got)
	}
	r.stop()
	r.left(0)
	r.close()
}

// TestTheEmbedderIsDownForAWhile: the indexer asks a failing embedder less and less often and
// reports the failure once. When the embedder is back, it gets every line once.
func TestTheEmbedderIsDownForAWhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &flaky{Provider: wordvectors.New(), name: "e", down: errors.New("no route to vendor")}
		r := start(t, filepath.Join(t.TempDir(), "a.db"), e)
		for i := range 600 { // more than any queue holds
			r.say(fmt.Sprint("zebra ", i), "", "")
		}
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		if e.tries < 10 || e.tries > 20 {
			t.Errorf("the embedder was asked %d times in ten minutes, want 10 to 20", e.tries)
		}
		if got := r.told(); len(got) != 1 || !strings.Contains(got[0], "no route to vendor") || !strings.Contains(got[0], "only by words") {
			t.Errorf("people were told %q, want once, with the reason", got)
		}
		if got := r.facts("599"); !slices.Contains(got, "Ada: zebra 599") {
			t.Errorf("%q; want the last line by its words", got)
		}
		e.set(nil)
		time.Sleep(time.Minute)
		synctest.Wait()
		r.left(0)
		given := slices.DeleteFunc(slices.Clone(e.given), func(text string) bool { return !strings.HasPrefix(text, "Ada") })
		slices.Sort(given)
		if n := len(given); n != 600 || len(slices.Compact(given)) != n {
			t.Errorf("the embedder was given %d lines, want 600, each once", n)
		}
		e.set(errors.New("away again"))
		r.say("later", "", "")
		synctest.Wait()
		if got := r.told(); len(got) != 2 {
			t.Errorf("people were told %q, want of the second failure too", got)
		}
		r.close()
	})
}

// TestAnotherEmbedderAtTheNextStart indexes the backlog of an earlier start and reports that
// once.
func TestAnotherEmbedderAtTheNextStart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	synctest.Test(t, func(t *testing.T) {
		r := start(t, path, nil)
		for i := range 600 {
			r.say(fmt.Sprint("zebra ", i), "", "")
		}
		r.close()
		for _, name := range []string{"first", "second"} {
			e := &flaky{Provider: wordvectors.New(), name: name}
			r = start(t, path, e)
			synctest.Wait()
			r.left(0)
			if len(e.given) != 600 {
				t.Errorf("%s embedder: given %d texts, want 600", name, len(e.given))
			}
			if got := r.told(); len(got) != 1 || !strings.Contains(got[0], "600 entries") {
				t.Errorf("%s embedder: people were told %q, want once of 600", name, got)
			}
			r.close()
			r = start(t, path, e)
			synctest.Wait()
			if got := r.told(); len(got) != 0 || len(e.given) != 600 {
				t.Errorf("%s embedder, again: people were told %q, %d texts given; want nothing new", name, got, len(e.given))
			}
			r.close()
		}
	})
}

// TestTheEndWaitsForWhatWasJustSaid, but not for an embedder that hangs.
func TestTheEndWaitsForWhatWasJustSaid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &flaky{Provider: wordvectors.New(), name: "e"}
		r := start(t, filepath.Join(t.TempDir(), "a.db"), e)
		synctest.Wait()
		for i := range 100 {
			r.say(fmt.Sprint("zebra ", i), "", "")
		}
		r.stop()
		r.left(0)
		r.close()

		r = start(t, filepath.Join(t.TempDir(), "b.db"), hanging{wordvectors.New()})
		synctest.Wait()
		r.say("a zebra", "", "")
		began := time.Now()
		r.stop()
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("the end took %v, want 5 s at most", took)
		}
		r.left(1)
		r.close()
	})
}

// hanging is an embedder that never answers.
type hanging struct{ embeddings.Provider }

func (hanging) Embed(ctx context.Context, _ []string) ([][]float32, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}
