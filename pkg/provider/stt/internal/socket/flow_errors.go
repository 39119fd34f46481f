package socket

import (
	"context"

	"github.com/MrWong99/glyphoxa/pkg/provider/internal/vendor"
	"github.com/MrWong99/glyphoxa/pkg/provider/stt"
)

// Service is a vendor's speech recognition at an address, which people named by
// base_url if configured is true.
func Service(key, address string, configured bool) vendor.Service {
	return vendor.Service{
		Doing: "hearing", Key: key, Address: address, Configured: configured,
		RateLimited: stt.ErrRateLimited, Unavailable: stt.ErrUnavailable, Rejected: stt.ErrRejected,
		Advice: "check its api_key in providers.stt",
	}
}

// Stopped is the error after ctx is done.
func Stopped(ctx context.Context) error {
	s := Service("", "", false)
	return s.Stopped(ctx)
}
