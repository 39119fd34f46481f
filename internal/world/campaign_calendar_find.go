package world

import (
	"slices"
	"strings"

	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// Words in expressions for past times.
var (
	lasts = []string{"last", "letzte", "letzten", "letzter", "letztem", "letztes", "vorige", "vorigen", "voriger", "vergangene", "vergangenen", "vergangener"}
	these = []string{"this", "diese", "dieser", "diesen", "diesem", "dieses"}
	few   = []string{"few", "paar", "einigen", "wenigen"}
	// ons may precede a date.
	ons = []string{"on", "am", "in", "im", "at", "since", "seit", "from", "vom", "von"}
)

// plain are words for a single day, with their offset from today.
var plain = map[string]int64{
	"today": 0, "tonight": 0, "heute": 0, "yesterday": -1, "gestern": -1, "vorgestern": -2,
}

// Find finds an expression for a time in a question, relative to today: "what did we say three days ago",
// "was war letzten Markttag". It returns the days and the question without the expression.
func (c *Calendar) Find(question string, today int64) (found memory.Days, rest string, ok bool) {
	all := split(question)
	for i := range all {
		d, n := c.spanAt(all[i:], today)
		if n == 0 {
			continue
		}
		from := i
		if from > 0 && slices.Contains(ons, all[from-1].text) {
			from--
		}
		rest = strings.TrimSpace(question[:all[from].start]) + " " + strings.TrimSpace(question[all[i+n-1].end:])
		return d, strings.TrimSpace(rest), true
	}
	return memory.Days{}, question, false
}

// spanAt returns the days that the first words express, and the number of these words.
func (c *Calendar) spanAt(all []dateWord, today int64) (memory.Days, int) {
	text := func(i int) string {
		if i < len(all) {
			return all[i].text
		}
		return ""
	}
	one := func(day int64) memory.Days { return memory.Days{First: day, Last: day} }
	switch first := text(0); {
	case first == "the" && text(1) == "day" && text(2) == "before" && text(3) == "yesterday":
		return one(today - 2), 4
	case first == "day" && text(1) == "before" && text(2) == "yesterday":
		return one(today - 2), 3
	case slices.Contains(lasts, first):
		return c.lastAt(all, today)
	case slices.Contains(these, first) && units[text(1)] > days:
		return c.around(today, units[text(1)]), 2
	case first == "vor":
		if d, n := c.agoAt(all[1:], today); n > 0 {
			return d, n + 1
		}
		return memory.Days{}, 0
	default:
		if off, ok := plain[first]; ok {
			return one(today + off), 1
		}
		if d, n := c.agoAt(all, today); n > 0 && text(n) == "ago" {
			return d, n + 1
		}
		if day, n := c.date(all, today, true); n > 0 {
			return one(day), n
		}
	}
	if i := c.weekdayCalled(text(0)); i >= 0 {
		return one(c.lastWeekday(i, today)), 1
	}
	return memory.Days{}, 0
}

// lastAt parses "last week", "letzten Monat", "last Marketday", "last night".
func (c *Calendar) lastAt(all []dateWord, today int64) (memory.Days, int) {
	if len(all) < 2 {
		return memory.Days{}, 0
	}
	switch u := units[all[1].text]; {
	case u == days:
		return memory.Days{First: today - 1, Last: today - 1}, 2
	case u != 0:
		return c.around(c.add(today, -1, u), u), 2
	}
	if i := c.weekdayCalled(all[1].text); i >= 0 {
		day := c.lastWeekday(i, today)
		return memory.Days{First: day, Last: day}, 2
	}
	if month, n := c.monthCalled(all[1:]); month >= 0 {
		year, now, _ := c.Split(today)
		if month >= now {
			year--
		}
		first, _ := c.Day(year, month, 1)
		return c.around(first, months), n + 1
	}
	return memory.Days{}, 0
}

// lastWeekday returns the last day before today with a weekday.
func (c *Calendar) lastWeekday(weekday int, today int64) int64 {
	_, back := floorDiv(int64(c.weekday(today)-weekday-1), int64(len(c.Weekdays)))
	return today - back - 1
}

// agoAt parses a duration: "three days", "a week", "a couple of days", "ein paar Tagen". For weeks and longer
// units, it returns the whole unit, because such expressions are not exact.
func (c *Calendar) agoAt(all []dateWord, today int64) (memory.Days, int) {
	at := 0
	n, counted := int64(0), false
	if len(all) > 0 {
		n, counted = number(all[0].text)
	}
	if counted {
		at++
	}
	some := false
	if at < len(all) && slices.Contains(few, all[at].text) {
		some, counted = true, true
		at++
	} else if at < len(all) && all[at].text == "couple" {
		n = 2
		at++
	}
	if at < len(all) && all[at].text == "of" {
		at++
	}
	if !counted || at >= len(all) || units[all[at].text] == 0 || n < 0 {
		return memory.Days{}, 0
	}
	u := units[all[at].text]
	switch {
	case some:
		return memory.Days{First: c.add(today, -5, u), Last: c.add(today, -2, u)}, at + 1
	case u == days:
		return memory.Days{First: today - n, Last: today - n}, at + 1
	}
	return c.around(c.add(today, -n, u), u), at + 1
}
