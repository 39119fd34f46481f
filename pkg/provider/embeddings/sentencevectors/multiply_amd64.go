package sentencevectors

import "golang.org/x/sys/cpu"

// fast reports whether the processor has what multiply2x4 is made of.
var fast = cpu.X86.HasAVX2 && cpu.X86.HasFMA

// multiply2x4 multiplies two rows of n weights, the second next bytes after the first, with four
// vectors, stride apart: what the first row yields comes first. n is a multiple of 8.
//
//go:noescape
func multiply2x4(weights *int8, next int, x *float32, stride, n int, out *[8]float32)
