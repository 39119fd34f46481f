package play

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/providers"
	openaillm "github.com/MrWong99/glyphoxa/pkg/provider/llm/openai"
)

// distant is a connection to a distant vendor: each answer arrives one round trip later.
type distant struct {
	net.Conn
	trip  time.Duration
	asked atomic.Bool // since the last answer
}

func (d *distant) Write(p []byte) (int, error) {
	d.asked.Store(true)
	return d.Conn.Write(p)
}

func (d *distant) Read(p []byte) (int, error) {
	n, err := d.Conn.Read(p)
	if d.asked.Swap(false) {
		time.Sleep(d.trip)
	}
	return n, err
}

// BenchmarkFirstRequest measures the first answer of a model over TLS, with and without a
// connection opened ahead.
func BenchmarkFirstRequest(b *testing.B) {
	for _, trip := range []time.Duration{0, 50 * time.Millisecond} {
		for _, protocol := range []string{"tls", "http2"} {
			for _, ahead := range []bool{false, true} {
				b.Run(fmt.Sprintf("trip=%s/%s/warm=%t", trip, protocol, ahead), func(b *testing.B) { firstRequest(b, trip, protocol, ahead) })
			}
		}
	}
}

func firstRequest(b *testing.B, trip time.Duration, protocol string, ahead bool) {
	v := startVendor(b, protocol)
	connections := trusting(v)
	client := providers.ClientOn(connections)
	defer client.CloseIdleConnections()
	connections.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
		time.Sleep(trip)
		c, err := new(net.Dialer).DialContext(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		return &distant{Conn: c, trip: trip}, nil
	}
	m, err := openaillm.New(openaillm.Options{BaseURL: v.URL, Model: "m", HTTPClient: client})
	if err != nil {
		b.Fatal(err)
	}
	var took []time.Duration
	for b.Loop() {
		client.CloseIdleConnections()
		if ahead {
			providers.Warm(b.Context(), slog.New(slog.DiscardHandler), m)
		}
		start := time.Now()
		if err := ask(b.Context(), client, v.URL); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "p95-ms")
	b.ReportMetric(0, "ns/op")
}
