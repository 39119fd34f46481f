package access

import "time"

const day = 24 * time.Hour

// hours is a daily stretch of time by the clock on the wall of one place.
// Whether it is open depends on what that clock shows, so that a night in which
// the clocks change holds no surprise: the stretch begins when the clock shows
// from or later, and an hour that comes twice counts twice.
type hours struct {
	// from and to are times of day, from midnight. If to is before from, the
	// stretch ends on the next day.
	from, to time.Duration
	// days holds a bit per [time.Weekday] on which the stretch begins; 0 is every
	// day.
	days uint8
	zone *time.Location
}

// isOpen reports whether t is within the hours.
func (h *hours) isOpen(t time.Time) bool {
	t = t.In(h.zone)
	clock, today := clockOf(t), t.Weekday()
	if h.from < h.to {
		return h.on(today) && h.from <= clock && clock < h.to
	}
	return clock >= h.from && h.on(today) || clock < h.to && h.on((today+6)%7)
}

func (h *hours) on(d time.Weekday) bool { return h.days == 0 || h.days&(1<<d) != 0 }

// clockOf returns what the clock shows at t.
func clockOf(t time.Time) time.Duration {
	hour, minute, second := t.Clock()
	return time.Duration(hour)*time.Hour + time.Duration(minute)*time.Minute +
		time.Duration(second)*time.Second + time.Duration(t.Nanosecond())
}

// nextChange returns the first instant after t at which the hours open or close, and
// whether there is one within the next fifteen days: a stretch that a jump of the clock
// swallows comes a week later.
func (h *hours) nextChange(t time.Time) (time.Time, bool) {
	now, end := h.isOpen(t), t.Add(15*day)
	for t.Before(end) {
		if t = h.candidate(t); h.isOpen(t) != now {
			return t, true
		}
	}
	return time.Time{}, false
}

// candidate returns the first instant after t at which the clock shows from or
// to, or jumps.
func (h *hours) candidate(t time.Time) time.Time {
	t = t.In(h.zone)
	clock := clockOf(t)
	best := t.Add(min(until(clock, h.from), until(clock, h.to)))
	if _, jump := t.ZoneBounds(); !jump.IsZero() && jump.Before(best) {
		return jump
	}
	return best
}

// until returns how long a clock that shows now takes to show then, from more
// than nothing to a whole day.
func until(now, then time.Duration) time.Duration {
	if then > now {
		return then - now
	}
	return then - now + day
}
