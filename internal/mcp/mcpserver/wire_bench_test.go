package mcpserver_test

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/MrWong99/glyphoxa/internal/mcp/mcpserver"
)

// sameFrame is a stream that always has the same frame.
type sameFrame struct{ frame []byte }

func (m sameFrame) ReadFrame(context.Context) ([]byte, error) { return m.frame, nil }
func (sameFrame) WriteFrame(context.Context, []byte) error    { return nil }
func (sameFrame) Close() error                                { return nil }

// wireCall is a call of a tool with about size bytes of arguments.
func wireCall(size int) []byte {
	return []byte(`{"jsonrpc":"2.0","id":17,"method":"tools/call","params":{"name":"roll","arguments":{"notation":"` +
		strings.Repeat("d", size) + `"}}}`)
}

func BenchmarkReadMessage(b *testing.B) {
	for _, row := range []struct {
		name string
		size int
	}{{"100B", 10}, {"10kB", 10 << 10}} {
		frame := wireCall(row.size)
		b.Run(row.name, func(b *testing.B) {
			c := mcpserver.NewConn(sameFrame{frame}, mcpserver.ConnOptions{Extra: &sdk.RequestExtra{}})
			b.ReportAllocs()
			for b.Loop() {
				msg, err := c.Read(b.Context())
				if err != nil {
					b.Fatal(err)
				}
				if err := c.Write(b.Context(), &jsonrpc.Response{ID: msg.(*jsonrpc.Request).ID, Result: []byte("{}")}); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(row.name+"/sdk", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				msg, err := jsonrpc.DecodeMessage(frame)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := jsonrpc.EncodeMessage(&jsonrpc.Response{ID: msg.(*jsonrpc.Request).ID, Result: []byte("{}")}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkLines measures a request and its answer over pipes, with two
// handovers and two system-free copies.
func BenchmarkLines(b *testing.B) {
	frame := append(wireCall(10), '\n')
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	c := mcpserver.NewConn(mcpserver.Lines(inR, outW, 0), mcpserver.ConnOptions{})
	done := make(chan error, 1)
	go func() { done <- wireEcho(b.Context(), c) }()
	buf := make([]byte, 1<<10)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := inW.Write(frame); err != nil {
			b.Fatal(err)
		}
		n, err := outR.Read(buf)
		if err != nil || !bytes.HasSuffix(buf[:n], []byte("\n")) {
			b.Fatalf("read %q, %v", buf[:n], err)
		}
	}
	inW.Close()
	<-done
	outR.Close()
	c.Close()
}

// BenchmarkToolCall measures a tool call from an SDK client to an SDK server
// over pipes, where the server's side is ours or the SDK's own.
func BenchmarkToolCall(b *testing.B) {
	transports := map[string]func(io.ReadCloser, io.WriteCloser) sdk.Transport{
		"wire": func(r io.ReadCloser, w io.WriteCloser) sdk.Transport {
			return mcpserver.NewConn(mcpserver.Lines(r, w, 0), mcpserver.ConnOptions{}).Transport()
		},
		"sdk": func(r io.ReadCloser, w io.WriteCloser) sdk.Transport { return &sdk.IOTransport{Reader: r, Writer: w} },
	}
	for _, name := range []string{"wire", "sdk"} {
		b.Run(name, func(b *testing.B) {
			inR, inW := io.Pipe()
			outR, outW := io.Pipe()
			server := sdk.NewServer(&sdk.Implementation{Name: "server", Version: "1"}, nil)
			sdk.AddTool(server, &sdk.Tool{Name: "noop"}, func(context.Context, *sdk.CallToolRequest, struct{}) (*sdk.CallToolResult, any, error) {
				return &sdk.CallToolResult{}, nil, nil
			})
			done := make(chan error, 1)
			go func() { done <- server.Run(b.Context(), transports[name](inR, outW)) }()
			client, err := sdk.NewClient(&sdk.Implementation{Name: "client", Version: "1"}, nil).
				Connect(b.Context(), &sdk.IOTransport{Reader: outR, Writer: inW}, nil)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := client.CallTool(b.Context(), &sdk.CallToolParams{Name: "noop"}); err != nil {
					b.Fatal(err)
				}
			}
			if err := client.Close(); err != nil {
				b.Errorf("closing: %v", err)
			}
			if err := <-done; err != nil {
				b.Errorf("the server ended with %v", err)
			}
		})
	}
}
