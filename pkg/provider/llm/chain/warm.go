package chain

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// Warm has all models of the chain that can open their connections, side by
// side, since each of them may have to take over in an instant. It returns when
// the last one is done. The error names every one that failed; nobody's breaker
// hears of it.
func (c *Chain) Warm(ctx context.Context) error {
	errs := make([]error, len(c.links))
	var links sync.WaitGroup
	for i, l := range c.links {
		if p, ok := l.Provider.(interface{ Warm(context.Context) error }); ok {
			links.Go(func() {
				if err := p.Warm(ctx); err != nil {
					errs[i] = fmt.Errorf("%s: %w", l.Name, err)
				}
			})
		}
	}
	links.Wait()
	return errors.Join(errs...)
}
