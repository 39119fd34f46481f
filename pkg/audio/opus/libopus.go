//go:build (linux || darwin) && (amd64 || arm64) && !android && !faketime && !static

package opus

import (
	"fmt"
	"runtime"
	"unsafe"

	"github.com/ebitengine/purego"

	"github.com/MrWong99/glyphoxa/pkg/audio"
)

// Constants of opus_defines.h in libopus, without the prefix OPUS_.
const (
	applicationVoIP  = 2048
	applicationAudio = 2049
	signalVoice      = 3001
	setBitrate       = 4002
	setComplexity    = 4010
	setInbandFEC     = 4012
	setLossPercent   = 4014
	setDTX           = 4016
	setSignal        = 4024
)

// Library is the system's libopus. It is immutable after [Load] and safe for concurrent use; nil stands for a
// missing library.
type Library struct {
	path    string
	version string

	encoderSize, encoderInit, encoderCtl, encode uintptr
	decoderSize, decoderInit, decode             uintptr
	versionString                                uintptr
}

// Load loads the system's libopus. The error wraps [ErrNoLibrary] and says what to install. The library stays
// loaded until the process ends.
func Load() (*Library, error) { return load(names()) }

// names returns the file names of libopus, most likely first.
func names() []string {
	if runtime.GOOS == "darwin" {
		return []string{"libopus.0.dylib", "/opt/homebrew/lib/libopus.0.dylib", "/usr/local/lib/libopus.0.dylib"}
	}
	return []string{"libopus.so.0"}
}

func load(names []string) (*Library, error) {
	for _, name := range names {
		handle, err := purego.Dlopen(name, purego.RTLD_NOW|purego.RTLD_LOCAL)
		if err != nil {
			continue
		}
		return bind(name, handle)
	}
	return nil, missing()
}

func bind(path string, handle uintptr) (*Library, error) {
	l := &Library{path: path}
	for name, fn := range map[string]*uintptr{
		"opus_encoder_get_size":   &l.encoderSize,
		"opus_encoder_init":       &l.encoderInit,
		"opus_encoder_ctl":        &l.encoderCtl,
		"opus_encode":             &l.encode,
		"opus_decoder_get_size":   &l.decoderSize,
		"opus_decoder_init":       &l.decoderInit,
		"opus_decode":             &l.decode,
		"opus_get_version_string": &l.versionString,
	} {
		address, err := purego.Dlsym(handle, name)
		if err != nil {
			return nil, fmt.Errorf("%w: %s lacks %s", ErrNoLibrary, path, name)
		}
		*fn = address
	}
	var version func() string
	purego.RegisterFunc(&version, l.versionString)
	l.version = version()
	return l, nil
}

// Version returns the name and version of the library.
func (l *Library) Version() string { return l.version }

// state is the memory of an encoder or decoder. It is allocated by Go, so that it need not be freed; libopus
// keeps no pointers to it.
type state []uint64

// newState allocates the memory for one channel; size is the library's size function.
func newState(size uintptr) (state, error) {
	n, _, _ := purego.SyscallN(size, 1)
	if int32(n) <= 0 {
		return nil, fmt.Errorf("%w: no size for one channel", ErrNoLibrary)
	}
	return make(state, (n+7)/8), nil
}

// init initialises s. Only the encoder uses application; the decoder ignores it.
func (s state) init(fn, application uintptr) error {
	r, _, _ := purego.SyscallN(fn, s.pointer(), audio.SampleRate, 1, application)
	runtime.KeepAlive(s)
	if int32(r) != 0 {
		return fmt.Errorf("%w: starting it returned %d", ErrNoLibrary, int32(r))
	}
	return nil
}

// pointer returns the address of s, which is on the heap and does not move.
func (s state) pointer() uintptr { return uintptr(unsafe.Pointer(&s[0])) }

// ctl calls a variadic function with a request and its value.
func (s state) ctl(fn uintptr, request, value int32) error {
	var r uintptr
	if runtime.GOOS == "darwin" && runtime.GOARCH == "arm64" {
		// Here, variadic arguments are passed on the stack, after eight registers.
		r, _, _ = purego.SyscallN(fn, s.pointer(), uintptr(request), 0, 0, 0, 0, 0, 0, uintptr(value))
	} else {
		r, _, _ = purego.SyscallN(fn, s.pointer(), uintptr(request), uintptr(value))
	}
	runtime.KeepAlive(s)
	if int32(r) != 0 {
		return fmt.Errorf("%w: request %d returned %d", ErrNoLibrary, request, int32(r))
	}
	return nil
}

// encoder and decoder copy through their own buffers, because memory passed to libopus has to be on the heap,
// which does not move, and the caller's frame may not be. The arguments are stored because each call would
// otherwise allocate them.
type encoder struct {
	lib     *Library
	state   state
	opts    EncoderOptions
	args    [5]uintptr // of the encode call
	frame   audio.Frame
	payload [MaxPayload]byte
}

func (l *Library) newEncoder(o EncoderOptions) (*encoder, error) {
	s, err := newState(l.encoderSize)
	if err != nil {
		return nil, err
	}
	e := &encoder{lib: l, state: s, opts: o}
	e.args = [...]uintptr{s.pointer(), uintptr(unsafe.Pointer(&e.frame)), uintptr(audio.FrameSamples),
		uintptr(unsafe.Pointer(&e.payload)), MaxPayload}
	return e, e.Reset()
}

// Reset initialises the encoder again, because libopus' own reset leaves traces.
func (e *encoder) Reset() error {
	application := uintptr(applicationVoIP)
	if e.opts.Audio {
		application = applicationAudio
	}
	if err := e.state.init(e.lib.encoderInit, application); err != nil {
		return err
	}
	fec, dtx := int32(0), int32(0)
	if e.opts.Loss > 0 {
		fec = 1
	}
	if e.opts.DTX {
		dtx = 1
	}
	for _, c := range [][2]int32{
		{setBitrate, int32(e.opts.Bitrate)}, {setComplexity, int32(e.opts.Complexity)}, {setSignal, signalVoice},
		{setInbandFEC, fec}, {setLossPercent, int32(e.opts.Loss)}, {setDTX, dtx},
	} {
		if err := e.state.ctl(e.lib.encoderCtl, c[0], c[1]); err != nil {
			return err
		}
	}
	return nil
}

func (e *encoder) Encode(dst []byte, f *audio.Frame) ([]byte, error) {
	e.frame = *f
	r, _, _ := purego.SyscallN(e.lib.encode, e.args[:]...)
	runtime.KeepAlive(e)
	n := int32(r)
	if n <= 0 || n > MaxPayload {
		return dst, fmt.Errorf("encoding Opus: libopus returned %d", n)
	}
	return append(dst, e.payload[:n]...), nil
}

type decoder struct {
	lib     *Library
	state   state
	args    [6]uintptr // of the decode call
	frame   audio.Frame
	payload [MaxPayload]byte
}

func (l *Library) newDecoder() (*decoder, error) {
	s, err := newState(l.decoderSize)
	if err != nil {
		return nil, err
	}
	d := &decoder{lib: l, state: s}
	return d, d.Reset()
}

func (d *decoder) Decode(dst *audio.Frame, payload []byte) error {
	if err := validate(payload); err != nil {
		return err
	}
	return d.call(dst, copy(d.payload[:], payload), false)
}

func (d *decoder) Conceal(dst *audio.Frame, next []byte) error {
	if validate(next) == nil {
		if d.call(dst, copy(d.payload[:], next), true) == nil {
			return nil
		}
	}
	return d.call(dst, 0, false)
}

// call decodes the first n bytes of d.payload; 0 means a lost frame. With fec it decodes the copy of the
// preceding frame that the payload may contain.
func (d *decoder) call(dst *audio.Frame, n int, fec bool) error {
	var data, flag uintptr
	if n > 0 {
		data = uintptr(unsafe.Pointer(&d.payload))
	}
	if fec {
		flag = 1
	}
	d.args = [...]uintptr{d.state.pointer(), data, uintptr(n), uintptr(unsafe.Pointer(&d.frame)), uintptr(audio.FrameSamples), flag}
	r, _, _ := purego.SyscallN(d.lib.decode, d.args[:]...)
	runtime.KeepAlive(d)
	if int(int32(r)) != audio.FrameSamples {
		return fmt.Errorf("decoding Opus: %w: libopus returned %d", ErrPayload, int32(r))
	}
	*dst = d.frame
	return nil
}

func (d *decoder) Reset() error { return d.state.init(d.lib.decoderInit, 0) }
