package access

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// reportEvery is the minimum time between two log messages about lost records.
const reportEvery = time.Minute

// losses counts lost records and logs them at most once a minute. It is safe for concurrent use.
type losses struct {
	log *slog.Logger

	mu       sync.Mutex // guards the fields below
	total    int64
	reported int64
	cause    error
	last     time.Time // of the last report
}

// addLost counts n records as lost because of err.
func (s *losses) addLost(n int64, err error) {
	s.mu.Lock()
	s.total += n
	s.cause = err
	due := s.last.IsZero() || time.Since(s.last) >= reportEvery
	s.mu.Unlock()
	if due {
		s.reportLost()
	}
}

// reportLost logs the records lost since the last report, if any.
func (s *losses) reportLost() {
	s.mu.Lock()
	n, total, cause := s.total-s.reported, s.total, s.cause
	s.reported = s.total
	if n > 0 {
		s.last = time.Now()
	}
	s.mu.Unlock()
	if n > 0 {
		s.log.LogAttrs(context.Background(), slog.LevelError, "audit records lost",
			slog.Int64("lost", n), slog.Int64("lost_in_all", total), slog.Any("error", cause))
	}
}

func (s *losses) countLost() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.total
}
