package app

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/MrWong99/glyphoxa/internal/plural"
	"github.com/MrWong99/glyphoxa/internal/table"
	"github.com/MrWong99/glyphoxa/internal/web"
)

// eventsLeft bounds how long the end of the program waits for events to be written.
const eventsLeft = time.Second

// eventStream writes the events at the tables of all guilds, one JSON object on each line: an event of
// docs/events.md that begins with its guild. Tables never wait for the reader. If the reader is too slow, a
// notice with the number of missing events replaces them.
type eventStream struct {
	feed *web.Feed
	done chan struct{} // closed when everything was written, or writing has failed
}

// streamEvents starts to write the events of a feed to out. The caller must close the stream once no table
// emits events any more. The stream has one goroutine, which close waits for.
func streamEvents(f *web.Feed, out io.Writer, log *slog.Logger) *eventStream {
	s := &eventStream{feed: f, done: make(chan struct{})}
	events := f.Follow(0)
	go func() {
		defer close(s.done)
		if err := writeEvents(events, out); err != nil {
			log.Error("events are no longer written", "reason", err)
		}
	}()
	return s
}

// writeEvents writes until the feed is closed and all of its events are written.
func writeEvents(events *web.Follower, out io.Writer) error {
	for {
		it, missed, more := events.Next(context.Background()) // Next returns when the feed is closed
		if !more {
			return nil
		}
		if missed > 0 {
			if err := writeMissed(out, missed); err != nil {
				return err
			}
		}
		if _, err := out.Write(append(guildEvent(it.Table, it.JSON), '\n')); err != nil {
			return err
		}
	}
}

// guildEvent returns an event that begins with its guild.
func guildEvent(guild string, event []byte) []byte {
	out := fmt.Appendf(make([]byte, 0, len(event)+40), `{"guild":%q,`, guild) // an id consists of digits
	return append(out, event[1:]...)
}

// writeMissed writes a notice with the number of missing events.
func writeMissed(out io.Writer, n uint64) error {
	line, err := json.Marshal(&table.Notice{
		Header: table.Header{Time: time.Now(), Kind: table.KindNotice}, Level: "warning",
		Text: plural.Count(int(n), "event is", "events are") + " missing, because the reader was too slow",
	})
	if err == nil {
		_, err = out.Write(append(guildEvent("", line), '\n'))
	}
	return err
}

// close writes the remaining events. It waits at most one second for a reader that does not read, and then
// leaves the goroutine behind, because its write cannot be cancelled.
func (s *eventStream) close() {
	s.feed.Close()
	select {
	case <-s.done:
	case <-time.After(eventsLeft):
	}
}
