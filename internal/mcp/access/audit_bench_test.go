package access_test

import (
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/mcp/access"
)

func sample() access.LogRecord {
	return access.LogRecord{
		At: time.Now(), Who: "claude", Profile: "player.full", Transport: "http", Tool: "roll", Source: "builtin",
		Decision: access.Allowed, Duration: 800 * time.Microsecond, Session: "s-2027-01-31",
	}
}

// BenchmarkAdd measures what a record adds to a call while the writer keeps up.
func BenchmarkAdd(b *testing.B) {
	l := fresh(b)
	r := sample()
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		if n%200 == 199 {
			b.StopTimer()
			must(b, "Flush", l.Flush(b.Context()))
			b.StartTimer()
		}
		l.Add(r, `{"expression":"2d6+3"}`)
	}
}

// BenchmarkWrite measures how fast records reach the file, because Add waits for the
// writer.
func BenchmarkWrite(b *testing.B) {
	l := fresh(b)
	r := sample()
	b.ReportAllocs()
	for b.Loop() {
		l.Add(r, `{"expression":"2d6+3"}`)
	}
	must(b, "Flush", l.Flush(b.Context()))
}

// BenchmarkHash measures the writer's work on each record's arguments.
func BenchmarkHash(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		access.HashArguments(`{"expression":"2d6+3","reason":"attack","options":{"advantage":true,"modifier":3}}`)
	}
}

// BenchmarkQuery reads pages of a log of 200,000 records. "oldest" and "usage" scan all
// of them and take 0.03 and 0.3 s, so set -benchtime to a time, not to a number of
// rounds.
func BenchmarkQuery(b *testing.B) {
	l := fresh(b)
	r := sample()
	for n := range 200_000 {
		r.At = time.Now().Add(time.Duration(n-200_000) * time.Second)
		r.Who = []string{"claude", "npc:bart", "operator"}[n%3]
		r.Decision = access.Allowed
		if n%5000 == 0 {
			r.Decision = access.Denied
		}
		l.Add(r, `{}`)
	}
	must(b, "Flush", l.Flush(b.Context()))
	for _, row := range []struct {
		name string
		q    access.LogQuery
	}{
		{name: "newest"},
		{name: "who", q: access.LogQuery{Who: "npc:bart"}},
		{name: "nobody", q: access.LogQuery{Who: "nobody"}},
		{name: "denied", q: access.LogQuery{Decision: access.Denied}},
		{name: "last_hour", q: access.LogQuery{Since: time.Now().Add(-time.Hour)}},
		{name: "last_hour_none", q: access.LogQuery{Since: time.Now().Add(-time.Hour), Tool: "roll", Decision: access.Denied, Session: "x"}},
		{name: "oldest", q: access.LogQuery{Until: time.Now().Add(-199_000 * time.Second)}},
	} {
		b.Run(row.name, func(b *testing.B) {
			for b.Loop() {
				all(b, l, row.q)
			}
		})
	}
	b.Run("usage", func(b *testing.B) {
		for b.Loop() {
			_, err := l.Usage(b.Context(), access.UsageQuery{})
			must(b, "Usage", err)
		}
	})
}
