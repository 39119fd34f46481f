package access

// These tools query the audit log: audit_query returns single calls, audit_usage sums by caller and tool.
//
// Both only read, return bounded results, and need the permission audit.read. They are DEEP, so that no NPC
// gets them by accident.

import (
	"github.com/MrWong99/glyphoxa/internal/mcp/tools"
)

const (
	// permission is required for both tools.
	permission = "audit.read"
	// probe is the arguments with which both tools are measured.
	probe = `{"since":"1h"}`
)

// atLeastZero is the schema bound of an amount.
var atLeastZero = map[string]any{"minimum": 0}

// toolset holds the log for the handlers.
type toolset struct{ log *Log }

// LogTools returns the audit tools for registration with the host. log must outlive them.
func LogTools(log *Log) []tools.Tool {
	t := &toolset{log: log}
	return []tools.Tool{t.query(), t.usage()}
}
