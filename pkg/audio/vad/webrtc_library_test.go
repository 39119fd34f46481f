//go:build linux && (amd64 || arm64) && !android && !faketime && !static

package vad

import (
	"errors"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/ebitengine/purego"

	"github.com/MrWong99/glyphoxa/pkg/audio"
)

func TestOpenWithoutTheLibrary(t *testing.T) {
	for _, tt := range []struct {
		name  string
		names []string
		want  []string
	}{
		{"nothing", []string{"libno-such-thing.so.0", "/nor/this.so"}, []string{"missing: apt-get install libwebrtc-audio-processing1"}},
		{"another_library", []string{"libno-such-thing.so.0", "libc.so.6"}, []string{"missing (libc.so.6 lacks WebRtcVad_Create)", "install"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d, err := open(tt.names, Quality)
			if d != nil || !errors.Is(err, ErrNoWebRTC) {
				t.Fatalf("open = %v, %v, want ErrNoLibrary", d, err)
			}
			for _, want := range tt.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error %q, want %q in it", err, want)
				}
			}
		})
	}
}

func TestAdvice(t *testing.T) {
	for system, want := range map[string]string{"linux": "apt-get install libwebrtc-audio-processing1", "darwin": "on Linux", "windows": "on Linux"} {
		if got := webrtcAdvice(system); !strings.Contains(got, want) {
			t.Errorf("advice(%q) = %q, want %q in it", system, got, want)
		}
	}
}

// The library's memory is freed exactly once, when a detector is no longer referenced.
func TestDetectorsAreGivenBack(t *testing.T) {
	lib, err := load(names())
	if err != nil {
		if os.Getenv("GLYPHOXA_REQUIRE_PEERS") == "1" {
			t.Fatal(err)
		}
		t.Skipf("%v; to run this test: make peers", err)
	}
	const dropped = 200
	given := make(chan uintptr, 2*dropped)
	erase := lib.erase
	lib.erase = purego.NewCallback(func(handle uintptr) uintptr {
		purego.SyscallN(erase, handle)
		given <- handle
		return 0
	})
	held, err := lib.detector(Quality)
	if err != nil {
		t.Fatal(err)
	}
	var f audio.Frame
	for range dropped {
		d, err := lib.detector(Quality)
		if err != nil {
			t.Fatal(err)
		}
		d.Process(&f)
	}
	for n := 0; n < dropped; {
		runtime.GC()
		for more := true; more; {
			select {
			case handle := <-given:
				n++
				if handle == held.args[0] {
					t.Fatal("what is in use was given back")
				}
			default:
				more = false
			}
		}
	}
	runtime.GC()
	if n := len(given); n > 0 {
		t.Errorf("memory was given back %d times more than there were detectors", n)
	}
	runtime.KeepAlive(held)
}
