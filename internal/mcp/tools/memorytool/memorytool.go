// Package memorytool gives NPCs the three layers of memory as tools:
// search_sessions over what was said, query_entities and get_summary over the
// knowledge graph, search_facts over what is known, remember_fact to add to it.
//
// Every tool shows an NPC what that NPC may know: the viewer is the caller's
// NPC. Results are bounded, so that no answer floods a prompt.
package memorytool

import (
	"context"
	"fmt"
	"strings"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools"
	"github.com/MrWong99/glyphoxa/internal/untrusted"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// Bounds on what goes in and comes out, in runes and in items.
const (
	maxQuery       = 1000
	maxText        = 600
	maxBlurb       = 300
	maxDescription = 2000
	maxLines       = 10
	maxEntities    = 20
	maxRelations   = 40
	maxConnected   = 40
	maxAttributes  = 40
	defaultTopK    = 10
	maxTopK        = 50
)

// What outside clients need to use the tools.
const (
	permMemoryRead  = "memory.read"
	permMemoryWrite = "memory.write"
	permWorldRead   = "world.read"
)

// toolset holds what the handlers read from.
type toolset struct {
	sessions memory.SessionLog
	index    memory.Index
	graph    memory.Graph
	dates    Dates
}

// Dates understands times of the world in questions. It is safe for concurrent use.
type Dates interface {
	// Find returns the days that a question speaks of, and the question without them.
	Find(question string) (found memory.Days, rest string, ok bool)
	// Today is the day it is, zero if nobody knows.
	Today() memory.Date
	// Write returns a day as a date.
	Write(day int64) string
}

// NewTools returns the memory tools ready for registration with the host.
// index may be nil; search_facts then searches the session log, and
// remember_fact is unavailable. Questions speak of no times
// unless somebody understands them.
func NewTools(sessions memory.SessionLog, index memory.Index, graph memory.Graph, dates ...Dates) []tools.Tool {
	t := &toolset{sessions: sessions, index: index, graph: graph}
	for _, t.dates = range dates {
		break
	}
	return []tools.Tool{t.searchSessions(), t.queryEntities(), t.getSummary(), t.searchFacts(), t.rememberFact()}
}

// question returns free text fit for a search.
func question(s string) (string, error) {
	s = strings.TrimSpace(s)
	if s == "" {
		return "", fmt.Errorf("%w: query is empty; say what to look for", mcp.ErrInvalidArguments)
	}
	return untrusted.Clip(s, maxQuery), nil
}

func viewer(ctx context.Context) string { return mcp.CallerFrom(ctx).Viewer() }

// said are the bounds of a text that must say something.
var said = map[string]any{"minLength": 1}
