package sqlstore

import (
	"context"
	"math"
)

// Sense reads vectors of lines in mind that have none yet, the newest first: at most so
// many lines, or of all if most is 0.
func (m *Mind) Sense(ctx context.Context, src Source, most int) error {
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
