package world

import (
	"sync/atomic"

	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// Clock is a calendar and the day that it is in the world, if that is known. It is safe
// for concurrent use.
type Clock struct {
	calendar Calendar
	today    atomic.Pointer[int64]
}

// NewClock returns a clock that does not know the day yet.
func NewClock(c Calendar) *Clock {
	if len(c.Months) == 0 {
		c = CommonCalendar()
	}
	return &Clock{calendar: c}
}

// Today is the day in the world, zero if it is not known.
func (c *Clock) Today() memory.Date {
	if day := c.today.Load(); day != nil {
		return memory.Date{Day: *day, Text: c.calendar.Write(*day)}
	}
	return memory.Date{}
}

// Write returns a day as a date.
func (c *Clock) Write(day int64) string { return c.calendar.Write(day) }

// Put says which day it is.
func (c *Clock) Put(day int64) { c.today.Store(&day) }

// Read reads a date, or how far time goes on, as [Calendar.Set] does.
func (c *Clock) Read(text string) (int64, error) {
	return c.calendar.Set(text, c.Today().Day)
}

// Find looks for a time that a question speaks of, as [Calendar.Find] does. While the day
// is not known there is none.
func (c *Clock) Find(question string) (found memory.Days, rest string, ok bool) {
	today := c.today.Load()
	if today == nil {
		return memory.Days{}, question, false
	}
	return c.calendar.Find(question, *today)
}
