package table_test

import (
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/pkg/audio"
)

// marked is a voice whose stretches are identifiable: the signs of its samples never repeat,
// and any change of volume keeps them.
type marked struct {
	lasts time.Duration // per sentence
	signs []bool

	mu sync.Mutex
	at int // start of the next sentence
}

const markedLevel = 16000

func newMarked(lasts time.Duration) *marked {
	v, chance := &marked{lasts: lasts}, rand.New(rand.NewPCG(7, 7))
	for range 20 * audio.SampleRate {
		v.signs = append(v.signs, chance.IntN(2) == 0)
	}
	return v
}

func (v *marked) Synthesize(ctx context.Context, _ config.NPC, _ string) iter.Seq2[[]int16, error] {
	return func(yield func([]int16, error) bool) {
		v.mu.Lock()
		from := v.at
		v.at += int(v.lasts.Seconds() * audio.SampleRate)
		v.mu.Unlock()
		pcm := make([]int16, v.at-from)
		for i := range pcm {
			if pcm[i] = -markedLevel; v.signs[from+i] {
				pcm[i] = markedLevel
			}
		}
		for len(pcm) > 0 {
			n := min(len(pcm), audio.SampleRate/10)
			if time.Sleep(20 * ms); ctx.Err() != nil || !yield(pcm[:n], nil) {
				return
			}
			pcm = pcm[n:]
		}
	}
}

// tape records everything a table plays, without the silence.
type tape struct {
	mu     sync.Mutex
	pieces [][]int16 // each played without a gap
	last   time.Time
}

func (o *tape) Write(_ context.Context, f *audio.Frame) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.pieces) == 0 || time.Since(o.last) > audio.FrameDuration {
		o.pieces = append(o.pieces, nil)
	}
	o.last = time.Now()
	n := len(f)
	for n > 0 && f[n-1] == 0 {
		n--
	}
	o.pieces[len(o.pieces)-1] = append(o.pieces[len(o.pieces)-1], f[:n]...)
	return nil
}

// played returns the pieces so far.
func (o *tape) played() [][]int16 {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.pieces)
}

// follow returns where playback ended and the first fault: each piece must continue where the
// previous one stopped, except for the 5 ms of its fade.
func (v *marked) follow(pieces [][]int16) (at int, fault string) {
	const fade = audio.SampleRate / 200
	for i, p := range pieces {
		begin := -1
		for _, from := range []int{at - fade, at, at - fade - 1, at - fade + 1} {
			if from >= 0 && v.matches(p[:min(len(p), 400)], from) {
				begin = from
				break
			}
		}
		if begin < 0 {
			for from := range len(v.signs) - 400 {
				if v.matches(p[:min(len(p), 400)], from) {
					return at, fmt.Sprintf("piece %d begins at sample %d, want %d", i, from, at)
				}
			}
			return at, fmt.Sprintf("piece %d of %d samples is nothing that was said", i, len(p))
		}
		if !v.matches(p, begin) {
			return at, fmt.Sprintf("piece %d of %d samples does not go on as it begins", i, len(p))
		}
		at = begin + len(p)
	}
	return at, ""
}

// matches reports whether p equals the voice from a position on, at any volume.
func (v *marked) matches(p []int16, from int) bool {
	for i, s := range p {
		if s != 0 && (s > 0) != v.signs[from+i] {
			return false
		}
	}
	return true
}

// TestNothingIsLostBesideMhm: a sound that is no interruption causes no sample to be repeated
// or lost, at any time and of any length, except in fades of 5 ms.
func TestNothingIsLostBesideMhm(t *testing.T) {
	stopped := 0
	for _, long := range []time.Duration{160 * ms, 260 * ms, 520 * ms, 660 * ms, 900 * ms} {
		for _, text := range []string{"Mhm.", ""} {
			t.Run(fmt.Sprintf("%v_%s", long, strings.TrimSuffix(text, ".")), func(t *testing.T) {
				for after := time.Duration(0); after < 1300*ms; after += 97 * ms {
					synctest.Test(t, func(t *testing.T) {
						v, out := newMarked(700*ms), &tape{}
						r := open(t, setting{voice: v, outlet: out, model: says("I pour ale. It is dark. It is good.")})
						ana := r.join("Ana")
						ana.say("Mira, what do you drink?", time.Second)
						r.awaitAudio()
						time.Sleep(after)
						ana.say(text, long)
						ended := r.until(1)
						time.Sleep(10 * time.Second)
						pieces := out.played()
						stopped += len(pieces) - 1
						at, fault := v.follow(pieces)
						if want := 3 * int(v.lasts.Seconds()*audio.SampleRate); fault == "" && at != want {
							fault = fmt.Sprintf("%d samples were heard, want %d", at, want)
						}
						if fault != "" {
							t.Errorf("%v into the answer: %s; %s; %v", after, fault, ended.Outcome, r.kinds())
						}
					})
				}
			})
		}
	}
	if stopped < 40 {
		t.Errorf("the answers were stopped %d times: that shows nothing", stopped)
	}
}
