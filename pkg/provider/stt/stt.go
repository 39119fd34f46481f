// Package stt defines speech recognition: sound in, transcripts out. One
// sub-package per vendor protocol implements [Provider], whose streams are
// connections; chain makes a [Recogniser] of them, whose streams last.
// [Utterance] waits for what became of one utterance; [Wait] holds the rules for
// those who wait for several.
//
// It imports only the standard library and starts no goroutine.
package stt

import (
	"context"
	"errors"
	"log/slog"
	"time"
)

// Errors of every provider.
var (
	// ErrRateLimited means the vendor asked to slow down.
	ErrRateLimited = errors.New("speech recognition is rate limited")
	// ErrUnavailable means the vendor could not be reached, failed, or broke
	// the connection.
	ErrUnavailable = errors.New("speech recognition is unavailable")
	// ErrRejected means the vendor refuses the request itself: a wrong key, an
	// unknown model, spent quota. Trying again does not help.
	ErrRejected = errors.New("speech recognition was refused")
	// ErrOverBudget means no final transcript came in time.
	ErrOverBudget = errors.New("no final transcript within the budget")
	// ErrBusy means too many utterances wait for their final transcript.
	ErrBusy = errors.New("too many utterances wait for their transcript")
	// ErrClosed means the stream has been closed.
	ErrClosed = errors.New("speech recognition stream is closed")
)

// MaxPending is how many finished utterances of one stream may wait for their
// final transcript at the same time.
const MaxPending = 4

// MaxQueued is how much sound of one stream may wait to be sent.
const MaxQueued = 30 * time.Second

// Options describe the sound of one stream and what is expected in it.
type Options struct {
	// Language is a BCP 47 tag such as "en" or "de". If empty, the provider
	// detects it.
	Language string
	// Keyterms are names and words to expect, the most important first. A
	// provider may use fewer, or none.
	Keyterms []string
	// SampleRate is the rate of the sound given to Send, per second. If zero,
	// 48,000.
	SampleRate int
	// Interim asks for transcripts while the speaker still talks.
	Interim bool
	// Speaker is who speaks; for logs and tests. It may be empty, and no
	// vendor is told it.
	Speaker string
}

// Provider opens streams. Implementations are safe for concurrent use.
type Provider interface {
	// Name identifies the provider in logs and notices.
	Name() string
	// Open starts a stream for one speaker. ctx bounds the opening alone; the
	// stream lives until its Close. Errors wrap ErrRateLimited, ErrUnavailable
	// or ErrRejected and hold no secret; once ctx is done they wrap ctx.Err.
	Open(ctx context.Context, o Options) (Stream, error)
}

// Recogniser hears speakers whatever becomes of connections. Implementations are
// safe for concurrent use.
type Recogniser interface {
	// Name identifies the recogniser in logs and notices.
	Name() string
	// Listen starts a stream for one speaker, at once: it waits for no vendor, and
	// fails only for options that it cannot serve. The stream does not break.
	// What is said while a connection is lost is kept, sent again and transcribed
	// late; each finished utterance has an outcome, of which Err is one. Send,
	// Finish and Recv fail only once the stream is closed, Finish also with
	// ErrBusy. ctx lends its values alone. A stream that is a [Resumer] may be asked
	// for a final before it is certain that the speaker has ended.
	Listen(ctx context.Context, o Options) (Stream, error)
}

// Stream hears one speaker, utterance after utterance. Send and Finish belong
// to one goroutine, Recv to one, which may be another; Close may be called
// from any, more than once, and unblocks Recv.
type Stream interface {
	// Send queues mono sound and never blocks. It keeps no reference to
	// samples. If more than [MaxQueued] waits, the oldest is dropped and
	// counted. The error is that of a stream that is broken or closed.
	Send(samples []int16) error
	// Finish ends the utterance that began after the last Finish, asks for its
	// final transcript and returns its number; the first is 0. It never waits
	// for the transcript. With [MaxPending] utterances waiting it returns
	// ErrBusy and the utterance goes on.
	Finish(ctx context.Context) (utterance int, err error)
	// Recv returns the next transcript: at most one final for each finished
	// utterance, in order, and before it any number of interim ones. An interim
	// that was not fetched is replaced by a newer one. An error ends the
	// stream, unless it is ctx's.
	Recv(ctx context.Context) (Result, error)
	// Stats counts what went wrong so far.
	Stats() Stats
	// Close ends the stream, drops what is not transcribed yet and waits for
	// everything the stream started.
	Close() error
}

// Resumer is a [Stream] whose utterances may go on after Finish, so that a final can
// be asked for while the end is still awaited.
type Resumer interface {
	Stream
	// Resume takes back the end of the utterance that was finished last: the next
	// one continues it. It belongs to the caller of Send and Finish, comes before
	// anything is sent after Finish, and never blocks. A stream to a service that
	// hears on and on has both transcripts, which follow each other; else the next
	// one's holds all of it, see [Result].Before, and the first final may stay empty.
	Resume()
}

// Discarder is a [Stream] that transcribes each utterance in one request, whose sound
// has to be sent once more if it goes on.
type Discarder interface {
	// Discard gives up the transcript of a finished utterance: its final is empty
	// and may come at once. It is safe for concurrent use and never blocks.
	Discard(utterance int)
}

// Stats are the counts of one stream.
type Stats struct {
	// Dropped is how many samples, at the rate given to Open, were lost since
	// the provider did not keep up.
	Dropped int64
	// Late is how many transcripts came for utterances that had theirs, or
	// twice.
	Late int64
	// Broken is how many connections broke or could not be opened. A stream that
	// is a connection counts none.
	Broken int64
}

// Result is a transcript of one utterance, from its beginning.
type Result struct {
	// Utterance is the number that Finish returns for it.
	Utterance int
	Text      string
	// Before is how many of the utterances right before this one, which were
	// resumed, Text holds the words of as well.
	Before int
	// Final says that this is the utterance's one outcome. Its Text is empty
	// if nothing was understood.
	Final bool
	// Assumed says that the provider did not confirm Text: it is the last
	// interim transcript. Only [Utterance] sets it.
	Assumed bool
	// Err is why a finished utterance has no transcript; the stream goes on.
	Err error
	// Confidence is between 0 and 1; 0 means the provider gives none.
	Confidence float64
	// Start and End are the places of the speech in the utterance, if the
	// provider tells them.
	Start, End time.Duration
	// Words are there if the provider tells them.
	Words []Word
}

// Word is one word of a transcript.
type Word struct {
	Text string
	// Start and End are the word's place in the utterance.
	Start, End time.Duration
	// Confidence is between 0 and 1; 0 means the provider gives none.
	Confidence float64
}

// LogValue keeps what people say out of logs.
func (r Result) LogValue() slog.Value {
	return slog.GroupValue(
		slog.Int("utterance", r.Utterance),
		slog.Int("length", len(r.Text)),
		slog.Bool("final", r.Final),
	)
}
