package table

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/MrWong99/glyphoxa/internal/ear"
	"github.com/MrWong99/glyphoxa/internal/engine"
)

// JoinOptions describe how a player's sound arrives. The zero value expects frames.
type JoinOptions struct {
	// Decoder decodes payloads. If nil, packets carry frames.
	Decoder ear.Decoder
	// Detector tells voice from noise. If nil, adaptive energy is used.
	Detector ear.Detector
	// User is the player's account with the transport, stored with every line as [Utterance.User]; empty if
	// there is none.
	User string
	// Leads reports whether the player may currently give spoken orders, see package orders. It is called on
	// the table's goroutine and must not block. If nil, the player never may.
	Leads func() bool
}

// ErrNoRecognition means that a table has no speech recognition.
var ErrNoRecognition = errors.New("the table cannot hear, because it has no speech recognition")

// maxPassages is how many utterances of one player are kept because they may be continued.
const maxPassages = 4

// Seat is a player with a microphone at the table.
type Seat struct {
	table   *Table
	speaker string
	user    string
	leads   func() bool
	ear     *ear.Ear
	stop    context.CancelFunc
	sound   *recorder // nil if no engine listens to sound

	// Owned by Run.
	speaking bool
	lastEcho time.Time  // when its microphone last picked up an NPC
	passages []*passage // those that may still change
}

// seats holds the players with microphones.
type seats struct {
	bySpeaker            map[string]*Seat
	lastSpeaker          string // the player whose voice was heard last
	interruptionAnswered bool   // the interrupted NPC answers what interrupted it
}

// markStopped records which utterances stopped a line.
func (ss *seats) markStopped(line uint64) {
	for _, s := range ss.bySpeaker {
		for i, p := range s.passages {
			if s.speaking && i == len(s.passages)-1 || p.overlap.line == line && p.isPending() {
				p.overlap.stoppedLine = line
			}
		}
	}
}

// awaitsWords reports whether an utterance that stopped a line is still without its words.
func (ss *seats) awaitsWords(line uint64) bool {
	for _, s := range ss.bySpeaker {
		if slices.ContainsFunc(s.passages, func(p *passage) bool { return p.overlap.stoppedLine == line && p.isPending() }) {
			return true
		}
	}
	return false
}

// anySpeaking reports whether any player is speaking now.
func (ss *seats) anySpeaking() bool {
	for _, s := range ss.bySpeaker {
		if s.speaking {
			return true
		}
	}
	return false
}

// sealUtterance makes the utterance of a turn final, because its answer is heard or there is none. It does
// not affect an utterance that is being continued.
func (ss *seats) sealUtterance(tn *turn) {
	for _, s := range ss.bySpeaker {
		for _, p := range s.passages {
			if p.turn == tn && !p.isPending() {
				s.ear.Seal(p.id)
			}
		}
	}
}

// Join gives a player a seat: sound pushed into it is heard from now on, until Leave or the end of the table.
// A name has one seat at a time. Without speech recognition it returns [ErrNoRecognition].
func (t *Table) Join(ctx context.Context, speaker string, o *JoinOptions) (*Seat, error) {
	if o == nil {
		o = &JoinOptions{}
	}
	if t.o.Hearing == nil {
		return nil, ErrNoRecognition
	}
	s := &Seat{table: t, user: o.User, leads: o.Leads}
	err := t.order(ctx, func() error {
		speaker = t.conversation.introduce(Utterance{Speaker: speaker, User: o.User, Leads: s.leadsNow()}).Speaker
		if t.seats.bySpeaker[speaker] != nil {
			return fmt.Errorf("%s is already at the table", speaker)
		}
		s.speaker, t.seats.bySpeaker[speaker] = speaker, s
		t.conversation.addPlayer(speaker)
		t.effects.add(startEar{s, *o})
		return nil
	})
	if err != nil {
		return nil, err
	}
	return s, nil
}

// startEar starts the seat's ear.
func (s *Seat) startEar(ctx context.Context, o JoinOptions) {
	t := s.table
	ctx, s.stop = context.WithCancel(ctx)
	expect, lanes := t.o.Expect, t.o.Lane
	expect.Keyterms = t.cast.keyterms(t.o.Expect.Keyterms) // players mention the NPCs' names
	lanes.Decoder = o.Decoder
	var onSound func(uint64, []int16)
	if t.o.Listener != nil && t.cast.hasOwnVoice() {
		s.sound = &recorder{}
		onSound = s.sound.appendSound
	}
	s.ear = ear.New(s.speaker, func(e ear.Event) {
		select {
		case t.inbox.voices <- earEvent{s, e}:
		case <-ctx.Done():
		}
	}, ear.Options{Recogniser: t.o.Hearing, Expect: expect, Lane: lanes, Early: t.o.EarlyFinals, Detector: o.Detector, OnSound: onSound, Logger: t.o.Logger})
	t.work.Go(func() {
		defer s.stop()
		if err := s.ear.Run(ctx); err != nil {
			t.o.Logger.Error("hearing", "speaker", s.speaker, "reason", err)
		}
	})
}

// Speaker returns the name under which the table shows the player.
func (s *Seat) Speaker() string { return s.speaker }

// Push adds a packet that arrived now. It never blocks. When the buffer is full, the oldest packets are
// dropped.
func (s *Seat) Push(p ear.Packet) { s.ear.Push(p) }

// Stats returns counters of the packets and their transcripts.
func (s *Seat) Stats() ear.Stats { return s.ear.Stats() }

// Pending reports whether something that the player said has not become a turn or been discarded yet.
func (s *Seat) Pending(ctx context.Context) (pending bool, err error) {
	err = s.table.order(ctx, func() error {
		pending = s.speaking || slices.ContainsFunc(s.passages, (*passage).isPending)
		return nil
	})
	return pending, err
}

// Leave gives up the seat. Words that are not transcribed yet are lost. It may be called more than once.
func (s *Seat) Leave() {
	err := s.table.order(context.Background(), func() error {
		s.table.removeSeat(s)
		return nil
	})
	if err == nil {
		s.stop()
	}
}

// leadsNow reports whether the player currently leads the game.
func (s *Seat) leadsNow() bool { return s.leads != nil && s.leads() }

// utterance returns an utterance of the player.
func (s *Seat) utterance(text string) Utterance {
	return Utterance{Speaker: s.speaker, Text: text, User: s.user, Leads: s.leadsNow()}
}

// passage returns the utterance of that number, which it adds if it is new.
func (s *Seat) passage(id uint64) *passage {
	for _, sp := range s.passages {
		if sp.id == id {
			return sp
		}
	}
	sp := &passage{id: id, listeningNPC: -1}
	if s.sound != nil {
		sp.sound = s.sound.recordingOf(id)
	}
	s.passages = append(s.passages, sp)
	if len(s.passages) > maxPassages {
		s.passages = slices.DeleteFunc(s.passages, func(old *passage) bool {
			return old.id+maxPassages <= id && !old.isPending()
		})
	}
	return sp
}

func (s *Seat) removePassage(sp *passage) {
	s.passages = slices.DeleteFunc(s.passages, func(o *passage) bool { return o == sp })
}

// hasEcho reports whether the player's microphone picks up what NPCs say.
func (s *Seat) hasEcho() bool { return !s.lastEcho.IsZero() && time.Since(s.lastEcho) < echoMemory }

// EarStatus describes how one player is heard.
type EarStatus struct {
	Speaker string
	// Speaking says that the player is speaking now.
	Speaking bool
	ear.Stats
}

// Ears returns the status of the players who have a seat, by name.
func Ears(ctx context.Context, t *Table) (all []EarStatus, err error) {
	err = t.order(ctx, func() error {
		for name, s := range t.seats.bySpeaker {
			if s.ear != nil { // otherwise it is about to be opened
				all = append(all, EarStatus{name, s.speaking, s.ear.Stats()})
			}
		}
		return nil
	})
	slices.SortFunc(all, func(a, b EarStatus) int { return cmp.Compare(a.Speaker, b.Speaker) })
	return all, err
}

// recorder keeps the sound of a player's last utterances, for engines that listen to sound. It is safe for
// concurrent use.
type recorder struct {
	mu   sync.Mutex          // guards the field below
	last []recordedUtterance // oldest first
}

type recordedUtterance struct {
	utterance uint64
	sound     *engine.Recording
}

// appendSound adds a frame to an utterance.
func (r *recorder) appendSound(utterance uint64, frame []int16) {
	r.recordingOf(utterance).Append(frame)
}

// recordingOf returns the sound of an utterance. It drops the sound of utterances that cannot be continued
// any more.
func (r *recorder) recordingOf(utterance uint64) *engine.Recording {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, k := range r.last {
		if k.utterance == utterance {
			return k.sound
		}
	}
	k := recordedUtterance{utterance, engine.NewRecording()}
	if len(r.last) == maxPassages {
		copy(r.last, r.last[1:])
		r.last = r.last[:maxPassages-1]
	}
	r.last = append(r.last, k)
	return k.sound
}
