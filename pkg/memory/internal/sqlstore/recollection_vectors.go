package sqlstore

import (
	"context"
	"math"
)

// Sense loads the vectors of lines in memory that have none yet, newest first. It handles up to most lines; 0
// means all.
func (m *LineCache) Sense(ctx context.Context, src Source, most int) error {
	for before, left := int64(math.MaxInt64), most; ; {
		n := batch
		if most > 0 {
			n = min(n, left)
		}
		m.mu.Lock()
		times := m.times
		var ids []int64
		if m.index != nil {
			ids = m.index.WithoutVector(before, n)
		}
		m.mu.Unlock()
		if len(ids) == 0 {
			return nil
		}
		vectors, err := src.Vectors(ctx, ids)
		if err != nil {
			return err
		}
		m.mu.Lock()
		if times == m.times && m.index != nil {
			for id, v := range vectors {
				m.index.SetVector(id, v)
			}
		}
		m.mu.Unlock()
		before = ids[len(ids)-1]
		if left -= len(ids); most > 0 && left <= 0 {
			return nil
		}
	}
}
