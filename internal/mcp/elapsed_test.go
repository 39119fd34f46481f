package mcp_test

import (
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/mcp"
)

func TestText(t *testing.T) {
	for _, c := range []struct {
		took time.Duration
		want string
	}{
		{0, "0 ms"},
		{-time.Second, "0 ms"},
		{20 * time.Nanosecond, "0.00002 ms"},
		{2 * time.Microsecond, "0.002 ms"},
		{12345 * time.Nanosecond, "0.012 ms"},
		{time.Millisecond, "1 ms"},
		{1996 * time.Microsecond, "2 ms"},
		{3450 * time.Microsecond, "3.5 ms"},
		{9949 * time.Microsecond, "9.9 ms"},
		{9960 * time.Microsecond, "10 ms"},
		{12400 * time.Microsecond, "12 ms"},
		{100 * time.Millisecond, "100 ms"},
		{1230 * time.Millisecond, "1230 ms"},
		{9999 * time.Millisecond, "9999 ms"},
		{9999900 * time.Microsecond, "10 s"},
		{10 * time.Second, "10 s"},
		{12340 * time.Millisecond, "12.3 s"},
		{100 * time.Second, "100 s"},
		{10 * time.Minute, "600 s"},
	} {
		if got := mcp.MillisText(mcp.Millis(c.took)); got != c.want {
			t.Errorf("Text of %v = %q, want %q", c.took, got, c.want)
		}
	}
}

func TestRounded(t *testing.T) {
	for took, want := range map[time.Duration]float64{
		0: 0, 1499 * time.Nanosecond: 0.001, 1500 * time.Nanosecond: 0.002, -1500 * time.Nanosecond: -0.002,
		350 * time.Microsecond: 0.35, 10 * time.Second: 10000, time.Second + 1: 1000,
	} {
		if got := mcp.RoundedMillis(took); got != want {
			t.Errorf("Rounded(%v) = %v, want %v", took, got, want)
		}
		if back := mcp.DurationOf(want); back != took.Round(time.Microsecond) {
			t.Errorf("Duration(%v) = %v, want %v", want, back, took.Round(time.Microsecond))
		}
	}
}
