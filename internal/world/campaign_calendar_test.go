package world_test

import (
	"testing"

	"github.com/MrWong99/glyphoxa/internal/world"
)

// flood returns a calendar of an invented world, with a feast between two months.
func flood() world.Calendar {
	return world.Calendar{
		Months:   []world.Month{{"Frost", 30}, {"Thaw", 30}, {"Lantern Fair", 1}, {"Reed", 30}, {"Emberfall", 30}},
		Weekdays: []string{"Bootstag", "Netztag", "Markttag", "Ruhetag"}, Era: "AF",
	}
}

func on(t *testing.T, c *world.Calendar, year int64, month, day int) int64 {
	t.Helper()
	n, ok := c.Day(year, month, day)
	if !ok {
		t.Fatalf("there is no day %d of month %d", day, month)
	}
	return n
}

func TestDaysAreWrittenAndReadAgain(t *testing.T) {
	for name, c := range map[string]world.Calendar{"own": flood(), "common": world.CommonCalendar(), "gregorian": world.GregorianCalendar()} {
		t.Run(name, func(t *testing.T) {
			for day := int64(-800); day < 800; day++ {
				text := c.Write(day)
				if got, err := c.Set(text, 17); err != nil && day >= 0 || err == nil && got != day && day >= 366 {
					t.Fatalf("day %d is written %q, which is read as %d, %v", day, text, got, err)
				}
				year, month, of := c.Split(day)
				if got, ok := c.Day(year, month, of); !ok || got != day {
					t.Fatalf("day %d is %d/%d/%d, which is day %d, %v", day, year, month, of, got, ok)
				}
			}
		})
	}
	c := world.GregorianCalendar()
	if got := c.Write(20780); got != "Monday, 23 November 2026" {
		t.Errorf("day 20780 is %q", got)
	}
}

func TestTimesOfQuestions(t *testing.T) {
	c := flood()
	today := on(t, &c, 218, 3, 12)
	for _, row := range []struct {
		question, rest string
		first, last    int64 // from today
	}{
		{"what did Bartok say three days ago?", "what did Bartok say ?", -3, -3},
		{"Was hat Bartok vor drei Tagen gesagt?", "Was hat Bartok gesagt?", -3, -3},
		{"yesterday", "", -1, -1},
		{"gestern Abend am Brunnen", "Abend am Brunnen", -1, -1},
		{"vorgestern", "", -2, -2},
		{"the day before yesterday", "", -2, -2},
		{"a few days ago", "", -5, -2},
		{"vor ein paar Tagen", "", -5, -2},
		{"on 3 Reed", "", -9, -9},
		{"am 3. Reed 218", "", -9, -9},
		{"what was at the Lantern Fair 218", "what was", -12, -12},
		{"last month", "", -12, -12},
		{"Reed 12th", "", 0, 0},
	} {
		t.Run(row.question, func(t *testing.T) {
			got, rest, ok := c.Find(row.question, today)
			if !ok || got.First-today != row.first || got.Last-today != row.last || rest != row.rest {
				t.Errorf("Find = %+d to %+d, %q, %v; want %+d to %+d, %q", got.First-today, got.Last-today, rest, ok, row.first, row.last, row.rest)
			}
		})
	}
	for _, w := range c.Weekdays {
		got, _, ok := c.Find("what was last "+w+"?", today)
		if !ok || got.First != got.Last || got.First >= today || today-got.First > 4 || c.Write(got.First)[:len(w)] != w {
			t.Errorf("last %s is %s (%v)", w, c.Write(got.First), ok)
		}
	}
	for _, question := range []string{"", "who stole the crown?", "the first of May be damned", "we need ten arrows", "ago", "last"} {
		if got, _, ok := c.Find(question, today); ok {
			t.Errorf("%q is taken to speak of %v", question, got)
		}
	}
}

func TestSet(t *testing.T) {
	c := flood()
	today := on(t, &c, 218, 3, 12)
	for text, want := range map[string]int64{
		"+3": 3, "3": 3, "tomorrow": 1, "morgen": 1, "in 2 weeks": 8, "zwei Wochen": 8, "3 Reed 219": 112, "3 Reed": -9, "1 year": 121, "-1": -1,
	} {
		if got, err := c.Set(text, today); err != nil || got-today != want {
			t.Errorf("%q goes %+d, %v; want %+d", text, got-today, err, want)
		}
	}
	for _, text := range []string{"", "soon", "31 Reed", "3 Jupiter", "ten arrows"} {
		if got, err := c.Set(text, today); err == nil {
			t.Errorf("%q goes %+d, want an error", text, got-today)
		}
	}
}

func FuzzFind(f *testing.F) {
	for _, s := range []string{"three days ago", "vor drei Tagen", "last Markttag", "the 3rd of Reed 218", "on Lantern Fair", "+", "vor", "999999999 years ago"} {
		f.Add(s)
	}
	c := flood()
	f.Fuzz(func(t *testing.T, s string) {
		if got, _, ok := c.Find(s, 5000); ok && got.First > got.Last {
			t.Errorf("%q: %v", s, got)
		}
		_, _ = c.Set(s, 5000)
	})
}
