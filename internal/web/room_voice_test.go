package web_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pion/rtp"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/lab/fakestt"
	"github.com/MrWong99/glyphoxa/internal/lab/rig"
	"github.com/MrWong99/glyphoxa/internal/lab/visitor"
	"github.com/MrWong99/glyphoxa/internal/table"
	"github.com/MrWong99/glyphoxa/internal/web"
	"github.com/MrWong99/glyphoxa/pkg/audio"
)

// byEnergy selects the voice detection that works the same everywhere.
var byEnergy = web.RoomOptions{Hearing: config.Hearing{Detection: config.DetectionEnergy}}

// talk returns the sound of a voice.
func talk(d time.Duration) []int16 { return rig.Speech(140, d, 8000) }

// TestAGuestSpeaks: spoken words become a line at the table, the answer is audible and
// readable, and talking over it stops it.
func TestAGuestSpeaks(t *testing.T) {
	b := open(t, setup{
		// The answer is long, because a busy machine may notice late that Ana talks over it.
		answer: strings.Repeat("The road north is long and cold, and nobody comes back from it before the thaw, so they say in the village. ", 8),
		hears:  &fakestt.Script{Lines: []string{"Bartok, where does the road go?", "Bartok, stop, that is enough now."}}, options: byEnergy,
	})
	ana := b.enter("Ana")
	if !ana.Table.Hears {
		t.Error("the table does not say that it hears")
	}
	if err := ana.SpeakAll(t.Context(), talk(1500*time.Millisecond), time.Second); err != nil {
		t.Fatal(err)
	}
	ana.awaitMessage("what was said", func(m visitor.Message) bool {
		return m.Type == "line" && m.Speaker == "Ana" && !m.NPC && m.Text == "Bartok, where does the road go?"
	})
	ana.awaitMessage("that it is for Bartok", func(m visitor.Message) bool { return m.Type == "line" && m.Speaker == "Ana" && len(m.Addressed) == 1 })
	ana.await("the NPC's voice", func() bool { return len(ana.heard[0]) > audio.SampleRate/2 })
	if err := ana.SpeakAll(t.Context(), talk(2*time.Second), time.Second); err != nil {
		t.Fatal(err)
	}
	b.awaitEvent("the interruption", func(e table.Event) bool {
		barge, ok := e.(*table.Barge)
		return ok && barge.Speaker == "Ana"
	})
	ana.awaitMessage("that Ana spoke", func(m visitor.Message) bool { return m.Type == "speaking" && m.Who == "Ana" && m.On })
	ana.awaitMessage("that Bartok is done", func(m visitor.Message) bool { return m.Type == "speaking" && m.Who == "Bartok" && !m.On })
}

// TestStop: a guest silences the NPCs.
func TestStop(t *testing.T) {
	b := open(t, setup{answer: "The road north is long and cold, and nobody comes back from it before the thaw, so they say in the village, over and over."})
	ana := b.enter("Ana")
	if err := ana.Send(map[string]string{"type": "say", "text": "Bartok, where does the road go?"}); err != nil {
		t.Fatal(err)
	}
	ana.await("the NPC's voice", func() bool { return len(ana.heard[0]) > audio.FrameSamples })
	if err := ana.Send(map[string]string{"type": "stop"}); err != nil {
		t.Fatal(err)
	}
	b.awaitEvent("the end of the answer", func(e table.Event) bool {
		ended, ok := e.(*table.TurnEnded)
		return ok && ended.Outcome == table.OutcomeBarged
	})
}

// TestGuestsHearEachOther: one guest's voice reaches the other unchanged and as one continuous
// stream, and does not return. Silence is not passed on.
func TestGuestsHearEachOther(t *testing.T) {
	b := open(t, setup{answer: "Quiet, please.", options: byEnergy})
	ana, ben, cleo := b.enter("Ana"), b.enter("Ben"), b.enter("Cleo")
	speak := func(p *player) {
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		if err := p.SpeakAll(ctx, talk(time.Second), 0); err != nil {
			t.Fatal(err)
		}
	}
	anywhere := func(p *player) (n int) {
		for stream, sound := range p.heard {
			if stream > 0 {
				n += len(sound)
			}
		}
		return n
	}
	speak(ana)
	for _, p := range []*player{ben, cleo} {
		p.await("Ana's voice", func() bool { return anywhere(p) >= audio.SampleRate*8/10 })
	}
	speak(ben)
	ana.await("Ben's voice", func() bool { return anywhere(ana) >= audio.SampleRate*8/10 })
	cleo.awaitMessage("that Ben spoke", func(m visitor.Message) bool { return m.Type == "speaking" && m.Who == "Ben" && m.On })
	cleo.await("Ben's voice after Ana's", func() bool { return anywhere(cleo) >= audio.SampleRate*16/10 })
	for _, p := range []*player{ana, ben, cleo} {
		p.mu.Lock()
		for stream, packets := range p.packets {
			for i := 1; i < len(packets); i++ {
				if packets[i].SequenceNumber-packets[i-1].SequenceNumber != 1 || int32(packets[i].Timestamp-packets[i-1].Timestamp) <= 0 {
					t.Errorf("%s: stream %d does not go on at packet %d", p.Name, stream, i)
				}
			}
		}
		p.mu.Unlock()
	}
	ana.mu.Lock()
	defer ana.mu.Unlock()
	if n := anywhere(ana); n > audio.SampleRate*3/2 {
		t.Errorf("Ana heard %d samples of others, want Ben's second alone", n)
	}
}

// TestPausesAreNoLoss: a guest in push-to-talk mode sends all the time, but others get only the
// speech. The gaps must not look like lost packets to them.
func TestPausesAreNoLoss(t *testing.T) {
	b := open(t, setup{answer: "Quiet, please.", options: byEnergy})
	ana, ben := b.enter("Ana"), b.enter("Ben")
	const loud, silent = 20, 127
	mute := func(on bool) {
		if err := ana.Send(map[string]any{"type": "mute", "on": on}); err != nil {
			t.Fatal(err)
		}
		ben.await("that Ana is muted or not", func() bool {
			states := slices.DeleteFunc(slices.Clone(ben.told), func(m visitor.Message) bool { return m.Type != "state" })
			return slices.ContainsFunc(states[len(states)-1].Players, func(p visitor.Player) bool { return p.Name == "Ana" && p.Muted == on })
		})
	}
	said := func(n int) {
		ben.await("Ana's voice", func() bool {
			return slices.ContainsFunc(ben.packets[1], func(p *rtp.Packet) bool { return p.Payload[len(p.Payload)-1] == byte(n) })
		})
	}
	// Payloads are never decoded on the way to another player. These identify their speaker.
	say := func(below uint8, count, n int) {
		ticker := time.NewTicker(audio.FrameDuration)
		defer ticker.Stop()
		for range count {
			if err := ana.SpeakPacket([]byte{0xf8, 0xff, 0xfe, byte(n)}, below); err != nil {
				t.Fatal(err)
			}
			<-ticker.C
		}
	}
	say(loud, 20, 1)
	said(1)
	say(silent, 60, 2) // longer than the time after which a silent guest is not passed on
	say(loud, 20, 3)
	said(3)
	mute(true)
	say(silent, 10, 4)
	mute(false)
	say(loud, 20, 5)
	said(5)
	ben.mu.Lock()
	defer ben.mu.Unlock()
	packets := ben.packets[1]
	for i := 1; i < len(packets); i++ {
		if got := packets[i].SequenceNumber - packets[i-1].SequenceNumber; got != 1 {
			t.Errorf("packet %d is %d after the one before it, want 1", i, got)
		}
		if packets[i].Payload[3] == 4 {
			t.Error("what was muted was passed on")
		}
	}
}

// TestDice: a guest's roll is shown to everyone, under the rules of every call. Invalid rolls
// and odd messages cause a notice to the guest and end nothing.
func TestDice(t *testing.T) {
	b := open(t, setup{answer: "Hm.", voiceless: true})
	ana, ben := b.enter("Ana"), b.enter("Ben")
	ben.awaitMessage("that there are no voices", func(m visitor.Message) bool { return m.Type == "notice" && m.Text != "" })
	for _, odd := range []any{"text", map[string]string{"type": "dance"}, map[string]string{"type": "roll", "dice": "many"}, map[string]int{"type": 7}} {
		if err := ana.Send(odd); err != nil {
			t.Fatal(err)
		}
	}
	if err := ana.Send(map[string]string{"type": "roll", "dice": "2d1+3"}); err != nil {
		t.Fatal(err)
	}
	for _, p := range []*player{ana, ben} {
		if m := p.awaitMessage("the roll", func(m visitor.Message) bool { return m.Type == "dice" }); m.Who != "Ana" || m.Text != "2d1+3: 5 (1 1)" {
			t.Errorf("%s was told %+v", p.Name, m)
		}
	}
	ana.await("four notices", func() bool {
		n := 0
		for _, m := range ana.told {
			if m.Type == "notice" {
				n++
			}
		}
		return n >= 4+2 // besides those about voices and hearing
	})
}
