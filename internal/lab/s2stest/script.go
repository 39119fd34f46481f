package s2stest

import (
	"math"
	"strings"
	"time"

	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
	"github.com/MrWong99/glyphoxa/pkg/provider/s2s"
)

// Turn is the input of an answer.
type Turn struct {
	// Session and Number count from 1: the sessions of the provider, the turns of the
	// session.
	Session, Number int
	// Round is 0 for a player's input, and grows by one each time the session
	// continues the answer.
	Round int
	// Options are the session's options, Known its history and injected
	// messages.
	Options s2s.SessionOptions
	Known   []llm.Message
	// Response is the requested response, Tools the session's tools.
	Response s2s.Response
	Tools    []llm.ToolDefinition
	// Sound is the length of the player's sound, Spoken the part from its first
	// to its last audible sample, and SpokenBy when that last one came.
	Sound, Spoken time.Duration
	SpokenBy      time.Time
	// Results are the results of the previous calls, in call order, Cancelled
	// the ids of those that the vendor cancelled.
	Results   []s2s.ToolResult
	Cancelled []string
	// Told is the answer to a delegation, or nil.
	Told *Telling
}

// Telling is the answer to a delegation.
type Telling struct {
	Delegation, Text string
	Silent           bool
}

// Answer is a session's reaction to one request. It begins with
// [s2s.ResponseStarted] and, if the provider ends turns, ends with
// [s2s.GenerationDone], unless a step sends that.
type Answer struct {
	Steps []Step
	// Hangs sends nothing after the steps, not even an end; without steps it
	// does not even begin.
	Hangs bool
	// Status and Err are those of the end; the default status is "completed".
	Status string
	Err    error
	// Late is sent after an interruption, timed from it: the orphans of vendors
	// that do not stop.
	Late []Step
}

// Step is one action of a session.
type Step struct {
	// After is the time since the previous step.
	After time.Duration
	// Tell is its event. A call without an id gets one.
	Tell s2s.Event
	// Ends ends the session, if not nil: Recv returns an error that wraps it and
	// [s2s.ErrClosed].
	Ends error
}

// pieceLength is the length of one piece of [Say].
const pieceLength = 100 * time.Millisecond

// Say speaks text as part of item: its sound at rate in pieces, each after its
// words. Pieces come speed times faster than they play; zero means at once.
func Say(item, text string, sound []int16, rate int, speed float64) []Step {
	var out []Step
	words := strings.SplitAfter(text, " ")
	piece := int(pieceLength * time.Duration(rate) / time.Second)
	told, n := 0, (len(sound)+piece-1)/piece
	for i := range n {
		var wait time.Duration
		if i > 0 && speed > 0 {
			wait = time.Duration(float64(pieceLength) / speed)
		}
		upTo := (len(words)*(i+1) + n - 1) / n
		if said := strings.Join(words[told:upTo], ""); said != "" {
			out = append(out, Step{After: wait, Tell: s2s.OutputTranscript{Item: item, Text: said}})
			wait = 0
		}
		told = upTo
		out = append(out, Step{After: wait, Tell: s2s.Audio{Item: item, Samples: sound[i*piece : min((i+1)*piece, len(sound))]}})
	}
	if n == 0 && text != "" {
		out = append(out, Step{Tell: s2s.OutputTranscript{Item: item, Text: text}})
	}
	return out
}

// Done ends an item.
func Done(item string) Step { return Step{Tell: s2s.ItemDone{Item: item}} }

// Calls calls tools, all at once.
func Calls(calls ...llm.ToolCall) []Step {
	out := make([]Step, len(calls))
	for i, c := range calls {
		out[i].Tell = s2s.ToolCalled{Call: c}
	}
	return out
}

// Interleave alternates the steps of each.
func Interleave(a, b []Step) []Step {
	var out []Step
	for i := range max(len(a), len(b)) {
		if i < len(a) {
			out = append(out, a[i])
		}
		if i < len(b) {
			out = append(out, b[i])
		}
	}
	return out
}

// After returns steps that begin d later.
func After(d time.Duration, steps []Step) []Step {
	out := append([]Step(nil), steps...)
	if len(out) > 0 {
		out[0].After += d
	}
	return out
}

// Tone returns d of a sine of that many Hz at rate, at a quarter of full scale.
func Tone(hz float64, d time.Duration, rate int) []int16 {
	out := make([]int16, int(d*time.Duration(rate)/time.Second))
	w := 2 * math.Pi * hz / float64(rate)
	for i := range out {
		out[i] = int16(math.MaxInt16 / 4 * math.Sin(w*float64(i)))
	}
	return out
}
