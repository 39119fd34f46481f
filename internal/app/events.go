package app

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/MrWong99/glyphoxa/internal/table"
	"github.com/MrWong99/glyphoxa/internal/web"
)

// eventsLeft is how long the end of the program waits for events to be written.
const eventsLeft = time.Second

// eventStream writes what happens at the tables of all guilds: a JSON object a line,
// an event of docs/events.md that begins with its guild. Tables never wait for whoever
// reads: how many events are missing is told in their place.
type eventStream struct {
	feed *web.Feed
	done chan struct{} // closed when all is written, or out is broken
}

// streamEvents begins to write the events of a feed to out. The caller closes it, once no
// table can tell of any; it has one goroutine, which close waits for.
func streamEvents(f *web.Feed, out io.Writer, log *slog.Logger) *eventStream {
	s := &eventStream{feed: f, done: make(chan struct{})}
	events := f.Follow(0)
	go func() {
		defer close(s.done)
		if err := writeEvents(events, out); err != nil {
			log.Error("events are not written any more", "reason", err)
		}
	}()
	return s
}

// writeEvents writes until the feed is closed and all of it is written.
func writeEvents(events *web.Follower, out io.Writer) error {
	for {
		it, missed, more := events.Next(context.Background()) // which ends with the feed
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

// guildEvent is an event that begins with its guild.
func guildEvent(guild string, event []byte) []byte {
	out := fmt.Appendf(make([]byte, 0, len(event)+40), `{"guild":%q,`, guild) // an id is digits
	return append(out, event[1:]...)
}

// writeMissed tells how many events are missing.
func writeMissed(out io.Writer, n uint64) error {
	line, err := json.Marshal(&table.Notice{
		Header: table.Header{Time: time.Now(), Kind: table.KindNotice}, Level: "warning",
		Text: fmt.Sprintf("%d events are missing: they were not read as fast as they came", n),
	})
	if err == nil {
		_, err = out.Write(append(guildEvent("", line), '\n'))
	}
	return err
}

// close writes what is left. For who does not read it waits a second; then the
// goroutine is left behind, since nothing can end its write.
func (s *eventStream) close() {
	s.feed.Close()
	select {
	case <-s.done:
	case <-time.After(eventsLeft):
	}
}
