package vendor

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/MrWong99/glyphoxa/internal/untrusted"
	"github.com/MrWong99/glyphoxa/pkg/provider/stt"
)

// Kind is the meaning of an [Event].
type Kind int

// Kinds of events.
const (
	// Nothing is an event without a transcript.
	Nothing Kind = iota
	// Interim is a text that may still change. It starts at the end of the last segment.
	Interim
	// Segment is a text that will not change; the utterance may continue.
	Segment
	// Closing is a segment sent in reply to a request for the final transcript.
	Closing
	// Refused means that the vendor received too little audio for a final.
	Refused
)

// Event is a message from a vendor. Start, End and the word times are relative to the start of the stream;
// only timed dialects have them.
type Event struct {
	Kind       Kind
	Text       string
	Confidence float64
	Start, End time.Duration
	Words      []stt.Word
}

const (
	// maxText is the maximum length of an utterance's transcript in bytes.
	maxText = 64 << 10
	// maxWords is the maximum number of its words.
	maxWords = 4096
	// rounding is the maximum difference of two times that count as equal.
	rounding = 25 * time.Millisecond
	// remainder is the length of trailing audio that a vendor may leave unanswered when asked for a final.
	remainder = 250 * time.Millisecond
	// grace is how long to wait for such a remainder.
	grace = 500 * time.Millisecond
)

// finalRequest is a request for the final transcript of an utterance.
type finalRequest struct {
	at   time.Duration // where the utterance ends in the stream
	when time.Time
}

// hearing assembles segments into utterances. The writer calls recordRequest, the reader calls takeEvent.
type hearing struct {
	results *Results
	timed   bool
	interim bool

	mu              sync.Mutex     // guards the fields below
	number          int            // of the current utterance
	finalRequests   []finalRequest // the first is for number
	begin           time.Duration
	covered         time.Duration // how much of the stream has been transcribed
	pendingClosings int           // closings that may still arrive for utterances that already have their final
	last            string        // text of the last final, until new text arrives
	current         stt.Result
	weight          float64 // of the confidence so far
}

// recordRequest records that the final transcript of the audio up to at is being requested.
func (h *hearing) recordRequest(at time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.finalRequests = append(h.finalRequests, finalRequest{at: at, when: time.Now()})
	if h.timed && h.covers(0) {
		h.pendingClosings++
		h.completeUtterance()
	}
}

// isWaiting reports whether a final is outstanding.
func (h *hearing) isWaiting() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.finalRequests) > 0
}

// covers reports whether the first outstanding utterance has been transcribed, except for at most slack.
func (h *hearing) covers(slack time.Duration) bool {
	return len(h.finalRequests) > 0 && h.finalRequests[0].at > h.begin && h.covered+rounding+slack >= h.finalRequests[0].at
}

// expireFinal completes an utterance if the vendor has nothing more to say about it. It returns an error if
// the final is overdue; a later one could not be told apart from that of the next utterance.
func (h *hearing) expireFinal(now time.Time) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.finalRequests) == 0 {
		return nil
	}
	waited := now.Sub(h.finalRequests[0].when)
	if h.timed && waited >= grace && (h.covers(remainder) || h.finalRequests[0].at <= h.begin+remainder) {
		h.pendingClosings++
		h.completeUtterance()
		return nil
	}
	if waited >= stt.DefaultBudget {
		return fmt.Errorf("%w: it answered nothing for %s", stt.ErrOverBudget, stt.DefaultBudget)
	}
	return nil
}

// handleEvent handles an event.
func (h *hearing) handleEvent(e Event) {
	e.Text = untrusted.Clean(e.Text, 0)
	for i := range e.Words {
		e.Words[i].Text = untrusted.Clean(e.Words[i].Text, 0)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	switch e.Kind {
	case Interim:
		h.passInterim(e)
	case Segment:
		if h.isNews(e) {
			h.addSegment(e)
			if h.timed && h.covers(0) {
				h.pendingClosings++
				h.completeUtterance()
			}
		}
	case Closing:
		h.closeUtterance(e)
	case Refused:
		if len(h.finalRequests) > 0 {
			h.completeUtterance()
		}
	}
}

func (h *hearing) closeUtterance(e Event) {
	if !h.isNews(e) {
		if h.timed && h.pendingClosings > 0 {
			h.pendingClosings--
			return
		}
		e.Text, e.Words = "", nil
	}
	h.addSegment(e)
	if len(h.finalRequests) > 0 {
		h.completeUtterance()
	}
}

// isNews reports whether e contains anything new. If it does not and has a text, isNews counts it as late.
func (h *hearing) isNews(e Event) bool {
	known := h.timed && e.End <= h.covered
	if !h.timed {
		known = len(h.finalRequests) == 0 && e.Text != "" && e.Text == h.last
	}
	if known && e.Text != "" {
		h.results.Put(stt.Result{Utterance: h.number - 1}) // Put counts it as late
	}
	return !known
}

// passInterim forwards an interim transcript together with the segments before it.
func (h *hearing) passInterim(e Event) {
	if e.Text != "" {
		h.last = ""
	}
	if !h.interim || e.Text == "" || h.timed && e.End <= h.covered || len(h.current.Text)+len(e.Text) > maxText {
		return
	}
	r := h.current
	r.Utterance, r.Confidence = h.number, e.Confidence
	r.Text = joinTexts(r.Text, e.Text)
	r.Words = append(append([]stt.Word(nil), r.Words...), h.placeWords(e.Words)...)
	h.widenSpan(&r, e)
	h.results.Put(r)
}

// addSegment appends a segment to the utterance.
func (h *hearing) addSegment(e Event) {
	h.covered = max(h.covered, e.End)
	if e.Text == "" || len(h.current.Text)+len(e.Text) > maxText {
		return
	}
	h.last = ""
	length := float64(len(e.Text))
	h.current.Confidence = (h.current.Confidence*h.weight + e.Confidence*length) / (h.weight + length)
	h.weight += length
	h.current.Text = joinTexts(h.current.Text, e.Text)
	if len(h.current.Words)+len(e.Words) <= maxWords {
		h.current.Words = append(h.current.Words, h.placeWords(e.Words)...)
	}
	h.widenSpan(&h.current, e)
	if h.interim && len(h.finalRequests) == 0 {
		r := h.current
		r.Utterance = h.number
		r.Words = append([]stt.Word(nil), r.Words...)
		h.results.Put(r)
	}
}

// widenSpan extends the time span of r by that of e.
func (h *hearing) widenSpan(r *stt.Result, e Event) {
	if !h.timed {
		return
	}
	start, end := e.Start, e.End
	if len(e.Words) > 0 {
		start, end = e.Words[0].Start, e.Words[len(e.Words)-1].End
	}
	if r.End == 0 {
		r.Start = max(0, start-h.begin)
	}
	r.End = max(r.End, end-h.begin)
}

// placeWords converts word times from stream to utterance time.
func (h *hearing) placeWords(words []stt.Word) []stt.Word {
	placed := make([]stt.Word, len(words))
	for i, w := range words {
		w.Start, w.End = max(0, w.Start-h.begin), max(0, w.End-h.begin)
		placed[i] = w
	}
	return placed
}

// completeUtterance emits the final transcript of the first outstanding utterance.
func (h *hearing) completeUtterance() {
	r := h.current
	r.Utterance, r.Final = h.number, true
	h.results.Put(r)
	h.last = r.Text
	h.begin = h.finalRequests[0].at
	h.covered = max(h.covered, h.begin)
	h.finalRequests = append(h.finalRequests[:0], h.finalRequests[1:]...)
	h.number++
	h.current, h.weight = stt.Result{}, 0
}

// joinTexts joins two texts with a space.
func joinTexts(a, b string) string {
	a, b = strings.TrimSpace(a), strings.TrimSpace(b)
	if a == "" || b == "" {
		return a + b
	}
	return a + " " + b
}
