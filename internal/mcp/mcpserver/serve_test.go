package mcpserver

import (
	"bufio"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/MrWong99/glyphoxa/internal/mcp/access"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
)

// TestWhoNeverBeginsIsHungUpOn shows that a ping holds a connection no longer than a session
// lasts that nothing came over, and that one which began stays.
func TestWhoNeverBeginsIsHungUpOn(t *testing.T) {
	const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	for name, row := range map[string]struct {
		says []string
		ends time.Duration // 0: it stays
	}{
		"silent": {ends: firstTime},
		"pings":  {says: []string{ping, ping}, ends: freshTime},
		"begins": {says: []string{`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				rules, err := access.New(access.Options{})
				if err != nil {
					t.Fatal(err)
				}
				host := mcphost.New()
				defer func() { _ = host.Close() }() // nothing was called
				s := New(host, Options{Policy: rules})
				fromServer, toClient := io.Pipe()
				fromClient, toServer := io.Pipe()
				start, ended := time.Now(), make(chan time.Duration, 1)
				go func() { // waited for below
					err := s.serveFrames(t.Context(), &access.Subject{Name: "t"}, Lines(fromClient, toClient, 0), nil, firstTime)
					if err != nil {
						t.Errorf("serving ended with %v", err)
					}
					ended <- time.Since(start)
				}()
				answers := bufio.NewReader(fromServer)
				for _, line := range row.says {
					if _, err := io.WriteString(toServer, line+"\n"); err != nil {
						t.Fatal(err)
					}
					if answer, err := answers.ReadString('\n'); err != nil || !strings.Contains(answer, `"result"`) {
						t.Fatalf("%s is answered %q, %v", line, answer, err)
					}
				}
				time.Sleep(time.Hour)
				synctest.Wait()
				select {
				case after := <-ended:
					if after != row.ends {
						t.Errorf("it was hung up on after %v, want %v", after, row.ends)
					}
					return
				default:
				}
				if row.ends != 0 {
					t.Errorf("it is not hung up on, want that after %v", row.ends)
				}
				_ = toServer.Close()
				<-ended
			})
		})
	}
}
