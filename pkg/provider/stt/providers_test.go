package stt_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/MrWong99/glyphoxa/internal/lab/fakestt"
	"github.com/MrWong99/glyphoxa/pkg/audio"
	"github.com/MrWong99/glyphoxa/pkg/provider/stt"
	"github.com/MrWong99/glyphoxa/pkg/provider/stt/deepgram"
	"github.com/MrWong99/glyphoxa/pkg/provider/stt/elevenlabs"
	"github.com/MrWong99/glyphoxa/pkg/provider/stt/openai"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const key = "sk-0123456789abcdef0123456789"

// vendors create a provider for a fake service.
var vendors = []struct {
	name    string
	streams bool
	open    func(url string) (stt.Provider, error)
}{
	{"deepgram", true, func(url string) (stt.Provider, error) {
		return deepgram.New(key, &deepgram.Options{BaseURL: url})
	}},
	{"elevenlabs", true, func(url string) (stt.Provider, error) {
		return elevenlabs.New(key, &elevenlabs.Options{BaseURL: url})
	}},
	{"openai", false, func(url string) (stt.Provider, error) {
		return openai.New(key, &openai.Options{BaseURL: url + "/v1"}), nil
	}},
}

// eachVendor runs a test against each vendor's service.
func eachVendor(t *testing.T, script fakestt.Script, test func(t *testing.T, p stt.Provider, s *fakestt.Server, streams bool)) {
	t.Helper()
	for _, v := range vendors {
		t.Run(v.name, func(t *testing.T) {
			t.Parallel()
			service := fakestt.Start(t, script)
			p, err := v.open(service.URL())
			if err != nil {
				t.Fatal(err)
			}
			test(t, p, service, v.streams)
		})
	}
}

// open opens a stream that ends with t.
func open(t *testing.T, p stt.Provider, o stt.Options) stt.Stream {
	t.Helper()
	s, err := p.Open(t.Context(), o)
	if err != nil {
		t.Fatalf("opening: %v", err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("closing: %v", err)
		}
	})
	return s
}

// speak sends a tone in frames of 20 ms at 48 kHz.
func speak(t *testing.T, s stt.Stream, length time.Duration) {
	t.Helper()
	var frame audio.Frame
	for i := range frame {
		frame[i] = int16(8000 * math.Sin(float64(i)/10))
	}
	for range int(length / audio.FrameDuration) {
		if err := s.Send(frame[:]); err != nil {
			t.Fatalf("sending: %v", err)
		}
	}
}

func TestUtterances(t *testing.T) {
	lines := []string{"Bartok, a pint please!", "And the key.", "Where does the old ferry leave at dawn, and who steers it?"}
	eachVendor(t, fakestt.Script{Lines: lines, Delay: 5 * time.Millisecond}, func(t *testing.T, p stt.Provider, service *fakestt.Server, streams bool) {
		s := open(t, p, stt.Options{Interim: true})
		sent := 0
		for i, line := range lines {
			length := 250 * time.Millisecond * time.Duration(len(strings.Fields(line))+1)
			speak(t, s, length)
			sent += int(length / audio.FrameDuration * audio.FrameDuration * fakestt.Rate / time.Second)
			interims := 0
			r, err := stt.Utterance(t.Context(), s, stt.UtteranceOptions{Interim: func(r stt.Result) {
				interims++
				if !strings.HasPrefix(line, r.Text) {
					t.Errorf("interim %q, want a beginning of %q", r.Text, line)
				}
			}})
			if err != nil || r.Text != line || r.Utterance != i || !r.Final || r.Assumed {
				t.Fatalf("utterance %d = %+v, %v, want %q", i, r, err, line)
			}
		}
		if got := service.Samples(); got != sent {
			t.Errorf("the service got %d samples, want %d", got, sent)
		}
		if got := s.Stats(); got != (stt.Stats{}) {
			t.Errorf("stats = %+v, want none", got)
		}
	})
}

func TestInterims(t *testing.T) {
	line := "Hold the door for me"
	eachVendor(t, fakestt.Script{Lines: []string{line}}, func(t *testing.T, p stt.Provider, _ *fakestt.Server, streams bool) {
		if !streams {
			return // the vendor accepts whole recordings only
		}
		s := open(t, p, stt.Options{Interim: true})
		speak(t, s, 1400*time.Millisecond) // the service sends an interim result now and then
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		for seen := ""; seen != "Hold the door for"; {
			r, err := s.Recv(ctx)
			if err != nil || r.Final {
				t.Fatalf("Recv = %+v, %v, want interim transcripts", r, err)
			}
			seen = r.Text
		}
	})
}

// TestFaults checks an utterance's result when the service fails.
func TestFaults(t *testing.T) {
	rows := []struct {
		name  string
		fault fakestt.Fault
		want  error // nil: the text is expected, or "" if empty is set
		empty bool
		late  int64
	}{
		{"unauthorized", fakestt.Unauthorized, stt.ErrRejected, false, 0},
		{"rate_limited", fakestt.RateLimited, stt.ErrRateLimited, false, 0},
		{"down", fakestt.Down, stt.ErrUnavailable, false, 0},
		{"broken", fakestt.Break, stt.ErrUnavailable, false, 0},
		{"garbage", fakestt.Garbage, stt.ErrUnavailable, false, 0},
		{"complains", fakestt.Complain, errors.ErrUnsupported, false, 0}, // the vendor's own kind of error
		{"mute", fakestt.Mute, stt.ErrOverBudget, false, 0},
		{"empty", fakestt.Empty, nil, true, 0},
		{"duplicate", fakestt.Duplicate, nil, false, 1},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			script := fakestt.Script{Lines: []string{"Hold the door", "Run!"}, Fault: row.fault}
			budget := patience
			if row.want == stt.ErrOverBudget {
				budget = impatience
			}
			eachVendor(t, script, func(t *testing.T, p stt.Provider, _ *fakestt.Server, streams bool) {
				s, err := p.Open(t.Context(), stt.Options{})
				if err == nil {
					defer s.Close()
					var r stt.Result
					if r, err = hear(t, s, budget); err == nil {
						checkHeard(t, r, row.empty, "Hold the door")
					}
				}
				want := row.want
				if row.fault == fakestt.Complain { // quota spent, unless the protocol only has a generic error
					want = map[bool]error{true: stt.ErrUnavailable, false: stt.ErrRejected}[strings.HasPrefix(p.Name(), "deepgram")]
				}
				if !errors.Is(err, want) {
					t.Errorf("err = %v, want %v", err, want)
				}
				if err != nil && strings.Contains(fmt.Sprintf("%v %+v", err, err), key) {
					t.Errorf("the error holds the key: %v", err)
				}
				if row.late > 0 && streams && err == nil {
					r, err := hear(t, s, budget)
					if err != nil || r.Text != "Run!" {
						t.Errorf("after a duplicate: %+v, %v, want %q", r, err, "Run!")
					}
					if got := s.Stats().Late; got < row.late {
						t.Errorf("%d late transcripts, want %d", got, row.late)
					}
				}
			})
		})
	}
}

// Budgets: long for results that come, because the machine may be busy, and short for
// results that never come.
const (
	patience   = time.Minute
	impatience = 100 * time.Millisecond
)

// hear speaks for a second and waits for the transcript.
func hear(t *testing.T, s stt.Stream, budget time.Duration) (stt.Result, error) {
	t.Helper()
	var frame audio.Frame
	for range int(time.Second / audio.FrameDuration) {
		if err := s.Send(frame[:]); err != nil {
			return stt.Result{}, err
		}
	}
	return stt.Utterance(t.Context(), s, stt.UtteranceOptions{Budget: budget})
}

func checkHeard(t *testing.T, r stt.Result, empty bool, want string) {
	t.Helper()
	if empty {
		want = ""
	}
	if r.Text != want || !r.Final || r.Assumed {
		t.Errorf("heard %+v, want the final %q", r, want)
	}
}

func TestOptionsReachTheVendor(t *testing.T) {
	terms := []string{"Bartok", "Greymantle the Sage of the Mirrormere", " Bartok ", "Ysolde\x00 Quill", ""}
	want := map[string]map[string]string{
		"deepgram": {
			"model": "nova-3", "encoding": "linear16", "sample_rate": "16000", "channels": "1", "language": "de-AT",
			"interim_results": "true", "endpointing": "false",
			"keyterm": "Bartok|Greymantle the Sage of the Mirrormere|Ysolde Quill",
		},
		"elevenlabs": {
			"model_id": "scribe_v2_realtime", "audio_format": "pcm_16000", "commit_strategy": "manual",
			"language_code": "de", "keyterms": "Bartok|Ysolde Quill",
		},
		"openai": {
			"model": "gpt-4o-mini-transcribe", "language": "de", "response_format": "json",
			"prompt": "Bartok, Greymantle the Sage of the Mirrormere, Ysolde Quill",
		},
	}
	eachVendor(t, fakestt.Script{}, func(t *testing.T, p stt.Provider, service *fakestt.Server, _ bool) {
		s := open(t, p, stt.Options{Language: "de-AT", Keyterms: terms, SampleRate: 16000, Interim: true})
		if _, err := hear(t, s, patience); err != nil {
			t.Fatal(err)
		}
		r := service.Requests()[0]
		sent := map[string][]string(r.Query)
		if r.Form != nil {
			sent = r.Form
		}
		for name, value := range want[strings.Fields(p.Name())[0]] {
			if got := strings.Join(sent[name], "|"); got != value {
				t.Errorf("%s = %q, want %q", name, got, value)
			}
		}
	})
}

func TestOpenRefusesAnImpossibleRate(t *testing.T) {
	eachVendor(t, fakestt.Script{}, func(t *testing.T, p stt.Provider, _ *fakestt.Server, _ bool) {
		for _, rate := range []int{-1, 1, 1 << 30} {
			if _, err := p.Open(t.Context(), stt.Options{SampleRate: rate}); !errors.Is(err, stt.ErrRejected) {
				t.Errorf("rate %d: err = %v, want ErrRejected", rate, err)
			}
		}
	})
}

func TestCancelledOpen(t *testing.T) {
	eachVendor(t, fakestt.Script{}, func(t *testing.T, p stt.Provider, _ *fakestt.Server, _ bool) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if s, err := p.Open(ctx, stt.Options{}); !errors.Is(err, context.Canceled) {
			t.Errorf("Open = %v, %v, want context.Canceled", s, err)
		}
	})
}

// TestCloseUnblocks closes a stream whose service never answers.
func TestCloseUnblocks(t *testing.T) {
	for _, fault := range []fakestt.Fault{fakestt.Mute, fakestt.Deaf} {
		eachVendor(t, fakestt.Script{Fault: fault}, func(t *testing.T, p stt.Provider, _ *fakestt.Server, _ bool) {
			s := open(t, p, stt.Options{})
			speak(t, s, 2*time.Second)
			if _, err := s.Finish(t.Context()); err != nil {
				t.Fatal(err)
			}
			done := make(chan error)
			go func() {
				_, err := s.Recv(context.WithoutCancel(t.Context()))
				done <- err
			}()
			began := time.Now()
			if err := s.Close(); err != nil {
				t.Errorf("Close = %v", err)
			}
			if err := <-done; !errors.Is(err, stt.ErrClosed) {
				t.Errorf("Recv = %v, want ErrClosed", err)
			}
			if took := time.Since(began); took > time.Minute {
				t.Errorf("closing took %s", took)
			}
			if err := s.Send(make([]int16, 960)); !errors.Is(err, stt.ErrClosed) {
				t.Errorf("Send after Close = %v, want ErrClosed", err)
			}
			if _, err := s.Finish(t.Context()); !errors.Is(err, stt.ErrClosed) {
				t.Errorf("Finish after Close = %v, want ErrClosed", err)
			}
		})
	}
}

// TestPendingIsBounded finishes more utterances than may wait.
func TestPendingIsBounded(t *testing.T) {
	eachVendor(t, fakestt.Script{Fault: fakestt.Mute}, func(t *testing.T, p stt.Provider, _ *fakestt.Server, _ bool) {
		s := open(t, p, stt.Options{})
		for i := range stt.MaxPending {
			speak(t, s, 500*time.Millisecond)
			if n, err := s.Finish(t.Context()); n != i || err != nil {
				t.Fatalf("Finish = %d, %v, want %d", n, err, i)
			}
		}
		if _, err := s.Finish(t.Context()); !errors.Is(err, stt.ErrBusy) {
			t.Errorf("Finish = %v, want ErrBusy", err)
		}
	})
}

// TestLateFinal checks that a transcript which arrives after its utterance was given up
// is not used for the next one.
func TestLateFinal(t *testing.T) {
	script := fakestt.Script{Lines: []string{"Hold the door", "Run!"}, Hold: true}
	eachVendor(t, script, func(t *testing.T, p stt.Provider, service *fakestt.Server, _ bool) {
		s := open(t, p, stt.Options{})
		if r, err := hear(t, s, impatience); !errors.Is(err, stt.ErrOverBudget) {
			t.Errorf("heard %+v, %v, want ErrOverBudget", r, err)
		}
		service.Release()
		if r, err := hear(t, s, patience); err != nil || r.Text != "Run!" {
			t.Errorf("heard %+v, %v, want %q", r, err, "Run!")
		}
	})
}
