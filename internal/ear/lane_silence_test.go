package ear_test

import (
	"slices"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/ear"
	"github.com/MrWong99/glyphoxa/internal/lab/lanetest"
	"github.com/MrWong99/glyphoxa/pkg/audio"
)

// A transport that sends only during speech: the lane's silence timer ends the utterance.
func TestNoPacketsInSilence(t *testing.T) {
	b := newTable(lanetest.Presence{}, nil)
	b.wait(time.Minute)
	if b.ticks != 0 {
		t.Errorf("%d ticks before anybody spoke, want none", b.ticks)
	}
	b.play(laneVoice(120, time.Second, -14)) // packets from 60.02 s to 61 s
	b.wait(time.Hour)
	if got, want := b.story(), "VoiceStarted#1@60000 VoiceStopped#1@61100 UtteranceEnded#1@61500"; got != want {
		t.Errorf("heard %s, want %s", got, want)
	}
	end := b.events[len(b.events)-1]
	if end.Endpoint != 500*laneTick || end.Speech != time.Second {
		t.Errorf("endpoint %v, speech %v, want 500ms and 1s", end.Endpoint, end.Speech)
	}
	if b.ticks > 25 {
		t.Errorf("%d ticks for half a second of silence, want no more than its frames", b.ticks)
	}
	ticks := b.ticks
	b.wait(time.Hour)
	if b.ticks != ticks {
		t.Errorf("an idle lane asked for %d ticks in an hour", b.ticks-ticks)
	}
	since, idle := b.lane.IdleSince()
	if want := epoch.Add(61 * time.Second); !idle || !since.Equal(want) {
		t.Errorf("idle %v since %v, want since %v", idle, since, want)
	}
}

// present recognises the payload with which a sender announces silence; all other
// payloads count as voice.
type present struct{}

func (present) Decode(dst *audio.Frame, payload []byte) error {
	*dst = audio.Frame{}
	if len(payload) != 3 {
		*dst = *frame(5000)
	}
	return nil
}

func (present) Conceal(dst *audio.Frame, _ []byte) error {
	*dst = audio.Frame{}
	return nil
}

// A sender that announces silence is trusted sooner than one that merely stops sending,
// even with some loss, and can resume within the utterance as usual.
func TestSenderFallsSilent(t *testing.T) {
	say, end := []byte{1}, []byte{0xF8, 0xFF, 0xFE}
	for _, tt := range []struct {
		name    string
		after   [][]byte      // payloads after a second of voice; nil is lost
		stopped time.Duration // time from the voice to VoiceStopped
		goesOn  int           // further frames of voice in the utterance
	}{
		{"nothing said", nil, 100 * laneTick, 50},
		{"all five", [][]byte{end, end, end, end, end}, 100 * laneTick, 50},
		{"four of them", [][]byte{end, end, end, end}, 120 * laneTick, 50},
		{"three of them", [][]byte{end, end, end}, 100 * laneTick, 50},
		{"two of them", [][]byte{end, end}, 140 * laneTick, 50},
		{"one lost on the way", [][]byte{end, nil, end, end}, 120 * laneTick, 50},
		{"goes on", [][]byte{end, end, end, say, say}, 200 * laneTick, 52},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newTable(lanetest.Presence{}, &ear.LaneOptions{Decoder: present{}})
			for _, payload := range append(slices.Repeat([][]byte{say}, 50), tt.after...) {
				b.wait(audio.FrameDuration)
				if payload != nil {
					b.lane.Intake().Push(b.now, ear.Packet{Seq: b.seq, Payload: payload})
				}
				b.seq++
				b.tick()
			}
			for b.count(ear.VoiceStopped) == 0 {
				b.wait(audio.FrameDuration)
			}
			if got := b.now.Sub(epoch.Add(time.Second)); got != tt.stopped {
				t.Errorf("the voice has stopped after %v, want %v", got, tt.stopped)
			}
			b.wait(3 * time.Second)
			wantKinds(t, b, ear.VoiceStarted, ear.VoiceStopped, ear.UtteranceEnded)
			if got, want := b.events[2].Speech, time.Duration(tt.goesOn)*audio.FrameDuration; got != want {
				t.Errorf("speech = %v, want %v", got, want)
			}
		})
	}
}

// Idle time runs from the lane's creation until a player speaks; noise does not count.
func TestIdleSince(t *testing.T) {
	b := newTable(ear.NewEnergy(), nil)
	b.play(noise(20*time.Second, -40, 4))
	if since, idle := b.lane.IdleSince(); !idle || !since.Equal(epoch) {
		t.Errorf("idle %v since %v, want since the beginning", idle, since)
	}
	b.play(room(laneVoice(120, time.Second, -14)))
	if _, idle := b.lane.IdleSince(); idle {
		t.Error("idle while somebody speaks")
	}
}

// The owner may tick late by any time: the events stay the same.
func TestLateOwner(t *testing.T) {
	b := newTable(lanetest.Presence{}, nil)
	b.play(laneVoice(120, time.Second, -14))
	b.now = b.now.Add(10 * time.Second)
	b.tick()
	if got, want := b.story(), "VoiceStarted#1@0 VoiceStopped#1@1100 UtteranceEnded#1@1500"; got != want {
		t.Errorf("heard %s, want %s", got, want)
	}
	if got := b.events[len(b.events)-1].Endpoint; got != 10*time.Second {
		t.Errorf("endpoint = %v, want the 10 s it really took", got)
	}
}

// A burst of packets after a network stall is heard completely.
func TestBurst(t *testing.T) {
	b := newTable(lanetest.Presence{}, nil)
	sound := frames(laneVoice(120, time.Second, -14))
	for i := range sound {
		if i%4 == 0 { // four packets at once, every 80 ms
			b.wait(4 * audio.FrameDuration)
		}
		b.lane.Intake().Push(b.now, ear.Packet{Seq: uint16(i), Frame: &sound[i]})
		b.tick()
	}
	b.wait(3 * time.Second)
	wantKinds(t, b, ear.VoiceStarted, ear.VoiceStopped, ear.UtteranceEnded)
	if got := b.events[2].Speech; got != time.Second {
		t.Errorf("speech = %v, want 1s", got)
	}
}

// One packet in ten is lost, and others arrive out of order: one utterance of full length
// results.
func TestLossAndReordering(t *testing.T) {
	for _, tt := range []struct {
		name       string
		drop, swap int // every so many packets
	}{
		{"loss", 10, 0}, {"reordering", 0, 3}, {"both", 10, 3},
	} {
		for _, det := range []struct {
			name string
			d    ear.Detector
		}{{"presence", lanetest.Presence{}}, {"energy", ear.NewEnergy()}} {
			t.Run(tt.name+"/"+det.name, func(t *testing.T) {
				b := newTable(det.d, nil)
				sound := frames(room(join(silence(time.Second), laneVoice(120, 3*time.Second, -14))))
				if det.name == "presence" {
					sound = sound[50:]
				}
				order := make([]int, 0, len(sound))
				for i := range sound {
					if tt.drop > 0 && i%tt.drop == 5 {
						continue
					}
					order = append(order, i)
					if n := len(order); tt.swap > 0 && n > 2 && n%tt.swap == 0 {
						order[n-1], order[n-2] = order[n-2], order[n-1]
					}
				}
				for _, i := range order {
					b.wait(audio.FrameDuration)
					b.lane.Intake().Push(b.now, ear.Packet{Seq: uint16(i), Frame: &sound[i]})
					b.tick()
				}
				b.wait(3 * time.Second)
				wantKinds(t, b, ear.VoiceStarted, ear.VoiceStopped, ear.UtteranceEnded)
				if got := b.events[len(b.events)-1].Speech; got < 2800*laneTick || got > 3100*laneTick {
					t.Errorf("speech = %v, want 3 s", got)
				}
				if s := b.lane.Intake().Stats(); s.Late != 0 || (s.Lost != 0) != (tt.drop > 0) {
					t.Errorf("stats = %+v", s)
				}
			})
		}
	}
}
