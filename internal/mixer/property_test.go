package mixer_test

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/MrWong99/glyphoxa/internal/mixer"
)

// act is one call that a table makes to its mixer.
type act struct {
	verb string
	line int
	size int // append, sentence: samples
	wait time.Duration
}

func (a act) String() string {
	return fmt.Sprintf("%v later: %s line %d (%d samples)", a.wait, a.verb, a.line, a.size)
}

const linesDrawn = 3

func drawActs(t *rapid.T) []act {
	verbs := []string{"begin", "append", "append", "append", "append", "end", "sentence", "sentence", "close", "play", "play", "pause", "resume", "resume", "duck", "unduck", "stop", "take", "take"}
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) act {
		a := act{
			verb: rapid.SampledFrom(verbs).Draw(t, "verb"),
			line: rapid.IntRange(0, linesDrawn-1).Draw(t, "line"),
			wait: time.Duration(rapid.SampledFrom([]int{0, 0, 1, 7, 19, 20, 33, 230}).Draw(t, "wait")) * time.Millisecond,
		}
		if a.verb == "append" || a.verb == "sentence" {
			a.size = rapid.SampledFrom([]int{0, 1, 100, 300, 959, 960, 961, 2000, 4800, 12345}).Draw(t, "size")
		}
		return a
	}), 60, 150).Draw(t, "acts")
}

// world is a mixer and its model; both receive the same acts.
type world struct {
	m       *mixer.Mixer
	out     *recorder
	start   time.Time
	lines   []*mixer.Line
	model   model
	doubles []*modelLine
	begun   uint64 // lines so far
	written []int  // samples so far; neighbouring samples differ
	got     []event
}

func newWorld(lead time.Duration, trails int, silent bool) *world {
	w := &world{out: newRecorder(), written: make([]int, linesDrawn)}
	w.start = w.out.start
	w.model = model{lead: lead, trails: trails, silent: silent, idle: true}
	if silent {
		w.m = mixer.New(nil, nil)
	} else {
		w.m = mixer.New(w.out, &mixer.Options{Lead: lead, Trail: time.Duration(trails) * frame})
	}
	w.lines = make([]*mixer.Line, linesDrawn)
	w.doubles = make([]*modelLine, linesDrawn)
	for i := range linesDrawn {
		w.renew(i)
	}
	return w
}

// renew replaces a line that is over.
func (w *world) renew(i int) {
	w.begun++
	w.lines[i] = mixer.NewLine(w.begun)
	w.doubles[i] = &modelLine{id: w.begun}
}

// sound returns the next n samples of a line; each line has its own values.
func (w *world) sound(line, n int) []int16 {
	s := make([]int16, n)
	for i := range s {
		s[i] = int16((w.written[line]+i)%9973 + 1 + line*10000)
	}
	w.written[line] += n
	return s
}

// do applies a to both and waits until they are idle.
func (w *world) do(a act) {
	if a.verb == "begin" && w.doubles[a.line].over {
		w.renew(a.line)
	}
	l, d := w.lines[a.line], w.doubles[a.line]
	switch a.verb {
	case "begin":
		l.Begin()
		d.begin()
	case "append":
		s := w.sound(a.line, a.size)
		l.Append(s)
		d.add(s)
	case "sentence":
		w.do(act{verb: "begin", line: a.line})
		w.do(act{verb: "append", line: a.line, size: a.size})
		w.do(act{verb: "end", line: a.line})
	case "end":
		l.End()
		d.end()
	case "close":
		l.Close()
		d.end()
		d.closed = true
	case "play":
		w.m.Play(l)
		w.model.play(d)
	case "pause":
		w.m.Pause(l)
		w.model.pause(d)
	case "resume":
		w.m.Play(l)
		w.model.play(d)
	case "duck", "unduck":
		w.m.Duck(l, a.verb == "duck")
		w.model.duck(d, a.verb == "duck")
	case "stop":
		w.m.Stop(l)
		w.model.stop(d)
	}
	synctest.Wait()
	w.model.advance(w.model.now)
}

// take moves the mixer's notes to w.got.
func (w *world) take() {
	for _, n := range w.m.DrainEvents(nil) {
		w.got = append(w.got, event{told{n.Line, n.Kind, n.Sentence, n.Played}, n.At.Sub(w.start)})
	}
}

// check describes the first difference, or returns an empty string.
func (w *world) check() string {
	want := w.model.notes
	w.model.notes = nil
	w.got = nil
	w.take()
	if !slices.Equal(w.got, want) {
		return fmt.Sprintf("notes %v, want %v", w.got, want)
	}
	frames := w.out.all()
	for i, h := range frames {
		if i >= len(w.model.frames) || h != w.model.frames[i] {
			return fmt.Sprintf("frame %d at %v is not that of the model", i, h.at)
		}
	}
	if len(frames) != len(w.model.frames) {
		return fmt.Sprintf("%d frames, want %d", len(frames), len(w.model.frames))
	}
	for i := 1; i < len(frames) && w.model.lead == 0; i++ {
		if gap := frames[i].at - frames[i-1].at; gap < frame {
			return fmt.Sprintf("frame %d comes %v after the one before", i, gap)
		}
	}
	return ""
}

// The mixer plays what was appended, in order, one line at a time, and reports the same
// events as the model, for any sequence of acts.
func TestMixerDoesAsItsModel(t *testing.T) {
	kinds := map[mixer.Kind]int{}
	rapid.Check(t, func(rt *rapid.T) {
		acts := drawActs(rt)
		lead := rapid.SampledFrom([]time.Duration{0, 0, 30 * time.Millisecond, 100 * time.Millisecond}).Draw(rt, "lead")
		trails := rapid.SampledFrom([]int{0, 0, 1, 5}).Draw(rt, "trails")
		silent := rapid.IntRange(0, 7).Draw(rt, "silent") == 0
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(lead, trails, silent)
			run(t, w.m)
			seen := sentenceOrder{}
			for i, a := range append(acts, act{verb: "take", wait: 3 * time.Second}) {
				// The added microsecond keeps acts and frames apart, because in the same
				// instant either may come first.
				wait := a.wait + time.Microsecond
				time.Sleep(wait)
				synctest.Wait()
				w.model.advance(w.model.now + wait)
				w.do(a)
				if a.verb != "take" {
					continue
				}
				fault := w.check()
				for _, e := range w.got {
					kinds[e.kind]++
				}
				if fault == "" {
					fault = seen.add(w.got)
				}
				if fault != "" {
					rt.Errorf("after act %d: %s\nacts %v", i, fault, acts)
					return
				}
			}
		})
	})
	for _, k := range []mixer.Kind{mixer.Started, mixer.SentenceEnded, mixer.Dry, mixer.Finished} {
		if kinds[k] == 0 {
			t.Errorf("no run came to a note %q: the acts show nothing", k)
		}
	}
}

// sentenceOrder holds, by line, the next sentence that may end.
type sentenceOrder map[uint64]int

func (o sentenceOrder) add(events []event) string {
	for _, e := range events {
		if e.kind != mixer.SentenceEnded {
			continue
		}
		if e.sentence != o[e.line] {
			return fmt.Sprintf("sentence %d of line %d ended, want %d", e.sentence, e.line, o[e.line])
		}
		o[e.line]++
	}
	return ""
}
