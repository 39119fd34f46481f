package mcphost

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/MrWong99/glyphoxa/internal/mcp"
)

const (
	// maxServerTools bounds what one server may list, and maxPages the pages
	// that takes.
	maxServerTools = 1000
	maxPages       = 1000
	// relistPause is the least time between two listings. It doubles up to
	// longestRelist while a server announces changes and has none.
	relistPause   = 100 * time.Millisecond
	longestRelist = 2 * time.Second
)

// listed is what became of a definition.
type listed struct {
	sum  [sha256.Size]byte // of the whole definition as it was sent
	tool *tool             // nil if it cannot be used
}

// listingRest keeps a server that announces changes without end from being
// listed without end.
type listingRest struct {
	over  <-chan time.Time // nil if it may be listed now
	pause time.Duration
}

// gate returns relist when the rest is over.
func (r *listingRest) gate(relist <-chan struct{}) <-chan struct{} {
	if r.over != nil {
		return nil
	}
	return relist
}

func (r *listingRest) begin(changed bool) {
	if r.pause = min(2*r.pause, longestRelist); changed || r.pause == 0 {
		r.pause = relistPause
	}
	r.over = time.After(r.pause)
}

// listAgain lists the tools of a live connection again.
func (u *upstream) listAgain(ctx context.Context, l *link, rest *listingRest) error {
	ctx, cancel := u.timeLimit(ctx)
	defer cancel()
	before := u.host.snap.Load()
	if err := u.list(ctx, l); err != nil {
		select {
		case <-l.ended:
			return l.reason()
		default:
		}
		if cause := context.Cause(ctx); cause != nil {
			err = cause
		}
		return fmt.Errorf("listing its tools again: %w", err)
	}
	rest.begin(u.host.snap.Load() != before)
	return nil
}

// list reads the server's tools and registers them. A tool whose definition is
// the same as before stays the same tool: toolsets and cached results that
// know it go on.
func (u *upstream) list(ctx context.Context, l *link) error {
	defs, err := u.pages(ctx, l.session)
	if err != nil {
		return fmt.Errorf("listing its tools: %w", err)
	}
	pins, err := u.host.loadPins(ctx, u.cfg)
	if err != nil {
		return err
	}
	tools, held := u.take(defs, pins)
	if err := u.host.savePins(ctx, u.cfg, pins); err != nil {
		return err
	}
	h := u.host
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return mcp.ErrClosed
	}
	changed := !slices.Equal(u.tools, tools)
	first := u.live.Load() == nil
	u.tools, u.held, u.lost = tools, held, nil
	u.live.Store(l)
	u.state, u.err = stateReady, nil
	u.settle()
	if changed {
		h.swap()
	}
	if first {
		u.connects++
		h.opts.log.Info("server connected", "server", u.cfg.Name, "tools", len(tools), "held", len(held))
	} else if changed {
		h.opts.log.Info("server changed its tools", "server", u.cfg.Name, "tools", len(tools), "held", len(held))
	}
	return nil
}

// pages reads all pages of the server's listing, up to a limit.
func (u *upstream) pages(ctx context.Context, session *sdk.ClientSession) ([]*sdk.Tool, error) {
	var defs []*sdk.Tool
	var params sdk.ListToolsParams
	for range maxPages {
		page, err := session.ListTools(ctx, &params)
		if err != nil {
			return nil, err
		}
		defs = append(defs, page.Tools...)
		if len(defs) > maxServerTools {
			u.warn("server lists too many tools", "kept", maxServerTools)
			return defs[:maxServerTools], nil
		}
		if page.NextCursor == "" {
			return defs, nil
		}
		if page.NextCursor == params.Cursor {
			u.warn("server lists the same page without end", "kept", len(defs))
			return defs, nil
		}
		params.Cursor = page.NextCursor
	}
	u.warn("server lists pages without end", "kept", len(defs))
	return defs, nil
}

func (u *upstream) warn(msg string, attrs ...any) {
	u.host.opts.log.Warn(msg, append([]any{"server", u.cfg.Name}, attrs...)...)
}

// take turns a listing into registered and held tools; a tool that cannot be
// used is left out with a warning.
func (u *upstream) take(defs []*sdk.Tool, pins *pinSet) (tools []*tool, held []heldTool) {
	known := make(map[string]*listed, len(defs))
	for _, d := range defs {
		if _, twice := known[d.Name]; twice {
			u.warn("tool left out", "tool", cleanLine(d.Name), "reason", "the name is listed twice")
			continue
		}
		entry := u.recognise(d)
		known[d.Name] = entry
		if entry.tool == nil {
			continue
		}
		why := pins.check(d, u.cfg.Pin)
		if why != "" {
			u.warn("tool definition "+why, "tool", cleanLine(d.Name), "held", u.cfg.Pin)
		}
		if why != "" && u.cfg.Pin {
			held = append(held, heldTool{entry.tool, why})
			continue
		}
		tools = append(tools, entry.tool)
	}
	u.known = known
	return tools, held
}

// recognise returns what was made of the same definition before, or makes it.
func (u *upstream) recognise(d *sdk.Tool) *listed {
	raw, err := json.Marshal(d)
	if err == nil && len(raw) > maxDefinition {
		err = fmt.Errorf("its definition has %d bytes, more than the %d allowed", len(raw), maxDefinition)
	}
	entry := &listed{sum: sha256.Sum256(raw)}
	if before := u.known[d.Name]; before != nil && before.sum == entry.sum {
		return before
	}
	if err == nil {
		entry.tool, err = u.foreign(d)
	}
	if err != nil {
		u.warn("tool left out", "tool", cleanLine(d.Name), "reason", cleanLine(err.Error()))
	}
	return entry
}
