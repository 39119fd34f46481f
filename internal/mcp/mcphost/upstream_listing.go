package mcphost

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	// maxServerTools bounds the tools of one server, and maxPages the pages of its listing.
	maxServerTools = 1000
	maxPages       = 1000
	// maxCounted bounds how many tools beyond the limit are counted.
	maxCounted = 10 * maxServerTools
	// relistPause is the minimum time between two listings. It doubles up to longestRelist while the server
	// announces changes that turn out to be none.
	relistPause   = 100 * time.Millisecond
	longestRelist = 2 * time.Second
)

// listed is the result of one definition in a listing.
type listed struct {
	sum  [sha256.Size]byte // of the whole definition as the server sent it
	tool *ServerTool       // nil if it cannot be used
	why  string            // why it cannot be used
}

// relistThrottle limits how often a server is listed again, because it may announce changes endlessly.
type relistThrottle struct {
	wait  <-chan time.Time // nil if the server may be listed now
	pause time.Duration
}

// relistIfAllowed returns relist if the server may be listed now, else nil.
func (r *relistThrottle) relistIfAllowed(relist <-chan struct{}) <-chan struct{} {
	if r.wait != nil {
		return nil
	}
	return relist
}

// start starts the pause after a listing. The pause grows if the listing changed nothing.
func (r *relistThrottle) start(changed bool) {
	if r.pause = min(2*r.pause, longestRelist); changed || r.pause == 0 {
		r.pause = relistPause
	}
	r.wait = time.After(r.pause)
}

// relistTools lists the tools of a live connection again.
func (s *Server) relistTools(ctx context.Context, l *link, throttle *relistThrottle) error {
	ctx, cancel := s.limitAttempt(ctx)
	defer cancel()
	changed, err := s.publishTools(ctx, l)
	if err != nil {
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
	throttle.start(changed)
	return nil
}

// publishTools lists the server's tools, publishes them, and reports whether they changed. An unchanged
// definition keeps its *ServerTool, so that toolsets and cached results remain valid.
func (s *Server) publishTools(ctx context.Context, l *link) (changed bool, err error) {
	defs, leftOut, notes, err := s.readPages(ctx, l.session)
	if err != nil {
		return false, fmt.Errorf("listing its tools: %w", err)
	}
	pins, err := s.loadPins(ctx)
	if err != nil {
		return false, err
	}
	tools, held, unusable := s.sortTools(defs, pins)
	notes = boundNotes(append(notes, unusable...))
	if err := pins.save(ctx); err != nil {
		return false, err
	}
	s.mu.Lock()
	first := s.live.Load() == nil
	changed = !slices.Equal(s.state.Tools, tools)
	s.state = ServerState{Phase: PhaseReady, Connects: s.state.Connects, LeftOut: leftOut, Unusable: notes, Tools: tools, Held: held}
	if first {
		s.state.Connects++
		s.failures.Store(0) // before its first call, which may fail
	}
	s.live.Store(l)
	st := s.state
	s.mu.Unlock()
	if err := s.publish(s, st); err != nil {
		return false, err
	}
	s.endAttempt()
	if first {
		s.log.Info("server connected", "tools", len(tools), "held", len(held))
	} else if changed {
		s.log.Info("server changed its tools", "tools", len(tools), "held", len(held))
	}
	return changed, nil
}

// readPages reads all pages of the server's listing. It keeps maxServerTools tools and counts the rest. notes
// says what of the listing cannot be read.
func (s *Server) readPages(ctx context.Context, session *sdk.ClientSession) (defs []*sdk.Tool, leftOut int, notes []string, err error) {
	var params sdk.ListToolsParams
	defer func() {
		if leftOut > 0 {
			s.log.Warn("server lists too many tools", "kept", maxServerTools, "left_out", leftOut)
		}
	}()
	for range maxPages {
		page, err := session.ListTools(ctx, &params)
		switch wire := answerOf(err); {
		case wire != nil && wire.Code == jsonrpc.CodeMethodNotFound && len(defs) == 0:
			return nil, 0, []string{"it has no tools"}, nil
		case wire != nil && len(defs) > 0:
			return defs, leftOut, append(notes, "the pages after the first tools: "+cleanLine(s.maskText(wire.Message, maxLine))), nil
		case err != nil:
			return nil, 0, nil, err
		}
		notes = append(notes, leftOutOf(page.Meta)...)
		kept := page.Tools[:min(len(page.Tools), maxServerTools-len(defs))]
		defs = append(defs, kept...)
		leftOut += len(page.Tools) - len(kept)
		if page.NextCursor == "" || leftOut > maxCounted {
			return defs, leftOut, notes, nil
		}
		if page.NextCursor == params.Cursor {
			s.log.Warn("server lists the same page without end", "kept", len(defs))
			return defs, leftOut, notes, nil
		}
		params.Cursor = page.NextCursor
	}
	s.log.Warn("server lists pages without end", "kept", len(defs))
	return defs, leftOut, notes, nil
}

// sortTools divides a listing into usable and held tools. It leaves out tools that cannot be used, and says
// why.
func (s *Server) sortTools(defs []*sdk.Tool, pins *pinSet) (tools []*ServerTool, held []HeldTool, unusable []string) {
	known := make(map[string]*listed, len(defs))
	for _, d := range defs {
		if _, twice := known[d.Name]; twice {
			s.log.Warn("tool left out", "tool", cleanLine(d.Name), "reason", "the name is listed twice")
			unusable = append(unusable, fmt.Sprintf("a second tool called %q", cleanLine(d.Name)))
			continue
		}
		entry := s.toolOf(d)
		known[d.Name] = entry
		if entry.tool == nil {
			unusable = append(unusable, fmt.Sprintf("the tool %q: %s", cleanLine(d.Name), entry.why))
			continue
		}
		why := pins.compare(d, s.cfg.Pin)
		if why != "" {
			s.log.Warn("tool definition "+why, "tool", cleanLine(d.Name), "held", s.cfg.Pin)
		}
		if why != "" && s.cfg.Pin {
			held = append(held, HeldTool{entry.tool, why})
			continue
		}
		tools = append(tools, entry.tool)
	}
	s.known = known
	return tools, held, unusable
}

// toolOf returns the result of the same definition in the last listing, or creates the tool.
func (s *Server) toolOf(d *sdk.Tool) *listed {
	raw, err := json.Marshal(d)
	if err == nil && len(raw) > maxDefinition {
		err = fmt.Errorf("its definition has %d bytes, more than the %d allowed", len(raw), maxDefinition)
	}
	entry := &listed{sum: sha256.Sum256(raw)}
	if before := s.known[d.Name]; before != nil && before.sum == entry.sum {
		return before
	}
	if err == nil {
		entry.tool, err = s.newTool(d)
	}
	if err != nil {
		entry.why = cleanLine(err.Error())
		s.log.Warn("tool left out", "tool", cleanLine(d.Name), "reason", entry.why)
	}
	return entry
}
