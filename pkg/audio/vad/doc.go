// Package vad detects voice in audio, with detectors in system libraries, or models that need a library,
// loaded at run time.
//
//	detector, err := vad.NewWebRTC(vad.Aggressive) // ErrNoWebRTC: the library is missing
//	session, err := vad.OpenSilero("")             // ErrNoOnnxruntime: the runtime is missing
//
// [WebRTC] is WebRTC's detector, which compares the signal with a model of speech in six bands of the
// telephone range (files webrtc*.go). [Silero] is a built-in model that runs on onnxruntime. The package
// starts no goroutine of its own and implements no detector itself.
package vad
