package world

import (
	"sync/atomic"

	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// Clock is a calendar with the current date in the world, if known. It is safe for concurrent use.
type Clock struct {
	calendar Calendar
	today    atomic.Pointer[int64]
}

// NewClock returns a clock without a date.
func NewClock(c Calendar) *Clock {
	if len(c.Months) == 0 {
		c = CommonCalendar()
	}
	return &Clock{calendar: c}
}

// Today returns the current date, zero if it is unknown.
func (c *Clock) Today() memory.Date {
	if day := c.today.Load(); day != nil {
		return memory.Date{Day: *day, Text: c.calendar.Write(*day)}
	}
	return memory.Date{}
}

// Write formats a day as a date.
func (c *Clock) Write(day int64) string { return c.calendar.Write(day) }

// Put sets the current day.
func (c *Clock) Put(day int64) { c.today.Store(&day) }

// Read parses a date or an offset like [Calendar.Set].
func (c *Clock) Read(text string) (int64, error) {
	return c.calendar.Set(text, c.Today().Day)
}

// Find finds a time in a question like [Calendar.Find]. It finds nothing while the date is unknown.
func (c *Clock) Find(question string) (found memory.Days, rest string, ok bool) {
	today := c.today.Load()
	if today == nil {
		return memory.Days{}, question, false
	}
	return c.calendar.Find(question, *today)
}
