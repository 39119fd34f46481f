// Package vad tells voice from noise, with detectors that are libraries of the system or models that
// need one, loaded at run time.
//
//	detector, err := vad.NewWebRTC(vad.Aggressive) // ErrNoWebRTC: the library is missing
//	session, err := vad.OpenSilero("")             // ErrNoOnnxruntime: the runtime is missing
//
// [WebRTC] is the detector of WebRTC, which knows what speech looks like in six bands of the telephone's
// range (files webrtc*.go). [Silero] is a model that is part of the program and runs on onnxruntime. The
// package starts no goroutine of its own and implements no detector itself.
package vad
