package app

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/MrWong99/glyphoxa/internal/table"
)

const (
	// maxEvents bounds the events that wait for who reads them.
	maxEvents = 4096
	// eventsLeft is how long the end of the program waits for them.
	eventsLeft = time.Second
)

// eventStream writes what happens at the tables of all guilds: a JSON object a line,
// an event of docs/events.md that begins with its guild. Tables never wait for whoever
// reads: what finds no room is counted, and the number told in its place.
type eventStream struct {
	lines chan []byte
	lost  atomic.Int64  // since the last line that found room
	end   chan struct{} // closed when no more will come
	done  chan struct{} // closed when all is written, or out is broken
}

// streamEvents begins to write events to out. The caller closes it, once no table can
// tell of any; it has one goroutine, which close waits for.
func streamEvents(out io.Writer, log *slog.Logger) *eventStream {
	s := &eventStream{lines: make(chan []byte, maxEvents), end: make(chan struct{}), done: make(chan struct{})}
	go func() {
		defer close(s.done)
		if err := s.write(out); err != nil {
			log.Error("events are not written any more", "reason", err)
		}
	}()
	return s
}

// add takes an event of a guild's table. It never waits, and is safe for concurrent use.
func (s *eventStream) add(guild string, e table.Event) {
	line, err := guildEvent(guild, e)
	if err != nil {
		s.lost.Add(1)
		return
	}
	select {
	case s.lines <- line:
	default:
		s.lost.Add(1)
	}
}

// guildEvent is an event as a line.
func guildEvent(guild string, e table.Event) ([]byte, error) {
	line, err := json.Marshal(e)
	if err != nil {
		return nil, err
	}
	out := fmt.Appendf(make([]byte, 0, len(line)+40), `{"guild":%q,`, guild) // an id is digits
	return append(append(out, line[1:]...), '\n'), nil
}

// write writes until the end, and then what is left.
func (s *eventStream) write(out io.Writer) error {
	for {
		select {
		case line := <-s.lines:
			if err := s.writeLine(out, line); err != nil {
				return err
			}
		case <-s.end:
			for {
				select {
				case line := <-s.lines:
					if err := s.writeLine(out, line); err != nil {
						return err
					}
				default:
					return s.writeLost(out)
				}
			}
		}
	}
}

func (s *eventStream) writeLine(out io.Writer, line []byte) error {
	if _, err := out.Write(line); err != nil {
		return err
	}
	return s.writeLost(out)
}

// writeLost tells how many events are missing, if any are.
func (s *eventStream) writeLost(out io.Writer) error {
	n := s.lost.Swap(0)
	if n == 0 {
		return nil
	}
	line, err := guildEvent("", &table.Notice{
		Header: table.Header{Time: time.Now(), Kind: table.KindNotice}, Level: "warning",
		Text: fmt.Sprintf("%d events are missing: they were not read as fast as they came", n),
	})
	if err == nil {
		_, err = out.Write(line)
	}
	return err
}

// close writes what is left. For who does not read it waits a second; then the
// goroutine is left behind, since nothing can end its write.
func (s *eventStream) close() {
	close(s.end)
	select {
	case <-s.done:
	case <-time.After(eventsLeft):
	}
}
