package mcpserver_test

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/MrWong99/glyphoxa/internal/mcp/mcpserver"
)

var update = flag.Bool("update", false, "rewrite the answers in the transcripts under testdata")

// table is a client's connection to a world, over lines.
type table struct {
	world *dialectWorld
	in    *io.PipeWriter
	end   chan error // what Serve returned

	mu    sync.Mutex // guards heard
	heard []string
}

// sit serves a world over lines in the caller's synctest bubble.
func sit(ctx context.Context, o mcpserver.ConnOptions) *table {
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	s := &table{world: &dialectWorld{}, in: inW, end: make(chan error, 1)}
	conn := mcpserver.NewConn(mcpserver.Lines(inR, outW, 1<<20), o)
	go func() {
		err := mcpserver.Serve(ctx, conn, s.world)
		conn.Close()
		s.end <- err
	}()
	go func() {
		lines := bufio.NewScanner(outR)
		lines.Buffer(nil, 2<<20)
		for lines.Scan() {
			s.mu.Lock()
			s.heard = append(s.heard, lines.Text())
			s.mu.Unlock()
		}
	}()
	return s
}

// say writes a line and returns what is heard until all is quiet.
func (s *table) say(line string) []string {
	_, err := io.WriteString(s.in, line+"\n")
	if err != nil {
		return []string{fmt.Sprintf("! %v", err)}
	}
	return s.listen()
}

// listen returns what is heard until all is quiet.
func (s *table) listen() []string {
	synctest.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	heard := s.heard
	s.heard = nil
	return heard
}

// play plays a transcript and returns it with the answers that were heard:
// "> " is said, "< " heard, "~ " a time that passes, "$" the end of the input,
// "#" a remark.
func play(t *testing.T, script string) string {
	var out strings.Builder
	synctest.Test(t, func(t *testing.T) {
		s := sit(t.Context(), mcpserver.ConnOptions{})
		ended := false
		for line := range strings.Lines(script) {
			line = strings.TrimRight(line, "\r\n")
			kind, rest, _ := strings.Cut(line, " ")
			if kind == "<" {
				continue
			}
			fmt.Fprintln(&out, line)
			var heard []string
			switch kind {
			case ">":
				heard = s.say(rest)
			case "~":
				d, err := time.ParseDuration(rest)
				if err != nil {
					t.Fatal(err)
				}
				time.Sleep(d)
				heard = s.listen()
			case "$":
				s.in.Close()
				ended = true
				heard = s.listen()
			}
			for _, h := range heard {
				fmt.Fprintln(&out, "< "+h)
			}
		}
		if !ended {
			s.in.Close()
		}
		if err := <-s.end; err != nil {
			t.Errorf("Serve: %v, want no error", err)
		}
		if opened, closed := s.world.opened.Load(), s.world.closed.Load(); opened != closed {
			t.Errorf("%d of %d sessions were closed", closed, opened)
		}
	})
	return out.String()
}

func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no transcripts: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := play(t, string(want))
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("transcript (-want +got):\n%s", diff)
			}
		})
	}
}
