package embeddings

// This file multiplies vectors of a byte a component: with 32 of them at a time where the
// processor has AVX2, one by one elsewhere, to the same sum.

import "unsafe"

// DotBytes is the product of two vectors, as far as the shorter goes.
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

// Bytes is a text as the signed bytes that are in it, which nobody may change.
func Bytes(s string) []int8 {
	return unsafe.Slice((*int8)(unsafe.Pointer(unsafe.StringData(s))), len(s))
}
