package mcpserver_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/MrWong99/glyphoxa/internal/mcp/mcpserver"
)

// stuck is a stream that neither reading nor writing nor Close gets through,
// like a terminal, until the test lets go of it.
type stuck struct{ free chan struct{} }

func (s stuck) Read([]byte) (int, error) {
	<-s.free
	return 0, io.EOF
}

func (s stuck) Write(p []byte) (int, error) {
	<-s.free
	return len(p), nil
}

func (s stuck) Close() error { return nil }

func TestCloseDoesNotWaitForATerminal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := stuck{make(chan struct{})}
		frames := mcpserver.Lines(s, s, 0)
		errs := make(chan error, 2)
		go func() {
			_, err := frames.ReadFrame(t.Context())
			errs <- err
		}()
		go func() { errs <- frames.WriteFrame(t.Context(), []byte("{}")) }()
		synctest.Wait()
		start := time.Now()
		if err := frames.Close(); err != nil {
			t.Errorf("closing: %v", err)
		}
		if took := time.Since(start); took != 100*time.Millisecond {
			t.Errorf("closing took %v, want 100ms", took)
		}
		for range 2 {
			if err := <-errs; !errors.Is(err, mcpserver.ErrClosed) {
				t.Errorf("reading or writing ended with %v, want %v", err, mcpserver.ErrClosed)
			}
		}
		if err := frames.WriteFrame(t.Context(), []byte("{}")); !errors.Is(err, mcpserver.ErrClosed) {
			t.Errorf("writing afterwards: %v, want %v", err, mcpserver.ErrClosed)
		}
		close(s.free) // the goroutines end, or the bubble complains
	})
}

func TestStuckWriterDoesNotHoldThoseWhoGiveUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := stuck{make(chan struct{})}
		frames := mcpserver.Lines(io.NopCloser(strings.NewReader("")), s, 0)
		var all sync.WaitGroup
		for range 3 {
			all.Go(func() {
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				if err := frames.WriteFrame(ctx, []byte("{}")); !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("writing: %v, want %v", err, context.DeadlineExceeded)
				}
			})
		}
		all.Wait()
		close(s.free)
		if err := frames.Close(); err != nil {
			t.Errorf("closing: %v", err)
		}
	})
}

func TestConcurrentCloses(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	frames := mcpserver.Lines(r, w, 0)
	read := make(chan error, 1)
	go func() {
		_, err := frames.ReadFrame(t.Context())
		read <- err
	}()
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if err := frames.Close(); err != nil {
				t.Errorf("closing: %v", err)
			}
		})
	}
	all.Wait()
	if err := <-read; !errors.Is(err, mcpserver.ErrClosed) && !errors.Is(err, os.ErrClosed) {
		t.Errorf("reading ended with %v, want %v", err, mcpserver.ErrClosed)
	}
}

func TestMessagesAreJoinedToOneLine(t *testing.T) {
	for _, row := range []struct{ name, frame, want string }{
		{"one line", `{"a": 1}`, "{\"a\": 1}\n"},
		{"many lines", "{\n  \"a\": \"\\n\"\n}\n", "{\"a\":\"\\n\"}\n"},
		{"no message", "a\nb", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			var out bytes.Buffer
			frames := mcpserver.Lines(io.NopCloser(strings.NewReader("")), discardClose{&out}, 0)
			err := frames.WriteFrame(t.Context(), []byte(row.frame))
			if (err != nil) != (row.want == "") {
				t.Errorf("writing: %v", err)
			}
			if err := frames.Close(); err != nil {
				t.Errorf("closing: %v", err)
			}
			if got := out.String(); got != row.want {
				t.Errorf("wrote %q, want %q", got, row.want)
			}
		})
	}
}

// choppy reads at most a few bytes at a time.
type choppy struct {
	r io.Reader
	n int
}

func (c choppy) Read(p []byte) (int, error) { return c.r.Read(p[:min(len(p), c.n)]) }
func (choppy) Close() error                 { return nil }

// Whatever the pieces in which they come, lines within the bound are frames and
// longer ones are skipped.
func TestLinesProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.IntRange(1, 200).Draw(t, "limit")
		lines := rapid.SliceOf(rapid.StringMatching(`[a-z]{0,300}`)).Draw(t, "lines")
		piece := rapid.IntRange(1, 100).Draw(t, "piece")
		input := strings.Join(lines, rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "end"))
		var want []string
		for _, l := range lines {
			switch {
			case len(l) > limit:
				want = append(want, "too large")
			case l != "":
				want = append(want, l)
			}
		}
		frames := mcpserver.Lines(choppy{strings.NewReader(input), piece}, discardClose{io.Discard}, limit)
		defer frames.Close()
		var got []string
		for {
			f, err := frames.ReadFrame(t.Context())
			if errors.Is(err, mcpserver.ErrTooLarge) {
				got = append(got, "too large")
				continue
			}
			if err != nil {
				if err != io.EOF {
					t.Errorf("ended with %v, want EOF", err)
				}
				break
			}
			got = append(got, string(f))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("frames (-want +got):\n%s", diff)
		}
		if _, err := frames.ReadFrame(t.Context()); err != io.EOF {
			t.Errorf("reading behind the end: %v, want EOF", err)
		}
	})
}
