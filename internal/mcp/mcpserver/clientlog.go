package mcpserver

//lint:file-ignore SA1019 clients of the older revisions know no other way to see what happens

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/MrWong99/glyphoxa/internal/mcp"
)

// loggerName is the logger name of messages about calls.
const loggerName = "glyphoxa.tools"

// offerLogging declares that clients may request log messages.
func offerLogging(c *sdk.ServerCapabilities) { c.Logging = &sdk.LoggingCapabilities{} }

// levels are the log levels in ascending order.
var levels = []sdk.LoggingLevel{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}

// checkLevel returns an error for an unknown log level.
func checkLevel(level sdk.LoggingLevel) error {
	if slices.Contains(levels, level) {
		return nil
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf("`level` must be one of %s", quoted(levels))}
}

// quoted formats a list of levels for a message.
func quoted(list []sdk.LoggingLevel) string {
	var all []string
	for _, l := range list {
		all = append(all, string(l))
	}
	return strings.Join(all, ", ")
}

// recordLevel records the log level that a session's client has set. Ended sessions are pruned together with
// those of the notifier.
func (d *dispatcher) recordLevel(req sdk.Request) {
	if set, ok := req.GetParams().(*sdk.SetLoggingLevelParams); ok && set != nil && !isNewest(req) {
		d.levels.Store(req.GetSession(), set.Level)
	}
}

// logLevel returns the lowest log level that the client of a call wants, or "" if it wants no messages. In
// the newest revision, each call states its own level.
func (d *dispatcher) logLevel(req *sdk.CallToolRequest) sdk.LoggingLevel {
	if isNewest(req) {
		level, _ := req.Params.Meta[sdk.MetaKeyLogLevel].(string)
		if !slices.Contains(levels, sdk.LoggingLevel(level)) {
			return ""
		}
		return sdk.LoggingLevel(level)
	}
	level, _ := d.levels.Load(req.Session)
	set, _ := level.(sdk.LoggingLevel)
	return set
}

// logToClient logs a call to the client that made it, if the client enabled logging: successes at debug
// level, failures as warnings. The newest protocol revision (2026-07-28) phases logging out; it stays for
// older clients.
func logToClient(ctx context.Context, to *sdk.ServerSession, tool string, a answer) {
	level := sdk.LoggingLevel("debug")
	data := map[string]any{"tool": tool, "executionTimeMs": mcp.RoundedMillis(a.result.Duration)}
	if a.err != nil {
		level = "warning"
		f := failureOf(a.err)
		data["code"], data["message"] = f.Code, f.Message
	}
	_ = to.Log(ctx, &sdk.LoggingMessageParams{Level: level, Logger: loggerName, Data: data}) // an error means that the client has gone
}
