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

// loggerName is the logger clients see messages of calls from.
const loggerName = "glyphoxa.tools"

// offerLogging tells clients that they may ask for messages.
func offerLogging(c *sdk.ServerCapabilities) { c.Logging = &sdk.LoggingCapabilities{} }

// levels are the levels of messages, least first.
var levels = []sdk.LoggingLevel{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}

// checkLevel refuses what is no level of messages.
func checkLevel(level sdk.LoggingLevel) error {
	if slices.Contains(levels, level) {
		return nil
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf("`level` must be one of %s", quoted(levels))}
}

// quoted is a list of levels for a message.
func quoted(list []sdk.LoggingLevel) string {
	var all []string
	for _, l := range list {
		all = append(all, string(l))
	}
	return strings.Join(all, ", ")
}

// recordLevel records the level that the client of a session has set. Sessions that have
// ended are pruned with those of the notifier.
func (d *dispatcher) recordLevel(req sdk.Request) {
	if set, ok := req.GetParams().(*sdk.SetLoggingLevelParams); ok && set != nil && !isNewest(req) {
		d.levels.Store(req.GetSession(), set.Level)
	}
}

// logLevel returns the least level of message that the client of a call wants, empty if it
// wants none. In the newest revision each call says so itself.
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

// logToClient logs a call to the client that made it, if it asked for that: what went
// well at debug level, failures as warnings. Logging is on its way out of the
// protocol (2026-07-28) and stays for clients that know nothing else.
func logToClient(ctx context.Context, to *sdk.ServerSession, tool string, a answer) {
	level := sdk.LoggingLevel("debug")
	data := map[string]any{"tool": tool, "executionTimeMs": mcp.RoundedMillis(a.result.Duration)}
	if a.err != nil {
		level = "warning"
		f := failureOf(a.err)
		data["code"], data["message"] = f.Code, f.Message
	}
	_ = to.Log(ctx, &sdk.LoggingMessageParams{Level: level, Logger: loggerName, Data: data}) // whoever left needs none
}
