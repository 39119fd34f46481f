package mcpserver_test

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/MrWong99/glyphoxa/internal/mcp/mcpserver"
)

// A client that keeps as many requests under way as it may, and uses an id
// again as soon as it has the answer, is never refused.
func TestClientAtTheBoundIsNeverRefused(t *testing.T) {
	const workers, each = 8, 300
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	c := mcpserver.NewConn(mcpserver.Lines(inR, outW, 0), mcpserver.ConnOptions{MaxInFlight: workers})

	var server sync.WaitGroup
	server.Go(func() {
		var answers sync.WaitGroup
		defer answers.Wait()
		for {
			msg, err := c.Read(t.Context())
			if err != nil {
				if err != io.EOF {
					t.Errorf("reading: %v", err)
				}
				return
			}
			answers.Go(func() {
				if err := c.Write(t.Context(), reply(msg.(*jsonrpc.Request))); err != nil {
					t.Errorf("answering: %v", err)
				}
			})
		}
	})

	answered := make([]chan string, workers)
	for id := range answered {
		answered[id] = make(chan string, 1)
	}
	server.Go(func() {
		lines := bufio.NewScanner(outR)
		for lines.Scan() {
			var id int
			if _, err := fmt.Sscanf(lines.Text(), `{"jsonrpc":"2.0","id":%d`, &id); err != nil || id >= workers {
				t.Errorf("heard %s: %v", lines.Text(), err)
				continue
			}
			answered[id] <- lines.Text()
		}
	})

	var clients sync.WaitGroup
	for id := range workers {
		clients.Go(func() {
			for i := range each {
				if _, err := fmt.Fprintf(inW, `{"jsonrpc":"2.0","id":%d,"method":"m%d"}`+"\n", id, i); err != nil {
					t.Errorf("asking: %v", err)
					return
				}
				want := fmt.Sprintf(`"result":"m%d"`, i)
				if got := <-answered[id]; !strings.Contains(got, want) {
					t.Errorf("request %d of client %d was answered %s", i, id, got)
					return
				}
			}
		})
	}
	clients.Wait()
	inW.Close()
	outR.Close()
	server.Wait()
	if err := c.Close(); err != nil {
		t.Errorf("closing: %v", err)
	}
}
