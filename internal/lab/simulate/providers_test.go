package simulate

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/MrWong99/glyphoxa/internal/lab/rig"
	"github.com/MrWong99/glyphoxa/pkg/audio"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
	"github.com/MrWong99/glyphoxa/pkg/provider/stt"
	"github.com/MrWong99/glyphoxa/pkg/provider/tts"
)

func openEar(t *testing.T, w *rig.Words, latency time.Duration) stt.Stream {
	t.Helper()
	h := newRecogniser(map[string]*rig.Words{"Alice": w}, newDice(1, 1), Latency{P50: latency})
	s, err := h.Listen(t.Context(), stt.Options{Speaker: "Alice", Interim: true})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// send sends d of sound to a stream in real time.
func send(t *testing.T, s stt.Stream, d time.Duration) {
	t.Helper()
	for range d / audio.FrameDuration {
		time.Sleep(audio.FrameDuration)
		if err := s.Send(make([]int16, audio.FrameSamples)); err != nil {
			t.Fatal(err)
		}
	}
}

func TestTranscriptIsWhatWasSaid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &rig.Words{}
		s := openEar(t, w, 120*time.Millisecond)
		w.Add(time.Now(), rig.SpreadWords("one two three four", 2*time.Second)...)
		send(t, s, 2*time.Second)
		interim, err := s.Recv(t.Context())
		if err != nil || interim.Final || interim.Text != "one two three" {
			t.Errorf("first transcript = %+v, %v, want the interim one of what was said", interim, err)
		}
		if n, err := s.Finish(t.Context()); n != 0 || err != nil {
			t.Fatalf("Finish = %d, %v, want 0", n, err)
		}
		start := time.Now()
		r, err := s.Recv(t.Context())
		if err != nil || !r.Final || r.Text != "one two three four" || r.Utterance != 0 {
			t.Errorf("Recv = %+v, %v, want the final transcript", r, err)
		}
		if got := time.Since(start); got != 120*time.Millisecond {
			t.Errorf("the transcript took %v, want 120 ms", got)
		}
		if n, _ := s.Finish(t.Context()); n != 1 {
			t.Errorf("the second utterance is number %d, want 1", n)
		}
		if r, err := s.Recv(t.Context()); err != nil || !r.Final || r.Text != "" {
			t.Errorf("Recv = %+v, %v, want an empty transcript for a second utterance without words", r, err)
		}
	})
}

func TestHearingKeepsTheContractOfStreams(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newRecogniser(nil, nil, Latency{})
		if _, err := h.Listen(t.Context(), stt.Options{Speaker: "Nobody"}); !errors.Is(err, stt.ErrRejected) {
			t.Errorf("opening a stream for a stranger: %v, want ErrRejected", err)
		}
		s := openEar(t, &rig.Words{}, time.Second)
		for range stt.MaxPending {
			if _, err := s.Finish(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := s.Finish(t.Context()); !errors.Is(err, stt.ErrBusy) {
			t.Errorf("finishing one too many: %v, want ErrBusy", err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		if _, err := s.Recv(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("receiving with a context that ends: %v, want its error", err)
		}
		received := make(chan error)
		go func() {
			for {
				if _, err := s.Recv(t.Context()); err != nil {
					received <- err
					return
				}
			}
		}()
		time.Sleep(5 * time.Second)
		for range 2 {
			if err := s.Close(); err != nil {
				t.Errorf("Close: %v", err)
			}
		}
		if err := <-received; !errors.Is(err, stt.ErrClosed) {
			t.Errorf("receiving from a closed stream: %v, want ErrClosed", err)
		}
		if err := s.Send(nil); !errors.Is(err, stt.ErrClosed) {
			t.Errorf("sending to a closed stream: %v, want ErrClosed", err)
		}
		if _, err := s.Finish(t.Context()); !errors.Is(err, stt.ErrClosed) {
			t.Errorf("finishing on a closed stream: %v, want ErrClosed", err)
		}
	})
}

func TestModelWritesAnAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &model{dice: newDice(1, 1), latency: Latency{P50: 300 * time.Millisecond}}
		start := time.Now()
		var first time.Duration
		var text strings.Builder
		for c, err := range m.Stream(t.Context(), llm.Request{}) {
			if err != nil {
				t.Fatal(err)
			}
			if first == 0 {
				first = time.Since(start)
			}
			text.WriteString(c.Text)
		}
		if first != 300*time.Millisecond {
			t.Errorf("the first chunk came after %v, want 300 ms", first)
		}
		if got := text.String(); !strings.HasSuffix(got, ".") || len(got) < 20 {
			t.Errorf("the answer is %q, want whole sentences", got)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		for _, err := range m.Stream(ctx, llm.Request{}) {
			if !errors.Is(err, context.Canceled) {
				t.Errorf("a cancelled answer: %v, want its context's error", err)
			}
		}
	})
}

func TestModelRollsSometimes(t *testing.T) {
	m := &model{dice: newDice(1, 1)}
	req := llm.Request{Tools: []llm.ToolDefinition{{Name: "roll"}}}
	rolls := 0
	for range 1000 {
		if _, ok := m.tool(req); ok {
			rolls++
		}
	}
	if rolls < 70 || rolls > 130 {
		t.Errorf("%d of 1000 answers begin with a roll, want about 100", rolls)
	}
	req.Messages = []llm.Message{{Role: llm.RoleTool}}
	for range 1000 {
		if _, ok := m.tool(req); ok {
			t.Fatal("the model rolls again with the result at hand")
		}
	}
}

func TestVoiceIsFasterThanPlayback(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := &voices{pool: frames(t), dice: newDice(1, 1), latency: Latency{P50: 150 * time.Millisecond}}
		const text = "Nobody goes up there any more, not since the autumn."
		start, n := time.Now(), 0
		for pcm, err := range v.Synthesize(t.Context(), text, tts.Voice{ID: "Greta"}) {
			if err != nil {
				t.Fatal(err)
			}
			if n == 0 && time.Since(start) != 150*time.Millisecond {
				t.Errorf("the first sound came after %v, want 150 ms", time.Since(start))
			}
			if pcm.Rate != voiceRate {
				t.Fatalf("a piece at %d samples a second, want %d", pcm.Rate, voiceRate)
			}
			n += len(pcm.Samples)
		}
		if got, want := audio.Duration(n, voiceRate), speaking(text); (got - want).Abs() > time.Millisecond {
			t.Errorf("%v of sound, want %v", got, want)
		}
		if got, most := time.Since(start), 150*time.Millisecond+speaking(text)/speed; got > most {
			t.Errorf("it took %v, want at most %v", got, most)
		}
	})
}
