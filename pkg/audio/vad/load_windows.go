//go:build windows && (amd64 || arm64) && !faketime && !static

package vad

import "syscall"

func dlopen(place string) (uintptr, error) {
	handle, err := syscall.LoadLibrary(place)
	return uintptr(handle), err
}

func dlsym(handle uintptr, name string) (uintptr, error) {
	return syscall.GetProcAddress(syscall.Handle(handle), name)
}
