package mcphost

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"

	"github.com/google/shlex"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/wakeup"
)

// olderProtocol is the newest revision that opens with "initialize". Some older
// servers leave the newer opening unanswered.
const olderProtocol = "2025-11-25"

// dialFunc connects to a server. protocol is the revision to open with; empty
// means the newest.
type dialFunc func(ctx context.Context, protocol string) (*link, error)

// dialer checks the configuration and returns how to connect.
func (u *upstream) dialer() (dialFunc, error) {
	switch u.cfg.Transport {
	case config.TransportStdio:
		argv, err := commandLine(u.cfg)
		if err != nil {
			return nil, err
		}
		return func(ctx context.Context, protocol string) (*link, error) { return u.dialProgram(ctx, argv, protocol) }, nil
	case config.TransportStreamableHTTP:
		web, err := newWeb(u.cfg, u.secrets, &u.pause)
		if err != nil {
			return nil, err
		}
		return func(ctx context.Context, protocol string) (*link, error) { return u.dialWeb(ctx, web, protocol) }, nil
	}
	return nil, fmt.Errorf("transport %q is not known; use stdio or streamable-http", u.cfg.Transport)
}

// dialProgram starts the server's program and opens a session with it.
func (u *upstream) dialProgram(ctx context.Context, argv []string, protocol string) (*link, error) {
	cmd := command(argv, u.cfg.Env)
	p, err := startProcess(cmd, newWords(u.host.opts.log.With("server", u.cfg.Name), u.secrets))
	if err != nil {
		return nil, err
	}
	talk := newPipes(p)
	told := newProgress()
	talk.awaited, talk.reported = func() bool { return len(u.relist) > 0 }, told.hear
	defer context.AfterFunc(ctx, func() { _ = talk.Close() })() // a stuck opening ends with ctx
	session, err := u.open(ctx, talk, protocol, told)
	if err != nil {
		if ctx.Err() == nil {
			if how := p.obituary(); how != "" {
				err = fmt.Errorf("%s: %w", how, err)
			}
		}
		_ = talk.Close()
		p.stop()
		return nil, err
	}
	return newLink(session, told, endings{hangUp: func() { _ = talk.Close() }, release: p.stop, obituary: p.obituary}), nil
}

// dialWeb opens a session over streamable HTTP.
func (u *upstream) dialWeb(ctx context.Context, w *web, protocol string) (*link, error) {
	lines := newConnections(w.cfg.AllowPrivate)
	client := w.client(lines)
	defer context.AfterFunc(ctx, lines.sever)() // a stuck opening ends with ctx
	told := newProgress()
	session, err := u.open(ctx, &sdk.StreamableClientTransport{Endpoint: w.cfg.URL, HTTPClient: client, MaxEventSize: 2 * maxMessage}, protocol, told)
	if err != nil {
		lines.sever()
		return nil, err
	}
	return newLink(session, told, endings{sever: lines.sever, release: lines.sever}), nil
}

// open opens a session. A list_changed notification asks for a new listing.
func (u *upstream) open(ctx context.Context, t sdk.Transport, protocol string, p *progress) (*sdk.ClientSession, error) {
	client := sdk.NewClient(&sdk.Implementation{Name: "glyphoxa", Version: "1"}, &sdk.ClientOptions{
		Capabilities:           &sdk.ClientCapabilities{},
		ToolListChangedHandler: func(context.Context, *sdk.ToolListChangedRequest) { wakeup.Signal(u.relist) },
		ProgressNotificationHandler: func(_ context.Context, r *sdk.ProgressNotificationClientRequest) {
			p.report(r.Params)
		},
	})
	return client.Connect(ctx, t, &sdk.ClientSessionOptions{ProtocolVersion: protocol})
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

func command(argv []string, env map[string]config.Secret) *exec.Cmd {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env = []string{} // nil would hand over everything
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
