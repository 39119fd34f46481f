package mcphost

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"sync"
	"time"

	"github.com/google/shlex"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/untrusted"
)

const (
	// terminateAfter is how long a stdio server has to leave after its stdin
	// closed, and again after SIGTERM.
	terminateAfter = time.Second
	// livenessInterval is how often a server is pinged, where its protocol
	// revision has pings.
	livenessInterval = 15 * time.Second
	// maxStderrLine bounds what a server writes into the log at once.
	maxStderrLine = 1000
)

// link is a live connection.
type link struct {
	session *sdk.ClientSession
	release func() // frees what the session does not
}

// close ends the session and waits for the server process, if there is one.
func (l *link) close() {
	_ = l.session.Close() // it is going away; why no longer matters
	l.release()
}

// dialer checks a configuration and returns how to connect. A server's
// list_changed notification puts a token into relist.
func dialer(cfg config.MCPServerConfig, log *slog.Logger, relist chan<- struct{}, p *pause) (func(context.Context) (*link, error), error) {
	options := func(keepAlive time.Duration) *sdk.ClientOptions {
		return &sdk.ClientOptions{
			Capabilities: &sdk.ClientCapabilities{},
			KeepAlive:    keepAlive,
			ToolListChangedHandler: func(context.Context, *sdk.ToolListChangedRequest) {
				token(relist)
			},
		}
	}
	connect := func(ctx context.Context, t sdk.Transport, keepAlive time.Duration, release func()) (*link, error) {
		client := sdk.NewClient(&sdk.Implementation{Name: "glyphoxa", Version: "1"}, options(keepAlive))
		session, err := client.Connect(ctx, t, nil)
		if err != nil {
			release()
			return nil, err
		}
		return &link{session: session, release: release}, nil
	}
	switch cfg.Transport {
	case config.TransportStdio:
		argv, err := commandLine(cfg)
		if err != nil {
			return nil, err
		}
		return func(ctx context.Context) (*link, error) {
			cmd := command(argv, cfg.Env, log)
			return connect(ctx, &sdk.CommandTransport{Command: cmd, TerminateDuration: terminateAfter}, livenessInterval, func() { killGroup(cmd) })
		}, nil
	case config.TransportStreamableHTTP:
		client, err := httpClient(cfg, p)
		if err != nil {
			return nil, err
		}
		return func(ctx context.Context) (*link, error) {
			t := &sdk.StreamableClientTransport{Endpoint: cfg.URL, HTTPClient: client}
			return connect(ctx, t, livenessInterval, client.CloseIdleConnections)
		}, nil
	}
	return nil, fmt.Errorf("transport %q is not known; use stdio or streamable-http", cfg.Transport)
}

// commandLine splits a command like a shell would, without running one.
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

// inherited are the variables a server process gets from ours; everything
// else, secrets above all, stays here (ruling 9).
var inherited = []string{
	"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LC_ALL", "TZ", "TMPDIR", "TEMP", "TMP",
	"SystemRoot", "SYSTEMDRIVE", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "PATHEXT", "COMSPEC",
}

func command(argv []string, env map[string]config.Secret, log *slog.Logger) *exec.Cmd {
	cmd := exec.Command(argv[0], argv[1:]...)
	for _, name := range inherited {
		if value, ok := os.LookupEnv(name); ok {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
	}
	for name, value := range env {
		cmd.Env = append(cmd.Env, name+"="+value.Reveal())
	}
	cmd.Stderr = &logWriter{log: log}
	cmd.WaitDelay = terminateAfter // a grandchild may hold stderr open
	ownGroup(cmd)
	return cmd
}

// logWriter logs what a server writes to stderr, line by line.
type logWriter struct {
	log  *slog.Logger
	mu   sync.Mutex // guards line
	line []byte
}

func (w *logWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for rest := p; len(rest) > 0; {
		piece, after, ended := bytes.Cut(rest, []byte{'\n'})
		if room := maxStderrLine - len(w.line); len(piece) > room {
			piece = piece[:room]
		}
		w.line = append(w.line, piece...)
		if ended && len(w.line) > 0 {
			w.log.Info("server says", "stderr", untrusted.Clean(string(w.line), maxStderrLine))
			w.line = w.line[:0]
		}
		rest = after
	}
	return len(p), nil
}
