package table

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/MrWong99/glyphoxa/internal/ear"
	"github.com/MrWong99/glyphoxa/internal/floor"
	"github.com/MrWong99/glyphoxa/internal/lane"
)

// JoinOptions say how a player's sound comes. The zero value takes frames.
type JoinOptions struct {
	// Decoder decodes payloads. If nil, packets carry frames.
	Decoder lane.Decoder
	// Detector tells voice from noise. If nil, by adaptive energy.
	Detector lane.Detector
}

// ErrDeaf means that a table has no speech recognition.
var ErrDeaf = errors.New("the table cannot hear: it has no speech recognition")

// Seat is a player who is heard at the table.
type Seat struct {
	table   *Table
	speaker string
	ear     *ear.Ear
	stop    context.CancelFunc

	// Owned by the table's goroutine.
	voicing  bool
	echoed   time.Time  // when its microphone last picked up an NPC
	passages []*passage // those that may still change
}

// Join gives a player a seat: what is pushed into it is heard from now on,
// until Leave or the table's end. A name has one seat at a time.
func (t *Table) Join(ctx context.Context, speaker string, o *JoinOptions) (*Seat, error) {
	if o == nil {
		o = &JoinOptions{}
	}
	if t.o.Hearing == nil {
		return nil, ErrDeaf
	}
	s := &Seat{table: t, speaker: speaker}
	err := t.order(ctx, func(run context.Context) error {
		if t.seats[speaker] != nil {
			return fmt.Errorf("%s sits at the table already", speaker)
		}
		life, stop := context.WithCancel(run)
		lanes := t.o.Lane
		lanes.Decoder = o.Decoder
		s.stop = stop
		s.ear = ear.New(speaker, func(e ear.Event) {
			select {
			case t.sounds <- heard{s, e}:
			case <-life.Done():
			}
		}, ear.Options{Provider: t.o.Hearing, Expect: t.expected(), Lane: lanes, Detector: o.Detector, Logger: t.o.Logger})
		t.seats[speaker] = s
		t.work.Go(func() {
			defer stop()
			if err := s.ear.Run(life); err != nil {
				t.o.Logger.Error("hearing", "speaker", speaker, "reason", err)
			}
		})
		return nil
	})
	if err != nil {
		return nil, err
	}
	return s, nil
}

// Push leaves a packet that arrived now. It never blocks; what does not fit is
// dropped, the oldest first.
func (s *Seat) Push(p lane.Packet) { s.ear.Push(p) }

// Stats counts what happened to the packets and their transcripts.
func (s *Seat) Stats() ear.Stats { return s.ear.Stats() }

// Pending reports whether something the player said has yet to become a turn,
// or to prove to be nothing.
func (s *Seat) Pending(ctx context.Context) (pending bool, err error) {
	err = s.table.order(ctx, func(context.Context) error {
		pending = s.voicing || slices.ContainsFunc(s.passages, func(p *passage) bool { return p.open || p.due > 0 })
		return nil
	})
	return pending, err
}

// Leave gives the seat up. What the player said last and is not transcribed is
// lost. It may be called more than once.
func (s *Seat) Leave() {
	err := s.table.order(context.Background(), func(ctx context.Context) error {
		if s.table.seats[s.speaker] == s {
			delete(s.table.seats, s.speaker)
			s.table.left(ctx, s)
		}
		return nil
	})
	if err == nil {
		s.stop()
	}
}

// left takes in that a player is gone: what is known of the unfinished speech
// stands.
func (t *Table) left(ctx context.Context, s *Seat) {
	s.voicing = false
	for _, sp := range slices.Clone(s.passages) {
		sp.open, sp.due = false, 0
		t.understand(ctx, s, sp)
	}
	s.passages = nil
	t.floorEvent(ctx, floor.Event{Kind: floor.Left, Speaker: s.speaker})
}
