package app

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/MrWong99/glyphoxa/internal/table"
	"github.com/MrWong99/glyphoxa/internal/web"
)

// said returns an event with a text.
func said(text string) table.Event {
	return &table.Notice{Header: table.Header{Time: time.Now(), Kind: table.KindNotice}, Level: "info", Text: text}
}

// readLines returns the guild and text of each event in a stream.
func readLines(t *testing.T, all string) (lines []string) {
	t.Helper()
	for line := range strings.Lines(all) {
		var e struct{ Guild, Kind, Text string }
		if err := json.Unmarshal([]byte(line), &e); err != nil || e.Kind != "notice" {
			t.Fatalf("%q is no event: %v", line, err)
		}
		lines = append(lines, e.Guild+": "+e.Text)
	}
	return lines
}

func TestEventsAreWrittenToTheEnd(t *testing.T) {
	var out bytes.Buffer
	f := web.NewFeed()
	s := streamEvents(f, &out, slog.New(slog.DiscardHandler))
	f.Add("7", said(`"quoted"`))
	f.Add("8", said("second"))
	s.close()
	if got := strings.Join(readLines(t, out.String()), "|"); got != `7: "quoted"|8: second` {
		t.Errorf("the stream is %q", got)
	}
}

// gatedWriter blocks every write until the gate opens.
type gatedWriter struct {
	gate chan struct{}
	out  bytes.Buffer
}

func (w *gatedWriter) Write(p []byte) (int, error) {
	<-w.gate
	return w.out.Write(p)
}

func TestEventsNeverHoldATableUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out := &gatedWriter{gate: make(chan struct{})}
		f := web.NewFeed()
		s := streamEvents(f, out, slog.New(slog.DiscardHandler))
		f.Add("7", said("first"))
		synctest.Wait() // the first event is being written
		for range web.FeedSize + 5 {
			f.Add("7", said("more"))
		}
		close(out.gate)
		s.close()
		lines := readLines(t, out.out.String())
		if len(lines) != web.FeedSize+2 || lines[1] != ": 5 events are missing, because the reader was too slow" {
			t.Errorf("%d lines, of which the second is %q", len(lines), lines[1])
		}
	})
}

func TestEventsEndWithoutAReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out := &gatedWriter{gate: make(chan struct{})}
		f := web.NewFeed()
		s := streamEvents(f, out, slog.New(slog.DiscardHandler))
		f.Add("7", said("never read"))
		start := time.Now()
		s.close()
		if took := time.Since(start); took != eventsLeft {
			t.Errorf("closing took %s, want %s", took, eventsLeft)
		}
		close(out.gate)
	})
}

// brokenWriter fails every write.
type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestEventsOfABrokenStream(t *testing.T) {
	var log bytes.Buffer
	f := web.NewFeed()
	s := streamEvents(f, brokenWriter{}, slog.New(slog.NewTextHandler(&log, nil)))
	f.Add("7", said("first"))
	s.close()
	for range 2 * web.FeedSize {
		f.Add("7", said("more"))
	}
	if !strings.Contains(log.String(), io.ErrClosedPipe.Error()) {
		t.Errorf("the log says %q", log.String())
	}
}
