package sentencevectors

import "math"

// encode returns the unit vector of a text, or nil if there is nothing to encode.
func (m *model) encode(text string) []float32 {
	tokens := m.cut(text)
	if len(tokens) == 0 {
		return nil
	}
	x := m.begin(tokens)
	first, last := &m.layers[0], &m.layers[1]
	at := m.widen.of(x)
	add(at, first.attention(first.attend.of(x, narrow), narrow))
	add(at, first.to.of(positive(first.up.of(first.think.of(at, wide)))))
	add(at, last.attention(last.attend.of(at, wide), wide))
	up := positive(last.up.of(last.think.of(at, wide)))
	sum := last.to.of(mean(up, inner)) // the layer is linear, so the mean can be taken first
	add(sum, mean(at, wide))
	out := m.outcome.of(sum)
	square := 1e-12
	for i, v := range out {
		out[i] = float32(math.Tanh(float64(v)))
		square += float64(out[i]) * float64(out[i])
	}
	for i := range out {
		out[i] /= float32(math.Sqrt(square))
	}
	return out
}

// begin returns the vectors of the pieces, including their positions.
func (m *model) begin(tokens []int32) []float32 {
	x := room(len(tokens), narrow)
	half := len(m.timing)
	for t, token := range tokens {
		row, step := x[t*narrow:(t+1)*narrow], 2*m.pieces.steps[token]
		for i, w := range m.pieces.weights[int(token)*narrow:][:narrow] {
			row[i] = step * float32(w)
		}
		for i, rate := range m.timing {
			sin, cos := math.Sincos(float64(float32(t) * rate))
			row[i] += float32(sin)
			row[half+i] += float32(cos)
		}
	}
	return x
}

func add(to, what []float32) {
	for i, v := range what {
		to[i] += v
	}
}

func positive(x []float32) []float32 {
	for i, v := range x {
		x[i] = max(0, v)
	}
	return x
}

func mean(x []float32, width int) []float32 {
	out := room(1, width)
	for t := 0; t < len(x); t += width {
		add(out, x[t:t+width])
	}
	for i := range out {
		out[i] *= float32(width) / float32(len(x))
	}
	return out
}

func (s *scaling) of(x []float32, width int) []float32 {
	out := room(len(x)/width, width)
	for t := 0; t < len(x); t += width {
		row, to := x[t:t+width], out[t:t+width]
		sum, square := 0.0, 0.0
		for _, v := range row {
			sum += float64(v)
		}
		middle := float32(sum / float64(width))
		for i, v := range row {
			to[i] = v - middle
			square += float64(to[i]) * float64(to[i])
		}
		spread := float32(1 / math.Sqrt(square/float64(width)+1e-6))
		for i := range to {
			to[i] = to[i]*spread*s.scale[i] + s.bias[i]
		}
	}
	return out
}

// attention computes multi-head self-attention.
func (l *layer) attention(x []float32, width int) []float32 {
	n := len(x) / width
	keys := l.keys.of(x) // query, key and value of each vector
	size := width / headCount
	scale := 1 / math.Sqrt(float64(size))
	out, weights := room(n, width), make([]float64, n)
	for head := range headCount {
		of := func(t, kind int) []float32 { return keys[(3*t+kind)*width+head*size:][:size] }
		for t := range n {
			asks, most := of(t, 0), math.Inf(-1)
			for u := range n {
				weights[u] = scale * float64(dot(asks, of(u, 1)))
				most = max(most, weights[u])
			}
			sum := 0.0
			for u := range n {
				weights[u] = math.Exp(weights[u] - most)
				sum += weights[u]
			}
			to := out[t*width+head*size:][:size]
			for u := range n {
				share := float32(weights[u] / sum)
				for i, v := range of(u, 2) {
					to[i] += share * v
				}
			}
		}
	}
	return l.mixed.of(out)
}
