// Package stt defines speech recognition: audio in, transcripts out. One sub-package per vendor protocol
// implements [Provider], whose streams are single connections. Package chain combines providers into a
// [Recogniser], whose streams survive lost connections. [Utterance] waits for the result of one utterance;
// [Wait] holds the rules for callers that wait for several.
//
// The package imports only the standard library and starts no goroutine.
package stt

import (
	"context"
	"errors"
	"log/slog"
	"time"
)

// Errors of every provider.
var (
	// ErrRateLimited means that the vendor asked to slow down.
	ErrRateLimited = errors.New("speech recognition is rate limited")
	// ErrUnavailable means that the vendor could not be reached, failed, or broke the connection.
	ErrUnavailable = errors.New("speech recognition is unavailable")
	// ErrRejected means that the vendor refuses the request itself: a wrong key, an unknown model, an
	// exhausted quota. Retrying does not help.
	ErrRejected = errors.New("speech recognition was refused")
	// ErrOverBudget means that no final transcript arrived in time.
	ErrOverBudget = errors.New("no final transcript within the budget")
	// ErrBusy means that too many utterances wait for their final transcript.
	ErrBusy = errors.New("too many utterances wait for their transcript")
	// ErrClosed means that the stream has been closed.
	ErrClosed = errors.New("speech recognition stream is closed")
)

// MaxPending is the maximum number of finished utterances per stream that may wait for their final
// transcript.
const MaxPending = 4

// MaxQueued is the maximum duration of queued audio per stream.
const MaxQueued = 30 * time.Second

// Options describe the audio of one stream.
type Options struct {
	// Language is a BCP 47 tag such as "en" or "de". If empty, the provider
	// detects it.
	Language string
	// Keyterms are names and words to expect, most important first. A provider may use fewer, or none.
	Keyterms []string
	// SampleRate is the sample rate in hertz of the audio passed to Send. The default is 48,000.
	SampleRate int
	// Interim requests transcripts while the speaker is still talking.
	Interim bool
	// Speaker is the speaker's name, for logs and tests. It may be empty, and is not sent to any vendor.
	Speaker string
}

// Provider opens streams. Implementations are safe for concurrent use.
type Provider interface {
	// Name identifies the provider in logs and notices.
	Name() string
	// Open opens a stream for one speaker. ctx limits only the opening; the stream lives until Close. Errors
	// wrap ErrRateLimited, ErrUnavailable or ErrRejected and contain no secret; once ctx is done they wrap
	// ctx.Err.
	Open(ctx context.Context, o Options) (Stream, error)
}

// Recogniser transcribes speakers across lost connections. Implementations are safe for concurrent use.
type Recogniser interface {
	// Name identifies the recogniser in logs and notices.
	Name() string
	// Listen returns a stream for one speaker at once. It does not wait for a vendor, and fails only for
	// options that it cannot serve. The stream does not break: audio sent while a connection is lost is kept,
	// resent and transcribed late. Each finished utterance gets a result, possibly one with Err set. Send,
	// Finish and Recv fail only once the stream is closed, and Finish also with ErrBusy. Only the values of
	// ctx are used. If the stream is a [Resumer], the caller may request a final before it is certain that
	// the speaker has ended.
	Listen(ctx context.Context, o Options) (Stream, error)
}

// Stream transcribes one speaker, utterance by utterance. One goroutine may call Send and Finish, and one,
// possibly another, Recv. Close may be called from any goroutine, more than once, and unblocks Recv.
type Stream interface {
	// Send queues mono audio and never blocks. It does not retain samples. If more than [MaxQueued] is
	// queued, the oldest audio is dropped and counted. It returns an error if the stream is broken or closed.
	Send(samples []int16) error
	// Finish ends the utterance that began after the last Finish, requests its final transcript and returns
	// its number, starting at 0. It does not wait for the transcript. While [MaxPending] utterances are
	// waiting it returns ErrBusy and the utterance continues.
	Finish(ctx context.Context) (utterance int, err error)
	// Recv returns the next transcript: at most one final for each finished utterance, in order, preceded by
	// any number of interim ones. A newer interim replaces one that was not fetched. An error other than
	// ctx's ends the stream.
	Recv(ctx context.Context) (Result, error)
	// Stats returns the stream's error counts so far.
	Stats() Stats
	// Close ends the stream, drops pending audio and transcripts, and waits for everything the stream
	// started.
	Close() error
}

// Resumer is a [Stream] whose last utterance can be resumed after Finish, so that the caller can request a
// final before it is certain that the speaker has ended.
type Resumer interface {
	Stream
	// Resume revokes the end of the utterance finished last: the next one continues it. It must be called by
	// the goroutine that calls Send and Finish, before the first Send after Finish, and never blocks. With a
	// vendor that transcribes continuously, the two transcripts follow each other. Otherwise the next
	// transcript covers both, see [Result].Before, and the first final may be empty.
	Resume()
}

// Discarder is a [Stream] that transcribes each utterance in one request, so that a resumed utterance has to
// be sent again.
type Discarder interface {
	// Discard abandons the transcript of a finished utterance. Its final is empty and may arrive at once.
	// Discard is safe for concurrent use and never blocks.
	Discard(utterance int)
}

// Stats are the error counts of one stream.
type Stats struct {
	// Dropped is the number of samples, at the rate passed to Open, that were lost because the provider did
	// not keep up.
	Dropped int64
	// Late is the number of transcripts that were duplicates or arrived after the final.
	Late int64
	// Broken is the number of connections that broke or could not be opened. A stream that is a single
	// connection counts none.
	Broken int64
}

// Result is a transcript of one utterance from its start.
type Result struct {
	// Utterance is the number returned by Finish.
	Utterance int
	Text      string
	// Before is the number of directly preceding, resumed utterances whose words Text includes.
	Before int
	// Final marks the utterance's only final result. Its Text is empty if nothing was understood.
	Final bool
	// Assumed means that the provider did not confirm Text, which is the last interim transcript. Only
	// [Utterance] and [Wait] set it.
	Assumed bool
	// Err tells why a finished utterance has no transcript. The stream continues.
	Err error
	// Confidence is between 0 and 1; 0 means that the provider gives none.
	Confidence float64
	// Start and End delimit the speech within the utterance, if the provider tells them.
	Start, End time.Duration
	// Words are the words of Text, if the provider tells them.
	Words []Word
}

// Word is one word of a transcript.
type Word struct {
	Text string
	// Start and End are relative to the start of the utterance.
	Start, End time.Duration
	// Confidence is between 0 and 1; 0 means that the provider gives none.
	Confidence float64
}

// LogValue omits the text, so that logs do not contain what people said.
func (r Result) LogValue() slog.Value {
	return slog.GroupValue(
		slog.Int("utterance", r.Utterance),
		slog.Int("length", len(r.Text)),
		slog.Bool("final", r.Final),
	)
}
