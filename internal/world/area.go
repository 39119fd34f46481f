package world

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"

	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// Area is a sphere including its surface.
type Area struct {
	Center memory.Position `json:"center"`
	// Radius is 0 or more, in the map's unit.
	Radius float64 `json:"radius"`
}

// ParseArea parses {"center":[x,y,z],"radius":r}. For other input, the error wraps [mcp.ErrInvalidArguments]
// and names the missing part.
func ParseArea(data []byte) (Area, error) {
	var in struct {
		Center *[]*float64 `json:"center"`
		Radius *float64    `json:"radius"`
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&in); err != nil {
		return Area{}, invalid(`an area is {"center":[x,y,z],"radius":r}: %v`, err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return Area{}, invalid("something follows the area; give one object")
	}
	if in.Center == nil || in.Radius == nil || len(*in.Center) != len(memory.Position{}) {
		return Area{}, invalid(`an area needs "center" with three numbers and "radius"`)
	}
	a := Area{Radius: *in.Radius}
	for i, v := range *in.Center {
		if v == nil {
			return Area{}, invalid(`"center" needs three numbers, not null`)
		}
		a.Center[i] = *v
	}
	return a, a.checkArea()
}

func (a Area) checkArea() error {
	if err := checkPosition(a.Center); err != nil {
		return err
	}
	if math.IsNaN(a.Radius) || math.IsInf(a.Radius, 0) || a.Radius < 0 {
		return invalid("radius is %v; it has to be a finite number from 0 on", a.Radius)
	}
	return nil
}

// Contains reports whether p is in the area. A nil p is in no area.
func (a Area) Contains(p *memory.Position) bool {
	if p == nil {
		return false
	}
	dx, dy, dz := p[0]-a.Center[0], p[1]-a.Center[1], p[2]-a.Center[2]
	distance, reach := dx*dx+dy*dy+dz*dz, a.Radius*a.Radius
	if math.IsInf(distance, 0) || math.IsInf(reach, 0) { // too large to be squared
		return math.Hypot(math.Hypot(dx, dy), dz) <= a.Radius
	}
	return distance <= reach
}
