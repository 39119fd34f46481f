//go:build linux && (amd64 || arm64) && !android && !faketime && !static

package vad

import (
	"fmt"
	"runtime"
	"unsafe"

	"github.com/ebitengine/purego"

	"github.com/MrWong99/glyphoxa/pkg/audio"
)

// names are what the libraries are called that may export the detector, as
// version 0.3 of webrtc-audio-processing does, the first. Older libraries must
// not be tried: theirs has functions of the same names for other arguments.
func names() []string {
	return []string{"libwebrtc_audio_processing.so.1", "libwebrtc-audio-processing-1.so.3", "libwebrtc-audio-processing-2.so.1"}
}

// webrtcLibrary are the addresses of the detector's functions.
type webrtcLibrary struct {
	path                                string
	create, init, setMode, judge, erase uintptr
}

// load returns the first library that exports the detector. It stays loaded
// until the process ends.
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

// bind returns the functions of a library, or which of them it lacks.
func bind(path string, handle uintptr) (lib webrtcLibrary, lacks string) {
	lib.path = path
	for _, f := range []struct {
		name string
		fn   *uintptr
	}{
		{"WebRtcVad_Create", &lib.create},
		{"WebRtcVad_Init", &lib.init},
		{"WebRtcVad_set_mode", &lib.setMode},
		// WebRtcVad_Process does not tell voice from the up to 100 ms behind it
		// that the detector takes for voice too; what it calls does.
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

// WebRTC judges the frames of one speaker in order. It belongs to one
// goroutine at a time. The library's memory for it is given back once nothing
// refers to it any more.
type WebRTC struct {
	lib   webrtcLibrary
	args  [3]uintptr  // of the call that judges; the first is the library's own memory
	frame audio.Frame // what the library is given must not be on a stack, which moves
}

// open returns a detector of the first library of these names that has one.
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

// Library returns the name of the library that judges.
func (d *WebRTC) Library() string { return d.lib.path }

// Process returns 1 if the next frame is voice, else 0. It keeps no reference
// to f.
func (d *WebRTC) Process(f *audio.Frame) float64 {
	d.frame = *f
	r, _, _ := purego.SyscallN(d.lib.judge, d.args[:]...)
	runtime.KeepAlive(d)
	if int32(r) == 1 { // more is how long to go on after voice
		return 1
	}
	return 0
}
