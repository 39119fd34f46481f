package chain_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/MrWong99/glyphoxa/pkg/provider/internal/vendor"
	"github.com/MrWong99/glyphoxa/pkg/provider/stt"
	"github.com/MrWong99/glyphoxa/pkg/provider/stt/chain"
)

// wholeFake is a fake that transcribes each utterance in one request.
type wholeFake struct {
	*fake
	discarded []int
}

func (f *wholeFake) Open(ctx context.Context, o stt.Options) (stt.Stream, error) {
	s, err := f.fake.Open(ctx, o)
	if err != nil {
		return nil, err
	}
	return wholeStream{s.(*fakeStream), f}, nil
}

type wholeStream struct {
	*fakeStream
	of *wholeFake
}

func (s wholeStream) Discard(n int) {
	s.of.discarded = append(s.of.discarded, n)
	s.results.Put(stt.Result{Utterance: n, Final: true})
}

// finish sends sound, finishes the utterance, and waits for pass.
func finish(t *testing.T, s stt.Stream, sound, pass time.Duration) {
	t.Helper()
	if err := s.Send(make([]int16, int(sound.Seconds()*vendor.Rate))); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Finish(t.Context()); err != nil {
		t.Fatal(err)
	}
	time.Sleep(pass)
	synctest.Wait()
}

// TestResume resumes an utterance. A streaming service receives only the new sound;
// another kind receives all of it, unless it is long, and its result for the first part
// is ignored.
func TestResume(t *testing.T) {
	for _, row := range []struct {
		name          string
		whole         bool
		first, answer time.Duration
		want          []stt.Result
		discarded     int
	}{
		{"streaming", false, time.Second, 0, []stt.Result{{Text: "one 16000"}, {Text: "one 8000"}, {Text: "one 4800"}}, 0},
		{"whole_after_the_answer", true, time.Second, 0, []stt.Result{{Text: "one 16000"}, {Text: "one 24000", Before: 1}, {Text: "one 4800"}}, 0},
		{"whole_before_the_answer", true, time.Second, 2 * time.Second, []stt.Result{{}, {Text: "one 24000", Before: 1}, {Text: "one 4800"}}, 1},
		{"whole_and_long", true, 11 * time.Second, 0, []stt.Result{{Text: "one 176000"}, {Text: "one 8000"}, {Text: "one 4800"}}, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := &wholeFake{fake: &fake{name: "one", answer: func(n int) verdict { return verdict{delay: row.answer + time.Duration(n)} }}}
				var p stt.Provider = f.fake
				if row.whole {
					p = f
				}
				s, err := chain.New([]chain.Link{{Name: "one", Provider: p}}, nil).Listen(t.Context(), stt.Options{SampleRate: vendor.Rate})
				if err != nil {
					t.Fatal(err)
				}
				defer s.Close()
				finish(t, s, row.first, 100*time.Millisecond)
				s.(stt.Resumer).Resume()
				finish(t, s, 500*time.Millisecond, 5*time.Second)
				finish(t, s, 300*time.Millisecond, 5*time.Second) // another utterance
				for i, want := range row.want {
					r, err := s.Recv(t.Context())
					if err != nil || r.Utterance != i || !r.Final || r.Text != want.Text || r.Before != want.Before || r.Err != nil {
						t.Errorf("Recv = %+v, %v, want %+v of %d", r, err, want, i)
					}
				}
				if len(f.discarded) != row.discarded {
					t.Errorf("discarded %v, want %d", f.discarded, row.discarded)
				}
				if stats := s.Stats(); stats != (stt.Stats{}) {
					t.Errorf("counts %+v, want none", stats)
				}
			})
		})
	}
}

// TestResumeGoesToTheNext has a provider fail at a resumed utterance: the next one
// receives all of the sound.
func TestResumeGoesToTheNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first := &wholeFake{fake: &fake{name: "first", answer: func(n int) verdict {
			if n == 0 {
				return verdict{}
			}
			return verdict{err: stt.ErrUnavailable}
		}}}
		second := &fake{name: "second"}
		s, err := chain.New([]chain.Link{{Name: "first", Provider: first}, {Name: "second", Provider: second}}, nil).Listen(t.Context(), stt.Options{SampleRate: vendor.Rate})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		finish(t, s, time.Second, 100*time.Millisecond)
		s.(stt.Resumer).Resume()
		finish(t, s, 500*time.Millisecond, time.Second)
		for _, want := range []stt.Result{{Text: "first 16000"}, {Text: "second 24000", Before: 1}} {
			if r, err := s.Recv(t.Context()); err != nil || r.Text != want.Text || r.Before != want.Before {
				t.Errorf("Recv = %+v, %v, want %+v", r, err, want)
			}
		}
	})
}
