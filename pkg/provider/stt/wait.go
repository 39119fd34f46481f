package stt

import (
	"fmt"
	"time"
)

// Wait is what is known of one finished utterance without its outcome. It
// holds the rules alone: the owner receives and keeps the time. An empty final
// transcript of an utterance with an interim text counts as no answer and
// gives way to that text, with Assumed set; so does a final one that is late by
// Settle. Without any, the budget ends the wait.
//
// It is not safe for concurrent use. Its methods are meant to be called until
// one of them says that the wait is done.
type Wait struct {
	number   int
	settle   time.Time // zero: never
	deadline time.Time
	interim  func(Result)
	last     Result // the last interim transcript with a text
}

// NewWait returns the wait for the utterance of a number that was finished at
// a time, from which o.Budget and o.Settle count.
func NewWait(number int, finished time.Time, o UtteranceOptions) *Wait {
	budget, settle := o.Budget, o.Settle
	if budget == 0 {
		budget = DefaultBudget
	}
	if settle == 0 {
		settle = DefaultSettle
	}
	w := &Wait{number: number, deadline: finished.Add(budget), interim: o.Interim, last: o.Last}
	if settle > 0 && settle < budget { // else the budget comes first
		w.settle = finished.Add(settle)
	}
	return w
}

// Take takes in a transcript and reports whether it decided what becomes of
// the utterance. Transcripts of others are dropped.
func (w *Wait) Take(r Result) (outcome Result, err error, done bool) {
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

// Due returns when [Wait.Expire] decides, if no transcript does before.
func (w *Wait) Due() time.Time {
	if w.last.Text != "" && !w.settle.IsZero() {
		return w.settle
	}
	return w.deadline
}

// Expire reports whether the time alone decided: for the interim text, or, with
// an error that wraps ErrOverBudget, for none.
func (w *Wait) Expire(now time.Time) (outcome Result, err error, done bool) {
	switch due := w.Due(); {
	case now.Before(due):
		return Result{}, nil, false
	case due.Equal(w.deadline):
		return w.Assumed(), fmt.Errorf("waiting for the transcript: %w", ErrOverBudget), true
	}
	return w.Assumed(), nil, true
}

// Assumed returns the last interim transcript in place of the final one. Its
// text is empty if there is none.
func (w *Wait) Assumed() Result {
	r := w.last
	r.Utterance, r.Final, r.Assumed = w.number, true, r.Text != ""
	return r
}
