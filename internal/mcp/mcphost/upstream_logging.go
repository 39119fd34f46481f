package mcphost

//lint:file-ignore SA1019 clients of the older revisions get log messages in no other way

import (
	"context"
	"encoding/json"
	"slices"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/untrusted"
)

// maxLogged bounds one message of a server's log, in characters.
const maxLogged = 4 * maxLine

// perRequestOptions is the first protocol revision in which each request states which log messages it wants
// and which questions the server may ask.
const perRequestOptions = "2026-07-28"

// logLevels are the log levels in ascending order.
var logLevels = []sdk.LoggingLevel{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}

// requestLogs requests the log messages that the call's client wants. In older revisions it sets the level,
// at most once per level and connection. Errors are ignored, because the call works without log messages.
func (l *link) requestLogs(ctx context.Context, params *sdk.CallToolParams, log *mcp.ClientLog) {
	opened := l.session.InitializeResult()
	if opened == nil || opened.Capabilities == nil || opened.Capabilities.Logging == nil {
		return
	}
	if opened.ProtocolVersion >= perRequestOptions {
		if params.Meta == nil {
			params.Meta = sdk.Meta{}
		}
		params.Meta[sdk.MetaKeyLogLevel] = log.Level
		return
	}
	wanted := slices.Index(logLevels, sdk.LoggingLevel(log.Level))
	l.mu.Lock()
	enough := wanted < 0 || l.logLevel > 0 && l.logLevel <= wanted+1
	if !enough {
		l.logLevel = wanted + 1
	}
	l.mu.Unlock()
	if !enough {
		_ = l.session.SetLoggingLevel(ctx, &sdk.SetLoggingLevelParams{Level: logLevels[wanted]})
	}
}

// listener returns the client that currently receives the server's log messages. It is nil unless all running
// calls have the same client, because a message does not say which call it belongs to.
func (l *link) listener() *mcp.ClientLog {
	l.mu.Lock()
	defer l.mu.Unlock()
	var one *mcp.ClientLog
	for _, c := range l.calls {
		if c.log == nil || one != nil && one.Client != c.log.Client {
			return nil
		}
		one = c.log
	}
	return one
}

// handleLog forwards the params of a log message. Messages that no client requested are dropped.
func (s *Server) handleLog(params json.RawMessage) {
	l := s.live.Load()
	if l == nil || l.listener() == nil {
		return
	}
	var m sdk.LoggingMessageParams
	if json.Unmarshal(params, &m) == nil {
		s.passOnLog(&m)
	}
}

// passOnLog sends a log message of the server to the client of the running calls, with secrets removed.
func (s *Server) passOnLog(m *sdk.LoggingMessageParams) {
	l := s.live.Load()
	if l == nil || m == nil || !slices.Contains(logLevels, m.Level) {
		return
	}
	to := l.listener()
	if to == nil || slices.Index(logLevels, m.Level) < slices.Index(logLevels, sdk.LoggingLevel(to.Level)) {
		return
	}
	raw, err := json.Marshal(m.Data)
	if err != nil {
		return
	}
	masked := s.maskText(string(raw), maxLogged)
	var data any
	if json.Unmarshal([]byte(masked), &data) != nil {
		data = untrusted.Clean(masked, maxLogged)
	}
	logger := s.cfg.Name
	if m.Logger != "" {
		logger += "/" + cleanLine(s.maskText(m.Logger, maxLine))
	}
	to.Send(string(m.Level), logger, data)
}
