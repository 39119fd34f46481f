package sqlstore

import (
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// JSON encodes a list or map. An empty one becomes NULL.
func JSON(v any, n int) (sql.NullString, error) {
	if n == 0 {
		return sql.NullString{}, nil
	}
	b, err := json.Marshal(v)
	return sql.NullString{String: string(b), Valid: true}, err
}

// Position returns the three columns of a position; all are NULL without one.
func Position(p *memory.Position) (x, y, z sql.NullFloat64, err error) {
	if p == nil {
		return x, y, z, nil
	}
	for _, v := range p {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return x, y, z, fmt.Errorf("position %v is no point on a map", *p)
		}
	}
	column := func(v float64) sql.NullFloat64 { return sql.NullFloat64{Float64: v, Valid: true} }
	return column(p[0]), column(p[1]), column(p[2]), nil
}

// stampOf reduces t to the precision of a row: microseconds in UTC.
func stampOf(t time.Time) time.Time { return FromStamp(t.UnixMicro()) }

// FromStamp returns the time stored in a row.
func FromStamp(micros int64) time.Time { return time.UnixMicro(micros).UTC() }

// normalised returns v scaled to length 1, or nil if v has no direction, because nothing is near to it.
func normalised(v []float32) []float32 {
	var square float64
	for _, x := range v {
		square += float64(x) * float64(x)
	}
	if square == 0 || math.IsNaN(square) || math.IsInf(square, 0) {
		return nil
	}
	norm := math.Sqrt(square)
	out := make([]float32, len(v))
	for i, x := range v {
		out[i] = float32(float64(x) / norm)
	}
	return out
}

// Vector encodes v, scaled to length 1, as bytes. It returns nil if v has no direction.
func Vector(v []float32) []byte {
	unit := normalised(v)
	if unit == nil {
		return nil
	}
	out := make([]byte, 0, 4*len(unit))
	for _, x := range unit {
		out = binary.LittleEndian.AppendUint32(out, math.Float32bits(x))
	}
	return out
}

// Floats decodes the encoding of [Vector].
func Floats(packed []byte) []float32 {
	if packed == nil {
		return nil
	}
	out := make([]float32, len(packed)/4)
	for i := range out {
		out[i] = math.Float32frombits(binary.LittleEndian.Uint32(packed[4*i:]))
	}
	return out
}

// Filed returns the record about an entry of a campaign file: its key, unique within its kind, and a hash of
// its content.
func Filed(kind string, key []string, says ...any) (what string, hash [sha256.Size]byte, err error) {
	text, err := json.Marshal(says)
	return kind + Frame + strings.Join(key, Frame), sha256.Sum256(text), err
}
