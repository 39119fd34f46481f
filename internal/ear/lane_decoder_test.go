package ear_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/ear"
	"github.com/MrWong99/glyphoxa/pkg/audio"
)

// tapes is a decoder that records its calls: the first byte of a payload, which is also
// the frame's value, or 100 more for the payload that follows a lost one. A payload of 99
// is corrupt.
type tapes struct{ calls []int }

var errTape = errors.New("torn")

func (d *tapes) Decode(dst *audio.Frame, payload []byte) error {
	if payload[0] == 99 {
		return errTape
	}
	d.calls = append(d.calls, int(payload[0]))
	*dst = *frame(int16(payload[0]) + 1)
	return nil
}

func (d *tapes) Conceal(dst *audio.Frame, next []byte) error {
	call := 100
	if len(next) > 0 {
		call += int(next[0])
	}
	d.calls = append(d.calls, call)
	*dst = *frame(1)
	return nil
}

// The decoder receives payloads in order. A lost payload is concealed with the next one,
// if available; a corrupt one is treated as lost.
func TestDecoder(t *testing.T) {
	for _, tt := range []struct {
		name string
		in   []arrival
		want []int
	}{
		{"in_order", every20(1, 2, 3), []int{1, 2, 3}},
		{"swapped", every20(1, 3, 2, 4), []int{1, 2, 3, 4}},
		{"lost", every20(1, 3, 4, 5), []int{1, 103, 3, 4, 5}},
		{"two_lost", every20(1, 4, 5, 6), []int{1, 100, 104, 4, 5, 6}},
		{"broken", every20(97, 98, 99, 100), []int{97, 98, 100, 100}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := &tapes{}
			b := newTable(&numbers{}, &ear.LaneOptions{Decoder: d})
			for _, a := range tt.in {
				b.wait(epoch.Add(a.at).Sub(b.now))
				payload := []byte{byte(a.seq)}
				b.lane.Intake().Push(b.now, ear.Packet{Seq: a.seq, Payload: payload})
				payload[0] = 0 // the intake must have copied the payload
				b.tick()
			}
			b.wait(100 * laneTick)
			if !slices.Equal(d.calls, tt.want) {
				t.Errorf("decoder saw %v, want %v", d.calls, tt.want)
			}
		})
	}
}

// Without a decoder, a payload becomes silence and is counted.
func TestPayloadWithoutDecoder(t *testing.T) {
	d := &numbers{}
	b := newTable(d, nil)
	b.lane.Intake().Push(b.now, ear.Packet{Seq: 1, Payload: []byte{5}})
	b.tick()
	if !slices.Equal(d.got, []int16{0}) {
		t.Errorf("heard %v, want one silent frame", d.got)
	}
	if got, want := b.lane.Intake().Stats(), (ear.LaneStats{Packets: 1, Broken: 1}); got != want {
		t.Errorf("stats = %+v, want %+v", got, want)
	}
}
