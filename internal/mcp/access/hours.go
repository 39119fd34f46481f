package access

import "time"

const day = 24 * time.Hour

// hours is a daily period in local time. Whether it is open depends only on the local clock, which makes days
// with a clock change simple: the period begins when the clock shows from or later, and an hour that occurs
// twice counts twice.
type hours struct {
	// from and to are times of day, since midnight. If to is before from, the period ends on the next day.
	from, to time.Duration
	// days has a bit per [time.Weekday] on which the period begins; 0 means every day.
	days uint8
	zone *time.Location
}

// isOpen reports whether t is within the period.
func (h *hours) isOpen(t time.Time) bool {
	t = t.In(h.zone)
	clock, today := clockOf(t), t.Weekday()
	if h.from < h.to {
		return h.on(today) && h.from <= clock && clock < h.to
	}
	return clock >= h.from && h.on(today) || clock < h.to && h.on((today+6)%7)
}

func (h *hours) on(d time.Weekday) bool { return h.days == 0 || h.days&(1<<d) != 0 }

// clockOf returns the time of day at t.
func clockOf(t time.Time) time.Duration {
	hour, minute, second := t.Clock()
	return time.Duration(hour)*time.Hour + time.Duration(minute)*time.Minute +
		time.Duration(second)*time.Second + time.Duration(t.Nanosecond())
}

// nextChange returns the first instant after t at which the period opens or closes, and whether there is one
// within fifteen days. It looks that far because a clock change may skip a period, which then recurs a week
// later.
func (h *hours) nextChange(t time.Time) (time.Time, bool) {
	now, end := h.isOpen(t), t.Add(15*day)
	for t.Before(end) {
		if t = h.candidate(t); h.isOpen(t) != now {
			return t, true
		}
	}
	return time.Time{}, false
}

// candidate returns the first instant after t at which the clock shows from or to, or is changed.
func (h *hours) candidate(t time.Time) time.Time {
	t = t.In(h.zone)
	clock := clockOf(t)
	best := t.Add(min(until(clock, h.from), until(clock, h.to)))
	if _, jump := t.ZoneBounds(); !jump.IsZero() && jump.Before(best) {
		return jump
	}
	return best
}

// until returns how long a clock takes from now to then. The result is positive and at most a day.
func until(now, then time.Duration) time.Duration {
	if then > now {
		return then - now
	}
	return then - now + day
}
