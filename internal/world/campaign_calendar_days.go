package world

// Calendar counts the days of a campaign's world. It formats days in the campaign's calendar, parses such
// dates, and understands expressions such as "three days ago" or "letzten Markttag" in English and German. It
// reads no clock and does no I/O.

import (
	"fmt"
	"strings"
	"time"
)

// Calendar is a world's calendar. The zero value is [CommonCalendar].
type Calendar struct {
	// Months are the months of a year in order.
	Months []Month
	// Weekdays are the days of a week in order; without them there are no weeks.
	Weekdays []string
	// Era follows the year; may be empty.
	Era string
	// Gregorian means the Gregorian calendar, with its lengths of months.
	Gregorian bool
}

// Month is a month, or feast days between two months.
type Month struct {
	Name string
	Days int
}

// CommonCalendar returns a calendar for worlds without their own: twelve months of thirty days, and weeks of
// seven.
func CommonCalendar() Calendar {
	c := Calendar{Weekdays: []string{"Moonday", "Hearthday", "Wellday", "Fieldday", "Marketday", "Songday", "Restday"}}
	for _, name := range []string{
		"Deepfrost", "Thaw", "Seedmoon", "Lambing", "Blossom", "Highsun", "Haymoon", "Harvest", "Windfall", "Mistmoon", "Firstfrost", "Longnight",
	} {
		c.Months = append(c.Months, Month{name, 30})
	}
	return c
}

// GregorianCalendar returns the Gregorian calendar.
func GregorianCalendar() Calendar {
	c := Calendar{Gregorian: true}
	for m := time.January; m <= time.December; m++ {
		c.Months = append(c.Months, Month{m.String(), 31})
	}
	for d := range 7 {
		c.Weekdays = append(c.Weekdays, time.Weekday((d+1)%7).String()) // Monday first
	}
	return c
}

// yearLength returns the days of a year in a calendar whose years have the same length.
func (c *Calendar) yearLength() int64 {
	n := int64(0)
	for _, m := range c.Months {
		n += int64(m.Days)
	}
	return max(n, 1)
}

// floorDiv divides and rounds down, also for negative numbers.
func floorDiv(a, b int64) (quotient, rest int64) {
	quotient, rest = a/b, a%b
	if rest < 0 {
		quotient, rest = quotient-1, rest+b
	}
	return quotient, rest
}

const secondsADay = 24 * 60 * 60

// Split returns a day's year, its month counted from 0, and the day of the month counted from 1.
func (c *Calendar) Split(day int64) (year int64, month, dayOfMonth int) {
	if c.Gregorian {
		t := time.Unix(day*secondsADay, 0).UTC()
		return int64(t.Year()), int(t.Month()) - 1, t.Day()
	}
	year, rest := floorDiv(day, c.yearLength())
	for i, m := range c.Months {
		if rest < int64(m.Days) {
			return year, i, int(rest) + 1
		}
		rest -= int64(m.Days)
	}
	return year, 0, 1
}

// Day returns the number of a day: month counts from 0, dayOfMonth from 1. It returns false if there is no
// such day.
func (c *Calendar) Day(year int64, month, dayOfMonth int) (int64, bool) {
	if month < 0 || month >= len(c.Months) || dayOfMonth < 1 || dayOfMonth > c.Months[month].Days || year > maxYear || year < -maxYear {
		return 0, false
	}
	if c.Gregorian {
		t := time.Date(int(year), time.Month(month+1), dayOfMonth, 0, 0, 0, 0, time.UTC)
		days, _ := floorDiv(t.Unix(), secondsADay)
		return days, t.Day() == dayOfMonth
	}
	day := year*c.yearLength() + int64(dayOfMonth-1)
	for _, m := range c.Months[:month] {
		day += int64(m.Days)
	}
	return day, true
}

// maxYear bounds years, so that nothing overflows.
const maxYear = 1_000_000

// weekday returns the index of a day's weekday.
func (c *Calendar) weekday(day int64) int {
	if c.Gregorian {
		day += 3 // the day 0 was a Thursday
	}
	_, i := floorDiv(day, int64(len(c.Weekdays)))
	return int(i)
}

// Write formats a day: "Marketday, 3 Thaw 218 AF". A month of one day is a feast, which is written without a
// number.
func (c *Calendar) Write(day int64) string {
	year, month, dayOfMonth := c.Split(day)
	var b strings.Builder
	if len(c.Weekdays) > 0 {
		b.WriteString(c.Weekdays[c.weekday(day)] + ", ")
	}
	if c.Months[month].Days > 1 {
		fmt.Fprintf(&b, "%d ", dayOfMonth)
	}
	fmt.Fprintf(&b, "%s %d %s", c.Months[month].Name, year, c.Era)
	return strings.TrimSpace(b.String())
}
