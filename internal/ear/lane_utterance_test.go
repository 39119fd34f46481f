package ear_test

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/MrWong99/glyphoxa/internal/ear"
	"github.com/MrWong99/glyphoxa/internal/lab/lanetest"
	"github.com/MrWong99/glyphoxa/pkg/audio"
)

// The utterance's sound runs without a gap from 500 ms before the onset to the end.
func TestPreRoll(t *testing.T) {
	for _, tt := range []struct {
		name    string
		preRoll time.Duration
		before  time.Duration // silence in the stream before the onset
		want    time.Duration // silence kept in the utterance
	}{
		{"default", 0, time.Second, 500 * laneTick},
		{"none", -1, time.Second, 0},
		{"longest", time.Hour, time.Second, 800 * laneTick},
		{"less_than_that_was_there", 0, 100 * laneTick, 100 * laneTick},
	} {
		t.Run(tt.name, func(t *testing.T) {
			stream := join(noise(tt.before, -80, 1), laneVoice(120, time.Second, -14), noise(time.Second, -80, 2))
			b := newTable(lanetest.Presence{}, &ear.LaneOptions{PreRoll: tt.preRoll})
			b.play(stream)
			got := b.sounds[1]
			from := samples(tt.before - tt.want)
			if len(got) == 0 || !slices.Equal(got, stream[from:from+len(got)]) {
				t.Fatalf("the %d samples are not the stream's from %v on", len(got), tt.before-tt.want)
			}
			if want := samples(tt.want + 1500*laneTick); len(got) != want {
				t.Errorf("%d samples, want %d: to the end of the utterance", len(got), want)
			}
		})
	}
}

// Sound from before a gap in the transport is not used as pre-roll.
func TestPreRollEndsAtSilence(t *testing.T) {
	b := newTable(lanetest.Presence{}, nil)
	b.play(noise(200*laneTick, -80, 1))
	b.wait(time.Second)
	b.play(laneVoice(120, time.Second, -14))
	b.wait(2 * time.Second)
	if got, want := len(b.sounds[1]), samples(1500*laneTick); got != want {
		t.Errorf("%d samples, want %d: without what came a second earlier", got, want)
	}
}

// Voiced time confirms a barge-in: it grows from the onset and returns to zero as soon as
// voicing stops, long before the utterance ends.
func TestVoicedTime(t *testing.T) {
	b := newTable(lanetest.Presence{}, nil)
	var confirmed, stopped time.Duration
	for _, f := range frames(join(laneVoice(120, 600*laneTick, -14), silence(300*laneTick))) {
		b.wait(audio.FrameDuration)
		b.lane.Intake().Push(b.now, ear.Packet{Seq: b.seq, Frame: &f})
		b.seq++
		for _, e := range b.lane.Tick(b.now) {
			at := b.now.Sub(epoch)
			if e.Kind == ear.Sound && e.Voiced >= 250*laneTick && confirmed == 0 {
				confirmed = at
			}
			if e.Kind == ear.VoiceStopped {
				stopped = at
			}
			if stopped > 0 && e.Voiced != 0 {
				t.Errorf("%v at %v after voicing stopped", e.Voiced, at)
			}
		}
	}
	if confirmed != 260*laneTick {
		t.Errorf("250 ms of voice confirmed after %v, want in the 13th frame", confirmed)
	}
	if stopped != 700*laneTick {
		t.Errorf("voicing stopped at %v, want 100 ms after its end", stopped)
	}
}

// A pause inside an utterance is reported as stop and resume, nothing else.
func TestPauseWithin(t *testing.T) {
	b := newTable(lanetest.Presence{}, nil)
	b.play(laneVoice(120, 600*laneTick, -14))
	b.wait(300 * laneTick)
	b.play(laneVoice(120, 600*laneTick, -14))
	b.wait(3 * time.Second)
	want := "VoiceStarted#1@0 VoiceStopped#1@700 VoiceResumed#1@900 VoiceStopped#1@1600 UtteranceEnded#1@2000"
	if got := b.story(); got != want {
		t.Errorf("heard %s, want %s", got, want)
	}
}

// The merge window is counted from the end of the utterance to the onset.
func TestMergeWindow(t *testing.T) {
	for _, tt := range []struct {
		name  string
		merge time.Duration
		pause time.Duration
		want  ear.LaneKind
	}{
		{"within", 0, 3000 * laneTick, ear.UtteranceContinued},
		{"beyond", 0, 3020 * laneTick, ear.VoiceStarted},
		{"shorter", 600 * laneTick, 1100 * laneTick, ear.UtteranceContinued},
		{"beyond_that", 600 * laneTick, 1120 * laneTick, ear.VoiceStarted},
		{"never", -1, 520 * laneTick, ear.VoiceStarted},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newTable(lanetest.Presence{}, &ear.LaneOptions{Merge: tt.merge})
			b.play(laneVoice(120, 600*laneTick, -14))
			b.wait(tt.pause)
			b.play(laneVoice(120, 600*laneTick, -14))
			b.wait(5 * time.Second)
			wantKinds(t, b, ear.VoiceStarted, ear.VoiceStopped, ear.UtteranceEnded, tt.want, ear.VoiceStopped, ear.UtteranceEnded)
			last := b.events[len(b.events)-1]
			id, speech := uint64(2), 600*laneTick
			if tt.want == ear.UtteranceContinued {
				id, speech = 1, 1200*laneTick
			}
			if last.Utterance != id || last.Speech != speech {
				t.Errorf("ended #%d with %v of speech, want #%d with %v", last.Utterance, last.Speech, id, speech)
			}
		})
	}
}

// The endpoint adapts to the speaker's pauses, within limits.
func TestEndpointAdapts(t *testing.T) {
	for _, tt := range []struct {
		name     string
		opts     ear.LaneOptions
		pause    time.Duration
		min, max time.Duration // bounds of the endpoint after 20 such pauses
	}{
		{"hasty", ear.LaneOptions{}, 160 * laneTick, 350 * laneTick, 350 * laneTick},
		{"even", ear.LaneOptions{}, 340 * laneTick, 480 * laneTick, 540 * laneTick},
		{"slow", ear.LaneOptions{}, 900 * laneTick, 1200 * laneTick, 1400 * laneTick},
		{"within_a_word", ear.LaneOptions{}, 120 * laneTick, 500 * laneTick, 500 * laneTick},
		{"never_beyond_the_limit", ear.LaneOptions{MaxEndpoint: 800 * laneTick}, 900 * laneTick, 800 * laneTick, 800 * laneTick},
		{"never_below_the_limit", ear.LaneOptions{MinEndpoint: 450 * laneTick}, 160 * laneTick, 460 * laneTick, 460 * laneTick},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newTable(lanetest.Presence{}, &tt.opts)
			said := laneVoice(120, 500*laneTick, -14)
			for range 20 {
				b.play(said)
				b.wait(tt.pause)
			}
			b.wait(5 * time.Second)
			last := b.events[len(b.events)-1]
			if last.Kind != ear.UtteranceEnded || last.Endpoint < tt.min || last.Endpoint > tt.max+20*laneTick {
				t.Errorf("%v after %v, want %v to %v", last.Kind, last.Endpoint, tt.min, tt.max)
			}
			if last.Utterance != 1 {
				t.Errorf("the pauses made %d utterances, want 1", last.Utterance)
			}
		})
	}
}

// A speaker who never stops is cut every 30 s, without losing or repeating sound.
func TestSpeakerWhoNeverStops(t *testing.T) {
	b := newTable(lanetest.Presence{}, nil)
	said := make(clip, samples(70*time.Second))
	for i := range said {
		said[i] = int16(100 + i/audio.FrameSamples) // each frame is different
	}
	b.play(said)
	b.wait(3 * time.Second)
	want := "VoiceStarted#1@0 UtteranceEnded#1@30000(cut) VoiceStarted#2@30000 UtteranceEnded#2@60000(cut) " +
		"VoiceStarted#3@60000 VoiceStopped#3@70100 UtteranceEnded#3@70500"
	if got := b.story(); got != want {
		t.Errorf("heard %s, want %s", got, want)
	}
	all := join(b.sounds[1], b.sounds[2], b.sounds[3])
	if len(all) < len(said) || !slices.Equal(all[:len(said)], said) {
		t.Error("the three utterances together are not what was said")
	}
}

// Events come in a valid order for any speech and any losses.
func TestEventsMakeSense(t *testing.T) {
	talk, still := frames(laneVoice(120, 2*time.Second, -14)), frames(silence(time.Second))
	rapid.Check(t, func(t *rapid.T) {
		b := newTable(lanetest.Presence{}, &ear.LaneOptions{MaxUtterance: 4 * time.Second})
		for range rapid.IntRange(1, 12).Draw(t, "parts") {
			part := rapid.SampledFrom([][]audio.Frame{talk, still}).Draw(t, "part")
			for _, f := range part[:rapid.IntRange(0, len(part)).Draw(t, "frames")] {
				b.wait(audio.FrameDuration)
				if rapid.IntRange(0, 19).Draw(t, "lost") != 0 {
					b.lane.Intake().Push(b.now, ear.Packet{Seq: b.seq, Frame: &f})
				}
				b.seq++
				b.tick()
			}
			b.wait(time.Duration(rapid.IntRange(0, 3000).Draw(t, "pause")) * laneTick)
		}
		b.wait(time.Minute)
		checkOrder(t, b.events)
	})
}

// checkOrder checks that every utterance is opened, stopped, resumed and ended in turn.
func checkOrder(t *rapid.T, events []ear.LaneEvent) {
	var open, voiced bool
	var id uint64
	var at time.Time
	for i, e := range events {
		ok := true
		switch e.Kind {
		case ear.VoiceStarted:
			ok = !open && e.Utterance == id+1
			open, voiced, id = true, true, e.Utterance
		case ear.UtteranceContinued:
			ok = !open && id > 0 && e.Utterance == id
			open, voiced = true, true
		case ear.VoiceStopped:
			ok = open && voiced && e.Voiced == 0
			voiced = false
		case ear.VoiceResumed:
			ok = open && !voiced
			voiced = true
		case ear.UtteranceEnded:
			ok = open && (!voiced || e.Cut) && e.At.After(at)
			open, at = false, e.At
		}
		if !ok || e.Utterance != id {
			t.Fatalf("event %d, %v#%d, is out of order in %v", i, e.Kind, e.Utterance, events)
		}
	}
	if open {
		t.Fatal("an utterance never ended")
	}
}

// A sealed utterance is not continued, however soon the speaker goes on.
func TestLaneSeal(t *testing.T) {
	b := newTable(lanetest.Presence{}, nil)
	said := laneVoice(120, 600*laneTick, -14)
	b.play(said)
	b.lane.Seal(1) // while it is open; it stays open
	b.wait(300 * laneTick)
	b.play(said)
	b.wait(700 * laneTick)
	b.play(said)
	b.wait(700 * laneTick)
	b.play(said)
	b.wait(5 * time.Second)
	wantKinds(t, b, ear.VoiceStarted, ear.VoiceStopped, ear.VoiceResumed, ear.VoiceStopped, ear.UtteranceEnded,
		ear.VoiceStarted, ear.VoiceStopped, ear.UtteranceEnded, ear.UtteranceContinued, ear.VoiceStopped, ear.UtteranceEnded)
}

// A speaker who pauses for 1.2 s within sentences is no longer cut after three such
// pauses, whether the transcript is undecided or missing; a complete question has a
// shorter wait. If the long pauses stop, the endpoint soon shrinks back.
func TestPausesAreLearnt(t *testing.T) {
	for _, tt := range []struct {
		name    string
		outlook ear.Outlook
	}{{"no_words", ear.Unknown}, {"a_statement", ear.Open}} {
		t.Run(tt.name, func(t *testing.T) {
			b := newTable(lanetest.Presence{}, nil)
			said := laneVoice(120, 800*laneTick, -14)
			say := func(pause time.Duration) {
				b.play(said)
				b.wait(140 * laneTick)
				b.lane.SetOutlook(tt.outlook)
				b.wait(pause - 140*laneTick)
			}
			for range 3 {
				say(1200 * laneTick)
			}
			cut := b.count(ear.UtteranceEnded)
			for range 4 {
				say(1200 * laneTick)
			}
			if got := b.count(ear.UtteranceEnded); got != cut || cut == 0 {
				t.Errorf("%d ends after three pauses, %d after seven, want some and then none: %s", cut, got, b.story())
			}
			b.play(said)
			b.wait(140 * laneTick)
			b.lane.SetOutlook(ear.Complete)
			b.wait(4 * time.Second)
			last := b.events[len(b.events)-1]
			if last.Kind != ear.UtteranceEnded || last.Endpoint > 900*laneTick {
				t.Errorf("a complete one ended with %v after %v, want within 900ms", last.Kind, last.Endpoint)
			}
			for range 8 {
				for range 4 {
					say(200 * laneTick)
				}
				b.wait(4 * time.Second)
			}
			if last := b.events[len(b.events)-1]; last.Endpoint > 520*laneTick {
				t.Errorf("after eight fluent utterances an end is waited for %v, want what it was before", last.Endpoint)
			}
		})
	}
}
