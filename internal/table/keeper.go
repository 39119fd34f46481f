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
	// maxWaitingKept and maxWaitingBytes bound the lines that wait to be stored: far more than is said in an
	// evening. Lines beyond them are dropped, with a notice.
	maxWaitingKept  = 8192
	maxWaitingBytes = 32 << 20
	// firstRetry and lastRetry bound the pause between tries. It doubles after each failed try.
	firstRetry = 250 * time.Millisecond
	lastRetry  = 5 * time.Second
)

var (
	errWaits   = errors.New("it is waiting to be saved")
	errNoRoom  = errors.New("too many lines are waiting to be saved")
	errTooSlow = fmt.Errorf("memory takes longer than %s to save a line", storeTimeout)
)

// keeper writes lines to the log, in the order in which they come. Lines that the log rejects wait, and are
// retried until the table closes. It is safe for concurrent use. Its goroutine runs while lines wait; the
// table's work group waits for it.
type keeper struct {
	log   memory.SessionLog
	start func(func())  // starts a goroutine that the table waits for
	tell  func(kept)    // reports to Run, which must be receiving
	fresh chan struct{} // has a value when more lines wait during an outage

	asideMu sync.Mutex // guards the aside; mu may be acquired while holding it
	aside   Aside      // nil if there is none

	mu      sync.Mutex // guards the fields below
	waiting []*unkept  // oldest first
	lines   int        // in waiting
	bytes   int
	flight  chan struct{} // closed when the current write has ended; nil if there is none
	outage  outage
	closing chan struct{}
	ended   chan struct{} // closed when the goroutine has ended; nil if none runs
}

// outage is trouble with the log since the last successful write. The zero value means none.
type outage struct {
	why  error // nil if there is none
	late int   // lines that were stored late
	lost int   // lines that were dropped because too many waited
}

// unkept holds the lines to store of one turn, or of several that no NPC answers.
type unkept struct {
	lines []memory.Line
	tried bool       // some of the lines may be in the log
	saved bool       // the lines are in the aside
	done  chan error // receives the result; has room
}

// Aside stores lines in a file that wait for the log, so that they outlive the program. It is not safe for
// concurrent use.
type Aside interface {
	// Add appends lines, and returns the location of the file once they are durable. If it fails, none of them
	// is stored.
	Add(lines []memory.Line) (where string, err error)
	// Replace replaces all stored lines. Without lines it deletes the file.
	Replace(lines []memory.Line) error
}

// kept is a notice about the storage of lines, see [Notice.Code].
type kept struct{ level, code, text string }

func newKeeper(log memory.SessionLog, aside Aside, start func(func()), tell func(kept)) *keeper {
	return &keeper{log: log, start: start, aside: aside, tell: tell, fresh: make(chan struct{}, 1), closing: make(chan struct{})}
}

// keep returns nil once the lines are durable. If that fails or takes longer than storeTimeout, it returns
// the reason, and the lines wait for a retry unless the error is permanent. It ignores the cancellation of
// ctx.
func (k *keeper) keep(ctx context.Context, lines []memory.Line) error {
	if len(lines) == 0 {
		return nil
	}
	u := &unkept{lines: slices.Clone(lines), done: make(chan error, 1)}
	if err := k.enqueue(context.WithoutCancel(ctx), u); err != nil {
		return err
	}
	timer := time.NewTimer(storeTimeout)
	defer timer.Stop()
	select {
	case err := <-u.done:
		return err
	case <-timer.C:
	}
	k.mu.Lock()
	told := k.outage.why != nil
	if !told {
		k.outage.why = errTooSlow
	}
	k.mu.Unlock()
	if !told {
		k.tell(waitsBecause(errTooSlow))
	}
	return errWaits
}

// enqueue adds lines after those that wait. During an outage it returns errWaits at once.
func (k *keeper) enqueue(ctx context.Context, u *unkept) error {
	k.mu.Lock()
	if k.count(u, 1); k.lines > maxWaitingKept || k.bytes > maxWaitingBytes {
		k.count(u, -1)
		first := k.outage.lost == 0
		k.outage.lost += len(u.lines)
		why := k.outage.why
		k.mu.Unlock()
		if first {
			k.tell(kept{"error", CodeLost, "what is said now is lost, because too many lines are waiting to be saved: " + reasonOf(why)})
		}
		return errNoRoom
	}
	defer k.mu.Unlock()
	k.waiting = append(k.waiting, u)
	if k.ended == nil {
		ended := make(chan struct{})
		k.ended = ended
		k.start(func() {
			defer close(ended)
			k.write(ctx)
		})
	}
	if k.outage.why != nil {
		wakeup.Signal(k.fresh)
		return errWaits
	}
	return nil
}

// count adds the size of u to the totals, or subtracts it if sign is -1. The caller holds mu.
func (k *keeper) count(u *unkept, sign int) {
	k.lines += sign * len(u.lines)
	for _, l := range u.lines {
		k.bytes += sign * len(l.Text)
	}
}

func reasonOf(err error) string {
	if err == nil {
		err = errTooSlow
	}
	return userfile.OneLine(err)
}

func waitsBecause(err error) kept {
	return kept{"error", CodeWaits, "what is said cannot be saved right now; the table keeps trying until the session ends: " + reasonOf(err)}
}

// write writes until no lines wait, or until the table closes and a last try has failed.
func (k *keeper) write(ctx context.Context) {
	for pause := firstRetry; ; {
		last := isClosed(k.closing)
		some, over := k.nextBatch()
		if over {
			return
		}
		err := k.try(ctx, some)
		var where string
		var unsaved error
		if err != nil && !isPermanent(err) { // first, so that lines that are reported as waiting are not lost
			where, unsaved = k.save()
		}
		if k.settle(some, err) {
			pause = firstRetry
			continue
		}
		if last {
			k.giveUp(err, where, unsaved)
			return
		}
		k.rest(pause)
		pause = min(2*pause, lastRetry)
	}
}

// rest waits until the pause is over or the table closes. Meanwhile it saves new lines to the aside.
func (k *keeper) rest(pause time.Duration) {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	for {
		select {
		case <-timer.C:
			return
		case <-k.closing:
			return
		case <-k.fresh:
			_, _ = k.save() // retried with the next line, and reported at the end
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
func (k *keeper) nextBatch() (some []*unkept, over bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.waiting) == 0 {
		k.ended = nil
		return nil, true
	}
	n := 0
	for i, u := range k.waiting {
		if n += len(u.lines); i > 0 && n > maxKept {
			break
		}
		some = append(some, u)
	}
	k.flight = make(chan struct{})
	return some, false
}

// try writes the lines once.
func (k *keeper) try(ctx context.Context, some []*unkept) error {
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	var lines []memory.Line
	again := false
	for _, u := range some {
		lines, again = append(lines, u.lines...), again || u.tried
		u.tried = true
	}
	if len(lines) == 0 { // taken back meanwhile
		return nil
	}
	appendLines := k.log.Append
	if again {
		appendLines = k.log.AppendMissing
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

// settle records the result of a try, and reports whether the next try may follow at once.
func (k *keeper) settle(some []*unkept, err error) bool {
	permanent := isPermanent(err)
	k.mu.Lock()
	close(k.flight)
	k.flight = nil
	var news []kept
	lines := 0
	if err == nil || permanent {
		k.waiting = slices.Delete(k.waiting, 0, len(some))
		for _, u := range some {
			lines += len(u.lines)
			k.count(u, -1)
		}
	}
	switch {
	case permanent:
		news = append(news, kept{"error", CodeLost, fmt.Sprintf("%s lost: %s", countLines(lines), userfile.OneLine(err))})
	case err != nil && k.outage.why == nil:
		news = append(news, waitsBecause(err))
	case err == nil && k.outage.why != nil:
		k.outage.late += lines
		if len(k.waiting) == 0 {
			news = append(news, k.recovered())
		}
	}
	if err != nil && !permanent {
		k.outage.why = err
	}
	k.mu.Unlock()
	if err == nil || permanent {
		_ = k.replaceSaved() // if it fails, lines that stay in the aside are found in the log when it is imported
	}
	for _, n := range news {
		k.tell(n)
	}
	answer := err
	if err != nil && !permanent {
		answer = errWaits
	}
	for _, u := range some {
		select {
		case u.done <- answer:
		default: // reported after an earlier try
		}
	}
	return err == nil || permanent
}

// recovered ends the outage and returns the notice about it. The caller holds mu.
func (k *keeper) recovered() kept {
	text := fmt.Sprintf("what is said is saved again, including %s that had to wait", plural.Count(k.outage.late, "line", "lines"))
	if k.outage.lost > 0 {
		text += fmt.Sprintf("; %s lost, because there was no room", countLines(k.outage.lost))
	}
	k.outage = outage{}
	return kept{"info", CodeKept, text}
}

func countLines(n int) string {
	return plural.Count(n, "line is", "lines are")
}

// close makes the keeper try the waiting lines a last time, and returns a channel that is closed after that.
// keep must not be called any more.
func (k *keeper) close() <-chan struct{} {
	k.mu.Lock()
	defer k.mu.Unlock()
	close(k.closing)
	if k.ended != nil {
		return k.ended
	}
	none := make(chan struct{})
	close(none)
	return none
}

// change edits the waiting lines: the given function edits each line and reports whether it stays. It waits
// for the current write. The aside is updated before it returns.
func (k *keeper) change(ctx context.Context, change func(l *memory.Line) bool) error {
	for {
		k.mu.Lock()
		flight := k.flight
		if flight == nil {
			k.changeWaiting(change)
			k.mu.Unlock()
			return k.replaceSaved()
		}
		k.mu.Unlock()
		select {
		case <-flight:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// changeWaiting edits the waiting lines. The caller holds mu.
func (k *keeper) changeWaiting(change func(l *memory.Line) bool) {
	for _, u := range k.waiting {
		k.count(u, -1)
		var rest []memory.Line
		for _, l := range u.lines {
			if change(&l) {
				rest = append(rest, l)
			}
		}
		u.lines = rest
		k.count(u, 1)
	}
}

// save adds the waiting lines to the aside that are not in it yet, and returns its location. Lines that are
// not in it when the table closes are lost.
func (k *keeper) save() (where string, err error) {
	if k.aside == nil {
		return "", nil
	}
	k.asideMu.Lock()
	defer k.asideMu.Unlock()
	k.mu.Lock()
	var lines []memory.Line
	var some []*unkept
	for _, u := range k.waiting {
		if !u.saved {
			some, lines = append(some, u), append(lines, u.lines...)
		}
	}
	k.mu.Unlock()
	if where, err = k.aside.Add(lines); err != nil {
		return "", err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, u := range some {
		u.saved = true
	}
	return where, nil
}

// replaceSaved updates the aside after some of its lines were edited or stored. Otherwise lines that were
// taken back could reappear at the next start.
func (k *keeper) replaceSaved() error {
	if k.aside == nil {
		return nil
	}
	k.asideMu.Lock()
	defer k.asideMu.Unlock()
	k.mu.Lock()
	var lines []memory.Line
	for _, u := range k.waiting {
		if u.saved {
			lines = append(lines, u.lines...)
		}
	}
	k.mu.Unlock()
	return k.aside.Replace(lines)
}

// giveUp leaves the saved lines to the aside, reports the loss, and ends the goroutine.
func (k *keeper) giveUp(err error, where string, unsaved error) {
	k.mu.Lock()
	saved, lost := 0, k.outage.lost
	for _, u := range k.waiting {
		if u.saved {
			saved += len(u.lines)
		} else {
			lost += len(u.lines)
		}
	}
	k.waiting, k.lines, k.bytes, k.ended = nil, 0, 0, nil
	k.mu.Unlock()
	if saved > 0 {
		k.tell(kept{"warning", CodeAside, fmt.Sprintf("%s in %s and will move to memory once it can be opened: %s", countLines(saved), where, reasonOf(err))})
	}
	if lost > 0 {
		k.tell(kept{"error", CodeLost, fmt.Sprintf("%s lost, because the session is ending: %s", countLines(lost), reasonOf(errors.Join(err, unsaved)))})
	}
}
