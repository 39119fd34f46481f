package mcpserver

import (
	"context"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/MrWong99/glyphoxa/internal/mcp/access"
)

// Limits on how often one caller may reload the files: refreshBurst times at once, then once per
// refreshEvery. Beyond maxPaced callers, all limits are reset.
const (
	refreshBurst = 3
	refreshEvery = 5 * time.Second
	maxPaced     = 1000
)

// refreshPace limits how often each caller may reload the files. It is safe for concurrent use; the zero
// value is ready.
type refreshPace struct {
	mu      sync.Mutex // guards callers
	callers map[string]*rate.Limiter
}

// reserve reserves one reload for the subject of ctx, or returns how long to wait for it.
func (p *refreshPace) reserve(ctx context.Context) (wait time.Duration) {
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
