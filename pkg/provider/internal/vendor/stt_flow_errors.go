package vendor

import (
	"context"

	"github.com/MrWong99/glyphoxa/pkg/provider/stt"
)

// RecogniserService returns the service of a vendor's speech recognition. configured is true if the address
// comes from the base_url setting.
func RecogniserService(key, address string, configured bool) Service {
	return Service{
		Doing: "hearing", Key: key, Address: address, Configured: configured,
		RateLimited: stt.ErrRateLimited, Unavailable: stt.ErrUnavailable, Rejected: stt.ErrRejected,
		Advice: "check its api_key in providers.stt",
	}
}

// Stopped returns the error to report once ctx is done.
func Stopped(ctx context.Context) error {
	s := RecogniserService("", "", false)
	return s.Stopped(ctx)
}
