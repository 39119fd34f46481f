package ear_test

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/MrWong99/glyphoxa/internal/ear"
	"github.com/MrWong99/glyphoxa/pkg/audio"
)

// numbers is a detector that records the first sample of each frame and judges it voice
// unless it is zero.
type numbers struct{ got []int16 }

func (n *numbers) Process(f *audio.Frame) float64 {
	n.got = append(n.got, f[0])
	if f[0] == 0 {
		return 0
	}
	return 1
}

// frame is a frame with all samples set to n.
func frame(n int16) *audio.Frame {
	var f audio.Frame
	for i := range f {
		f[i] = n
	}
	return &f
}

// arrival is a packet whose frame is filled with its sequence number.
type arrival struct {
	at  time.Duration
	seq uint16
}

// every20 returns one packet every 20 ms, in the order of seqs.
func every20(seqs ...uint16) []arrival {
	var out []arrival
	for i, s := range seqs {
		out = append(out, arrival{time.Duration(i) * 20 * laneTick, s})
	}
	return out
}

func TestIntake(t *testing.T) {
	for _, tt := range []struct {
		name  string
		in    []arrival
		want  []int16 // frames heard after a further 300 ms, without silence
		stats ear.LaneStats
	}{
		{"in_order", every20(1, 2, 3, 4), []int16{1, 2, 3, 4}, ear.LaneStats{Packets: 4}},
		{"swapped", every20(1, 3, 2, 4), []int16{1, 2, 3, 4}, ear.LaneStats{Packets: 4}},
		{"two_ahead", every20(1, 3, 4, 2, 5), []int16{1, 2, 3, 4, 5}, ear.LaneStats{Packets: 5}},
		{"three_ahead_is_too_late", every20(100, 102, 103, 104, 101, 105), []int16{100, 50, 102, 103, 104, 105}, ear.LaneStats{Packets: 6, Late: 1, Lost: 1}},
		{"one_lost", every20(100, 102, 103, 104), []int16{100, 50, 102, 103, 104}, ear.LaneStats{Packets: 4, Lost: 1}},
		{"lost_near_the_end", every20(100, 101, 103), []int16{100, 101, 50, 103}, ear.LaneStats{Packets: 3, Lost: 1}},
		{"three_lost", every20(80, 84, 85, 86), []int16{80, 40, 20, 10, 84, 85, 86}, ear.LaneStats{Packets: 4, Lost: 3}},
		{"jump_is_not_filled", every20(1, 2, 50, 51, 52), []int16{1, 2, 50, 51, 52}, ear.LaneStats{Packets: 5, Lost: 47}},
		{"twice", every20(1, 1, 2, 2, 3), []int16{1, 2, 3}, ear.LaneStats{Packets: 5, Late: 2}},
		{"all_twice_for_long", every20(1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7), []int16{1, 2, 3, 4, 5, 6, 7}, ear.LaneStats{Packets: 14, Late: 7}},
		{"new_stream_far_away", every20(1, 2, 9000, 9001), []int16{1, 2, 9000, 9001}, ear.LaneStats{Packets: 4}},
		{"begins_again", every20(50, 51, 1, 2, 3, 4, 5, 6), []int16{50, 51, 5, 6}, ear.LaneStats{Packets: 8, Late: 4}},
		{"silence_swallows_numbers", []arrival{{0, 1}, {20 * laneTick, 2}, {time.Second, 9}, {1020 * laneTick, 10}}, []int16{1, 2, 9, 10}, ear.LaneStats{Packets: 4}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := &numbers{}
			b := newTable(d, nil)
			for _, a := range tt.in {
				b.wait(epoch.Add(a.at).Sub(b.now))
				b.lane.Intake().Push(b.now, ear.Packet{Seq: a.seq, Frame: frame(int16(a.seq))})
				b.tick()
			}
			b.wait(300 * laneTick)
			if got := spoken(d.got); !slices.Equal(got, tt.want) {
				t.Errorf("heard %v, want %v", got, tt.want)
			}
			if got := b.lane.Intake().Stats(); got != tt.stats {
				t.Errorf("stats = %+v, want %+v", got, tt.stats)
			}
		})
	}
}

func spoken(got []int16) []int16 {
	var out []int16
	for _, n := range got {
		if n != 0 {
			out = append(out, n)
		}
	}
	return out
}

// Without ticks, the newest 640 ms are kept.
func TestIntakeDropsTheOldest(t *testing.T) {
	d := &numbers{}
	b := newTable(d, nil)
	for seq := uint16(1); seq <= 40; seq++ {
		b.now = b.now.Add(audio.FrameDuration)
		b.lane.Intake().Push(b.now, ear.Packet{Seq: seq, Frame: frame(int16(seq))})
	}
	b.wait(0)
	if got := spoken(d.got); len(got) != 32 || got[0] != 9 || got[31] != 40 {
		t.Errorf("heard %v, want 9 to 40", got)
	}
	if got, want := b.lane.Intake().Stats(), (ear.LaneStats{Packets: 40, Dropped: 8}); got != want {
		t.Errorf("stats = %+v, want %+v", got, want)
	}
}

func TestSequenceNumbersWrap(t *testing.T) {
	d := &numbers{}
	b := newTable(d, nil)
	b.seq = 65530
	for range 20 {
		b.wait(audio.FrameDuration)
		b.lane.Intake().Push(b.now, ear.Packet{Seq: b.seq, Frame: frame(7)})
		b.seq++
		b.tick()
	}
	if got := len(spoken(d.got)); got != 20 {
		t.Errorf("heard %d frames, want 20", got)
	}
	if got, want := b.lane.Intake().Stats(), (ear.LaneStats{Packets: 20}); got != want {
		t.Errorf("stats = %+v, want %+v", got, want)
	}
}

// Every packet is either heard once, in order, or counted as dropped.
func TestEveryPacketIsAccountedFor(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := &numbers{}
		b := newTable(d, &ear.LaneOptions{Decoder: &tapes{}})
		seq := rapid.Uint16().Draw(t, "first")
		for range rapid.IntRange(1, 120).Draw(t, "packets") {
			seq += uint16(rapid.SampledFrom([]int{1, 1, 1, 1, 1, 1, 0, 2, 3, -1, -2, 9, 40, 5000, -300}).Draw(t, "step"))
			p := ear.Packet{Seq: seq, Frame: frame(1)}
			if rapid.IntRange(0, 3).Draw(t, "encoded") == 0 {
				p.Frame, p.Payload = nil, make([]byte, rapid.SampledFrom([]int{0, 1, 60, 1500, 1501}).Draw(t, "bytes"))
			}
			b.lane.Intake().Push(b.now, p)
			b.wait(time.Duration(rapid.SampledFrom([]int{0, 0, 5, 20, 20, 20, 60, 150, 3000}).Draw(t, "wait")) * laneTick)
			if rapid.IntRange(0, 4).Draw(t, "tick") != 0 {
				b.tick()
			}
		}
		b.wait(10 * time.Second)
		b.tick()
		if at, ok := b.lane.Next(); ok {
			t.Fatalf("after 10 s of nothing the lane wants a tick at %v", at)
		}
		if _, idle := b.lane.IdleSince(); !idle {
			t.Fatal("not idle after 10 s of nothing")
		}
		s := b.lane.Intake().Stats()
		heard := len(spoken(d.got)) - int(s.Lost)
		if gone := s.Dropped + s.Late + s.Broken; s.Packets < gone || heard > int(s.Packets-gone) {
			t.Fatalf("heard %d frames; stats %+v", heard, s)
		}
	})
}
