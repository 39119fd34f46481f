//go:build linux && (amd64 || arm64) && !android && !faketime && !static

package opus

import (
	"errors"
	"os"
	"strings"
	"testing"
)

func TestLoadOfWhatIsNoLibopus(t *testing.T) {
	for _, tt := range []struct {
		name  string
		names []string
		want  string
	}{
		{"nothing", []string{"libno-such-thing.so.0", "/nor/this.so"}, "apt-get install libopus0"},
		{"another_library", []string{"libno-such-thing.so.0", "libc.so.6"}, "libc.so.6 lacks opus_"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			lib, err := load(tt.names)
			if lib != nil || !errors.Is(err, ErrNoLibrary) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("load = %v, %v, want ErrNoLibrary and %q", lib, err, tt.want)
			}
		})
	}
}

func TestAdvice(t *testing.T) {
	for system, want := range map[string]string{"linux": "libopus0", "darwin": "brew install opus", "windows": "Linux or macOS"} {
		if got := advice(system); !strings.Contains(got, want) {
			t.Errorf("advice(%q) = %q, want %q in it", system, got, want)
		}
	}
}

// A request that libopus refuses returns an error.
func TestBadRequest(t *testing.T) {
	lib, err := Load()
	if err != nil {
		if os.Getenv("GLYPHOXA_REQUIRE_PEERS") == "1" {
			t.Fatal(err)
		}
		t.Skipf("%v; to run this test: make peers", err)
	}
	s, err := newState(lib.encoderSize)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.init(lib.encoderInit, 1); !errors.Is(err, ErrNoLibrary) {
		t.Errorf("init for no application = %v, want ErrNoLibrary", err)
	}
	if err := s.init(lib.encoderInit, applicationVoIP); err != nil {
		t.Fatal(err)
	}
	if err := s.ctl(lib.encoderCtl, setComplexity, 11); !errors.Is(err, ErrNoLibrary) {
		t.Errorf("complexity 11 = %v, want ErrNoLibrary", err)
	}
}
