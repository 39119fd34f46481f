package world_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/world"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// disk returns a store that is slow and may fail.
func disk(takes time.Duration, err *error) *shelf {
	s := newShelf()
	s.before = func(memory.Batch) error {
		time.Sleep(takes)
		return *err
	}
	return s
}

type outcome struct {
	seq uint64
	err error
}

// write runs changes concurrently.
func write(n int, do func(i int) (uint64, error)) []outcome {
	results := make([]outcome, n)
	done := make(chan struct{})
	for i := range n {
		go func() {
			results[i].seq, results[i].err = do(i)
			done <- struct{}{}
		}()
	}
	for range n {
		<-done
	}
	return results
}

func TestWritersShareTransactions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var broken error
		s := disk(10*time.Millisecond, &broken)
		w := opened(t, s, world.Options{})
		put(t, w, memory.Entity{ID: "a"})
		before, start := s.count(), time.Now()
		results := write(500, func(i int) (uint64, error) {
			if i%5 == 0 { // rejected, which must not affect the others
				return w.Move(t.Context(), "nobody", memory.Position{}, "")
			}
			return w.Put(t.Context(), memory.Entity{ID: fmt.Sprint("e", i), Name: "x"}, "")
		})
		if took, batches := time.Since(start), s.count()-before; took > 20*time.Millisecond || batches > 2 {
			t.Errorf("500 changes took %v in %d transactions, want at most two of 10ms", took, batches)
		}
		seen := map[uint64]bool{}
		for i, r := range results {
			if rejected := errors.Is(r.err, memory.ErrNotFound); rejected != (i%5 == 0) || r.err != nil && !rejected {
				t.Errorf("change %d: %v", i, r.err)
			}
			if r.err == nil && seen[r.seq] {
				t.Errorf("number %d was given twice", r.seq)
			}
			seen[r.seq] = true
		}
		if got := len(w.Entities("")); got != 401 {
			t.Errorf("%d entities, want 401", got)
		}
	})
}

func TestAFailingStoreChangesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var broken error
		s := disk(10*time.Millisecond, &broken)
		w := opened(t, s, world.Options{Scene: "Night."})
		put(t, w, memory.Entity{ID: "a"})
		sub := follow(t, w, world.Filter{})
		seq := w.Seq()
		broken = errors.New("disk is full")
		for i, r := range write(3, func(i int) (uint64, error) {
			return w.Change(t.Context(), "", func(tx *world.Tx) error {
				tx.SetScene("Dawn.")
				return tx.Put(memory.Entity{ID: fmt.Sprint(i), Name: "x"})
			})
		}) {
			if !errors.Is(r.err, broken) {
				t.Errorf("change %d: %v, want the store's error", i, r.err)
			}
		}
		if len(w.Entities("")) != 1 || w.Seq() != seq || w.Scene() != "Night." {
			t.Errorf("entities %v, number %d, scene %q; want all as before", w.Entities(""), w.Seq(), w.Scene())
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		if d, err := sub.Next(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Next = %+v, %v; want nothing to tell", d, err)
		}
		broken = nil
		put(t, w, memory.Entity{ID: "b"})
	})
}

func TestWaitingEndsWithTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var broken error
		w := opened(t, disk(time.Second, &broken), world.Options{})
		first := make(chan error)
		begun, leave := context.WithCancel(t.Context())
		go func() {
			_, err := w.Put(begun, memory.Entity{ID: "begun", Name: "x"}, "")
			first <- err
		}()
		synctest.Wait() // the change is being written
		leave()         // too late to cancel it
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		start := time.Now()
		_, err := w.Put(ctx, memory.Entity{ID: "given-up", Name: "x"}, "")
		if took := time.Since(start); !errors.Is(err, context.DeadlineExceeded) || took != 100*time.Millisecond {
			t.Errorf("err = %v after %v, want DeadlineExceeded after 100ms", err, took)
		}
		if err := <-first; err != nil {
			t.Errorf("what was begun: %v, want it done", err)
		}
		if _, err := w.Put(ctx, memory.Entity{ID: "dead", Name: "x"}, ""); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("with a context that has ended: %v, want DeadlineExceeded", err)
		}
		put(t, w, memory.Entity{ID: "after"})
		var ids []string
		for _, e := range w.Entities("") {
			ids = append(ids, e.ID)
		}
		if diff := cmp.Diff([]string{"after", "begun"}, ids); diff != "" {
			t.Errorf("entities (-want +got):\n%s", diff)
		}
	})
}

func TestTooManyWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var broken error
		w := opened(t, disk(time.Second, &broken), world.Options{})
		const bound = 4096
		busy := 0
		for _, r := range write(bound+100, func(i int) (uint64, error) {
			if i > 0 {
				time.Sleep(time.Millisecond) // the first is being written by now
			}
			return w.SetScene(t.Context(), fmt.Sprint(i), "")
		}) {
			if errors.Is(r.err, mcp.ErrBusy) {
				busy++
			} else if r.err != nil {
				t.Errorf("err = %v, want none or ErrBusy", r.err)
			}
		}
		if busy != 99 {
			t.Errorf("%d changes were refused, want 99: one is written and %d wait", busy, bound)
		}
	})
}

func TestChangesOfOneGroupSeeEachOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var broken error
		w := opened(t, disk(time.Second, &broken), world.Options{})
		put(t, w, memory.Entity{ID: "a", Attributes: map[string]string{"n": ""}}, memory.Entity{ID: "b"})
		_, err := w.Relate(t.Context(), memory.Relation{From: "a", Type: "knows", To: "b"}, "")
		must(t, "Relate", err)
		write(50, func(int) (uint64, error) {
			return w.Change(t.Context(), "", func(tx *world.Tx) error {
				e, _ := tx.Entity("a", "")
				e.Attributes["n"] += "x"
				return tx.Put(e)
			})
		})
		if e, _ := w.Entity("a", ""); len(e.Attributes["n"]) != 50 {
			t.Errorf("n counts %d changes, want 50", len(e.Attributes["n"]))
		}
		steps := []func(tx *world.Tx) error{
			func(tx *world.Tx) error { return tx.Remove("a") },
			func(tx *world.Tx) error { return tx.Put(memory.Entity{ID: "a", Name: "anew"}) },
			func(tx *world.Tx) error { return tx.Relate(memory.Relation{From: "b", Type: "fears", To: "a"}) },
		}
		for i, r := range write(3, func(i int) (uint64, error) {
			time.Sleep(time.Duration(i+1) * time.Millisecond) // keeps the order
			if i == 0 {
				go func() { _, _ = w.SetScene(t.Context(), "busy", "") }() // makes all three wait
				synctest.Wait()
			}
			return w.Change(t.Context(), "", steps[i])
		}) {
			must(t, fmt.Sprint("step ", i), r.err)
		}
		if got := w.Relations("a", ""); len(got) != 0 {
			t.Errorf("relations of what came back: %v, want none", got)
		}
		if got := w.Relations("b", ""); len(got) != 1 || got[0].Type != "fears" {
			t.Errorf("relations of b: %v, want that it fears a", got)
		}
	})
}
