package memorytool

// object is the schema of an object; required names its mandatory properties.
func object(properties map[string]any, required ...string) map[string]any {
	s := map[string]any{"type": "object", "properties": properties}
	if len(required) > 0 {
		s["required"] = required
	}
	return s
}

// text is the schema of a string that must say something.
func text(description string) map[string]any {
	return map[string]any{"type": "string", "minLength": 1, "description": description}
}

func optional(description string) map[string]any {
	return map[string]any{"type": "string", "description": description}
}

func typed(name string) map[string]any { return map[string]any{"type": name} }

func list(items map[string]any) map[string]any {
	return map[string]any{"type": "array", "items": items}
}

func searchSessionsOutput() map[string]any {
	return object(map[string]any{
		"query": typed("string"),
		"count": typed("integer"),
		"lines": list(object(map[string]any{
			"session_id": typed("string"),
			"speaker":    typed("string"),
			"text":       typed("string"),
			"at":         map[string]any{"type": "string", "format": "date-time"},
			"turn":       typed("integer"),
		}, "session_id", "speaker", "text", "at", "turn")),
	}, "query", "count", "lines")
}

func searchFactsOutput() map[string]any {
	return object(map[string]any{
		"query": typed("string"),
		"count": typed("integer"),
		"facts": list(object(map[string]any{
			"text":   typed("string"),
			"source": typed("string"),
			"score":  map[string]any{"type": "number", "minimum": 0, "maximum": 1},
		}, "text", "source", "score")),
	}, "query", "count", "facts")
}

func entityOutput() map[string]any {
	return object(map[string]any{
		"id":          typed("string"),
		"type":        typed("string"),
		"name":        typed("string"),
		"description": typed("string"),
	}, "id", "type", "name")
}

func queryEntitiesOutput() map[string]any {
	return object(map[string]any{
		"count":    typed("integer"),
		"entities": list(entityOutput()),
	}, "count", "entities")
}

func getSummaryOutput() map[string]any {
	return object(map[string]any{
		"id":          typed("string"),
		"type":        typed("string"),
		"name":        typed("string"),
		"description": typed("string"),
		"attributes":  map[string]any{"type": "object", "additionalProperties": typed("string")},
		"position":    map[string]any{"type": "array", "items": typed("number"), "minItems": 3, "maxItems": 3},
		"relationships": list(object(map[string]any{
			"type":        typed("string"),
			"direction":   map[string]any{"type": "string", "enum": []string{"out", "in"}},
			"entity_id":   typed("string"),
			"entity_name": typed("string"),
			"note":        typed("string"),
		}, "type", "direction", "entity_id", "entity_name")),
		"connected": list(entityOutput()),
	}, "id", "type", "name", "description", "attributes", "relationships", "connected")
}

func rememberFactOutput() map[string]any {
	return object(map[string]any{
		"text":     typed("string"),
		"source":   typed("string"),
		"known_by": list(typed("string")),
	}, "text", "source")
}
