package embeddings

import "golang.org/x/sys/cpu"

// step is how many components dot takes at a time.
const step = 32

// fast reports whether the processor has what dot is made of.
var fast = cpu.X86.HasAVX2

// dot is the product of two vectors of a length that step divides.
//
//go:noescape
func dot(a, b *int8, n int) int32
