//go:build !amd64

package sentencevectors

const fast = false

func multiply2x4(*int8, int, *float32, int, int, *[8]float32) { panic("not for this processor") }
