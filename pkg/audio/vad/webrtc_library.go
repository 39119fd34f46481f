//go:build linux && (amd64 || arm64) && !android && !faketime && !static

package vad

import (
	"fmt"
	"runtime"
	"unsafe"

	"github.com/ebitengine/purego"

	"github.com/MrWong99/glyphoxa/pkg/audio"
)

// names returns the file names of libraries that may export the detector. Version 0.3 of
// webrtc-audio-processing, the first one, does. Older libraries must not be tried, because their functions of
// the same names have different arguments.
func names() []string {
	return []string{"libwebrtc_audio_processing.so.1", "libwebrtc-audio-processing-1.so.3", "libwebrtc-audio-processing-2.so.1"}
}

// webrtcLibrary holds the addresses of the detector's functions.
type webrtcLibrary struct {
	path                                string
	create, init, setMode, judge, erase uintptr
}

// load loads the first library that exports the detector. It stays loaded until the process ends.
func load(names []string) (webrtcLibrary, error) {
	why := ""
	for _, name := range names {
		handle, err := purego.Dlopen(name, purego.RTLD_NOW|purego.RTLD_LOCAL)
		if err != nil {
			continue
		}
		lib, lacks := bind(name, handle)
		if lacks == "" {
			return lib, nil
		}
		why = name + " lacks " + lacks
	}
	return webrtcLibrary{}, webrtcMissing(why)
}

// bind returns the functions of a library, or the name of a missing one.
func bind(path string, handle uintptr) (lib webrtcLibrary, lacks string) {
	lib.path = path
	for _, f := range []struct {
		name string
		fn   *uintptr
	}{
		{"WebRtcVad_Create", &lib.create},
		{"WebRtcVad_Init", &lib.init},
		{"WebRtcVad_set_mode", &lib.setMode},
		// WebRtcVad_Process does not distinguish voice from the hangover of up to 100 ms after it; the
		// function it calls does.
		{"WebRtcVad_CalcVad48khz", &lib.judge},
		{"WebRtcVad_Free", &lib.erase},
	} {
		address, err := purego.Dlsym(handle, f.name)
		if err != nil {
			return webrtcLibrary{}, f.name
		}
		*f.fn = address
	}
	return lib, ""
}

// WebRTC judges the frames of one speaker in order. It is not safe for concurrent use. The library's memory
// is released once the detector is unreachable.
type WebRTC struct {
	lib   webrtcLibrary
	args  [3]uintptr  // of the detection call; the first is the library's own memory
	frame audio.Frame // memory passed to the library must not be on a stack, which moves
}

// open returns a detector from the first of the named libraries that exports it.
func open(names []string, mode WebRTCMode) (*WebRTC, error) {
	lib, err := load(names)
	if err != nil {
		return nil, err
	}
	return lib.detector(mode)
}

func (lib webrtcLibrary) detector(mode WebRTCMode) (*WebRTC, error) {
	handle, _, _ := purego.SyscallN(lib.create)
	if handle == 0 {
		return nil, webrtcMissing(lib.path + " has no memory for a detector")
	}
	d := &WebRTC{lib: lib}
	runtime.AddCleanup(d, func(handle uintptr) { purego.SyscallN(lib.erase, handle) }, handle)
	d.args = [...]uintptr{handle, uintptr(unsafe.Pointer(&d.frame)), uintptr(audio.FrameSamples)}
	if r, _, _ := purego.SyscallN(lib.init, handle); int32(r) != 0 {
		return nil, webrtcMissing(fmt.Sprintf("starting that of %s returned %d", lib.path, int32(r)))
	}
	if r, _, _ := purego.SyscallN(lib.setMode, handle, uintptr(mode)); int32(r) != 0 {
		return nil, webrtcMissing(fmt.Sprintf("%s refused the mode %v", lib.path, mode))
	}
	return d, nil
}

// Library returns the name of the library.
func (d *WebRTC) Library() string { return d.lib.path }

// Process returns 1 if the next frame is voice, and otherwise 0. It does not retain f.
func (d *WebRTC) Process(f *audio.Frame) float64 {
	d.frame = *f
	r, _, _ := purego.SyscallN(d.lib.judge, d.args[:]...)
	runtime.KeepAlive(d)
	if int32(r) == 1 { // higher values are the hangover after voice
		return 1
	}
	return 0
}
