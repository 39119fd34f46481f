package mcpserver

import (
	"context"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/MrWong99/glyphoxa/internal/mcp/access"
)

// How often one caller may have files read anew: so many times at once, then once in a
// while. Beyond so many callers all begin anew.
const (
	refreshBurst = 3
	refreshEvery = 5 * time.Second
	maxPaced     = 1000
)

// refreshPace bounds how often callers have files read anew, each for itself. It is safe
// for concurrent use; the zero value is ready.
type refreshPace struct {
	mu      sync.Mutex // guards callers
	callers map[string]*rate.Limiter
}

// take takes one reading from the subject of ctx, or says how long it has to wait for it.
func (p *refreshPace) take(ctx context.Context) (wait time.Duration) {
	name := ""
	if subject := access.SubjectFrom(ctx); subject != nil {
		name = subject.Name
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	limit := p.callers[name]
	if limit == nil {
		if p.callers == nil || len(p.callers) >= maxPaced {
			p.callers = map[string]*rate.Limiter{}
		}
		limit = rate.NewLimiter(rate.Every(refreshEvery), refreshBurst)
		p.callers[name] = limit
	}
	taken := limit.Reserve()
	if wait = taken.Delay(); wait > 0 {
		taken.Cancel()
	}
	return wait
}
