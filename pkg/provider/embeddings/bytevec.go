package embeddings

// This file multiplies vectors with one byte per component: 32 components at a time on processors with AVX2,
// one by one on others. The result is the same.

import "unsafe"

// DotBytes returns the dot product of two vectors, up to the length of the shorter one.
func DotBytes(a, b []int8) int32 {
	n := min(len(a), len(b))
	sum, whole := int32(0), 0
	if fast && n >= step {
		whole = n &^ (step - 1)
		sum = dot(&a[0], &b[0], whole)
	}
	a, b = a[whole:n], b[whole:n]
	for i, x := range a {
		sum += int32(x) * int32(b[i])
	}
	return sum
}

// Bytes returns the bytes of s as signed integers, without copying. The slice must not be modified.
func Bytes(s string) []int8 {
	return unsafe.Slice((*int8)(unsafe.Pointer(unsafe.StringData(s))), len(s))
}
