package world_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/world"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// crowd returns a world of 2,000 entities in a store.
func crowd(b *testing.B, store world.Store) *world.World {
	b.Helper()
	w, err := world.Open(context.Background(), store, world.Options{})
	must(b, "opening the world", err)
	_, err = w.Change(context.Background(), "", func(tx *world.Tx) error {
		for i := range 2000 {
			e := memory.Entity{ID: fmt.Sprint("e", i), Type: "creature", Name: fmt.Sprint("Goblin ", i), Position: at(float64(i), 0, 0)}
			if err := tx.Put(e); err != nil {
				return err
			}
		}
		return nil
	})
	must(b, "Change", err)
	return w
}

func percentiles(b *testing.B, took []time.Duration) {
	b.Helper()
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Nanoseconds())/1e6, "p50-ms")
	b.ReportMetric(float64(took[len(took)*95/100].Nanoseconds())/1e6, "p95-ms")
}

// BenchmarkPublish200Subscribers measures one change for subscribers that do not read, without
// a disk: the cost of publishing alone.
func BenchmarkPublish200Subscribers(b *testing.B) {
	w := crowd(b, newShelf())
	for range 200 {
		s, err := w.Subscribe(world.Filter{Area: &world.Area{Center: memory.Position{1000, 0, 0}, Radius: 500}})
		must(b, "Subscribe", err)
		defer s.Close()
	}
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		i++
		_, err := w.Move(context.Background(), fmt.Sprint("e", i%2000), memory.Position{float64(i % 2000), 1, 0}, "bench")
		must(b, "Move", err)
	}
}

// BenchmarkNext measures reading the delta of one change.
func BenchmarkNext(b *testing.B) {
	w := crowd(b, newShelf())
	s, err := w.Subscribe(world.Filter{})
	must(b, "Subscribe", err)
	defer s.Close()
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		_, err := w.Move(context.Background(), "e7", memory.Position{1, 2, 3}, "bench")
		must(b, "Move", err)
		b.StartTimer()
		if _, err := s.Next(context.Background()); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkStateChangeSeen measures the time from a change until every subscriber has it, one
// change after the other, with and without a disk.
func BenchmarkStateChangeSeen(b *testing.B) {
	for _, subscribers := range []int{2, 200} {
		for _, disk := range []bool{false, true} {
			name := fmt.Sprintf("subscribers=%d/disk=%v", subscribers, disk)
			b.Run(name, func(b *testing.B) {
				var store world.Store = newShelf()
				if disk {
					store = stored(b, b.TempDir()+"/a.db")
				}
				benchmarkSeen(b, crowd(b, store), subscribers)
			})
		}
	}
}

func benchmarkSeen(b *testing.B, w *world.World, subscribers int) {
	var (
		readers sync.WaitGroup
		start   atomic.Int64 // of the current change
		began   = time.Now()
		mu      sync.Mutex // guards took
		took    []time.Duration
		seen    = make(chan struct{}, subscribers)
	)
	ctx, stop := context.WithCancel(context.Background())
	for range subscribers {
		s, err := w.Subscribe(world.Filter{})
		must(b, "Subscribe", err)
		readers.Go(func() {
			defer s.Close()
			for {
				if _, err := s.Next(ctx); err != nil {
					return
				}
				d := time.Since(began) - time.Duration(start.Load())
				mu.Lock()
				took = append(took, d)
				mu.Unlock()
				seen <- struct{}{}
			}
		})
	}
	i := 0
	for b.Loop() {
		i++
		start.Store(int64(time.Since(began)))
		_, err := w.Move(ctx, fmt.Sprint("e", i%2000), memory.Position{float64(i), 0, 0}, "bench")
		must(b, "Move", err)
		for range subscribers {
			<-seen
		}
	}
	stop()
	readers.Wait()
	percentiles(b, took)
}

// BenchmarkWriters measures 64 writers at once on disk, which share transactions.
func BenchmarkWriters(b *testing.B) {
	w := crowd(b, stored(b, b.TempDir()+"/a.db"))
	var n atomic.Int64
	var mu sync.Mutex
	var took []time.Duration
	b.SetParallelism(32)
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		var own []time.Duration
		for pb.Next() {
			i := n.Add(1)
			start := time.Now()
			if _, err := w.Move(context.Background(), fmt.Sprint("e", i%2000), memory.Position{float64(i), 0, 0}, "bench"); err != nil {
				b.Error(err)
			}
			own = append(own, time.Since(start))
		}
		mu.Lock()
		defer mu.Unlock()
		took = append(took, own...)
	})
	percentiles(b, took)
}

// BenchmarkSubscribe measures starting and ending a subscription to 2,000 entities.
func BenchmarkSubscribe(b *testing.B) {
	w := crowd(b, newShelf())
	for b.Loop() {
		s, err := w.Subscribe(world.Filter{})
		must(b, "Subscribe", err)
		s.Close()
	}
}

// BenchmarkOpen measures reading 2,000 entities from disk.
func BenchmarkOpen(b *testing.B) {
	store := stored(b, b.TempDir()+"/a.db")
	crowd(b, store)
	for b.Loop() {
		_, err := world.Open(context.Background(), store, world.Options{})
		must(b, "opening the world", err)
	}
}

// BenchmarkLoad makes 500 changes a second on disk for 200 subscribers that read and one that
// never does. One operation is one change; the percentiles are over every change at every
// reader.
func BenchmarkLoad(b *testing.B) {
	w := crowd(b, stored(b, b.TempDir()+"/a.db"))
	stalled, err := w.Subscribe(world.Filter{})
	must(b, "Subscribe", err)
	defer stalled.Close()
	var (
		readers sync.WaitGroup
		began   = time.Now()
		starts  = make([]atomic.Int64, 1<<20) // of change i, since began
		mu      sync.Mutex                    // guards took
		took    []time.Duration
	)
	ctx, stop := context.WithCancel(context.Background())
	for range 200 {
		s, err := w.Subscribe(world.Filter{})
		must(b, "Subscribe", err)
		readers.Go(func() {
			defer s.Close()
			var own []time.Duration
			for d, err := s.Next(ctx); err == nil; d, err = s.Next(ctx) {
				now := time.Since(began)
				for _, c := range d.Changes {
					own = append(own, now-time.Duration(starts[int(c.Entity.Position[1])].Load()))
				}
			}
			mu.Lock()
			defer mu.Unlock()
			took = append(took, own...)
		})
	}
	var writers sync.WaitGroup
	pace := time.NewTicker(2 * time.Millisecond)
	defer pace.Stop()
	i := 0
	for b.Loop() {
		<-pace.C
		i = (i + 1) % len(starts)
		n := i
		writers.Go(func() {
			starts[n].Store(int64(time.Since(began)))
			_, err := w.Move(ctx, fmt.Sprint("e", n%2000), memory.Position{0, float64(n), 0}, "bench")
			if err != nil {
				b.Error(err)
			}
		})
	}
	writers.Wait()
	stop()
	readers.Wait()
	percentiles(b, took)
	b.ReportMetric(float64(len(took))/float64(b.N), "told/op")
}
