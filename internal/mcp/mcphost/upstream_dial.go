package mcphost

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"

	"github.com/google/shlex"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/wakeup"
)

// olderProtocol is the newest protocol revision that opens with "initialize". Some older servers do not
// answer the newer opening at all.
const olderProtocol = "2025-11-25"

// Dialer opens a new connection to a server.
type Dialer func(ctx context.Context, cfg config.MCPServerConfig) (*ServerConn, error)

// ServerConn is a connection to a server before a session is opened. All fields but Transport may be nil.
type ServerConn struct {
	Transport sdk.Transport
	// HangUp closes our side, so that closing the session does not block.
	HangUp func()
	// Sever breaks the connection if closing the session takes too long.
	Sever func()
	// Release frees all resources of the connection and waits for their release.
	Release func()
	// CauseOfEnd says how the server ended, or "" if that is unknown.
	CauseOfEnd func() string
}

// abort ends the connection at once, even if requests are in progress.
func (c *ServerConn) abort() {
	if c.HangUp != nil {
		c.HangUp()
	}
	if c.Sever != nil {
		c.Sever()
	}
}

func (c *ServerConn) release() {
	if c.Release != nil {
		c.Release()
	}
}

// withCause adds to err how the server ended.
func (c *ServerConn) withCause(err error) error {
	if c.CauseOfEnd != nil {
		if how := c.CauseOfEnd(); how != "" {
			return fmt.Errorf("%s: %w", how, err)
		}
	}
	return err
}

// dialer checks the configuration and returns a function that connects to the server.
func (s *Server) dialer(dial Dialer) (func(context.Context) (*ServerConn, error), error) {
	switch {
	case dial != nil:
		return func(ctx context.Context) (*ServerConn, error) { return dial(ctx, s.cfg) }, nil
	case s.cfg.Transport == config.TransportStdio:
		argv, err := commandLine(s.cfg)
		if err != nil {
			return nil, err
		}
		return func(context.Context) (*ServerConn, error) { return s.dialProgram(argv) }, nil
	case s.cfg.Transport == config.TransportStreamableHTTP:
		web, err := newWeb(s.cfg, s.secrets, &s.pause)
		if err != nil {
			return nil, err
		}
		web.logged = s.handleLog
		s.web = web
		return func(context.Context) (*ServerConn, error) { return web.dial(), nil }, nil
	}
	return nil, fmt.Errorf("transport %q is not known; use stdio or streamable-http", s.cfg.Transport)
}

// dialProgram starts the server's program.
func (s *Server) dialProgram(argv []string) (*ServerConn, error) {
	proc, err := startProcess(command(argv, s.cfg.Env), newOutputLog(s.log, s.secrets))
	if err != nil {
		return nil, err
	}
	pipes := newPipes(proc)
	pipes.relistDue = func() bool { return len(s.relist) > 0 }
	pipes.progress, pipes.logged = s.handleProgress, s.handleLog
	return &ServerConn{Transport: pipes, HangUp: func() { _ = pipes.Close() }, Release: proc.stop, CauseOfEnd: proc.causeOfEnd}, nil
}

// openLink connects to the server and opens a session in the given protocol revision; empty means the newest.
// A list_changed notification signals relist.
func (s *Server) openLink(ctx context.Context, protocol string) (*link, error) {
	c, err := s.dial(ctx)
	if err != nil {
		return nil, err
	}
	defer context.AfterFunc(ctx, c.abort)() // aborts a handshake that hangs
	client := sdk.NewClient(&sdk.Implementation{Name: "glyphoxa", Version: "1"}, &sdk.ClientOptions{
		Capabilities:           capabilities(),
		MultiRoundTrip:         &sdk.MultiRoundTripOptions{Disabled: true}, // see callAnswering
		ToolListChangedHandler: func(context.Context, *sdk.ToolListChangedRequest) { wakeup.Signal(s.relist) },
		ProgressNotificationHandler: func(_ context.Context, r *sdk.ProgressNotificationClientRequest) {
			if l := s.live.Load(); l != nil {
				l.reportProgress(r.Params)
			}
		},
	})
	client.AddReceivingMiddleware(s.answerQuestions)
	client.AddSendingMiddleware(s.limitDiscovery)
	session, err := client.Connect(ctx, c.Transport, &sdk.ClientSessionOptions{ProtocolVersion: protocol})
	if err != nil {
		if ctx.Err() == nil {
			err = c.withCause(err)
		}
		c.abort()
		c.release()
		return nil, err
	}
	return newLink(session, c), nil
}

// discoveryPatience bounds the wait for the answer to the newest opening, server/discover. Some older servers
// do not answer methods that they do not know; after the wait, the client opens with "initialize".
const discoveryPatience = 4 * time.Second

// limitDiscovery leaves time for the older opening.
func (s *Server) limitDiscovery(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		if method == methodDiscover {
			patience := discoveryPatience
			if limit := time.Duration(s.cfg.ConnectTimeout); limit > 0 {
				patience = min(patience, limit/2)
			}
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeout(ctx, patience)
			defer cancel()
		}
		return next(ctx, method, req)
	}
}

// commandLine splits a command as a shell would, without running one.
func commandLine(cfg config.MCPServerConfig) ([]string, error) {
	if len(cfg.Args) > 0 {
		return append([]string{cfg.Command}, cfg.Args...), nil
	}
	argv, err := shlex.Split(cfg.Command)
	if err != nil {
		return nil, fmt.Errorf("splitting the command: %w", err)
	}
	if len(argv) == 0 {
		return nil, errors.New("the command is empty")
	}
	return argv, nil
}

// inherited lists the environment variables that a server's program inherits. It gets no others, because they
// may contain secrets (docs/adr/0009).
var inherited = []string{
	"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LC_ALL", "TZ", "TMPDIR", "TEMP", "TMP",
	"SystemRoot", "SYSTEMDRIVE", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "PATHEXT", "COMSPEC",
}

func command(argv []string, env map[string]config.Secret) *exec.Cmd {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env = []string{} // nil would pass on the whole environment
	for _, name := range inherited {
		if value, ok := os.LookupEnv(name); ok {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
	}
	for name, value := range env {
		cmd.Env = append(cmd.Env, name+"="+value.Reveal())
	}
	return cmd
}
