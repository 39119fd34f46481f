package mcphost

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/sync/singleflight"

	"github.com/MrWong99/glyphoxa/internal/mcp"
)

const (
	// cacheEntries bounds the entries of the result cache.
	cacheEntries = 512
	// maxCached bounds one cached result, in bytes. Larger results are not cached.
	maxCached = 64 << 10
)

// cache stores the results of tools that declare how long a result stays valid. It also runs equal concurrent
// calls only once. It is safe for concurrent use.
type cache struct {
	results *lru.Cache[string, cached]
	flight  singleflight.Group
}

type cached struct {
	result mcp.Result
	until  time.Time
}

func newCache() *cache {
	results, err := lru.New[string, cached](cacheEntries)
	if err != nil {
		panic(err) // the size is a constant above zero
	}
	return &cache{results: results}
}

// key identifies a call by the tool, the caller (because two NPCs may know different things) and the
// arguments in canonical form.
func (c *cache) key(ctx context.Context, t *tool, args string) (string, error) {
	var value any
	d := json.NewDecoder(bytes.NewReader([]byte(args)))
	d.UseNumber()
	if err := d.Decode(&value); err != nil {
		return "", fmt.Errorf("%w: not valid JSON: %v", mcp.ErrInvalidArguments, err)
	}
	canonical, err := json.Marshal(value) // maps marshal with sorted keys
	if err != nil {
		return "", fmt.Errorf("encoding the arguments: %w", err)
	}
	caller := mcp.CallerFrom(ctx)
	return fmt.Sprintf("%p\x00%s\x00%s\x00%s", t, caller.Viewer(), caller.Session, canonical), nil
}

// get returns the result under key if it is still valid.
func (c *cache) get(key string) (mcp.Result, bool) {
	e, ok := c.results.Get(key)
	if !ok {
		return mcp.Result{}, false
	}
	if !time.Now().Before(e.until) {
		c.results.Remove(key)
		return mcp.Result{}, false
	}
	e.result.Cached, e.result.Duration = true, 0
	return e.result, true
}

// put stores a result, unless it is an error or larger than maxCached.
func (c *cache) put(key string, r mcp.Result, valid time.Duration) {
	size := len(r.Text) + len(r.Structured)
	for _, item := range r.Content {
		size += len(item.Text) + len(item.Data)
	}
	if size <= maxCached && !r.IsError {
		c.results.Add(key, cached{r, time.Now().Add(valid)})
	}
}

// callThroughCache answers from the cache, joins an equal call that is already running, or runs the call and
// caches its result. If one caller gives up, the shared call continues for the others.
func (h *Host) callThroughCache(ctx context.Context, e *entry, args string) (mcp.Result, error) {
	key, err := h.cache.key(ctx, e.tool, args)
	if err != nil {
		return mcp.Result{}, fmt.Errorf("calling %q: %w", e.def.Name, err)
	}
	if r, ok := h.cache.get(key); ok {
		return r, nil
	}
	if !h.running.begin() {
		return mcp.Result{}, fmt.Errorf("calling %q: %w", e.def.Name, mcp.ErrClosed)
	}
	start := time.Now()
	shared := h.cache.flight.DoChan(key, func() (any, error) {
		// Callers share the answer, so the tool cannot ask one of them a question.
		ctx, cancel := context.WithCancel(mcp.WithClientRequests(context.WithoutCancel(ctx), nil))
		defer cancel()
		defer context.AfterFunc(h.lifetime, cancel)()
		r, err := h.callWithRetry(ctx, e, args)
		if err == nil {
			h.cache.put(key, r, time.Duration(e.def.CacheableSeconds)*time.Second)
		}
		return r, err
	})
	select {
	case out := <-shared:
		h.running.end()
		r, _ := out.Val.(mcp.Result)
		r.Duration = time.Since(start)
		return r, out.Err
	case <-ctx.Done():
		go func() { // the call continues for the other callers; Close waits for it
			<-shared
			h.running.end()
		}()
		return mcp.Result{Duration: time.Since(start)}, fmt.Errorf("calling %q: %w", e.def.Name, contextCause(ctx, ctx.Err()))
	}
}
