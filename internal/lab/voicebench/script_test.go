package voicebench

import (
	"context"
	"iter"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/pkg/audio"
	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
	"github.com/MrWong99/glyphoxa/pkg/provider/stt"
)

// script replaces the model, the voice and the transcriber of one table.
type script struct {
	plan     plan
	sound    []int16 // one frame of the answer
	waited   atomic.Int64
	finals   chan time.Time // the time of each final transcript
	finished chan int       // utterances waiting for their transcript
}

func newScript(p plan) *script {
	return &script{plan: p, sound: tone(1000), finals: make(chan time.Time, 1), finished: make(chan int, stt.MaxPending)}
}

// tone returns a frame of a tone with all overtones up to 4 kHz, like a voice.
func tone(hertz float64) []int16 {
	out := make([]int16, audio.FrameSamples)
	for i := range out {
		at := 2 * math.Pi * hertz * float64(i) / audio.SampleRate
		for k := 1.0; k*hertz <= 4000; k++ {
			out[i] += int16(6000 / k * math.Sin(k*at))
		}
	}
	return out
}

// wait simulates a provider's latency in milliseconds and adds the real time to
// its count, because timers can be late.
func (s *script) wait(ctx context.Context, ms float64) error {
	if ms <= 0 {
		return ctx.Err()
	}
	from := time.Now()
	defer func() { s.waited.Add(int64(time.Since(from))) }()
	timer := time.NewTimer(time.Duration(ms * float64(time.Millisecond)))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// model is the script as a language model.
type model struct{ *script }

func (model) Name() string { return "script" }

// Stream answers with one sentence in one piece.
func (m model) Stream(ctx context.Context, _ llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		if err := m.wait(ctx, m.plan.LLMMS); err != nil {
			yield(llm.Chunk{}, err)
			return
		}
		yield(llm.Chunk{Text: m.plan.Answer, FinishReason: "stop"}, nil)
	}
}

// Synthesize returns the same sound for every sentence, in frames.
func (s *script) Synthesize(ctx context.Context, _ config.NPC, _ string) iter.Seq2[[]int16, error] {
	return func(yield func([]int16, error) bool) {
		if err := s.wait(ctx, s.plan.TTSMS); err != nil {
			yield(nil, err)
			return
		}
		for at := 0.0; at < s.plan.SoundMS; at += millis(audio.FrameDuration) {
			if !yield(s.sound, nil) {
				return
			}
		}
	}
}

// transcriber is the script as speech recognition: it returns the plan's
// utterance for any sound, at once.
type transcriber struct{ *script }

func (transcriber) Name() string { return "script" }

func (t transcriber) Listen(context.Context, stt.Options) (stt.Stream, error) {
	return &transcript{script: t.script, closed: make(chan struct{})}, nil
}

type transcript struct {
	*script
	utterances int
	closed     chan struct{}
	once       sync.Once
}

func (*transcript) Send([]int16) error { return nil }

func (s *transcript) Finish(context.Context) (int, error) {
	n := s.utterances
	select {
	case s.finished <- n:
		s.utterances++
		return n, nil
	default:
		return 0, stt.ErrBusy
	}
}

func (s *transcript) Recv(ctx context.Context) (stt.Result, error) {
	select {
	case n := <-s.finished:
		s.finals <- time.Now()
		return stt.Result{Utterance: n, Text: s.plan.Utterance, Final: true}, nil
	case <-s.closed:
		return stt.Result{}, stt.ErrClosed
	case <-ctx.Done():
		return stt.Result{}, ctx.Err()
	}
}

func (*transcript) Stats() stt.Stats { return stt.Stats{} }

func (s *transcript) Close() error {
	s.once.Do(func() { close(s.closed) })
	return nil
}

// outlet receives the table's sound: it records the times of an answer's first
// frame and of its last audible frame.
type outlet struct {
	armed atomic.Bool
	first chan time.Time
	last  atomic.Pointer[time.Time]
}

func (o *outlet) Write(_ context.Context, frame *audio.Frame) error {
	now := time.Now()
	if !slices.ContainsFunc(frame[:], func(v int16) bool { return v != 0 }) {
		return nil
	}
	o.last.Store(&now)
	if o.armed.CompareAndSwap(true, false) {
		o.first <- now
	}
	return nil
}

// journal is a session log in memory.
type journal struct {
	memory.SessionLog
	mu    sync.Mutex
	lines []memory.Line
}

func (j *journal) Append(_ context.Context, lines ...memory.Line) ([]memory.Line, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.lines = append(j.lines, lines...)
	return lines, nil
}

func (j *journal) RecentFor(ctx context.Context, session, _ string, n int) ([]memory.Line, error) {
	return j.Recent(ctx, session, n)
}

func (j *journal) Recent(_ context.Context, _ string, n int) ([]memory.Line, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clone(j.lines[max(0, len(j.lines)-n):]), nil
}

// nowhere is an empty world.
type nowhere struct{}

func (nowhere) FindEntities(context.Context, memory.EntityQuery) ([]memory.Entity, error) {
	return nil, nil
}

func (nowhere) Places(context.Context, string, ...string) (map[string]memory.Entity, error) {
	return nil, nil
}

func (nowhere) Inside(context.Context, string, string, int) ([]memory.Entity, error) { return nil, nil }
