package stt_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/MrWong99/glyphoxa/pkg/provider/stt"
	"github.com/MrWong99/glyphoxa/pkg/provider/stt/stttest"
)

// event is a stream's action some time after Finish.
type event struct {
	after  time.Duration // since the previous event
	result stt.Result
	err    error
}

// scripted is a stream that plays events.
type scripted struct {
	stt.Stream
	number int
	events []event
	due    time.Time
}

func (s *scripted) Finish(context.Context) (int, error) {
	s.due = time.Now()
	return s.number, nil
}

func (s *scripted) Recv(ctx context.Context) (stt.Result, error) {
	if len(s.events) == 0 {
		<-ctx.Done()
		return stt.Result{}, ctx.Err()
	}
	e := s.events[0]
	timer := time.NewTimer(time.Until(s.due.Add(e.after)))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
		return stt.Result{}, ctx.Err()
	}
	s.due = time.Now()
	s.events = s.events[1:]
	return e.result, e.err
}

func TestUtterance(t *testing.T) {
	const n = 3
	interim := func(text string) stt.Result { return stt.Result{Utterance: n, Text: text} }
	final := func(text string) stt.Result { return stt.Result{Utterance: n, Text: text, Final: true} }
	failed := stt.Result{Utterance: n, Final: true, Err: stt.ErrRateLimited}
	broken := errors.New("line cut")
	rows := []struct {
		name    string
		options stt.UtteranceOptions
		events  []event
		want    string
		assumed bool
		err     error
		took    time.Duration
	}{
		{"final", stt.UtteranceOptions{}, []event{{time.Second, final("Aye"), nil}}, "Aye", false, nil, time.Second},
		{"interims_first", stt.UtteranceOptions{}, []event{{0, interim("A"), nil}, {time.Second, final("Aye"), nil}}, "Aye", false, nil, time.Second},
		{"nothing_said", stt.UtteranceOptions{}, []event{{0, final(""), nil}}, "", false, nil, 0},
		{"late_of_the_one_before", stt.UtteranceOptions{}, []event{
			{0, stt.Result{Utterance: 2, Text: "Old", Final: true}, nil}, {0, final("Aye"), nil}}, "Aye", false, nil, 0},
		{"empty_after_an_interim", stt.UtteranceOptions{}, []event{{0, interim("Aye"), nil}, {time.Second, final(""), nil}}, "Aye", true, nil, time.Second},
		{"never_after_an_interim", stt.UtteranceOptions{}, []event{{time.Second, interim("Aye"), nil}}, "Aye", true, nil, stt.DefaultSettle},
		{"interim_came_before", stt.UtteranceOptions{Last: interim("Aye")}, nil, "Aye", true, nil, stt.DefaultSettle},
		{"interim_of_another_came_before", stt.UtteranceOptions{Last: stt.Result{Utterance: 2, Text: "Old"}}, nil, "", false, stt.ErrOverBudget, stt.DefaultBudget},
		{"never_settles", stt.UtteranceOptions{Settle: -1}, []event{{0, interim("Aye"), nil}}, "Aye", true, stt.ErrOverBudget, stt.DefaultBudget},
		{"interim_after_the_settling", stt.UtteranceOptions{}, []event{{5 * time.Second, interim("Aye"), nil}}, "Aye", true, nil, 5 * time.Second},
		{"never", stt.UtteranceOptions{}, nil, "", false, stt.ErrOverBudget, stt.DefaultBudget},
		{"own_budget", stt.UtteranceOptions{Budget: time.Second}, nil, "", false, stt.ErrOverBudget, time.Second},
		{"just_in_time", stt.UtteranceOptions{}, []event{{stt.DefaultBudget - 1, final("Aye"), nil}}, "Aye", false, nil, stt.DefaultBudget - 1},
		{"utterance_fails", stt.UtteranceOptions{}, []event{{0, interim("A"), nil}, {time.Second, failed, nil}}, "A", true, stt.ErrRateLimited, time.Second},
		{"stream_breaks", stt.UtteranceOptions{}, []event{{time.Second, stt.Result{}, broken}}, "", false, broken, time.Second},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &scripted{number: n, events: row.events}
				began := time.Now()
				got, err := stt.Utterance(t.Context(), s, row.options)
				if got.Text != row.want || got.Assumed != row.assumed || !got.Final || got.Utterance != n {
					t.Errorf("result = %+v, want %q, assumed %v", got, row.want, row.assumed)
				}
				if !errors.Is(err, row.err) || row.err == nil && err != nil {
					t.Errorf("err = %v, want %v", err, row.err)
				}
				if took := time.Since(began); took != row.took {
					t.Errorf("it took %s, want %s", took, row.took)
				}
			})
		})
	}
}

func TestUtteranceIsCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cause := errors.New("the player left")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { cancel(cause) })
		_, err := stt.Utterance(ctx, &scripted{}, stt.UtteranceOptions{})
		if !errors.Is(err, cause) {
			t.Errorf("err = %v, want the cause", err)
		}
	})
}

func TestTyped(t *testing.T) {
	s := open(t, stttest.New("From the list", "And more"), stt.Options{Interim: true}).(*stttest.Stream)
	s.Type("Hold\x1b[2J ")
	if r, err := s.Recv(t.Context()); err != nil || r.Text != "Hold" || r.Final {
		t.Errorf("Recv = %+v, %v, want the interim %q", r, err, "Hold")
	}
	s.Type(" the door")
	for _, want := range []string{"Hold the door", "From the list", "And more", ""} {
		r, err := stt.Utterance(t.Context(), s, stt.UtteranceOptions{})
		if err != nil || r.Text != want || r.Assumed {
			t.Errorf("heard %+v, %v, want %q", r, err, want)
		}
	}
}

// TestLogsKeepQuiet checks that players' words do not reach a log by accident.
func TestLogsKeepQuiet(t *testing.T) {
	var b strings.Builder
	slog.New(slog.NewTextHandler(&b, nil)).Info("heard", "result", stt.Result{Text: "the secret door"})
	if strings.Contains(b.String(), "secret") {
		t.Errorf("logged %q", b.String())
	}
}
