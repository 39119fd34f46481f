// Package audittool lets those who may read the audit log ask it: audit_query
// for single calls, audit_usage for sums by caller and tool.
//
// Both tools only read, are bounded in what they return, and need the
// permission audit.read. They are DEEP, so that no NPC comes across them by
// accident. Imported by the composition root.
package audittool

import (
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/audit"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

// permission is what a caller of either tool needs.
const permission = "audit.read"

// toolset holds what the handlers read from.
type toolset struct{ log *audit.Log }

// Tools returns the audit tools ready for registration with the host. The log
// outlives them.
func Tools(log *audit.Log) []tools.Tool {
	t := &toolset{log: log}
	return []tools.Tool{t.query(), t.usage()}
}

// define makes a tool of what both have in common.
func define(d llm.ToolDefinition, title string, output map[string]any, h tools.Handler) tools.Tool {
	d.Idempotent = true
	return tools.Tool{
		Definition:   d,
		Handler:      h,
		DeclaredP50:  d.EstimatedDurationMs,
		DeclaredMax:  d.MaxDurationMs,
		Title:        title,
		OutputSchema: output,
		Permission:   permission,
		ReadOnly:     true,
		Floor:        mcp.BudgetDeep,
		Probe:        `{"since":"1h"}`,
	}
}
