package voicebench

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"sync"
	"time"

	"github.com/MrWong99/glyphoxa/internal/agent"
	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/ear"
	"github.com/MrWong99/glyphoxa/internal/engine"
	"github.com/MrWong99/glyphoxa/internal/hotctx"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
	"github.com/MrWong99/glyphoxa/internal/providers"
	"github.com/MrWong99/glyphoxa/internal/table"
	"github.com/MrWong99/glyphoxa/pkg/audio"
	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/provider/stt"
)

// listened is a recogniser that returns each clip's text once its voice has
// ended.
type listened struct {
	interim, final time.Duration
	results        chan stt.Result

	mu         sync.Mutex // guards the fields below
	text       string     // recognised, not yet in a final
	utterances int
}

func (*listened) Name() string { return "script" }

func (l *listened) Listen(context.Context, stt.Options) (stt.Stream, error) {
	return &listenedStream{listened: l, closed: make(chan struct{})}, nil
}

// understand is called when a clip's voice has ended.
func (l *listened) understand(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text = text
	n := l.utterances
	l.later(l.interim, func() stt.Result { return stt.Result{Utterance: n, Text: text} })
}

// later delivers a result after a delay. It is not waited for, because the
// process ends with the plan.
func (l *listened) later(after time.Duration, result func() stt.Result) {
	time.AfterFunc(after, func() { l.results <- result() })
}

// listenedStream is a continuous stream.
type listenedStream struct {
	*listened
	closed chan struct{}
	once   sync.Once
}

func (*listenedStream) Send([]int16) error { return nil }

func (s *listenedStream) Finish(context.Context) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, text := s.utterances, s.text
	s.utterances, s.text = n+1, ""
	s.later(s.final, func() stt.Result { return stt.Result{Utterance: n, Text: text, Final: true} })
	return n, nil
}

// Resume implements stt.Resumer: later speech gets a separate transcript.
func (*listenedStream) Resume() {}

func (s *listenedStream) Recv(ctx context.Context) (stt.Result, error) {
	select {
	case r := <-s.results:
		return r, nil
	case <-s.closed:
		return stt.Result{}, stt.ErrClosed
	case <-ctx.Done():
		return stt.Result{}, ctx.Err()
	}
}

func (*listenedStream) Stats() stt.Stats { return stt.Stats{} }

func (s *listenedStream) Close() error {
	s.once.Do(func() { close(s.closed) })
	return nil
}

// microphone is a player's open microphone with occasional speech.
type microphone struct {
	seat *table.Seat
	late int

	mu    sync.Mutex // guards queue
	queue []said
}

// said is a frame of a clip. at, if not nil, receives the time when it was
// heard.
type said struct {
	frame audio.Frame
	at    chan<- time.Time
}

// say plays a clip. begun and over receive the times of the frames in which its
// voice begins and ends.
func (m *microphone) say(c voicedClip, begun, over chan<- time.Time) error {
	f, err := os.Open(c.File)
	if err != nil {
		return err
	}
	defer f.Close()
	sound := audio.NewS16LEReader(f)
	m.mu.Lock()
	defer m.mu.Unlock()
	for k := 0; ; k++ {
		var s said
		for n := 0; n < len(s.frame); {
			got, err := sound.Read(s.frame[n:])
			if got == 0 && err != nil {
				return nil // the file contains whole frames
			}
			n += got
		}
		switch k {
		case c.Begin:
			s.at = begun
		case c.End:
			s.at = over
		}
		m.queue = append(m.queue, s)
	}
}

// listen plays the frames in real time, until ctx ends. It fails if the machine
// cannot keep up.
func (m *microphone) listen(ctx context.Context) error {
	chance := rand.New(rand.NewPCG(1, 2))
	began := time.Now()
	for k := 0; ; k++ {
		due := began.Add(time.Duration(k) * audio.FrameDuration)
		if sleep(ctx, time.Until(due)) != nil {
			return nil
		}
		var s said
		m.mu.Lock()
		if len(m.queue) > 0 {
			s, m.queue = m.queue[0], m.queue[1:]
		}
		m.mu.Unlock()
		for i := range s.frame {
			s.frame[i] += int16(chance.IntN(41) - 20)
		}
		now := time.Now()
		switch late := millis(now.Sub(due)); {
		case late > starvedFrame:
			return errStarved
		case late > lateFrame:
			m.late++
		}
		m.seat.Push(ear.Packet{Seq: uint16(k), Frame: &s.frame})
		if s.at != nil {
			s.at <- now
		}
	}
}

// playVoiced plays a plan on our side, with the product's default settings
// unless told otherwise.
func playVoiced(ctx context.Context, p voicedPlan) (voicedReport, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	detection, err := providers.OpenDetection(config.Hearing{Detection: config.DetectionSilero, ONNXRuntime: p.Detector}, func(err error) { cancel(err) })
	if err != nil {
		return voicedReport{}, err
	}
	host := mcphost.New()
	hears := &listened{interim: duration(p.InterimMS), final: duration(p.FinalMS), results: make(chan stt.Result, 64)}
	r := newVoicedRoom(p, host, hears)
	var running sync.WaitGroup
	running.Go(func() { _ = r.Run(ctx) }) // ends with ctx, without an error
	mic := &microphone{}
	mic.seat, err = r.Join(ctx, player, &table.JoinOptions{Detector: detection.NewDetector()})
	if err != nil {
		return voicedReport{}, err
	}
	running.Go(func() {
		if err := mic.listen(ctx); err != nil {
			cancel(err)
		}
	})
	report, err := r.playVoiced(ctx, p, mic, hears)
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	cancel(nil)
	running.Wait()
	report.Late = mic.late
	return report, errors.Join(err, host.Close(), detection.Close())
}

func duration(ms float64) time.Duration { return time.Duration(ms * float64(time.Millisecond)) }

// newVoicedRoom creates a table with a default configuration.
func newVoicedRoom(p voicedPlan, host *mcphost.Host, hears stt.Recogniser) *room {
	s := newScript(plan{LLMMS: p.LLMMS, TTSMS: p.TTSMS, SoundMS: p.SoundMS, Answer: p.Answer})
	r := &room{script: s, outlet: &outlet{first: make(chan time.Time, 1)}, ended: make(chan struct{}, 4)}
	npc, cfg := config.DefaultNPC(), config.Default()
	npc.ID, npc.Name, npc.Personality, npc.BudgetTier = "bart", npcName, p.Persona, mcp.BudgetFast
	log := &journal{}
	r.Table = table.New(table.Options{
		Agents: []*agent.Agent{agent.New(npc, agent.Options{History: cfg.Memory.History})},
		Engine: engine.NewCascaded(model{s}, nil), Host: host,
		Log: log, Context: hotctx.New(log, nowhere{}), Session: memory.Session{ID: "voiced"},
		Sink: r, Latency: cfg.Latency, RecentLines: cfg.Memory.RecentLines,
		Voices: s, Outlet: r.outlet, Hearing: hears, Expect: stt.Options{Interim: true}, EarlyFinals: cfg.Hearing.EarlyFinals,
	})
	return r
}

// playVoiced plays all turns, after an uncounted one.
func (r *room) playVoiced(ctx context.Context, p voicedPlan, mic *microphone, hears *listened) (voicedReport, error) {
	var report voicedReport
	for n := range p.Turns + 1 {
		if err := sleep(ctx, duration(p.RestMS)); err != nil {
			return report, err
		}
		first, last, err := r.voicedTurn(ctx, p, mic, hears)
		if err != nil {
			return report, fmt.Errorf("turn %d: %w", n, err)
		}
		if n > 0 {
			report.First, report.Last = append(report.First, first), append(report.Last, last)
		}
	}
	return report, nil
}

// voicedTurn is a question, an interruption of its answer, and the answer to
// that, which is cut off. Times are in milliseconds.
func (r *room) voicedTurn(ctx context.Context, p voicedPlan, mic *microphone, hears *listened) (first, last float64, err error) {
	begun, over := make(chan time.Time, 1), make(chan time.Time, 1)
	r.outlet.armed.Store(true)
	if err := mic.say(p.Question, begun, over); err != nil {
		return 0, 0, err
	}
	ended, err := await(ctx, over, "question")
	if err != nil {
		return 0, 0, err
	}
	hears.understand(p.Question.Text)
	heard, err := await(ctx, r.outlet.first, "frame")
	if err != nil {
		return 0, 0, err
	}
	if err := sleep(ctx, duration(p.HearMS)); err != nil {
		return 0, 0, err
	}
	<-begun
	if err := mic.say(p.Interruption, begun, over); err != nil {
		return 0, 0, err
	}
	from, err := await(ctx, begun, "interruption")
	if err != nil {
		return 0, 0, err
	}
	spoken := make(chan error, 1)
	go func() { // ends with the interruption, which is awaited below
		_, err := await(ctx, over, "end of the interruption")
		hears.understand(p.Interruption.Text)
		spoken <- err
	}()
	until, err := r.stops(ctx)
	if err = errors.Join(err, <-spoken); err != nil {
		return 0, 0, err
	}
	if _, err := await(ctx, r.outlet.first, "frame of the second answer"); err != nil {
		return 0, 0, err
	}
	if err := sleep(ctx, 3*audio.FrameDuration); err != nil {
		return 0, 0, err
	}
	_, err = r.silence(ctx)
	for len(r.ended) > 0 { // of a retracted line
		<-r.ended
	}
	return millis(heard.Sub(ended)), millis(until.Sub(from)), err
}

// stops waits until an answer has stopped and returns the time of its last
// frame.
func (r *room) stops(ctx context.Context) (time.Time, error) {
	for {
		if err := sleep(ctx, audio.FrameDuration/4); err != nil {
			return time.Time{}, err
		}
		if last := *r.outlet.last.Load(); time.Since(last) > 5*audio.FrameDuration/2 {
			r.outlet.armed.Store(true)
			for len(r.ended) > 0 {
				<-r.ended
			}
			return last, nil
		}
	}
}
