package cost

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/MrWong99/glyphoxa/pkg/provider/stt"
)

// defaultRate is the rate of a stream's sound unless its options say otherwise.
const defaultRate = 48_000

// recognition is speech recognition that charges the sound it is sent.
type recognition struct{ stt.Provider }

// MeteredRecognition returns p, charged by the time of sound that is sent to it: sound that
// is sent to another provider once more is charged there, too.
func MeteredRecognition(p stt.Provider) stt.Provider { return &recognition{p} }

// Open implements [stt.Provider].
func (r *recognition) Open(ctx context.Context, o stt.Options) (stt.Stream, error) {
	s, err := r.Provider.Open(ctx, o)
	account := AccountOf(ctx)
	if err != nil || account == nil {
		return s, err
	}
	rate := o.SampleRate
	if rate <= 0 {
		rate = defaultRate
	}
	metered := &stream{Stream: s, account: account, provider: r.Name(), rate: rate}
	if d, ok := s.(stt.Discarder); ok {
		return &wholeStream{metered, d}, nil
	}
	return metered, nil
}

// wholeStream is a stream that is a [stt.Discarder]. What was sent for a transcript
// that is discarded stays charged.
type wholeStream struct {
	*stream
	stt.Discarder
}

// stream charges what was sent at the end of each utterance, and at its own end what
// was sent since.
type stream struct {
	stt.Stream
	account  *Account
	provider string
	rate     int
	sent     atomic.Int64 // samples that were not charged yet
}

// Send implements [stt.Stream]. Sound is charged at the latest once a minute of it
// was sent.
func (s *stream) Send(samples []int16) error {
	err := s.Stream.Send(samples)
	if err == nil {
		if s.sent.Add(int64(len(samples))) >= int64(60*s.rate) {
			s.charge()
		}
	}
	return err
}

// Finish implements [stt.Stream].
func (s *stream) Finish(ctx context.Context) (int, error) {
	s.charge()
	return s.Stream.Finish(ctx)
}

// Close implements [stt.Stream].
func (s *stream) Close() error {
	s.charge()
	return s.Stream.Close()
}

func (s *stream) charge() {
	s.account.Charge(s.provider, Usage{Heard: time.Duration(s.sent.Swap(0)) * time.Second / time.Duration(s.rate)})
}
