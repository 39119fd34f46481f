package sentencevectors

// together is the number of vectors multiplied at a time. Every slice of vectors has capacity for a multiple
// of it.
const together = 4

// matrix holds quantised weights: for each output a step, and one byte per weight.
type matrix struct {
	in, out int
	steps   []float32
	weights []int8
	bias    []float32
}

// room returns n vectors, with capacity for a multiple of together.
func room(n, width int) []float32 {
	return make([]float32, n*width, (n+together-1)/together*together*width)
}

// of multiplies each vector by m and adds the bias.
func (m *matrix) of(x []float32) []float32 {
	n := len(x) / m.in
	out := room(n, m.out)
	if fast && cap(x) >= (n+together-1)/together*together*m.in {
		m.fast(x, out, n)
	} else {
		m.plain(x, out, n)
	}
	return out
}

func (m *matrix) fast(x, out []float32, n int) {
	var sums [2 * together]float32
	for o := 0; o < m.out; o += 2 {
		weights := &m.weights[o*m.in]
		for t := 0; t < n; t += together {
			multiply2x4(weights, m.in, &x[t*m.in], m.in, m.in, &sums)
			for i := range min(together, n-t) {
				to := out[(t+i)*m.out+o:]
				to[0] = sums[i]*m.steps[o] + m.bias[o]
				to[1] = sums[together+i]*m.steps[o+1] + m.bias[o+1]
			}
		}
	}
}

func (m *matrix) plain(x, out []float32, n int) {
	row := make([]float32, m.in)
	for o := range m.out {
		for i, w := range m.weights[o*m.in : (o+1)*m.in] {
			row[i] = float32(w)
		}
		for t := range n {
			out[t*m.out+o] = dot(row, x[t*m.in:(t+1)*m.in])*m.steps[o] + m.bias[o]
		}
	}
}

// dot returns the dot product of two vectors whose length is a multiple of 4.
func dot(a, b []float32) float32 {
	var s0, s1, s2, s3 float32
	b = b[:len(a)]
	for i := 0; i+3 < len(a); i += 4 {
		s0 += a[i] * b[i]
		s1 += a[i+1] * b[i+1]
		s2 += a[i+2] * b[i+2]
		s3 += a[i+3] * b[i+3]
	}
	return s0 + s1 + s2 + s3
}
