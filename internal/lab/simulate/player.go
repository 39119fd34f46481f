package simulate

import (
	"context"
	"time"

	"github.com/MrWong99/glyphoxa/internal/ear"
	"github.com/MrWong99/glyphoxa/internal/lab/rig"
	"github.com/MrWong99/glyphoxa/pkg/audio"
)

// seat receives a player's packets; it never blocks. A table's seat implements
// it.
type seat interface{ Push(p ear.Packet) }

// player is a player with a microphone. One goroutine, run, sends its sound, 20
// ms at a time; an open microphone sends all the time, another only while its
// player speaks.
type player struct {
	name  string
	pitch int
	open  bool
	pool  *pool
	seat  seat
	words rig.Words
	asks  chan *utterance
	// between, if not nil, is called for each 20 ms without speech, instead of
	// sending the open microphone's noise.
	between func(n int)
	seq     uint16 // owned by run
}

// utterance is a line to say, or a cough if it has no text.
type utterance struct {
	text string
	// pause is a silence in the middle. Zero means none.
	pause time.Duration
	done  chan struct{} // closed when it has been said
	// said, if not nil, is called when it has been said.
	said func()
}

func newPlayer(name string, pitch int, open bool, p *pool) *player {
	return &player{name: name, pitch: pitch, open: open, pool: p, asks: make(chan *utterance)}
}

// sayUtterance lets the player say u and returns when that is done. It waits
// until earlier utterances are done; if ctx ends, it returns its error.
func (p *player) sayUtterance(ctx context.Context, u utterance) error {
	u.done = make(chan struct{})
	select {
	case p.asks <- &u:
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case <-u.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// sendPackets sends to the player's seat until ctx ends.
func (p *player) sendPackets(ctx context.Context) {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	var t talk
	due := time.Now()
	for n := 0; ; n++ {
		if t.isOver() {
			u := p.nextUtterance(ctx)
			if ctx.Err() != nil {
				return
			}
			if u != nil {
				if !p.open {
					due = time.Now()
				}
				t = p.beginTalk(u)
			}
		}
		if packet, ok := p.packet(&t, n); ok {
			packet.Seq = p.seq
			p.seq++
			p.seat.Push(packet)
		}
		t.finishUtterance()
		due = due.Add(audio.FrameDuration)
		timer.Reset(time.Until(due))
		select {
		case <-timer.C:
		case <-ctx.Done():
			return
		}
	}
}

// nextUtterance returns the player's next utterance. With an open microphone it
// does not wait for one.
func (p *player) nextUtterance(ctx context.Context) *utterance {
	if p.open {
		select {
		case u := <-p.asks:
			return u
		default:
			return nil
		}
	}
	select {
	case u := <-p.asks:
		return u
	case <-ctx.Done():
		return nil
	}
}

// talk is the rest of an utterance: its parts, and the tail that a transport
// sends after each. The zero value is empty.
type talk struct {
	utterance *utterance // nil once it has been said
	parts     []clip     // an empty packet stands for 20 ms of silence
	tail      clip
}

// beginTalk selects u's sound and records the times of its words.
func (p *player) beginTalk(u *utterance) talk {
	now := time.Now()
	t := talk{utterance: u}
	if !p.open {
		t.tail = p.pool.quiet
	}
	if u.text == "" {
		t.parts = []clip{p.pool.coughed}
		return t
	}
	length := max(shortest, min(longest, speaking(u.text)))
	if u.pause == 0 || length < 2*shortest {
		c := p.pool.saying(p.pitch, length)
		p.words.Add(now, rig.SpreadWords(u.text, c.length())...)
		t.parts = []clip{c}
		return t
	}
	first, second := halves(u.text)
	a, b := p.pool.saying(p.pitch, length/2), p.pool.saying(p.pitch, length/2)
	gap := make(clip, u.pause/audio.FrameDuration)
	p.words.Add(now, rig.SpreadWords(first, a.length())...)
	p.words.Add(now.Add(a.length()+gap.length()), rig.SpreadWords(second, b.length())...)
	t.parts = []clip{a, gap, b}
	return t
}

// packet returns the microphone's packet number n, 20 ms long, and whether to
// send it.
func (p *player) packet(t *talk, n int) (ear.Packet, bool) {
	packet := t.takePacket()
	if packet.Frame == nil && packet.Payload == nil && p.open {
		if p.between != nil {
			p.between(n)
			return ear.Packet{}, false
		}
		packet = p.pool.room[n%len(p.pool.room)]
	}
	return packet, packet.Frame != nil || packet.Payload != nil
}

// takePacket removes and returns the next 20 ms.
func (t *talk) takePacket() ear.Packet {
	for len(t.parts) > 0 && len(t.parts[0]) == 0 {
		t.parts = t.parts[1:]
	}
	var packet ear.Packet
	switch {
	case len(t.parts) > 0:
		packet, t.parts[0] = t.parts[0][0], t.parts[0][1:]
	case len(t.tail) > 0:
		packet, t.tail = t.tail[0], t.tail[1:]
	}
	return packet
}

// finishUtterance notifies the waiter when the utterance has been said.
func (t *talk) finishUtterance() {
	if t.utterance == nil {
		return
	}
	for _, c := range t.parts {
		if len(c) > 0 {
			return
		}
	}
	if t.utterance.said != nil {
		t.utterance.said()
	}
	close(t.utterance.done)
	t.utterance = nil
}

// isOver reports whether nothing is left.
func (t *talk) isOver() bool { return t.utterance == nil && len(t.tail) == 0 }
