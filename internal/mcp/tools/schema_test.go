package tools_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/MrWong99/glyphoxa/internal/mcp/tools"
)

type stop struct {
	Name string   `json:"name"`
	At   *float64 `json:"at,omitempty"`
}

type journey struct {
	Title  string            `json:"title" jsonschema:"What it is called."`
	Stops  []stop            `json:"stops"`
	When   time.Time         `json:"when,omitzero"`
	Labels map[string]string `json:"labels,omitempty"`
	hidden int
}

func TestSchemaOf(t *testing.T) {
	_ = journey{}.hidden
	got, err := json.Marshal(tools.SchemaOf[journey](tools.Bounds{
		"title": {"minLength": 1}, "stops.at": {"type": "integer", "minimum": 0},
	}))
	if err != nil {
		t.Fatal(err)
	}
	const want = `{
		"type": "object", "additionalProperties": false, "required": ["title", "stops"],
		"properties": {
			"title": {"type": "string", "minLength": 1, "description": "What it is called."},
			"stops": {"type": "array", "items": {
				"type": "object", "additionalProperties": false, "required": ["name"],
				"properties": {"name": {"type": "string"}, "at": {"type": "integer", "minimum": 0}}
			}},
			"when": {"type": "string", "format": "date-time"},
			"labels": {"type": "object", "additionalProperties": {"type": "string"}}
		}
	}`
	var g, w any
	if err := json.Unmarshal(got, &g); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(want), &w); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(w, g); diff != "" {
		t.Errorf("schema (-want +got):\n%s", diff)
	}
}

func TestSchemaOfRefusesBoundsOfNothing(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("bounds of a property that is not there are accepted")
		}
	}()
	tools.SchemaOf[journey](tools.Bounds{"stops.name.first": {"minLength": 1}})
}

func TestSchemaOfNothing(t *testing.T) {
	if s := tools.SchemaOf[struct{}](nil); s["properties"] == nil || s["additionalProperties"] != false {
		t.Errorf("schema = %v, want an object without properties", s)
	}
}
