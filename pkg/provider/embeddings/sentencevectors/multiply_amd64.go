package sentencevectors

import "golang.org/x/sys/cpu"

// fast reports whether the processor supports multiply2x4.
var fast = cpu.X86.HasAVX2 && cpu.X86.HasFMA

// multiply2x4 multiplies two rows of n weights, next bytes apart, by four vectors, stride apart. out receives
// the results of the first row, then those of the second. n has to be a multiple of 8.
//
//go:noescape
func multiply2x4(weights *int8, next int, x *float32, stride, n int, out *[8]float32)
