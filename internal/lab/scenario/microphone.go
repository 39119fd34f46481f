package scenario

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/MrWong99/glyphoxa/internal/ear"
	"github.com/MrWong99/glyphoxa/internal/lab/rig"
	"github.com/MrWong99/glyphoxa/internal/wakeup"
	"github.com/MrWong99/glyphoxa/pkg/audio"
)

const (
	// tail is the number of silent frames that a client sends before it stops
	// sending.
	tail = 5
	// echoDelay is the time of a voice from the table through a player's
	// loudspeaker and microphone.
	echoDelay = 3 // frames
	// roomLevel is the noise in an open microphone, in dBFS.
	roomLevel = -62
)

// seat receives a player's packets.
type seat interface {
	Push(ear.Packet)
}

// sounding is queued sound for a microphone.
type sounding struct {
	samples []int16
	words   []rig.Word
	loud    [2]int        // the first audible sample, and the one after the last
	text    string        // empty for other sounds than speech
	spoken  chan struct{} // closed when it has been played
}

// microphone is a player's microphone: it turns queued sound into packets every
// 20 ms, and sends nothing in silence. run owns the goroutine; the other
// methods are safe for concurrent use.
type microphone struct {
	player Player
	rec    *record
	rand   *rand.Rand // owned by run
	wake   chan struct{}
	words  rig.Words // words that recognition has not received yet
	said   spokenLog

	mu    sync.Mutex // guards the fields below
	seat  seat       // nil while the player is absent
	queue []*sounding
	echo  []audio.Frame // of the table's sound, oldest first
	// The echoed part of which sentence, and its time.
	echoed    string
	echoedFor time.Duration
	echoedAt  time.Time
}

func newMicrophone(p Player, rec *record, seed uint64) *microphone {
	return &microphone{player: p, rec: rec, rand: rand.New(rand.NewPCG(seed, 1)), wake: make(chan struct{}, 1)}
}

func (m *microphone) wakeSender() {
	wakeup.Signal(m.wake)
}

// connectSeat directs packets to s, or nowhere if s is nil. It cuts off the
// current sound.
func (m *microphone) connectSeat(s seat) {
	m.mu.Lock()
	m.seat = s
	if s == nil {
		for _, sp := range m.queue {
			close(sp.spoken)
		}
		m.queue, m.echo = nil, nil
		m.words.CutOff(time.Now())
		m.said.cutOff(time.Now())
	}
	m.mu.Unlock()
	m.wakeSender()
}

// queueSound queues sound and returns a channel that is closed when it has been
// played.
func (m *microphone) queueSound(sp *sounding) <-chan struct{} {
	sp.spoken = make(chan struct{})
	first, end := loudRange(sp.samples)
	sp.loud = [2]int{first, end}
	m.mu.Lock()
	if m.seat == nil {
		close(sp.spoken)
	} else {
		m.queue = append(m.queue, sp)
	}
	m.mu.Unlock()
	m.wakeSender()
	return sp.spoken
}

// overhear feeds a frame of the table's sound back through the microphone.
func (m *microphone) overhear(now time.Time, f *audio.Frame, npc, text string) {
	if m.player.Echo == 0 {
		return
	}
	_, end := loudRange(f[:])
	m.mu.Lock()
	if m.seat != nil {
		for len(m.echo) < echoDelay {
			m.echo = append(m.echo, audio.Frame{})
		}
		m.echo = append(m.echo, *f)
		if end > 0 && text != "" {
			m.echoWords(now, text)
		}
	}
	m.mu.Unlock()
	m.wakeSender()
}

// echoWords adds the words of an NPC's sentence as its echo arrives. A sentence
// that restarts is added again. Callers must hold mu.
func (m *microphone) echoWords(now time.Time, text string) {
	if text != m.echoed || now.Sub(m.echoedAt) >= leastPause {
		m.echoedFor = 0
	}
	before := m.echoedFor
	m.echoed, m.echoedAt, m.echoedFor = text, now, before+audio.FrameDuration
	for _, w := range rig.SpreadWords(text, spokenFor(text)) {
		if before < w.End && w.End <= m.echoedFor {
			m.words.Add(now.Add(echoDelay*audio.FrameDuration), rig.Word{Text: w.Text})
		}
	}
}

// packet is a packet in transit.
type packet struct {
	due time.Time
	p   ear.Packet
}

// sendPackets sends packets until ctx ends.
func (m *microphone) sendPackets(ctx context.Context) {
	s := &sender{microphone: m}
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		wait, busy := s.sendDue(time.Now())
		if busy {
			timer.Reset(wait)
		} else {
			timer.Stop()
		}
		select {
		case <-timer.C:
		case <-m.wake:
		case <-ctx.Done():
			m.connectSeat(nil)
			return
		}
	}
}

// sender is the state of run.
type sender struct {
	*microphone
	next    time.Time // of the next frame; zero while silent
	silent  int       // frames of silence since the last sound
	seq     uint16
	at      int // samples of the first in the queue that are sent
	began   time.Time
	transit []packet // by due
	room    []int16
}

// sendDue sends due packets and returns when to call it again, and whether to.
func (s *sender) sendDue(now time.Time) (time.Duration, bool) {
	to, frames := s.makePackets(now)
	for _, f := range frames {
		s.queuePacket(f.due, f.p)
	}
	for len(s.transit) > 0 && !s.transit[0].due.After(now) {
		if to != nil {
			to.Push(s.transit[0].p)
		}
		s.transit = s.transit[1:]
	}
	at := s.next
	if len(s.transit) > 0 && (at.IsZero() || s.transit[0].due.Before(at)) {
		at = s.transit[0].due
	}
	return at.Sub(now), !at.IsZero()
}

func (s *sender) makePackets(now time.Time) (seat, []packet) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []packet
	for s.seat != nil {
		busy := len(s.queue) > 0 || len(s.echo) > 0 || s.player.OpenMic
		if s.next.IsZero() && !busy {
			break
		}
		if s.next.IsZero() {
			s.next, s.silent = now, 0
		}
		if s.next.After(now) {
			return s.seat, out
		}
		f := new(audio.Frame)
		s.mixFrame(f)
		if _, end := loudRange(f[:]); end > 0 || s.player.OpenMic {
			s.silent = 0
		} else if s.silent++; s.silent > tail && !busy {
			s.next = time.Time{}
			break
		}
		if s.silent <= tail {
			out = append(out, packet{s.next, ear.Packet{Seq: s.seq, Frame: f}})
			s.seq++
		}
		s.next = s.next.Add(audio.FrameDuration)
	}
	if s.seat == nil {
		s.next, s.at = time.Time{}, 0
	}
	return s.seat, out
}

// mixFrame fills the frame that begins at s.next. Callers must hold mu.
func (s *sender) mixFrame(f *audio.Frame) {
	if s.player.OpenMic {
		if s.room == nil {
			s.room = rig.Noise(time.Second, roomLevel, s.rand)
		}
		copy(f[:], s.room[int(s.seq%50)*audio.FrameSamples:])
	}
	if len(s.echo) > 0 {
		gain := math.Pow(10, s.player.Echo/20)
		for i, v := range s.echo[0] {
			f[i] = saturated(float64(f[i]) + gain*float64(v))
		}
		s.echo = s.echo[1:]
	}
	if len(s.queue) == 0 {
		return
	}
	sp := s.queue[0]
	if s.at == 0 {
		s.began = s.next
		s.words.Add(s.began, sp.words...)
		s.said.add(s.began, sp.words)
	}
	n := min(audio.FrameSamples, len(sp.samples)-s.at)
	for i, v := range sp.samples[s.at : s.at+n] {
		f[i] = saturated(float64(f[i]) + float64(v))
	}
	before := s.at
	s.at += n
	s.noteSpeech(sp, before)
	if s.at == len(sp.samples) {
		close(sp.spoken)
		s.queue, s.at = s.queue[1:], 0
	}
}

// noteSpeech records the first and last sound of a line when they are sent.
func (s *sender) noteSpeech(sp *sounding, before int) {
	within := func(sample int) bool { return before <= sample && sample < s.at }
	at := func(sample int) time.Time { return s.began.Add(audio.Duration(sample, audio.SampleRate)) }
	if sp.loud[1] == 0 {
		return
	}
	if within(sp.loud[0]) {
		s.rec.noteAt(at(sp.loud[0]), kindSpeaks, "speaker", s.player.Name, "text", sp.text)
	}
	if within(sp.loud[1] - 1) {
		s.rec.noteAt(at(sp.loud[1]), kindStops, "speaker", s.player.Name, "text", sp.text)
	}
}

// queuePacket puts a packet in transit, subject to the player's loss and
// reordering.
func (s *sender) queuePacket(at time.Time, p ear.Packet) {
	if s.player.Loss > 0 && s.rand.Float64() < s.player.Loss {
		return
	}
	due := at
	if j := time.Duration(s.player.Jitter); j > 0 {
		due = due.Add(time.Duration(s.rand.Int64N(int64(j))))
	}
	if s.player.Reorder > 0 && s.rand.Float64() < s.player.Reorder {
		due = due.Add(audio.FrameDuration + audio.FrameDuration/2)
	}
	i := len(s.transit)
	for i > 0 && s.transit[i-1].due.After(due) {
		i--
	}
	s.transit = slices.Insert(s.transit, i, packet{due, p})
}

func saturated(v float64) int16 { return int16(max(math.MinInt16, min(math.MaxInt16, v))) }
