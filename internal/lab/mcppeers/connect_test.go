package mcppeers_test

import (
	"net/http"
	"net/http/httptest"
	"os/exec"
	"runtime"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/sync/errgroup"

	"github.com/MrWong99/glyphoxa/internal/config"
)

// TestServersConnectAtOnce uses servers that answer only after all have been
// asked, so that sequential connecting would hang.
func TestServersConnectAtOnce(t *testing.T) {
	if testing.Short() {
		t.Skip("long; make test-all runs it")
	}
	var all []server
	var asked sync.WaitGroup
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		asked.Add(1)
		first := sync.OnceFunc(asked.Done)
		mcp := sdk.NewServer(&sdk.Implementation{Name: name, Version: "1"}, nil)
		handler := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return mcp }, nil)
		web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			first()
			asked.Wait()
			handler.ServeHTTP(w, r)
		}))
		t.Cleanup(web.Close)
		all = append(all, server{MCPServerConfig: config.MCPServerConfig{
			Name: name, Transport: config.TransportStreamableHTTP, URL: web.URL, AllowPrivate: true,
		}})
	}
	connect(t, all...)
}

// TestPeersConnectInParallel requires that the host connects in less than 1.5
// times the lower bound: the slowest server alone or, where starting the
// servers keeps all processors busy, the same servers through bare clients at
// once.
func TestPeersConnectInParallel(t *testing.T) {
	if testing.Short() {
		t.Skip("long; make test-all runs it")
	}
	const attempts, factor = 3, 1.5
	mark := t.TempDir()
	all := servers(t, mark)
	for attempt := 1; ; attempt++ {
		var slowest, sum time.Duration
		for _, s := range all {
			h, took := connect(t, s)
			shut(t, h)
			t.Logf("%s alone: %v", s.Name, took.Round(time.Millisecond))
			slowest, sum = max(slowest, took), sum+took
		}
		h, together := connect(t, all...)
		if got := len(marked(t, mark)); got != len(all)-1 {
			t.Errorf("%d processes run, want one for each of %d stdio servers", got, len(all)-1)
		}
		shut(t, h)
		if left := marked(t, mark); len(left) > 0 {
			t.Fatalf("processes outlive the host: %v", left)
		}
		bare := bareClients(t, all)
		t.Logf("together: %v, %.2f of the slowest alone, %.2f of one after the other, %.2f of bare clients, on %d processors",
			together.Round(time.Millisecond), ratio(together, slowest), ratio(together, sum), ratio(together, bare), runtime.NumCPU())
		limit := time.Duration(factor * float64(max(slowest, bare)))
		if together < limit {
			return
		}
		if attempt == attempts {
			t.Fatalf("connecting together took %v, want less than %v", together, limit)
		}
	}
}

func ratio(a, b time.Duration) float64 { return float64(a) / float64(b) }

// bareClients connects the servers at once without the host, lists their tools
// and returns the time.
func bareClients(t *testing.T, all []server) time.Duration {
	t.Helper()
	var g errgroup.Group
	sessions := make([]*sdk.ClientSession, len(all))
	start := time.Now()
	for i, s := range all {
		g.Go(func() error {
			var transport sdk.Transport = &sdk.StreamableClientTransport{Endpoint: s.URL}
			if s.Transport == config.TransportStdio {
				transport = &sdk.CommandTransport{Command: exec.Command(s.Command, s.Args...), TerminateDuration: 100 * time.Millisecond}
			}
			client := sdk.NewClient(&sdk.Implementation{Name: "bare", Version: "1"}, nil)
			session, err := client.Connect(t.Context(), transport, nil)
			if err != nil {
				return err
			}
			sessions[i] = session
			_, err = session.ListTools(t.Context(), nil)
			return err
		})
	}
	err := g.Wait()
	took := time.Since(start)
	for _, s := range sessions {
		if s != nil {
			_ = s.Close() // only its speed counts
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return took
}
