package terminal

import "testing"

// TestPieces checks that long recordings are cut at quiet places.
func TestPieces(t *testing.T) {
	const rate = 8000
	loud := func(seconds int) []int16 {
		s := make([]int16, seconds*rate)
		for i := range s {
			s[i] = int16(1000 - 2000*(i%2))
		}
		return s
	}
	long := loud(60)
	quiet := 23 * rate
	clear(long[quiet : quiet+rate/2])
	rows := []struct {
		name     string
		in       []int16
		from, to int
	}{
		{"short", loud(3), 3 * rate, 3 * rate},
		{"just_fits", loud(25), 25 * rate, 25 * rate},
		{"quiet_moment", long, quiet, quiet + rate/2},
		{"never_quiet", loud(60), 20 * rate, 25 * rate},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			if got := pieceLength(row.in, rate); got < row.from || got > row.to {
				t.Errorf("cut after %d samples, want %d to %d", got, row.from, row.to)
			}
		})
	}
}
