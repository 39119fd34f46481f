package vendor

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/MrWong99/glyphoxa/internal/untrusted"
	"github.com/MrWong99/glyphoxa/pkg/provider/stt"
)

// Kind is what an [Event] means.
type Kind int

// Kinds of events.
const (
	// Nothing concerns no transcript.
	Nothing Kind = iota
	// Interim is a text that may change, from the end of the last segment.
	Interim
	// Segment is a text that stays; more of the utterance may follow.
	Segment
	// Closing is a segment that answers a request for the final transcript.
	Closing
	// Refused means that the vendor had too little sound for a final.
	Refused
)

// Event is one message of a vendor. Places are in the stream, from its
// beginning; only a timed dialect has them.
type Event struct {
	Kind       Kind
	Text       string
	Confidence float64
	Start, End time.Duration
	Words      []stt.Word
}

const (
	// maxText bounds the transcript of one utterance in bytes.
	maxText = 64 << 10
	// maxWords bounds its words.
	maxWords = 4096
	// rounding is how far two places may differ that mean the same.
	rounding = 25 * time.Millisecond
	// remainder is how little sound a vendor may keep silent about when a
	// final is asked for.
	remainder = 250 * time.Millisecond
	// grace is how long to wait for word of such a remainder.
	grace = 500 * time.Millisecond
)

// ask is a request for the final transcript of an utterance.
type ask struct {
	at   time.Duration // where the utterance ends
	when time.Time
}

// hearing puts segments together to utterances. The writer asks, the reader
// takes events.
type hearing struct {
	results *Results
	timed   bool
	interim bool

	mu      sync.Mutex // guards the fields below
	number  int        // of the utterance that is being heard
	asks    []ask      // the first is for number
	begin   time.Duration
	covered time.Duration // how much of the stream has been heard
	owed    int           // closings that may still come for utterances that have their final
	last    string        // text of the last final, until something new is heard
	current stt.Result
	weight  float64 // of the confidence so far
}

// askFinal notes that the final of the sound up to at is being asked for.
func (h *hearing) askFinal(at time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.asks = append(h.asks, ask{at: at, when: time.Now()})
	if h.timed && h.covers(0) {
		h.owed++
		h.completeUtterance()
	}
}

// isWaiting reports whether a final is awaited.
func (h *hearing) isWaiting() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.asks) > 0
}

// covers reports whether everything but slack of the first asked utterance has
// been heard.
func (h *hearing) covers(slack time.Duration) bool {
	return len(h.asks) > 0 && h.asks[0].at > h.begin && h.covered+rounding+slack >= h.asks[0].at
}

// expireFinal gives an utterance its final when the vendor has nothing more to say
// of it. The error says that a final is overdue for good: what comes later
// could not be told apart from the next utterance's.
func (h *hearing) expireFinal(now time.Time) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.asks) == 0 {
		return nil
	}
	waited := now.Sub(h.asks[0].when)
	if h.timed && waited >= grace && (h.covers(remainder) || h.asks[0].at <= h.begin+remainder) {
		h.owed++
		h.completeUtterance()
		return nil
	}
	if waited >= stt.DefaultBudget {
		return fmt.Errorf("%w: it answered nothing for %s", stt.ErrOverBudget, stt.DefaultBudget)
	}
	return nil
}

// takeEvent hears one event.
func (h *hearing) takeEvent(e Event) {
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
				h.owed++
				h.completeUtterance()
			}
		}
	case Closing:
		h.closeUtterance(e)
	case Refused:
		if len(h.asks) > 0 {
			h.completeUtterance()
		}
	}
}

func (h *hearing) closeUtterance(e Event) {
	if !h.isNews(e) {
		if h.timed && h.owed > 0 {
			h.owed--
			return
		}
		e.Text, e.Words = "", nil
	}
	h.addSegment(e)
	if len(h.asks) > 0 {
		h.completeUtterance()
	}
}

// isNews reports whether e tells something that has not been heard; if not, it
// is counted as late if it has a text.
func (h *hearing) isNews(e Event) bool {
	known := h.timed && e.End <= h.covered
	if !h.timed {
		known = len(h.asks) == 0 && e.Text != "" && e.Text == h.last
	}
	if known && e.Text != "" {
		h.results.Put(stt.Result{Utterance: h.number - 1}) // counted there
	}
	return !known
}

// passInterim passes on an interim transcript with what stays before it.
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
	if h.interim && len(h.asks) == 0 {
		r := h.current
		r.Utterance = h.number
		r.Words = append([]stt.Word(nil), r.Words...)
		h.results.Put(r)
	}
}

// widenSpan widens r's place by e's.
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

// placeWords moves words from their place in the stream to that in the utterance.
func (h *hearing) placeWords(words []stt.Word) []stt.Word {
	placed := make([]stt.Word, len(words))
	for i, w := range words {
		w.Start, w.End = max(0, w.Start-h.begin), max(0, w.End-h.begin)
		placed[i] = w
	}
	return placed
}

// completeUtterance gives the first asked utterance its final.
func (h *hearing) completeUtterance() {
	r := h.current
	r.Utterance, r.Final = h.number, true
	h.results.Put(r)
	h.last = r.Text
	h.begin = h.asks[0].at
	h.covered = max(h.covered, h.begin)
	h.asks = append(h.asks[:0], h.asks[1:]...)
	h.number++
	h.current, h.weight = stt.Result{}, 0
}

// joinTexts puts two pieces of text together.
func joinTexts(a, b string) string {
	a, b = strings.TrimSpace(a), strings.TrimSpace(b)
	if a == "" || b == "" {
		return a + b
	}
	return a + " " + b
}
