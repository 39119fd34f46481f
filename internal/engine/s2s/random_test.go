package s2s_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/MrWong99/glyphoxa/internal/engine"
	s2sengine "github.com/MrWong99/glyphoxa/internal/engine/s2s"
	"github.com/MrWong99/glyphoxa/internal/lab/s2stest"
	"github.com/MrWong99/glyphoxa/pkg/audio"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
	"github.com/MrWong99/glyphoxa/pkg/provider/s2s"
)

// randomAnswer returns any answer a vendor might give.
func randomAnswer(r *rand.Rand, turn s2stest.Turn) s2stest.Answer {
	said := says("The inn is full tonight. Try the mill, down by the river.", time.Duration(1+r.IntN(4))*time.Second)
	said.Steps = s2stest.After(time.Duration(r.IntN(1000))*time.Millisecond, said.Steps)
	broken := said.Steps[:r.IntN(len(said.Steps))]
	switch r.IntN(12) {
	case 0:
		return s2stest.Answer{Hangs: true, Steps: broken}
	case 1:
		return s2stest.Answer{}
	case 2:
		return s2stest.Answer{Steps: broken, Status: "failed", Err: s2s.ErrRateLimited}
	case 3:
		return s2stest.Answer{Steps: append(broken, s2stest.Step{After: time.Second, Ends: s2s.ErrUnavailable})}
	case 4:
		return s2stest.Answer{Steps: append(broken, s2stest.Step{Tell: s2s.Interrupted{}})}
	case 5:
		return s2stest.Answer{Steps: append([]s2stest.Step{{Tell: s2s.Failed{Err: s2s.ErrRateLimited}}}, said.Steps...)}
	case 6, 7:
		if turn.Round < 2 {
			name := []string{"roll", "wait", "burn"}[r.IntN(3)]
			return s2stest.Answer{Steps: s2stest.Calls(llm.ToolCall{Name: name, Arguments: "{}"}, llm.ToolCall{Name: "roll", Arguments: "{}"})}
		}
	case 8:
		said.Late = broken
	}
	return said
}

// randomSession returns how a session opens and how it may end by itself.
func randomSession(r *rand.Rand) s2stest.Opening {
	o := s2stest.Opening{Takes: time.Duration(r.IntN(500)) * time.Millisecond}
	switch r.IntN(10) {
	case 0:
		o.Err = s2s.ErrUnavailable
	case 1:
		o.Takes = time.Minute
	case 2, 3:
		o.Steps = []s2stest.Step{{After: time.Duration(r.IntN(60)) * time.Second, Tell: s2s.GoingAway{Left: 5 * time.Second}}, {After: 5 * time.Second, Ends: s2s.ErrUnavailable}}
	}
	return o
}

// dice is a random source for several goroutines.
type dice struct {
	mu sync.Mutex
	r  *rand.Rand
}

func (d *dice) throw(f func(*rand.Rand)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	f(d.r)
}

func (d *dice) below(n int) (v int) {
	d.throw(func(r *rand.Rand) { v = r.IntN(n) })
	return v
}

// sit has a player talk to an NPC, continue, interrupt, or address another NPC.
func (b *bench) sit(d *dice) {
	history := []llm.Message{}
	for i := range 12 {
		req := b.request(fmt.Sprintf("Line %d?", i), history...)
		if d.below(3) > 0 {
			req.Spoken = engine.NewRecording()
			b.engine.ListenAhead(engine.Ahead{NPC: req.NPC, Messages: req.Messages[:1+len(history)], Tools: req.Tools, Sound: req.Spoken})
			for range 1 + d.below(20) {
				req.Spoken.Append(s2stest.Tone(200, 100*time.Millisecond, audio.SampleRate))
				time.Sleep(100 * time.Millisecond)
			}
			req.Spoken.End()
			if d.below(4) == 0 {
				b.engine.Decline(req.NPC, req.Spoken)
				continue
			}
			if d.below(4) == 0 { // another player talks over it
				b.engine.ListenAhead(engine.Ahead{NPC: req.NPC, Messages: req.Messages[:1+len(history)], Tools: req.Tools, Sound: recorded(time.Second)})
			}
		}
		ctx, cancel := context.WithCancel(b.t.Context())
		if d.below(3) == 0 {
			time.AfterFunc(time.Duration(d.below(4000))*time.Millisecond, cancel)
		}
		began := time.Now()
		if d.below(3) > 0 {
			req.Playback = engine.Playback{Heard: func() time.Duration { return time.Since(began) / 2 }, Ended: ctx.Done()}
		}
		got := b.answer(ctx, req)
		if got.err == nil && len(got.spoken)+len(got.sentences) == 0 && ctx.Err() == nil && len(got.notices) > 0 {
			b.t.Errorf("line %d came to nothing: %+v", i, got)
		}
		if said := got.words(); said != "" || len(got.sentences) > 0 {
			history = append(history, exchange(fmt.Sprintf("Line %d?", i), said+fmt.Sprint(got.sentences))...)
		}
		time.AfterFunc(time.Duration(d.below(3000))*time.Millisecond, cancel) // until then it may be heard
	}
}

// TestAnythingMayHappen plays random sittings with vendors of every kind: each turn ends,
// the provider contract holds, and nothing is left running.
func TestAnythingMayHappen(t *testing.T) {
	manual, by, duplex := able, able, s2s.Capabilities{InputRate: 24_000, OutputRate: 24_000, Duplex: true}
	by.ToolChange, by.Longest = s2s.ToolsByNewSession, 40*time.Second
	by.Truncates, by.InputRate = false, 16_000
	for name, can := range map[string]s2s.Capabilities{"manual": manual, "new_sessions": by, "duplex": duplex} {
		for seed := range uint64(15) {
			t.Run(fmt.Sprintf("%s/%d", name, seed), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					d := &dice{r: rand.New(rand.NewPCG(seed, 7))}
					b := newBench(t, s2stest.Options{
						Capabilities: can, Resumes: seed%2 == 0,
						Open: func(int, s2s.SessionOptions) (o s2stest.Opening) {
							d.throw(func(r *rand.Rand) { o = randomSession(r) })
							return o
						},
						Answer: func(turn s2stest.Turn) (a s2stest.Answer) {
							d.throw(func(r *rand.Rand) { a = randomAnswer(r, turn) })
							return a
						},
					}, &s2sengine.Options{Idle: 20 * time.Second, ToolTimeout: 5 * time.Second})
					b.sit(d)
					b.close()
				})
			})
		}
	}
}
