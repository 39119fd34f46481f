package mcpserver

//lint:file-ignore SA1019 clients of the older revisions know no other way to see what happens

import (
	"context"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/MrWong99/glyphoxa/internal/elapsed"
)

// loggerName is the logger clients see messages of calls from.
const loggerName = "glyphoxa.tools"

// offerLogging tells clients that they may ask for messages.
func offerLogging(c *sdk.ServerCapabilities) { c.Logging = &sdk.LoggingCapabilities{} }

// logToClient logs a call to the client that made it, if it asked for that: what went
// well at debug level, failures as warnings. Logging is on its way out of the
// protocol (2026-07-28) and stays for clients that know nothing else.
func logToClient(ctx context.Context, to *sdk.ServerSession, tool string, a answer) {
	level := sdk.LoggingLevel("debug")
	data := map[string]any{"tool": tool, "executionTimeMs": elapsed.Rounded(a.result.Duration)}
	if a.err != nil {
		level = "warning"
		f := failureOf(a.err)
		data["code"], data["message"] = f.Code, f.Message
	}
	_ = to.Log(ctx, &sdk.LoggingMessageParams{Level: level, Logger: loggerName, Data: data}) // whoever left needs none
}
