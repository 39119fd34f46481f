package world_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// shelf is a store in memory.
type shelf struct {
	// before, if set, is called at the start of every Change and may block or fail it.
	before func(memory.Batch) error

	mu        sync.Mutex
	entities  map[string]memory.Entity
	relations map[[3]string]memory.Relation
	state     map[string][]byte
	batches   int
	changes   []memory.WorldChange
}

func newShelf() *shelf {
	return &shelf{entities: map[string]memory.Entity{}, relations: map[[3]string]memory.Relation{}, state: map[string][]byte{}}
}

func (s *shelf) World(context.Context) ([]memory.Entity, []memory.Relation, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var es []memory.Entity
	for _, e := range s.entities {
		es = append(es, e)
	}
	var rs []memory.Relation
	for _, r := range s.relations {
		rs = append(rs, r)
	}
	return es, rs, nil
}

func (s *shelf) LoadState(context.Context, string) (map[string][]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := map[string][]byte{}
	for k, v := range s.state {
		out[k] = slices.Clone(v)
	}
	return out, nil
}

func (s *shelf) Change(ctx context.Context, b memory.Batch) error {
	if s.before != nil {
		if err := s.before(b); err != nil {
			return err
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for k, v := range b.Expect {
		if got, ok := s.state[k]; ok != (v != nil) || !bytes.Equal(got, v) {
			return fmt.Errorf("shelf: %w", memory.ErrConflict)
		}
	}
	s.batches++
	for _, id := range b.Remove {
		delete(s.entities, id)
	}
	for _, e := range b.Put {
		s.entities[e.ID] = e
	}
	for _, r := range b.Unrelate {
		delete(s.relations, [3]string{r.From, r.Type, r.To})
	}
	for _, r := range b.Relate {
		s.relations[[3]string{r.From, r.Type, r.To}] = r
	}
	for k, v := range b.State {
		s.state[k] = v
	}
	s.changes = append(s.changes, b.Record...)
	return nil
}

func (s *shelf) WorldChanges(context.Context, int) ([]memory.WorldChange, error) { return nil, nil }

func (s *shelf) WorldChange(context.Context, uint64) (memory.WorldChange, error) {
	return memory.WorldChange{}, memory.ErrNotFound
}

func (s *shelf) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.batches
}
