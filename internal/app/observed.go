package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/access"
	"github.com/MrWong99/glyphoxa/internal/observe"
	"github.com/MrWong99/glyphoxa/internal/userfile"
)

// Limits of a request for metrics or health.
const (
	askTime   = 10 * time.Second // to read the request
	askAnswer = time.Minute      // to write the answer
	askIdle   = 2 * time.Minute  // between two requests of a connection
	askHeader = 32 << 10         // bytes of all headers
)

// WithMetrics runs work while it serves metrics and health at addr, which is a port of this machine or
// host:port. If addr is empty, it serves only if there is a console or a table for browsers, at the address
// in the configuration or, if that is in use, at another port of the same host. It writes the address to w.
// The app must have been opened with [Options.Metrics]. The pages of [Options.Console] and [Options.Browser]
// are served there too, and their links are written to w.
func (a *App) WithMetrics(ctx context.Context, addr string, w io.Writer, work func() error) error {
	anyPort := addr == ""
	if anyPort && a.Console == nil && a.Room == nil {
		return work()
	}
	p, err := a.openMetricsServer(ctx, cmp.Or(addr, a.Config.Server.Listen), anyPort)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "glyphoxa metrics at http://%s/metrics\n", p.listener.Addr())
	if a.Console != nil {
		fmt.Fprintf(w, "glyphoxa: the console is at http://%s/#%s\n", p.listener.Addr(), a.Console.OwnerToken())
	}
	a.showRoom(w, p.listener.Addr().String())
	served := make(chan error, 1)
	go func() { served <- p.http.Serve(p.listener) }() // ends with shutDown
	following, stop := context.WithCancel(ctx)
	var clients sync.WaitGroup
	clients.Go(func() { a.followClients(following, p.gatekeeper) })
	err = errors.Join(work(), p.shutDown())
	stop()
	clients.Wait()
	if ended := <-served; !errors.Is(ended, http.ErrServerClosed) {
		err = errors.Join(err, fmt.Errorf("serving metrics: %w", ended))
	}
	return err
}

// metricsServer serves metrics and health if there is no outward server.
type metricsServer struct {
	app        *App
	guard      access.Guard
	gatekeeper *access.Gatekeeper
	health     *observe.Health
	listener   net.Listener
	http       *http.Server
}

func (a *App) openMetricsServer(ctx context.Context, addr string, anyPort bool) (*metricsServer, error) {
	addr = loopbackAddress(addr)
	if err := a.checkAddress("--metrics", addr); err != nil {
		return nil, err
	}
	keeper, err := access.NewGatekeeper(ctx, a.Config.Server, access.GatekeeperOptions{Profile: a.Registry.Governance.Policy.Profile, Logger: a.log})
	if err != nil {
		return nil, userfile.Usage(err)
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", addr)
	if host, _, bad := net.SplitHostPort(addr); err != nil && anyPort && bad == nil {
		l, err = new(net.ListenConfig).Listen(ctx, "tcp", net.JoinHostPort(host, "0"))
	}
	if err != nil {
		var op *net.OpError
		if errors.As(err, &op) && op.Err != nil {
			err = op.Err
		}
		return nil, fmt.Errorf("listening on %s: %w; choose another address with --metrics", addr, err)
	}
	o := &metricsServer{app: a, gatekeeper: keeper, health: a.newHealth(), listener: l, guard: access.Guard{
		AllowedOrigins: a.Config.Server.AllowedOrigins, AllowedHosts: a.Config.Server.AllowedHosts, Addr: l.Addr().String(),
	}}
	mux := http.NewServeMux()
	mux.Handle("/healthz", o.health.Live())
	mux.Handle("/readyz", o.health.Ready())
	mux.Handle("/metrics", o.requireIdentity(a.Metrics.Handler()))
	if site := a.site(keeper); site != nil {
		mux.Handle("/", site)
	}
	o.http = &http.Server{
		Handler: o.checkOrigin(mux), ReadTimeout: askTime, WriteTimeout: askAnswer, IdleTimeout: askIdle, MaxHeaderBytes: askHeader,
		ErrorLog: log.New(observe.NewLibraryLogs(a.log).Writer("net/http"), "", 0),
	}
	return o, nil
}

// loopbackAddress completes an address that is only a port.
func loopbackAddress(addr string) string {
	const loopback = "127.0.0.1"
	switch {
	case strings.HasPrefix(addr, ":"):
		return loopback + addr
	case !strings.Contains(addr, ":"):
		return net.JoinHostPort(loopback, addr)
	}
	return addr
}

// checkOrigin refuses requests that a web page may have made.
func (o *metricsServer) checkOrigin(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := o.guard.Check(r); err != nil {
			http.Error(w, err.Error(), access.Status(err))
			return
		}
		next.ServeHTTP(w, r)
	})
}

// requireIdentity admits this machine, and clients that may read the audit log.
func (o *metricsServer) requireIdentity(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s, err := o.gatekeeper.Identify(r)
		if err != nil {
			if c := o.gatekeeper.Challenge(r, err); c != "" {
				w.Header().Set("WWW-Authenticate", c)
			}
			http.Error(w, err.Error(), access.Status(err))
			return
		}
		target := mcp.Target{Tool: "metrics", Source: "server", Permission: access.AuditRead, ReadOnly: true}
		if s.Name != access.Anonymous && o.app.Registry.Governance.Policy.Permits(access.WithSubject(r.Context(), s), target) != nil {
			http.Error(w, "metrics need the permission "+access.AuditRead, http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// shutDown waits for running requests, and then closes the server.
func (o *metricsServer) shutDown() error {
	ctx, cancel := context.WithTimeout(context.Background(), closeTime)
	defer cancel()
	o.health.SetDraining()
	if o.app.Console != nil {
		o.app.Console.Close()
	}
	err := o.http.Shutdown(ctx)
	if err != nil {
		err = o.http.Close() // requests that still hang have had their time
	}
	return errors.Join(err, o.health.Shutdown(ctx))
}
