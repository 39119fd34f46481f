package world

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/words"
)

// maxRead bounds the words of a text that are examined.
const maxRead = 200

// dateWord is a word of a text in lower case, with its position.
type dateWord struct {
	text       string
	start, end int
}

// split returns the words of a text in lower case. A number keeps its sign.
func split(text string) []dateWord {
	var all []dateWord
	start := -1
	for i, r := range text + " " {
		in := unicode.IsLetter(r) || unicode.IsDigit(r) || r == '\'' || r == '’' || (r == '+' || r == '-') && start < 0
		switch {
		case in && start < 0:
			start = i
		case !in && start >= 0:
			all = append(all, dateWord{strings.ToLower(text[start:i]), start, i})
			start = -1
		}
		if len(all) == maxRead {
			break
		}
	}
	return all
}

// numbers are number words.
var numbers = map[string]int64{
	"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "twelve": 12, "couple": 2,
	"ein": 1, "eine": 1, "einem": 1, "einer": 1, "einen": 1, "zwei": 2, "drei": 3, "vier": 4, "fünf": 5, "sechs": 6, "sieben": 7, "acht": 8, "neun": 9, "zehn": 10, "zwölf": 12,
}

// number parses "3", "3rd", "+3" and "three".
func number(w string) (int64, bool) {
	if n, ok := numbers[w]; ok {
		return n, true
	}
	for _, ending := range []string{"st", "nd", "rd", "th", "te", "ten"} {
		if digits, found := strings.CutSuffix(w, ending); found && digits != "" && unicode.IsDigit(rune(digits[0])) {
			w = digits
		}
	}
	n, err := strconv.ParseInt(w, 10, 32)
	return n, err == nil
}

// unit is a unit of time.
type unit uint8

const (
	days unit = iota + 1
	weeks
	months
	years
)

var units = map[string]unit{
	"day": days, "days": days, "night": days, "nights": days, "tag": days, "tage": days, "tagen": days, "nacht": days, "nächte": days, "nächten": days,
	"week": weeks, "weeks": weeks, "tenday": weeks, "tendays": weeks, "woche": weeks, "wochen": weeks,
	"month": months, "months": months, "monat": months, "monate": months, "monaten": months,
	"year": years, "years": years, "jahr": years, "jahre": years, "jahren": years,
}

// week returns the length of a week in days.
func (c *Calendar) week() int64 {
	if n := len(c.Weekdays); n > 0 {
		return int64(n)
	}
	return 7
}

// add returns the day n units after a day.
func (c *Calendar) add(day, n int64, u unit) int64 {
	year, month, dayOfMonth := c.Split(day)
	switch u {
	case weeks:
		return day + n*c.week()
	case months:
		more, m := floorDiv(int64(month)+n, int64(len(c.Months)))
		year, month = year+more, int(m)
	case years:
		year += n
	default:
		return day + n
	}
	for ; dayOfMonth > 1; dayOfMonth-- {
		if d, ok := c.Day(year, month, dayOfMonth); ok {
			return d
		}
	}
	d, _ := c.Day(year, month, 1)
	return d
}

// around returns the days of the unit that contains a day.
func (c *Calendar) around(day int64, u unit) memory.Days {
	switch u {
	case weeks:
		first := day
		if len(c.Weekdays) > 0 {
			first -= int64(c.weekday(day))
		}
		return memory.Days{First: first, Last: first + c.week() - 1}
	case months:
		year, month, _ := c.Split(day)
		first, _ := c.Day(year, month, 1)
		return memory.Days{First: first, Last: c.add(first, 1, months) - 1}
	case years:
		year, _, _ := c.Split(day)
		first, _ := c.Day(year, 0, 1)
		return memory.Days{First: first, Last: c.add(first, 1, years) - 1}
	}
	return memory.Days{First: day, Last: day}
}

// namedEntity finds a name that equals a word or, from five letters on, differs by a mishearing.
func namedEntity(names []string, w string) int {
	for i, name := range names {
		if strings.EqualFold(name, w) {
			return i
		}
	}
	if len([]rune(w)) < 5 {
		return -1
	}
	return slices.IndexFunc(names, func(name string) bool {
		return words.Distance([]rune(strings.ToLower(name)), []rune(w), 2) < 2
	})
}

// germanDays and germanMonths are the German names of the Gregorian calendar.
var (
	germanDays   = []string{"Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag", "Sonntag"}
	germanMonths = []string{"Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober", "November", "Dezember"}
)

// weekdayCalled returns the weekday that a word names, or -1.
func (c *Calendar) weekdayCalled(w string) int {
	i := namedEntity(c.Weekdays, w)
	if i < 0 && c.Gregorian {
		i = namedEntity(germanDays, w)
	}
	return i
}

// monthCalled returns the month that the first words name and the number of these words, or -1.
func (c *Calendar) monthCalled(all []dateWord) (month, n int) {
	for i, m := range c.Months {
		parts := split(m.Name)
		if len(parts) > 1 && len(parts) <= len(all) && slices.EqualFunc(parts, all[:len(parts)], func(a, b dateWord) bool { return a.text == b.text }) {
			return i, len(parts)
		}
	}
	if len(all) == 0 {
		return -1, 0
	}
	names := make([]string, len(c.Months))
	for i, m := range c.Months {
		names[i] = m.Name
	}
	if i := namedEntity(names, all[0].text); i >= 0 {
		return i, 1
	}
	if c.Gregorian {
		return namedEntity(germanMonths, all[0].text), 1
	}
	return -1, 0
}

// date parses a date at the beginning of words: "3 Thaw 218", "3. Thaw", "Thaw 3". If past is set, a date
// without a year is the latest one up to today. n is the number of words, 0 if there is no date.
func (c *Calendar) date(all []dateWord, today int64, past bool) (day int64, n int) {
	if len(all) == 0 {
		return 0, 0
	}
	if all[0].text == "the" || all[0].text == "der" || all[0].text == "den" || all[0].text == "dem" {
		if day, n = c.date(all[1:], today, past); n > 0 {
			n++
		}
		return day, n
	}
	dayOfMonth, numbered := number(all[0].text)
	at := 0
	if numbered {
		at++
		if at < len(all) && all[at].text == "of" {
			at++
		}
	}
	month, taken := c.monthCalled(all[min(at, len(all)):])
	if month < 0 {
		return 0, 0
	}
	at += taken
	if !numbered {
		if at < len(all) {
			dayOfMonth, numbered = number(all[at].text)
		}
		switch {
		case numbered && dayOfMonth >= 1 && dayOfMonth <= int64(c.Months[month].Days) && c.Months[month].Days > 1:
			at++
		case c.Months[month].Days == 1:
			dayOfMonth = 1
		default:
			return 0, 0
		}
	}
	year, _, _ := c.Split(today)
	dated := false
	if at < len(all) {
		if y, err := strconv.ParseInt(all[at].text, 10, 32); err == nil {
			year, dated = y, true
			at++
		}
	}
	day, ok := c.Day(year, month, int(dayOfMonth))
	if ok && !dated && past && day > today {
		day, ok = c.Day(year-1, month, int(dayOfMonth))
	}
	if !ok {
		return 0, 0
	}
	return day, at
}

// Set parses a new date relative to today: a date, or an offset such as "tomorrow", "+3", "in 2 weeks",
// "morgen", "drei Tage".
func (c *Calendar) Set(text string, today int64) (int64, error) {
	var all []dateWord
	for _, w := range split(text) {
		if c.weekdayCalled(w.text) < 0 || len(all) > 0 {
			all = append(all, w)
		}
	}
	if day, n := c.date(all, today, false); n > 0 {
		return day, nil
	}
	if len(all) > 0 && (all[0].text == "in" || all[0].text == "next") && len(all) > 1 {
		if all[0].text == "next" {
			all[0].text = "1"
		} else {
			all = all[1:]
		}
	}
	switch {
	case len(all) == 0:
	case len(all) == 1 && (all[0].text == "tomorrow" || all[0].text == "morgen"):
		return today + 1, nil
	case len(all) == 1 && (all[0].text == "yesterday" || all[0].text == "gestern"):
		return today - 1, nil
	case len(all) <= 2:
		if n, ok := number(all[0].text); ok {
			if len(all) == 1 {
				return today + n, nil
			}
			if u, ok := units[all[1].text]; ok {
				return c.add(today, n, u), nil
			}
		}
	}
	return 0, fmt.Errorf("%q is not a date here; write one like %q, or +3 or tomorrow", text, c.Write(today))
}
