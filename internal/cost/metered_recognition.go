package cost

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/MrWong99/glyphoxa/pkg/provider/stt"
)

// defaultRate is the sample rate of a stream without a configured rate.
const defaultRate = 48_000

// recognition is speech recognition that charges the sound sent to it.
type recognition struct{ stt.Provider }

// MeteredRecognition wraps p so that it charges the duration of the sound sent to it. Sound sent again to
// another provider is charged there as well.
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

// wholeStream is a stream that implements [stt.Discarder]. Sound of a discarded transcript remains charged.
type wholeStream struct {
	*stream
	stt.Discarder
}

// stream charges the sent sound at the end of each utterance, and the rest when it is closed.
type stream struct {
	stt.Stream
	account  *Account
	provider string
	rate     int
	sent     atomic.Int64 // samples not charged yet
}

// Send implements [stt.Stream]. It charges sound after at most a minute.
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
