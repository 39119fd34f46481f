package access

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

func zone(t testing.TB, name string) *time.Location {
	t.Helper()
	z, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

func TestHoursOpen(t *testing.T) {
	const hour = time.Hour
	friday := uint8(1 << time.Friday)
	sunday := uint8(1 << time.Sunday)
	berlin := zone(t, "Europe/Berlin")
	tests := []struct {
		name  string
		hours hours
		at    string
		want  bool
	}{
		{"within", hours{from: 18 * hour, to: 22 * hour, zone: time.UTC}, "2026-11-20T19:00:00Z", true},
		{"at_the_beginning", hours{from: 18 * hour, to: 22 * hour, zone: time.UTC}, "2026-11-20T18:00:00Z", true},
		{"just_before", hours{from: 18 * hour, to: 22 * hour, zone: time.UTC}, "2026-11-20T17:59:59.999999999Z", false},
		{"at_the_end", hours{from: 18 * hour, to: 22 * hour, zone: time.UTC}, "2026-11-20T22:00:00Z", false},
		{"wraps_before_midnight", hours{from: 18 * hour, to: 2 * hour, zone: time.UTC}, "2026-11-20T23:00:00Z", true},
		{"wraps_after_midnight", hours{from: 18 * hour, to: 2 * hour, zone: time.UTC}, "2026-11-20T01:59:59Z", true},
		{"wraps_closed", hours{from: 18 * hour, to: 2 * hour, zone: time.UTC}, "2026-11-20T02:00:00Z", false},
		{"until_midnight", hours{from: 18 * hour, to: 0, zone: time.UTC}, "2026-11-20T23:59:59Z", true},
		{"midnight_is_over", hours{from: 18 * hour, to: 0, zone: time.UTC}, "2026-11-21T00:00:00Z", false},
		{"its_day", hours{from: 18 * hour, to: 22 * hour, days: friday, zone: time.UTC}, "2026-11-20T19:00:00Z", true},
		{"another_day", hours{from: 18 * hour, to: 22 * hour, days: friday, zone: time.UTC}, "2026-11-21T19:00:00Z", false},
		{"night_of_its_day", hours{from: 18 * hour, to: 2 * hour, days: friday, zone: time.UTC}, "2026-11-21T01:00:00Z", true},
		{"night_before_its_day", hours{from: 18 * hour, to: 2 * hour, days: friday, zone: time.UTC}, "2026-11-20T01:00:00Z", false},
		{"sunday_night", hours{from: 18 * hour, to: 2 * hour, days: sunday, zone: time.UTC}, "2026-11-23T01:00:00Z", true},
		{"its_zone", hours{from: 18 * hour, to: 22 * hour, zone: berlin}, "2026-11-20T17:30:00Z", true},
		{"its_zone_in_summer", hours{from: 18 * hour, to: 22 * hour, zone: berlin}, "2026-07-20T16:30:00Z", true},
		{"its_zone_decides_the_day", hours{from: 0, to: 2 * hour, days: friday, zone: berlin}, "2026-11-19T23:30:00Z", true},
		// On 29 March 2026 the clock jumps from 2 to 3 at 01:00 UTC.
		{"begins_in_the_gap", hours{from: 2*hour + 30*time.Minute, to: 4 * hour, zone: berlin}, "2026-03-29T01:00:00Z", true},
		{"swallowed_by_the_gap", hours{from: 2 * hour, to: 3 * hour, zone: berlin}, "2026-03-29T01:00:00Z", false},
		// On 25 October 2026 the hour from 2 to 3 comes twice, from 00:00 UTC on.
		{"first_of_two_hours", hours{from: 2 * hour, to: 3 * hour, zone: berlin}, "2026-10-25T00:30:00Z", true},
		{"second_of_two_hours", hours{from: 2 * hour, to: 3 * hour, zone: berlin}, "2026-10-25T01:30:00Z", true},
		{"after_both", hours{from: 2 * hour, to: 3 * hour, zone: berlin}, "2026-10-25T02:00:00Z", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			at, err := time.Parse(time.RFC3339, tt.at)
			if err != nil {
				t.Fatal(err)
			}
			if got := tt.hours.isOpen(at); got != tt.want {
				t.Errorf("open(%s) = %v, want %v", tt.at, got, tt.want)
			}
		})
	}
}

// TestHoursNext compares next with a walk from minute to minute.
func TestHoursNext(t *testing.T) {
	var zones []*time.Location
	for _, name := range []string{"UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "Africa/Casablanca"} {
		zones = append(zones, zone(t, name))
	}
	// Clock changes in some zone lie near these times.
	starts := []string{"2026-03-07T00:00:00Z", "2026-03-28T00:00:00Z", "2026-04-03T00:00:00Z", "2026-10-02T00:00:00Z", "2026-10-24T00:00:00Z", "2026-10-31T00:00:00Z", "2026-07-01T00:00:00Z"}
	rapid.Check(t, func(t *rapid.T) {
		minutes := rapid.IntRange(0, 24*60-1)
		h := hours{
			from: time.Duration(minutes.Draw(t, "from")) * time.Minute,
			to:   time.Duration(minutes.Draw(t, "to")) * time.Minute,
			days: uint8(rapid.IntRange(0, 127).Draw(t, "days")),
			zone: rapid.SampledFrom(zones).Draw(t, "zone"),
		}
		if h.from == h.to {
			t.Skip("refused when loading")
		}
		start, err := time.Parse(time.RFC3339, rapid.SampledFrom(starts).Draw(t, "start"))
		if err != nil {
			t.Fatal(err)
		}
		start = start.Add(time.Duration(rapid.IntRange(0, 3*24*3600).Draw(t, "second")) * time.Second)
		got, ok := h.nextChange(start)
		var want time.Time
		for m := start.Truncate(time.Minute).Add(time.Minute); m.Before(start.Add(15 * day)); m = m.Add(time.Minute) {
			if h.isOpen(m) != h.isOpen(start) {
				want = m
				break
			}
		}
		if ok != !want.IsZero() || !got.Equal(want) {
			t.Errorf("next(%v) = %v, %v, want %v", start, got, ok, want)
		}
	})
}
