package embeddings

import "golang.org/x/sys/cpu"

// step is the number of components that dot processes at a time.
const step = 32

// fast reports whether the processor supports dot.
var fast = cpu.X86.HasAVX2

// dot returns the dot product of two vectors whose length n is a multiple of step.
//
//go:noescape
func dot(a, b *int8, n int) int32
