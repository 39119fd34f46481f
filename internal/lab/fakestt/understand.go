package fakestt

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"strings"
	"time"

	"github.com/coder/websocket"
)

// posting is an event that goes out when it is due.
type posting struct {
	due   time.Time
	event object
}

// maxPostings bounds what waits to go out; beyond that nothing more is heard.
const maxPostings = 256

// understand speaks Deepgram's protocol with somebody who understands what is said.
// Transcripts go out in the order of the sound, as the real service has them.
func (d *deepgram) understand(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	postings := make(chan posting, maxPostings)
	d.server.tasks.Go(func() { d.post(ctx, postings) })
	later := func(delay time.Duration, event object) {
		select {
		case postings <- posting{time.Now().Add(delay), event}:
		case <-ctx.Done():
		}
	}
	var heard []int16 // since the last final
	shown := ""
	for {
		kind, data, err := d.conn.Read(ctx)
		if err != nil {
			return
		}
		if kind == websocket.MessageBinary {
			heard = append(heard, samplesOf(data)...)
			d.server.count(len(data) / 2)
			d.total += len(data) / 2
			if text := d.server.script.Understand(heard); text != shown {
				shown = text
				later(d.server.script.Interim, d.result(false, false, text))
			}
			continue
		}
		var control struct {
			Type string `json:"type"`
		}
		if json.Unmarshal(data, &control) != nil || control.Type == "CloseStream" {
			_ = d.conn.Close(websocket.StatusNormalClosure, "") // the client may be gone
			return
		}
		if control.Type == "Finalize" && d.total > d.settled {
			later(d.server.script.Delay, d.result(true, true, strings.TrimSpace(d.server.script.Understand(heard))))
			d.settled, heard, shown = d.total, nil, ""
		}
	}
}

// post sends what is posted until ctx ends.
func (d *deepgram) post(ctx context.Context, postings <-chan posting) {
	for {
		select {
		case p := <-postings:
			select {
			case <-time.After(time.Until(p.due)):
				d.say(ctx, p.event)
			case <-ctx.Done():
				return
			}
		case <-ctx.Done():
			return
		}
	}
}

// samplesOf reads 16-bit PCM.
func samplesOf(data []byte) []int16 {
	out := make([]int16, len(data)/2)
	for i := range out {
		out[i] = int16(binary.LittleEndian.Uint16(data[2*i:]))
	}
	return out
}
