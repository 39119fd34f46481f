package vendor

import (
	"context"

	"github.com/MrWong99/glyphoxa/pkg/provider/stt"
)

// RecogniserService is a vendor's speech recognition at an address, which people named by
// base_url if configured is true.
func RecogniserService(key, address string, configured bool) Service {
	return Service{
		Doing: "hearing", Key: key, Address: address, Configured: configured,
		RateLimited: stt.ErrRateLimited, Unavailable: stt.ErrUnavailable, Rejected: stt.ErrRejected,
		Advice: "check its api_key in providers.stt",
	}
}

// Stopped is the error after ctx is done.
func Stopped(ctx context.Context) error {
	s := RecogniserService("", "", false)
	return s.Stopped(ctx)
}
