package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"regexp"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/access"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcpserver"
	"github.com/MrWong99/glyphoxa/internal/observe"
	"github.com/MrWong99/glyphoxa/internal/play"
	"github.com/MrWong99/glyphoxa/internal/userfile"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// DefaultStdioProfile is the default profile of a client on the standard streams. The person who starts the
// program owns its files anyway, but a model must not approve its own calls.
const DefaultStdioProfile = "builder.readWrite"

// ServeOptions configure Serve.
type ServeOptions struct {
	// Stdio serves one client on the standard streams.
	Stdio bool
	// Listen is the address of the network transports. If empty, it is the configuration's, unless Stdio is set.
	Listen string
	// Profile is the profile of the client on the standard streams. If empty, it is [DefaultStdioProfile].
	Profile string
	// Campaign, if not empty, must be the name of the configured campaign.
	Campaign string
	Compact  bool
	Version  string
	// Ready receives the address at which the server listens.
	Ready io.Writer
}

// Serve serves the registry to external clients until ctx ends, or until the client on the standard streams
// disconnects.
func (a *App) Serve(ctx context.Context, o ServeOptions) error {
	subject, err := a.stdioSubject(o)
	if err != nil {
		return err
	}
	if err := a.checkCampaign(o.Campaign); err != nil {
		return err
	}
	addr := cmp.Or(o.Listen, a.Config.Server.Listen)
	if err := a.checkAddress("--listen", addr); err != nil {
		return err
	}
	s := a.newServer(ctx, o)
	var web *mcpserver.Web
	var keeper *access.Gatekeeper
	if !o.Stdio || o.Listen != "" {
		if web, keeper, err = a.openWeb(ctx, s, addr); err != nil {
			return err
		}
		fmt.Fprintf(o.Ready, "glyphoxa mcp listening on http://%s\n", web.Addr())
		if a.Console != nil {
			fmt.Fprintf(o.Ready, "glyphoxa: the console is at http://%s/\n", web.Addr())
		}
		a.showRoom(o.Ready, web.Addr())
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var g errgroup.Group
	g.Go(func() error { return s.Run(ctx) })
	g.Go(func() error { a.reportStart(ctx, o.Ready); return nil })
	g.Go(func() error { a.watchSessions(ctx, s); return nil })
	g.Go(func() error { // the first reader of the book waits for this
		err := a.Registry.Rules.Warm()
		if err != nil {
			cancel()
		}
		debug.FreeOSMemory() // reading takes much more memory than the book
		return err
	})
	if web != nil {
		g.Go(func() error { a.followClients(ctx, keeper); return nil })
		g.Go(func() error {
			defer cancel()
			return web.Serve(ctx)
		})
	}
	if o.Stdio {
		g.Go(func() error {
			defer cancel()
			return s.Serve(ctx, subject, mcpserver.Stdio())
		})
	}
	return g.Wait()
}

// checkAddress checks the address in a flag: that it is valid, and that a client could be admitted there.
func (a *App) checkAddress(flag, addr string) error {
	host, port, err := net.SplitHostPort(addr)
	if n, perr := strconv.Atoi(port); err != nil || perr != nil || n < 0 || n > 65535 {
		return userfile.Usage(fmt.Errorf("%s: %q is not an address; write host:port, such as 127.0.0.1:8787", flag, addr))
	}
	local := host == "localhost"
	if ip, err := netip.ParseAddr(host); err == nil {
		local = ip.IsLoopback()
	}
	if !local && len(a.Config.Server.Clients) == 0 && a.Config.Server.OAuth == nil {
		return userfile.Usage(fmt.Errorf("%s: other machines can reach %s, but without a token only this machine may connect; add a client under server.clients (glyphoxa mcp token NAME)", flag, addr))
	}
	return nil
}

// sessionInterval is how often new lines and sessions are looked for.
const sessionInterval = time.Second

// watchSessions notifies clients of new lines at a table, which usually runs in another process.
func (a *App) watchSessions(ctx context.Context, s *mcpserver.Server) {
	ticker := time.NewTicker(sessionInterval)
	defer ticker.Stop()
	var last memory.Session
	for first := true; ; first = false {
		newest, err := a.Store.Sessions(ctx, 1)
		if err == nil && len(newest) == 1 && newest[0] != last {
			if !first {
				s.SessionChanged(ctx, newest[0].ID)
			}
			last = newest[0]
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// reportStart prints notices once all external servers were tried.
func (a *App) reportStart(ctx context.Context, w io.Writer) {
	select {
	case <-ctx.Done():
		return
	case <-a.Registry.Tried():
	}
	a.WriteNotices(w)
	for _, text := range a.Registry.Unfinished() {
		fmt.Fprintln(w, "glyphoxa:", text)
	}
}

func (a *App) stdioSubject(o ServeOptions) (*access.Subject, error) {
	if !o.Stdio {
		if o.Profile != "" {
			return nil, userfile.Usage(errors.New("--profile is only for --stdio; clients on the network get theirs under server.clients"))
		}
		return nil, nil
	}
	name := cmp.Or(o.Profile, DefaultStdioProfile)
	profile, ok := a.Registry.Governance.Policy.Profile(name)
	if !ok {
		known := a.profileNames()
		if near := userfile.Nearest(name, known); near != "" {
			return nil, userfile.Usage(fmt.Errorf("--profile: there is no profile %q; did you mean %q?", name, near))
		}
		return nil, userfile.Usage(fmt.Errorf("--profile: there is no profile %q; use one of %s", name, strings.Join(known, ", ")))
	}
	return &access.Subject{Name: "stdio", Profile: profile, Transport: "stdio"}, nil
}

// profileNames lists the names of all profiles.
func (a *App) profileNames() []string {
	var names []string
	for _, p := range access.BuiltinProfiles() {
		names = append(names, p.Name)
	}
	for name := range a.Config.Server.Profiles {
		names = append(names, name)
	}
	return names
}

// checkCampaign checks that the requested campaign is the configured one.
func (a *App) checkCampaign(name string) error {
	if name == "" || strings.EqualFold(name, a.Config.Campaign.Name) {
		return nil
	}
	return userfile.Usage(fmt.Errorf("--campaign: %s plays %q, not %q; choose another configuration with --config", a.Config.File, a.Config.Campaign.Name, name))
}

// newServer creates the server for the registry.
func (a *App) newServer(ctx context.Context, o ServeOptions) *mcpserver.Server {
	src := play.SourcesOf(a.Game)
	return mcpserver.New(a.Registry.Host, mcpserver.Options{
		Version: o.Version, Log: a.log, Logger: a.log, Policy: a.Registry.Governance.Policy, Gate: a.Registry.Governance.Gate,
		Prefixed: a.Config.Server.Naming == "prefixed", Compact: o.Compact, Campaign: a.Config.Campaign.Name,
		Resources: mcpserver.NewLibrary(src), Prompts: mcpserver.NewPromptLibrary(src), World: a.World,
		Refresh:      func(context.Context) error { return a.Registry.ReadWorkflows() },
		Instructions: instructions(o.Compact),
		Tracer:       a.traces.Tracer(),
		FirstList:    mcpserver.FirstList{Tried: a.Registry.Tried(), Wait: time.Duration(a.Config.Server.FirstList)},
	})
}

func instructions(compact bool) string {
	if compact {
		return "What a tabletop role-playing campaign offers. Call list_programs, pick a card, and call invoke_program with its template filled in."
	}
	return "Dice, rules, memory, world and files of a tabletop role-playing campaign, its workflows, and the tools of its external servers. " +
		"Every tool's _meta says what a call costs (glyphoxa/tier, glyphoxa/p50Ms). Resources under glyphoxa:// show the world as it is."
}

// openWeb opens the network transports.
func (a *App) openWeb(ctx context.Context, s *mcpserver.Server, addr string) (*mcpserver.Web, *access.Gatekeeper, error) {
	err := a.Metrics.Gauge("glyphoxa_upstream_queue_depth", "Calls that wait for a place at an external server.", func() float64 {
		waiting := 0
		for _, server := range a.Registry.Host.Servers() {
			waiting += server.Queued
		}
		return float64(waiting)
	})
	if err != nil {
		return nil, nil, err
	}
	err = a.Metrics.Gauge("glyphoxa_tools", "Tools there are now, those of external servers too.", func() float64 {
		return float64(len(a.Registry.Host.Tools(mcp.BudgetDeep)))
	})
	if err != nil {
		return nil, nil, err
	}
	keeper, err := access.NewGatekeeper(ctx, a.Config.Server, access.GatekeeperOptions{Profile: a.Registry.Governance.Policy.Profile, Logger: a.log})
	if err != nil {
		return nil, nil, userfile.Usage(err)
	}
	web, err := s.Listen(ctx, addr, mcpserver.WebOptions{
		Gatekeeper: keeper, Site: a.site(keeper), Limits: a.Config.Server.Limits, Metrics: a.Metrics, Health: a.newHealth(),
		Guard: access.Guard{AllowedOrigins: a.Config.Server.AllowedOrigins, AllowedHosts: a.Config.Server.AllowedHosts},
	})
	return web, keeper, err
}

// newHealth returns health checks of whether memory and the audit log can be used.
func (a *App) newHealth() *observe.Health {
	h := observe.NewHealth()
	h.SetLogger(a.log)
	h.Add("memory", func(ctx context.Context) error {
		_, err := a.Store.Sessions(ctx, 1)
		return err
	})
	h.Add("audit", func(ctx context.Context) error { return a.Registry.Governance.Audit.Flush(ctx) })
	return h
}

// ClientName reports whether name is valid as a client's name.
func ClientName(name string) bool { return clientName.MatchString(name) }

var clientName = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)

// NewToken prints a new token and the configuration that admits its holder.
func NewToken(w io.Writer, client string) error {
	token, hash := access.NewToken()
	_, err := fmt.Fprintf(w, `Token (shown once, keep it secret):
  %s

Add to glyphoxa.yaml:
  server:
    clients:
      - name: %s
        token_hash: %s
        profile: player.full
`, token, client, hash)
	return err
}
