package cost_test

import (
	"context"
	"errors"
	"iter"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/MrWong99/glyphoxa/internal/cost"
	"github.com/MrWong99/glyphoxa/pkg/provider/fallback"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
	"github.com/MrWong99/glyphoxa/pkg/provider/s2s"
	"github.com/MrWong99/glyphoxa/pkg/provider/stt"
	"github.com/MrWong99/glyphoxa/pkg/provider/tts"
)

var errDown = errors.New("down")

// model returns scripted chunks.
type model struct {
	name   string
	chunks []llm.Chunk
	err    error // after the chunks
	hangs  bool  // after the chunks, until the context ends
	warmed int
}

func (m *model) Name() string               { return m.name }
func (m *model) Warm(context.Context) error { m.warmed++; return errDown }

func (m *model) Stream(ctx context.Context, _ llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		for _, c := range m.chunks {
			if !yield(c, nil) {
				return
			}
		}
		if m.hangs {
			<-ctx.Done()
			yield(llm.Chunk{}, ctx.Err())
		} else if m.err != nil {
			yield(llm.Chunk{}, m.err)
		}
	}
}

// charged returns the usage charged, by provider.
func charged(m *cost.Meter) map[string]cost.Usage {
	all := map[string]cost.Usage{}
	for _, e := range m.Report().Providers {
		all[e.Name] = e.Usage
	}
	return all
}

// ask has 37 bytes: 20 of words, 17 of a tool.
var ask = llm.Request{
	Messages: []llm.Message{{Role: llm.RoleUser, Name: "Ana", Content: "what is on tap ?."}},
	Tools:    []llm.ToolDefinition{{Name: "roll", Description: "Rolls dice.", Parameters: map[string]any{}}},
}

func TestModel(t *testing.T) {
	usage := &llm.Usage{PromptTokens: 90, CompletionTokens: 12, CachedTokens: 60}
	told := cost.Usage{Input: 90, Output: 12, Cached: 60}
	words := llm.Chunk{Text: "Ale and mead"} // estimated as 3 tokens
	for _, tt := range []struct {
		name   string
		model  model
		leaves int           // chunks until the caller leaves; 0 for never
		after  time.Duration // until the context ends; 0 for never
		want   cost.Usage
	}{
		{name: "told", model: model{chunks: []llm.Chunk{words, {FinishReason: "stop", Usage: usage}}}, want: told},
		{name: "told_and_left", model: model{chunks: []llm.Chunk{words, {Usage: usage}, words}}, leaves: 2, want: told},
		{name: "never_told", model: model{chunks: []llm.Chunk{words, {FinishReason: "stop"}}}, want: cost.Usage{Input: 10, Output: 3, Estimated: 13}},
		{name: "left", model: model{chunks: []llm.Chunk{words, words}}, leaves: 1, want: cost.Usage{Input: 10, Output: 3, Estimated: 13}},
		{name: "broken_off", model: model{chunks: []llm.Chunk{words}, err: errDown}, want: cost.Usage{Input: 10, Output: 3, Estimated: 13}},
		{name: "calls_count", model: model{chunks: []llm.Chunk{{ToolCalls: []llm.ToolCall{{Name: "roll", Arguments: `{"a":12}`}}}}}, want: cost.Usage{Input: 10, Output: 3, Estimated: 13}},
		{name: "cancelled_before_the_first_word", model: model{hangs: true}, after: time.Second, want: cost.Usage{Input: 10, Estimated: 10}},
		{name: "cancelled_in_the_middle", model: model{chunks: []llm.Chunk{words}, hangs: true}, after: time.Second, want: cost.Usage{Input: 10, Output: 3, Estimated: 13}},
		{name: "refused", model: model{err: errDown}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := cost.NewMeter(cost.Options{})
				ctx, cancel := context.WithCancel(cost.WithAccount(t.Context(), m.Account("Mira")))
				defer cancel()
				if tt.after > 0 {
					time.AfterFunc(tt.after, cancel)
				}
				tt.model.name = "chat"
				var failed error
				n := 0
				for _, err := range cost.MeteredModel(&tt.model).Stream(ctx, ask) {
					failed = err
					if n++; n == tt.leaves {
						break
					}
				}
				if tt.model.err != nil && !errors.Is(failed, tt.model.err) {
					t.Errorf("err = %v, want the model's", failed)
				}
				if got := charged(m)["chat"]; got != tt.want {
					t.Errorf("charged %+v, want %+v", got, tt.want)
				}
			})
		})
	}
}

// TestWhoReallyAnsweredIsCharged has a second model take over: the model that answered is
// charged.
func TestWhoReallyAnsweredIsCharged(t *testing.T) {
	first := &model{name: "first", err: errDown}
	second := &model{name: "second", chunks: []llm.Chunk{{Text: "Aye."}, {Usage: &llm.Usage{PromptTokens: 7, CompletionTokens: 2}}}}
	c := llm.NewChain([]llm.Link{{Name: "first", Provider: cost.MeteredModel(first)}, {Name: "second", Provider: cost.MeteredModel(second)}}, nil)
	m := cost.NewMeter(cost.Options{})
	for _, err := range c.Stream(cost.WithAccount(t.Context(), m.Account("Mira")), ask) {
		if err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(map[string]cost.Usage{"second": {Input: 7, Output: 2}}, charged(m)); diff != "" {
		t.Errorf("charged (-want +got):\n%s", diff)
	}
	if err := c.Warm(t.Context()); first.warmed != 1 || second.warmed != 1 || !errors.Is(err, errDown) {
		t.Errorf("warmed %d and %d times, %v; want once each, and what they said", first.warmed, second.warmed, err)
	}
	if c.Name() != "first, then second" {
		t.Errorf("the name is %q", c.Name())
	}
}

// voice produces pieces of sound of 100 ms.
type voice struct {
	pieces int
	err    error // after the pieces
	hangs  bool  // after the pieces
}

func (*voice) Name() string { return "voice" }

func (v *voice) Synthesize(ctx context.Context, _ string, _ tts.Voice) iter.Seq2[tts.PCM, error] {
	return func(yield func(tts.PCM, error) bool) {
		for range v.pieces {
			if !yield(tts.PCM{Samples: make([]int16, 2400), Rate: 24000}, nil) {
				return
			}
		}
		if v.hangs {
			<-ctx.Done()
			yield(tts.PCM{}, ctx.Err())
		} else if v.err != nil {
			yield(tts.PCM{}, v.err)
		}
	}
}

func TestVoice(t *testing.T) {
	for _, tt := range []struct {
		name   string
		voice  voice
		pieces int // until the caller leaves; 0 for never
		after  time.Duration
		want   cost.Usage
	}{
		{name: "spoken", voice: voice{pieces: 3}, want: cost.Usage{Characters: 5, Spoken: 300 * time.Millisecond}},
		{name: "left", voice: voice{pieces: 3}, pieces: 2, want: cost.Usage{Characters: 5, Spoken: 200 * time.Millisecond}},
		{name: "broken_off", voice: voice{pieces: 1, err: errDown}, want: cost.Usage{Characters: 5, Spoken: 100 * time.Millisecond}},
		{name: "refused", voice: voice{err: errDown}},
		{name: "cancelled_before_the_first_sound", voice: voice{hangs: true}, after: time.Second, want: cost.Usage{Characters: 5}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := cost.NewMeter(cost.Options{})
				ctx, cancel := context.WithCancel(cost.WithAccount(t.Context(), m.Account("Mira")))
				defer cancel()
				if tt.after > 0 {
					time.AfterFunc(tt.after, cancel)
				}
				n := 0
				for range cost.MeteredVoice(&tt.voice).Synthesize(ctx, "Füße!", tts.Voice{}) {
					if n++; n == tt.pieces {
						break
					}
				}
				if got := charged(m)["voice"]; got != tt.want {
					t.Errorf("charged %+v, want %+v", got, tt.want)
				}
			})
		})
	}
}

// ear accepts sound until it is full.
type ear struct {
	stt.Provider
	refuses bool
	stream  earStream
}

func (*ear) Name() string { return "ear" }

func (e *ear) Open(context.Context, stt.Options) (stt.Stream, error) {
	if e.refuses {
		return nil, errDown
	}
	return &e.stream, nil
}

type earStream struct {
	stt.Stream
	takes int // samples
}

func (s *earStream) Send(samples []int16) error {
	if s.takes -= len(samples); s.takes < 0 {
		return errDown
	}
	return nil
}
func (*earStream) Finish(context.Context) (int, error) { return 0, nil }
func (*earStream) Close() error                        { return nil }

func TestRecognition(t *testing.T) {
	m := cost.NewMeter(cost.Options{})
	ctx := cost.WithAccount(t.Context(), m.Account(""))
	heard := func() time.Duration { return charged(m)["ear"].Heard }
	s, err := cost.MeteredRecognition(&ear{stream: earStream{takes: 16000 * 100}}).Open(ctx, stt.Options{SampleRate: 16000})
	if err != nil {
		t.Fatal(err)
	}
	send := func(seconds int, want error) {
		t.Helper()
		if err := s.Send(make([]int16, 16000*seconds)); !errors.Is(err, want) {
			t.Errorf("Send = %v, want %v", err, want)
		}
	}
	send(2, nil)
	send(1, nil)
	if heard() != 0 {
		t.Errorf("%v were charged before the utterance ended", heard())
	}
	if _, err := s.Finish(t.Context()); err != nil || heard() != 3*time.Second {
		t.Errorf("Finish: %v, %v charged, want 3 s", err, heard())
	}
	send(60, nil)
	if heard() != 63*time.Second {
		t.Errorf("%v charged, want 63 s: the last minute does not wait for the end", heard())
	}
	send(5, nil)
	send(90, errDown)
	for range 2 {
		if err := s.Close(); err != nil || heard() != 68*time.Second {
			t.Errorf("Close: %v, %v charged, want 68 s: what was not taken is free", err, heard())
		}
	}
	if _, err := cost.MeteredRecognition(&ear{refuses: true}).Open(ctx, stt.Options{}); !errors.Is(err, errDown) {
		t.Errorf("err = %v, want the provider's", err)
	}
}

// wholeEar is an ear whose streams send each utterance in one request.
type wholeEar struct{ ear }

func (e *wholeEar) Open(context.Context, stt.Options) (stt.Stream, error) {
	return discarding{&e.stream}, nil
}

type discarding struct{ *earStream }

func (discarding) Discard(int) {}

// TestWhatAStreamCanDoIsKept checks that a charged stream implements Discarder if its
// provider's stream does.
func TestWhatAStreamCanDoIsKept(t *testing.T) {
	ctx := cost.WithAccount(t.Context(), cost.NewMeter(cost.Options{}).Account(""))
	for _, row := range []struct {
		p    stt.Provider
		want bool
	}{{&ear{}, false}, {&wholeEar{}, true}} {
		s, err := cost.MeteredRecognition(row.p).Open(ctx, stt.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := s.(stt.Discarder); ok != row.want {
			t.Errorf("%T discards: %v, want %v", row.p, ok, row.want)
		}
	}
}

func TestNothingIsWrappedWithoutAnAccount(t *testing.T) {
	e := &ear{stream: earStream{takes: 1}}
	if s, err := cost.MeteredRecognition(e).Open(t.Context(), stt.Options{}); err != nil || s != stt.Stream(&e.stream) {
		t.Errorf("Open = %T, %v; want the provider's stream", s, err)
	}
	for range cost.MeteredModel(&model{chunks: []llm.Chunk{{Text: "a"}}}).Stream(t.Context(), ask) {
	}
	for range cost.MeteredVoice(&voice{pieces: 1}).Synthesize(t.Context(), "a", tts.Voice{}) {
	}
	cost.MeteredEmbedding(t.Context(), "e", 4, 1)
	var _ fallback.Provider = cost.MeteredVoice(&voice{})
}

func TestWhatOthersTell(t *testing.T) {
	m := cost.NewMeter(cost.Options{})
	ctx := cost.WithAccount(t.Context(), m.Account(""))
	cost.MeteredEmbedding(ctx, "counted", 4000, 17)
	cost.MeteredEmbedding(ctx, "estimated", 4001, 0)
	cost.AccountOf(ctx).Charge("speech", cost.MeteredSpeech(s2s.Usage{
		InputTextTokens: 1, OutputTextTokens: 2, InputAudioTokens: 3, OutputAudioTokens: 4, CachedTokens: 2, AudioSeconds: 1.5,
	}))
	want := map[string]cost.Usage{
		"counted":   {Input: 17},
		"estimated": {Input: 1001, Estimated: 1001},
		"speech":    {Input: 1, Output: 2, AudioInput: 3, AudioOutput: 4, Cached: 2, Heard: 1500 * time.Millisecond},
	}
	if diff := cmp.Diff(want, charged(m)); diff != "" {
		t.Errorf("charged (-want +got):\n%s", diff)
	}
}
