package rig_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/MrWong99/glyphoxa/internal/lab/rig"
	"github.com/MrWong99/glyphoxa/pkg/audio"
	"github.com/MrWong99/glyphoxa/pkg/provider/stt"
)

func TestStreamKeepsOrderAndTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &rig.Recogniser{WordsOf: func(string) *rig.Words { return &rig.Words{} }}
		opened, err := r.Listen(t.Context(), stt.Options{})
		if err != nil {
			t.Fatal(err)
		}
		s := opened.(*rig.Stream)
		start := time.Now()
		s.Interim(0, "never")
		s.Interim(0, "never re")
		next := func(text string, after time.Duration) {
			t.Helper()
			r, err := s.Recv(t.Context())
			if err != nil || r.Text != text || time.Since(start) != after {
				t.Errorf("Recv = %q, %v after %v; want %q after %v", r.Text, err, time.Since(start), text, after)
			}
		}
		next("never re", 0) // the latest
		s.Interim(0, "never received")
		s.Final(stt.Result{Utterance: 0, Text: "first", Final: true}, start.Add(2*time.Second))
		s.Final(stt.Result{Utterance: 1, Text: "second", Final: true}, start.Add(time.Second))
		if n := s.Pending(); n != 2 {
			t.Errorf("%d wait, want 2", n)
		}
		s.Interim(2, "while two wait")
		next("while two wait", 0)
		next("first", 2*time.Second)
		next("second", 2*time.Second)

		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := s.Recv(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("err = %v, want the context's", err)
		}
		time.AfterFunc(time.Second, func() { _ = s.Close() })
		if _, err := s.Recv(t.Context()); !errors.Is(err, stt.ErrClosed) || !s.Closed() {
			t.Errorf("err = %v, want that the stream is closed", err)
		}
	})
}

func TestSpeechPeaksWhereItShould(t *testing.T) {
	for _, peak := range []float64{-30, -14, -3} {
		sound := rig.Speech(120, time.Second, peak)
		most := int16(0)
		for _, v := range sound {
			most = max(most, v, -v)
		}
		want := rig.Amplitude(peak)
		if len(sound) != audio.SampleRate || float64(most) < want/2 || float64(most) > want*1.5 {
			t.Errorf("%d samples of at most %d, want a second of about %.0f", len(sound), most, want)
		}
	}
}
