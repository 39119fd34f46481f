//go:build (linux || darwin || windows) && (amd64 || arm64) && !android && !faketime && !static

package vad

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"unsafe"

	"github.com/ebitengine/purego"
)

// Constants of onnxruntime_c_api.h.
const (
	apiVersion      = 17 // newer than every function in use
	logFatal        = 4
	deviceAllocator = 0
	memoryDefault   = 0
	typeFloat       = 1
	typeInt64       = 7
)

// Indices of functions in the structure OrtApi, which only grows at its end.
const (
	placeErrorMessage   = 2
	placeCreateEnv      = 3
	placeNoTelemetry    = 6
	placeCreateSession  = 8
	placeRun            = 9
	placeCreateOptions  = 10
	placeIntraThreads   = 24
	placeInterThreads   = 25
	placeCreateTensor   = 49
	placeCreateMemory   = 69
	placeReleaseEnv     = 92
	placeReleaseStatus  = 93
	placeReleaseMemory  = 94
	placeReleaseSession = 95
	placeReleaseValue   = 96
	placeReleaseOptions = 100
	placesUsed          = placeReleaseOptions + 1
)

// library holds the functions of onnxruntime in use. A status of 0 means success.
type library struct {
	path, version string

	errorMessage  func(status uintptr) string
	createEnv     func(level int32, id *byte, env *uintptr) (status uintptr)
	noTelemetry   func(env uintptr) (status uintptr)
	createOptions func(options *uintptr) (status uintptr)
	intraThreads  func(options uintptr, n int32) (status uintptr)
	interThreads  func(options uintptr, n int32) (status uintptr)
	createSession func(env uintptr, model *byte, size uintptr, options uintptr, session *uintptr) (status uintptr)
	createMemory  func(allocator, kind int32, memory *uintptr) (status uintptr)
	createTensor  func(memory uintptr, data unsafe.Pointer, size uintptr, shape *int64, dimensions uintptr, kind int32, value *uintptr) (status uintptr)

	run                                                                                   uintptr
	releaseEnv, releaseStatus, releaseMemory, releaseSession, releaseValue, releaseOption uintptr
}

// loadLibrary loads onnxruntime from a place. It stays loaded until the process ends.
func loadLibrary(place string) (*library, error) {
	handle, err := dlopen(place)
	if err != nil {
		return nil, fmt.Errorf("%w: %v", errNotLoaded, err) // err contains the place
	}
	symbol, err := dlsym(handle, "OrtGetApiBase")
	if err != nil {
		return nil, fmt.Errorf("%s is not onnxruntime", place)
	}
	var base func() *[2]uintptr
	purego.RegisterFunc(&base, symbol)
	entry := base()
	if entry == nil {
		return nil, fmt.Errorf("%s offers no interface", place)
	}
	var api func(version uint32) *[placesUsed]uintptr
	var version func() string
	purego.RegisterFunc(&api, entry[0])
	purego.RegisterFunc(&version, entry[1])
	l := &library{path: place, version: strings.Clone(version())}
	fns := api(apiVersion)
	if fns == nil {
		return nil, fmt.Errorf("%s is version %s, which is too old", place, l.version)
	}
	l.bind(fns)
	return l, nil
}

func (l *library) bind(fns *[placesUsed]uintptr) {
	purego.RegisterFunc(&l.errorMessage, fns[placeErrorMessage])
	purego.RegisterFunc(&l.createEnv, fns[placeCreateEnv])
	purego.RegisterFunc(&l.noTelemetry, fns[placeNoTelemetry])
	purego.RegisterFunc(&l.createOptions, fns[placeCreateOptions])
	purego.RegisterFunc(&l.intraThreads, fns[placeIntraThreads])
	purego.RegisterFunc(&l.interThreads, fns[placeInterThreads])
	purego.RegisterFunc(&l.createSession, fns[placeCreateSession])
	purego.RegisterFunc(&l.createMemory, fns[placeCreateMemory])
	purego.RegisterFunc(&l.createTensor, fns[placeCreateTensor])
	l.run = fns[placeRun]
	l.releaseEnv, l.releaseStatus, l.releaseMemory = fns[placeReleaseEnv], fns[placeReleaseStatus], fns[placeReleaseMemory]
	l.releaseSession, l.releaseValue, l.releaseOption = fns[placeReleaseSession], fns[placeReleaseValue], fns[placeReleaseOptions]
}

// check converts a status to an error and releases the status.
func (l *library) check(doing string, status uintptr) error {
	if status == 0 {
		return nil
	}
	defer purego.SyscallN(l.releaseStatus, status)
	return fmt.Errorf("%s: %s", doing, strings.Clone(l.errorMessage(status)))
}

// release releases an object, if there is one.
func release(fn, object uintptr) {
	if object != 0 {
		purego.SyscallN(fn, object)
	}
}

// Silero is the model, for any number of speakers. It is safe for concurrent use and runs in the caller's
// goroutine.
type Silero struct {
	lib          *library
	env, options uintptr
	memory       uintptr
	rate         int64
	rateValue    uintptr
	names        [5][]byte  // of inputs and outputs, terminated by 0
	inputs       [3]uintptr // addresses of names
	outputs      [2]uintptr

	mu     sync.RWMutex // held for reading during inference
	handle uintptr      // 0 once closed
}

// OpenSilero loads onnxruntime and the model. path is the library file; if it is empty, OpenSilero looks
// where make onnx puts it, next to the program and in the system's library directories. The error wraps
// [ErrNoOnnxruntime] and says what to do.
func OpenSilero(path string) (*Silero, error) {
	return search(path, places(runtime.GOOS), func(place string) (*Silero, error) {
		lib, err := loadLibrary(place)
		if err != nil {
			return nil, err
		}
		s := &Silero{lib: lib, rate: SileroRate}
		if err := s.start(); err != nil {
			return nil, errors.Join(fmt.Errorf("%s, version %s: %w", place, lib.version, err), s.Close())
		}
		return s, nil
	})
}

// start creates the objects needed for inference. On an error, Close releases the objects created.
func (s *Silero) start() error {
	l := s.lib
	for _, step := range []struct {
		doing string
		do    func() uintptr
	}{
		{"starting", func() uintptr { return l.createEnv(logFatal, cString("glyphoxa"), &s.env) }},
		{"keeping to ourselves what is done", func() uintptr { return l.noTelemetry(s.env) }},
		{"taking options", func() uintptr { return l.createOptions(&s.options) }},
		// A window is too small to split, and threads waiting for more work would spin.
		{"taking one thread", func() uintptr { return l.intraThreads(s.options, 1) }},
		{"taking one thread", func() uintptr { return l.interThreads(s.options, 1) }},
		{"reading the model", func() uintptr {
			return l.createSession(s.env, unsafe.SliceData(model), uintptr(len(model)), s.options, &s.handle)
		}},
		{"describing memory", func() uintptr { return l.createMemory(deviceAllocator, memoryDefault, &s.memory) }},
		{"giving the rate", func() uintptr {
			return l.createTensor(s.memory, unsafe.Pointer(&s.rate), unsafe.Sizeof(s.rate), nil, 0, typeInt64, &s.rateValue)
		}},
	} {
		if err := l.check(step.doing, step.do()); err != nil {
			return err
		}
	}
	for i, name := range []string{"input", "state", "sr", "output", "stateN"} {
		s.names[i] = append([]byte(name), 0)
		address := uintptr(unsafe.Pointer(unsafe.SliceData(s.names[i])))
		if i < len(s.inputs) {
			s.inputs[i] = address
		} else {
			s.outputs[i-len(s.inputs)] = address
		}
	}
	return nil
}

func cString(s string) *byte { return unsafe.SliceData(append([]byte(s), 0)) }

// Library returns the file and version of the library.
func (s *Silero) Library() string { return s.lib.path + " " + s.lib.version }

// Close releases the model. It waits for inference in progress; afterwards [SileroStream.Judge] returns
// [ErrClosed]. It may be called more than once.
func (s *Silero) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	release(s.lib.releaseSession, s.handle)
	release(s.lib.releaseValue, s.rateValue)
	release(s.lib.releaseMemory, s.memory)
	release(s.lib.releaseOption, s.options)
	release(s.lib.releaseEnv, s.env)
	s.handle, s.rateValue, s.memory, s.options, s.env = 0, 0, 0, 0, 0
	return nil
}

// SileroStream processes the audio of one speaker, window by window. It is not safe for concurrent use. The
// library's memory is released once the stream is unreachable.
type SileroStream struct {
	session *Silero
	// Memory passed to the library is part of this struct, because stacks move.
	input   [contextSamples + WindowSamples]float32
	state   [stateSize]float32
	next    [stateSize]float32
	output  [1]float32
	inputs  [3]uintptr // tensors over the fields above and the session's rate
	outputs [2]uintptr
	args    [8]uintptr // of the inference call
}

// values are the tensors that a stream releases.
type values struct {
	release uintptr
	all     [4]uintptr
}

// NewStream returns a stream in its initial state. It returns [ErrClosed] after Close.
func (s *Silero) NewStream() (*SileroStream, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.handle == 0 {
		return nil, ErrClosed
	}
	st := &SileroStream{session: s}
	v := values{release: s.lib.releaseValue}
	for i, t := range []struct {
		data  unsafe.Pointer
		size  uintptr
		shape []int64
	}{
		{unsafe.Pointer(&st.input), unsafe.Sizeof(st.input), []int64{1, int64(len(st.input))}},
		{unsafe.Pointer(&st.state), unsafe.Sizeof(st.state), []int64{2, 1, stateSize / 2}},
		{unsafe.Pointer(&st.output), unsafe.Sizeof(st.output), []int64{1, 1}},
		{unsafe.Pointer(&st.next), unsafe.Sizeof(st.next), []int64{2, 1, stateSize / 2}},
	} {
		status := s.lib.createTensor(s.memory, t.data, t.size, &t.shape[0], uintptr(len(t.shape)), typeFloat, &v.all[i])
		if err := s.lib.check("taking memory for a speaker", status); err != nil {
			v.giveBack()
			return nil, err
		}
	}
	runtime.AddCleanup(st, values.giveBack, v)
	st.inputs = [...]uintptr{v.all[0], v.all[1], s.rateValue}
	st.outputs = [...]uintptr{v.all[2], v.all[3]}
	st.args = [...]uintptr{
		s.handle, 0, uintptr(unsafe.Pointer(&s.inputs)), uintptr(unsafe.Pointer(&st.inputs)), uintptr(len(st.inputs)),
		uintptr(unsafe.Pointer(&s.outputs)), uintptr(len(st.outputs)), uintptr(unsafe.Pointer(&st.outputs)),
	}
	return st, nil
}

func (v values) giveBack() {
	for _, value := range v.all {
		release(v.release, value)
	}
}

// Judge returns the probability from 0 to 1 that the next window contains a voice. Samples are between -1 and
// 1. It does not retain window. After an error the stream is unchanged and can be used again.
func (st *SileroStream) Judge(window *[WindowSamples]float32) (float64, error) {
	copy(st.input[contextSamples:], window[:])
	if err := st.run(); err != nil {
		return 0, err
	}
	p := float64(st.output[0])
	if !(p >= 0 && p <= 1) { // also NaN
		return 0, fmt.Errorf("%w: %v", ErrNoAnswer, p)
	}
	st.state = st.next
	copy(st.input[:contextSamples], st.input[WindowSamples:])
	return p, nil
}

func (st *SileroStream) run() error {
	s := st.session
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.handle == 0 {
		return ErrClosed
	}
	status, _, _ := purego.SyscallN(s.lib.run, st.args[:]...)
	runtime.KeepAlive(st)
	return s.lib.check("judging a window", status)
}

// Reset resets the stream to its initial state.
func (st *SileroStream) Reset() {
	clear(st.state[:])
	clear(st.input[:contextSamples])
}
