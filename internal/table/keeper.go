package table

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/MrWong99/glyphoxa/internal/plural"
	"github.com/MrWong99/glyphoxa/internal/userfile"
	"github.com/MrWong99/glyphoxa/internal/wakeup"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

const (
	// maxPendingLines and maxPendingBytes bound the lines that wait to be stored: far more than is said in an
	// evening. Lines beyond them are dropped, with a notice.
	maxPendingLines = 8192
	maxPendingBytes = 32 << 20
	// firstRetry and lastRetry bound the pause between tries. It doubles after each failed try.
	firstRetry = 250 * time.Millisecond
	lastRetry  = 5 * time.Second
)

var (
	errStorePending = errors.New("it is waiting to be saved")
	errStoreFull    = errors.New("too many lines are waiting to be saved")
	errTooSlow      = fmt.Errorf("memory takes longer than %s to save a line", storeTimeout)
)

// lineWriter writes lines to the log, in the order in which they come. Lines that the log rejects wait, and are
// retried until the table closes. It is safe for concurrent use. Its goroutine runs while lines wait; the
// table's work group waits for it.
type lineWriter struct {
	log         memory.SessionLog
	start       func(func())        // starts a goroutine that the table waits for
	notify      func(storageNotice) // reports to Run, which must be receiving
	moreWaiting chan struct{}       // has a value when more lines wait during an outage

	spillMu sync.Mutex // guards the aside; mu may be acquired while holding it
	spill   Spill      // nil if there is none

	mu      sync.Mutex      // guards the fields below
	waiting []*pendingLines // oldest first
	lines   int             // in waiting
	bytes   int
	writing chan struct{} // closed when the current write has ended; nil if there is none
	outage  outage
	closing chan struct{}
	ended   chan struct{} // closed when the goroutine has ended; nil if none runs
}

// outage is trouble with the log since the last successful write. The zero value means none.
type outage struct {
	cause      error // nil if there is none
	storedLate int   // lines that were stored late
	dropped    int   // lines that were dropped because too many waited
}

// pendingLines holds the lines to store of one turn, or of several that no NPC answers.
type pendingLines struct {
	lines     []memory.Line
	attempted bool       // some of the lines may be in the log
	spilled   bool       // the lines are in the aside
	result    chan error // receives the result; has room
}

// Spill stores lines in a file that wait for the log, so that they outlive the program. It is not safe for
// concurrent use.
type Spill interface {
	// Add appends lines, and returns the location of the file once they are durable. If it fails, none of them
	// is stored.
	Add(lines []memory.Line) (where string, err error)
	// Replace replaces all stored lines. Without lines it deletes the file.
	Replace(lines []memory.Line) error
}

// storageNotice is a notice about the storage of lines, see [Notice.Code].
type storageNotice struct{ level, code, text string }

func newLineWriter(log memory.SessionLog, aside Spill, start func(func()), tell func(storageNotice)) *lineWriter {
	return &lineWriter{log: log, start: start, spill: aside, notify: tell, moreWaiting: make(chan struct{}, 1), closing: make(chan struct{})}
}

// store returns nil once the lines are durable. If that fails or takes longer than storeTimeout, it returns
// the reason, and the lines wait for a retry unless the error is permanent. It ignores the cancellation of
// ctx.
func (w *lineWriter) store(ctx context.Context, lines []memory.Line) error {
	if len(lines) == 0 {
		return nil
	}
	u := &pendingLines{lines: slices.Clone(lines), result: make(chan error, 1)}
	if err := w.enqueue(context.WithoutCancel(ctx), u); err != nil {
		return err
	}
	timer := time.NewTimer(storeTimeout)
	defer timer.Stop()
	select {
	case err := <-u.result:
		return err
	case <-timer.C:
	}
	w.mu.Lock()
	told := w.outage.cause != nil
	if !told {
		w.outage.cause = errTooSlow
	}
	w.mu.Unlock()
	if !told {
		w.notify(waitingNotice(errTooSlow))
	}
	return errStorePending
}

// enqueue adds lines after those that wait. During an outage it returns errStorePending at once.
func (w *lineWriter) enqueue(ctx context.Context, u *pendingLines) error {
	w.mu.Lock()
	if w.count(u, 1); w.lines > maxPendingLines || w.bytes > maxPendingBytes {
		w.count(u, -1)
		first := w.outage.dropped == 0
		w.outage.dropped += len(u.lines)
		why := w.outage.cause
		w.mu.Unlock()
		if first {
			w.notify(storageNotice{"error", CodeLost, "what is said now is lost, because too many lines are waiting to be saved: " + reasonOf(why)})
		}
		return errStoreFull
	}
	defer w.mu.Unlock()
	w.waiting = append(w.waiting, u)
	if w.ended == nil {
		ended := make(chan struct{})
		w.ended = ended
		w.start(func() {
			defer close(ended)
			w.write(ctx)
		})
	}
	if w.outage.cause != nil {
		wakeup.Signal(w.moreWaiting)
		return errStorePending
	}
	return nil
}

// count adds the size of u to the totals, or subtracts it if sign is -1. The caller holds mu.
func (w *lineWriter) count(u *pendingLines, sign int) {
	w.lines += sign * len(u.lines)
	for _, l := range u.lines {
		w.bytes += sign * len(l.Text)
	}
}

func reasonOf(err error) string {
	if err == nil {
		err = errTooSlow
	}
	return userfile.OneLine(err)
}

func waitingNotice(err error) storageNotice {
	return storageNotice{"error", CodeWaits, "what is said cannot be saved right now; the table keeps trying until the session ends: " + reasonOf(err)}
}

// write writes until no lines wait, or until the table closes and a last try has failed.
func (w *lineWriter) write(ctx context.Context) {
	for pause := firstRetry; ; {
		last := isClosed(w.closing)
		some, over := w.nextBatch()
		if over {
			return
		}
		err := w.writeBatch(ctx, some)
		var where string
		var unsaved error
		if err != nil && !isPermanent(err) { // first, so that lines that are reported as waiting are not lost
			where, unsaved = w.spillPending()
		}
		if w.recordResult(some, err) {
			pause = firstRetry
			continue
		}
		if last {
			w.reportUnstored(err, where, unsaved)
			return
		}
		w.awaitRetry(pause)
		pause = min(2*pause, lastRetry)
	}
}

// awaitRetry waits until the pause is over or the table closes. Meanwhile it saves new lines to the aside.
func (w *lineWriter) awaitRetry(pause time.Duration) {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	for {
		select {
		case <-timer.C:
			return
		case <-w.closing:
			return
		case <-w.moreWaiting:
			_, _ = w.spillPending() // retried with the next line, and reported at the end
		}
	}
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// nextBatch returns the lines to write next. over says that none wait, so that the goroutine ends.
func (w *lineWriter) nextBatch() (some []*pendingLines, over bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.waiting) == 0 {
		w.ended = nil
		return nil, true
	}
	n := 0
	for i, u := range w.waiting {
		if n += len(u.lines); i > 0 && n > maxKept {
			break
		}
		some = append(some, u)
	}
	w.writing = make(chan struct{})
	return some, false
}

// writeBatch writes the lines once.
func (w *lineWriter) writeBatch(ctx context.Context, some []*pendingLines) error {
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	var lines []memory.Line
	again := false
	for _, u := range some {
		lines, again = append(lines, u.lines...), again || u.attempted
		u.attempted = true
	}
	if len(lines) == 0 { // taken back meanwhile
		return nil
	}
	appendLines := w.log.Append
	if again {
		appendLines = w.log.AppendMissing
	}
	if _, err := appendLines(ctx, lines...); err != nil {
		return fmt.Errorf("saving the transcript: %w", err)
	}
	return nil
}

// isPermanent reports whether the log will never accept the rejected lines.
func isPermanent(err error) bool {
	return errors.Is(err, memory.ErrNotFound) || errors.Is(err, memory.ErrClosed)
}

// recordResult records the result of a try, and reports whether the next try may follow at once.
func (w *lineWriter) recordResult(some []*pendingLines, err error) bool {
	permanent := isPermanent(err)
	w.mu.Lock()
	close(w.writing)
	w.writing = nil
	var news []storageNotice
	lines := 0
	if err == nil || permanent {
		w.waiting = slices.Delete(w.waiting, 0, len(some))
		for _, u := range some {
			lines += len(u.lines)
			w.count(u, -1)
		}
	}
	switch {
	case permanent:
		news = append(news, storageNotice{"error", CodeLost, fmt.Sprintf("%s lost: %s", countLines(lines), userfile.OneLine(err))})
	case err != nil && w.outage.cause == nil:
		news = append(news, waitingNotice(err))
	case err == nil && w.outage.cause != nil:
		w.outage.storedLate += lines
		if len(w.waiting) == 0 {
			news = append(news, w.endOutage())
		}
	}
	if err != nil && !permanent {
		w.outage.cause = err
	}
	w.mu.Unlock()
	if err == nil || permanent {
		_ = w.rewriteSpill() // if it fails, lines that stay in the aside are found in the log when it is imported
	}
	for _, n := range news {
		w.notify(n)
	}
	answer := err
	if err != nil && !permanent {
		answer = errStorePending
	}
	for _, u := range some {
		select {
		case u.result <- answer:
		default: // reported after an earlier try
		}
	}
	return err == nil || permanent
}

// endOutage ends the outage and returns the notice about it. The caller holds mu.
func (w *lineWriter) endOutage() storageNotice {
	text := fmt.Sprintf("what is said is saved again, including %s that had to wait", plural.Count(w.outage.storedLate, "line", "lines"))
	if w.outage.dropped > 0 {
		text += fmt.Sprintf("; %s lost, because there was no room", countLines(w.outage.dropped))
	}
	w.outage = outage{}
	return storageNotice{"info", CodeKept, text}
}

func countLines(n int) string {
	return plural.Count(n, "line is", "lines are")
}

// close makes the keeper try the waiting lines a last time, and returns a channel that is closed after that.
// keep must not be called any more.
func (w *lineWriter) close() <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	close(w.closing)
	if w.ended != nil {
		return w.ended
	}
	none := make(chan struct{})
	close(none)
	return none
}

// editPending edits the waiting lines: the given function edits each line and reports whether it stays. It waits
// for the current write. The aside is updated before it returns.
func (w *lineWriter) editPending(ctx context.Context, change func(l *memory.Line) bool) error {
	for {
		w.mu.Lock()
		flight := w.writing
		if flight == nil {
			w.editWaiting(change)
			w.mu.Unlock()
			return w.rewriteSpill()
		}
		w.mu.Unlock()
		select {
		case <-flight:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// editWaiting edits the waiting lines. The caller holds mu.
func (w *lineWriter) editWaiting(change func(l *memory.Line) bool) {
	for _, u := range w.waiting {
		w.count(u, -1)
		var rest []memory.Line
		for _, l := range u.lines {
			if change(&l) {
				rest = append(rest, l)
			}
		}
		u.lines = rest
		w.count(u, 1)
	}
}

// spillPending adds the waiting lines to the aside that are not in it yet, and returns its location. Lines that are
// not in it when the table closes are lost.
func (w *lineWriter) spillPending() (where string, err error) {
	if w.spill == nil {
		return "", nil
	}
	w.spillMu.Lock()
	defer w.spillMu.Unlock()
	w.mu.Lock()
	var lines []memory.Line
	var some []*pendingLines
	for _, u := range w.waiting {
		if !u.spilled {
			some, lines = append(some, u), append(lines, u.lines...)
		}
	}
	w.mu.Unlock()
	if where, err = w.spill.Add(lines); err != nil {
		return "", err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, u := range some {
		u.spilled = true
	}
	return where, nil
}

// rewriteSpill updates the aside after some of its lines were edited or stored. Otherwise lines that were
// taken back could reappear at the next start.
func (w *lineWriter) rewriteSpill() error {
	if w.spill == nil {
		return nil
	}
	w.spillMu.Lock()
	defer w.spillMu.Unlock()
	w.mu.Lock()
	var lines []memory.Line
	for _, u := range w.waiting {
		if u.spilled {
			lines = append(lines, u.lines...)
		}
	}
	w.mu.Unlock()
	return w.spill.Replace(lines)
}

// reportUnstored leaves the saved lines to the aside, reports the loss, and ends the goroutine.
func (w *lineWriter) reportUnstored(err error, where string, unsaved error) {
	w.mu.Lock()
	saved, lost := 0, w.outage.dropped
	for _, u := range w.waiting {
		if u.spilled {
			saved += len(u.lines)
		} else {
			lost += len(u.lines)
		}
	}
	w.waiting, w.lines, w.bytes, w.ended = nil, 0, 0, nil
	w.mu.Unlock()
	if saved > 0 {
		w.notify(storageNotice{"warning", CodeSpilled, fmt.Sprintf("%s in %s and will move to memory once it can be opened: %s", countLines(saved), where, reasonOf(err))})
	}
	if lost > 0 {
		w.notify(storageNotice{"error", CodeLost, fmt.Sprintf("%s lost, because the session is ending: %s", countLines(lost), reasonOf(errors.Join(err, unsaved)))})
	}
}
