// Package memorytool gives NPCs access to the three layers of memory as tools. search_sessions searches the
// lines of sessions, query_entities and get_summary read the knowledge graph, search_facts searches the known
// facts, and remember_fact adds one.
//
//	for _, t := range memorytool.NewTools(sessions, index, graph, dates) {
//		// Register t with the host.
//	}
//
// Every tool shows an NPC only what that NPC may know; the viewer is the caller's NPC. Results are limited in
// size so that none of them floods a prompt.
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

// Limits on input and output, in runes and in items.
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

// Permissions that outside clients need for the tools.
const (
	permMemoryRead  = "memory.read"
	permMemoryWrite = "memory.write"
	permWorldRead   = "world.read"
)

// toolset holds the stores that the handlers use.
type toolset struct {
	sessions memory.SessionLog
	index    memory.Index
	graph    memory.Graph
	dates    Dates
}

// Dates finds references to in-world dates in questions. It is safe for concurrent use.
type Dates interface {
	// Find returns the days that a question refers to, and the question without the reference.
	Find(question string) (found memory.Days, rest string, ok bool)
	// Today returns the current in-world date, or the zero date if it is unknown.
	Today() memory.Date
	// Write formats a day as a date.
	Write(day int64) string
}

// NewTools returns the memory tools, ready for registration with the host. index may be nil; search_facts
// then searches the session log, and remember_fact is unavailable. Without dates, the tools do not recognise
// references to times in questions.
func NewTools(sessions memory.SessionLog, index memory.Index, graph memory.Graph, dates ...Dates) []tools.Tool {
	t := &toolset{sessions: sessions, index: index, graph: graph}
	for _, t.dates = range dates {
		break
	}
	return []tools.Tool{t.searchSessions(), t.queryEntities(), t.getSummary(), t.searchFacts(), t.rememberFact()}
}

// question returns s as text that is suitable for a search.
func question(s string) (string, error) {
	s = strings.TrimSpace(s)
	if s == "" {
		return "", fmt.Errorf("%w: query is empty; say what to look for", mcp.ErrInvalidArguments)
	}
	return untrusted.Clip(s, maxQuery), nil
}

func viewer(ctx context.Context) string { return mcp.CallerFrom(ctx).Viewer() }

// said is the schema of a text that must not be empty.
var said = map[string]any{"minLength": 1}
