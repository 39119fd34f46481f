package discord

import (
	"errors"
	"testing"
)

func TestFatalCloseCode(t *testing.T) {
	tests := []struct {
		name string
		code int
		want error
		stop bool
	}{
		{name: "token", code: 4004, want: ErrToken, stop: true},
		{name: "intents", code: 4014, want: ErrIntents, stop: true},
		{name: "version", code: 4012, stop: true},
		{name: "unknown_error", code: 4000},
		{name: "session_timed_out", code: 4009},
		{name: "no_code", code: 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			err := fatalCloseCode(test.code)
			if (err != nil) != test.stop || test.want != nil && !errors.Is(err, test.want) {
				t.Errorf("fatal(%d) = %v, want %v, an error: %t", test.code, err, test.want, test.stop)
			}
		})
	}
}
