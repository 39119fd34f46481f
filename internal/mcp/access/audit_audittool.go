package access

// These tools let those who may read the audit log ask it: audit_query
// for single calls, audit_usage for sums by caller and tool.
//
// Both tools only read, are bounded in what they return, and need the
// permission audit.read. They are DEEP, so that no NPC comes across them by
// accident.

import (
	"github.com/MrWong99/glyphoxa/internal/mcp/tools"
)

const (
	// permission is what a caller of either tool needs.
	permission = "audit.read"
	// probe is the arguments either tool is measured with.
	probe = `{"since":"1h"}`
)

// atLeastZero are the bounds of an amount.
var atLeastZero = map[string]any{"minimum": 0}

// toolset holds what the handlers read from.
type toolset struct{ log *Log }

// LogTools returns the audit tools ready for registration with the host. The log
// outlives them.
func LogTools(log *Log) []tools.Tool {
	t := &toolset{log: log}
	return []tools.Tool{t.query(), t.usage()}
}
