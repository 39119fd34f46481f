package stt

import (
	"fmt"
	"time"
)

// Wait is the state of the wait for one finished utterance. It only applies the rules; the caller receives
// and keeps the time. If the final transcript is empty but there was an interim text, or if the final is late
// by Settle, the interim text replaces it, with Assumed set. Without an interim text, the budget ends the
// wait.
//
// It is not safe for concurrent use. Its methods are meant to be called until one of them reports that the
// wait is done.
type Wait struct {
	number   int
	settle   time.Time // zero means never
	deadline time.Time
	interim  func(Result)
	last     Result // last interim transcript with a text
}

// NewWait returns the wait for the utterance with the given number. o.Budget and o.Settle count from
// finished.
func NewWait(number int, finished time.Time, o UtteranceOptions) *Wait {
	budget, settle := o.Budget, o.Settle
	if budget == 0 {
		budget = DefaultBudget
	}
	if settle == 0 {
		settle = DefaultSettle
	}
	w := &Wait{number: number, deadline: finished.Add(budget), interim: o.Interim, last: o.Last}
	if settle > 0 && settle < budget { // otherwise the budget ends first
		w.settle = finished.Add(settle)
	}
	return w
}

// Handle handles a transcript and reports whether it completes the wait. It ignores transcripts of other
// utterances.
func (w *Wait) Handle(r Result) (outcome Result, err error, done bool) {
	switch {
	case r.Utterance != w.number: // too late
	case r.Err != nil:
		return w.Assumed(), r.Err, true
	case r.Final && r.Text == "" && w.last.Text != "":
		return w.Assumed(), nil, true
	case r.Final:
		return r, nil, true
	case r.Text != "":
		w.last = r
		if w.interim != nil {
			w.interim(r)
		}
	}
	return Result{}, nil, false
}

// Due returns the time at which [Wait.Expire] completes the wait, if no transcript does so earlier.
func (w *Wait) Due() time.Time {
	if w.last.Text != "" && !w.settle.IsZero() {
		return w.settle
	}
	return w.deadline
}

// Expire reports whether the wait is over at now: with the interim text, or without one with an error that
// wraps ErrOverBudget.
func (w *Wait) Expire(now time.Time) (outcome Result, err error, done bool) {
	switch due := w.Due(); {
	case now.Before(due):
		return Result{}, nil, false
	case due.Equal(w.deadline):
		return w.Assumed(), fmt.Errorf("waiting for the transcript: %w", ErrOverBudget), true
	}
	return w.Assumed(), nil, true
}

// Assumed returns the last interim transcript as the final one. Its text is empty if there is none.
func (w *Wait) Assumed() Result {
	r := w.last
	r.Utterance, r.Final, r.Assumed = w.number, true, r.Text != ""
	return r
}
