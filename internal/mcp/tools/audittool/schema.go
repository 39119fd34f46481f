package audittool

const (
	sinceHelp = "Earliest time of a call: RFC 3339, or how long ago, such as 2h or 7d."
	untilHelp = "Calls before this time: RFC 3339, or how long ago, such as 30m."
)

// object is the schema of an object; required names its mandatory properties.
func object(properties map[string]any, required ...string) map[string]any {
	s := map[string]any{"type": "object", "properties": properties}
	if len(required) > 0 {
		s["required"] = required
	}
	return s
}

func optional(description string) map[string]any {
	return map[string]any{"type": "string", "description": description}
}

func choice(description string, values ...string) map[string]any {
	return map[string]any{"type": "string", "enum": values, "description": description}
}

func typed(name string) map[string]any { return map[string]any{"type": name} }

func counter() map[string]any { return map[string]any{"type": "integer", "minimum": 0} }

func duration() map[string]any { return map[string]any{"type": "number", "minimum": 0} }

func clock() map[string]any { return map[string]any{"type": "string", "format": "date-time"} }

func list(items map[string]any) map[string]any {
	return map[string]any{"type": "array", "items": items}
}

func queryOutput() map[string]any {
	record := map[string]any{
		"id":          counter(),
		"at":          clock(),
		"duration_ms": duration(),
		"cached":      typed("boolean"),
	}
	for _, name := range []string{
		"who", "profile", "transport", "tool", "source", "decision", "rule", "code", "approval",
		"args_hash", "args", "error", "session", "npc",
	} {
		record[name] = typed("string")
	}
	return object(map[string]any{
		"count":   counter(),
		"records": list(object(record, "id", "at", "who", "tool", "decision", "duration_ms", "args_hash")),
		"next":    typed("string"),
		"lost":    counter(),
	}, "count", "records", "lost")
}

func usageOutput() map[string]any {
	return object(map[string]any{
		"since":     clock(),
		"until":     clock(),
		"calls":     counter(),
		"truncated": typed("boolean"),
		"lost":      counter(),
		"usage": list(object(map[string]any{
			"who":     typed("string"),
			"tool":    typed("string"),
			"calls":   counter(),
			"denied":  counter(),
			"pending": counter(),
			"errors":  counter(),
			"cached":  counter(),
			"p50_ms":  duration(),
			"p99_ms":  duration(),
		}, "who", "tool", "calls", "denied", "pending", "errors", "cached", "p50_ms", "p99_ms")),
	}, "since", "until", "calls", "truncated", "lost", "usage")
}
