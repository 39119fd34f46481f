package ear_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/MrWong99/glyphoxa/internal/ear"
)

// voice answers after d with one word per 100 ms of voice in the sound.
func voice(d time.Duration) func(*stream, int, time.Duration) {
	return func(s *stream, number int, _ time.Duration) {
		s.mu.Lock()
		words := strings.TrimSpace(strings.Repeat("word ", (s.voiced+s.rate/20)/(s.rate/10)))
		s.voiced = 0
		s.mu.Unlock()
		time.AfterFunc(d+time.Duration(number), func() { s.final(number, words) }) // finals stay in order
	}
}

// earlyRequests is an ear whose service p answers late.
func earlyRequests(p *provider) ear.Options {
	o := overChain(p)
	o.Early = 0
	return o
}

// countWords returns the number of words in all finals.
func countWords(events []ear.Event) (n int) {
	for _, e := range events {
		n += len(strings.Fields(e.Text))
	}
	return n
}

// A final that was requested before the endpoint is used if the player has not spoken
// since: it comes together with the end, after a single request.
func TestEarlyFinalIsTheFinal(t *testing.T) {
	for name, whole := range map[string]bool{"streaming": false, "whole": true} {
		t.Run(name, func(t *testing.T) {
			p := &provider{answer: voice(350 * ms), whole: whole}
			sit(t, p, earlyRequests(p), func(s *seat) {
				s.say(600*ms, 3*time.Second)
				s.tells("VoiceOn#1.0 VoiceOff#1.0 Interim#1.0(word word word word word word) Ended#1.0 Final#1.0(word word word word word word)")
				f := s.finals()[0]
				if f.Took != 0 || f.Endpoint < 440*ms || f.Endpoint > 480*ms {
					t.Errorf("took %v after an endpoint of %v, want 0 after 460ms", f.Took, f.Endpoint)
				}
				interim := s.heard(ear.VoiceOn, ear.VoiceOff, ear.Ended, ear.Final)[0]
				if got := interim.At.Sub(f.At); got != 450*ms {
					t.Errorf("words were known %v after the voice, want 100 + 350 ms", got)
				}
				st := p.stream(0)
				st.mu.Lock()
				defer st.mu.Unlock()
				if stats := s.ear.Stats(); st.number != 1 || stats.Early != 1 || stats.Vain != 0 || stats.Late != 0 {
					t.Errorf("%d were asked for, counts %+v, want one, asked early and not in vain", st.number, stats)
				}
			})
		})
	}
}

// The end waits at most a second for early words; slower ones come after the end.
func TestEarlyFinalComesLate(t *testing.T) {
	p := &provider{answer: voice(time.Second)}
	sit(t, p, earlyRequests(p), func(s *seat) {
		s.say(600*ms, 3*time.Second)
		if f := s.finals()[0]; f.Endpoint != time.Second || f.Took != 100*ms || countWords(s.finals()) != 6 {
			t.Errorf("final %+v, want six words 100ms after an end that was waited for until a second had passed", f)
		}
	})
}

// A speaker goes on after an early request: the earlier words appear in the final once. A
// streaming service is asked for the rest; another kind gets the whole sound again, and
// its first answer is ignored.
func TestEarlyFinalInVain(t *testing.T) {
	for _, tt := range []struct {
		name  string
		delay time.Duration
		whole bool
		want  string
	}{
		{"streaming", 100 * ms, false, "word word word word word word word word word word"},
		{"streaming_late", 700 * ms, false, "word word word word word word word word word word"},
		{"whole", 100 * ms, true, "word word word word word word word word word word"},
		{"whole_late", 700 * ms, true, "word word word word word word word word word word"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := &provider{answer: voice(tt.delay), whole: tt.whole}
			sit(t, p, earlyRequests(p), func(s *seat) {
				s.say(600*ms, 300*ms)
				s.say(400*ms, 3*time.Second)
				s.tells("Final#1.0("+tt.want+")", finalsOnly...)
				if stats := s.ear.Stats(); stats.Early != 2 || stats.Vain != 1 || stats.Late != 0 {
					t.Errorf("counts %+v, want two asked for early, one in vain, none late", stats)
				}
				st := p.stream(0)
				st.mu.Lock()
				defer st.mu.Unlock()
				if discarded := len(st.discarded) == 1; discarded != (tt.whole && tt.delay > 300*ms) {
					t.Errorf("discarded %v", st.discarded)
				}
			})
		})
	}
}

// Sound after an early final is sent only if the speaker goes on.
func TestSoundIsHeldBack(t *testing.T) {
	p := &provider{answer: length}
	sit(t, p, earlyRequests(p), func(s *seat) {
		s.say(600*ms, 300*ms)
		s.say(400*ms, 3*time.Second)
		s.tells("Final#1.0(700ms 720ms)", finalsOnly...)
	})
}

// An utterance is requested early a few times, at growing intervals, and over many
// utterances no more requests are wasted than there are utterances.
func TestEarlyFinalsAreBounded(t *testing.T) {
	p := &provider{answer: voice(50 * ms)}
	sit(t, p, earlyRequests(p), func(s *seat) {
		for range 6 {
			s.say(400*ms, 320*ms)
		}
		if got := s.ear.Stats(); got.Early != 3 || got.Vain != 3 {
			t.Errorf("counts %+v, want three asked for, all in vain", got)
		}
		time.Sleep(4 * time.Second)
		for range 10 {
			for range 4 {
				s.say(400*ms, 320*ms)
			}
			time.Sleep(4 * time.Second)
		}
		if got, most := s.ear.Stats().Vain, uint64(6+11); got < 6 || got > most {
			t.Errorf("%d in vain in 11 utterances, want %d at most", got, most)
		}
		if got := countWords(s.finals()); got != 4*46 {
			t.Errorf("%d words, want %d", got, 4*46)
		}
	})
}

// A click is not requested early, and no request is made if the option is off.
func TestNoEarlyFinal(t *testing.T) {
	p := &provider{answer: length}
	o := earlyRequests(p)
	o.MinSpeech = 200 * ms
	sit(t, p, o, func(s *seat) {
		s.say(160*ms, 3*time.Second)
		s.tells("Final#1.0", finalsOnly...)
		if got := s.ear.Stats(); got.Early != 0 {
			t.Errorf("counts %+v, want none", got)
		}
	})
	o.Early = -1
	sit(t, p, o, func(s *seat) {
		s.say(600*ms, 3*time.Second)
		if got := s.ear.Stats(); got.Early != 0 {
			t.Errorf("counts %+v, want none", got)
		}
	})
}

// For any pauses, any service and any delays or failures, each word appears in the finals
// once.
func TestEveryWordOnce(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		delay := rapid.SampledFrom([]time.Duration{0, 100 * ms, 350 * ms, 1500 * ms}).Draw(rt, "delay")
		p := &provider{answer: voice(delay), whole: rapid.Bool().Draw(rt, "whole")}
		type piece struct{ voice, pause time.Duration }
		var pieces []piece
		total := 0
		for range rapid.IntRange(1, 8).Draw(rt, "pieces") {
			n := rapid.IntRange(2, 20).Draw(rt, "words")
			total += n
			pieces = append(pieces, piece{time.Duration(n) * 100 * ms, millis(rt, 10, 150, "pause") * 10})
		}
		breaks := rapid.IntRange(-1, len(pieces)-1).Draw(rt, "breaks")
		sit(t, p, earlyRequests(p), func(s *seat) {
			for i, x := range pieces {
				s.say(x.voice, x.pause/20/ms*20*ms)
				if i == breaks {
					p.stream(0).broken <- errBroken
				}
			}
			time.Sleep(20 * time.Second)
			synctest.Wait()
			if got := countWords(s.finals()); got != total {
				rt.Errorf("%d words in %s (%v), want %d", got, story(s.heard()), s.finals(), total)
			}
		})
	})
}
