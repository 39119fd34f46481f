package ruleslookup

// object returns the JSON Schema of an object with these properties and no
// others.
func object(required []string, properties map[string]any) map[string]any {
	return map[string]any{
		"type":                 "object",
		"properties":           properties,
		"required":             required,
		"additionalProperties": false,
	}
}

func text() map[string]any    { return map[string]any{"type": "string"} }
func flag() map[string]any    { return map[string]any{"type": "boolean"} }
func integer() map[string]any { return map[string]any{"type": "integer", "minimum": 0} }

func category() map[string]any {
	return map[string]any{"type": "string", "enum": categories()}
}

// searchSchema describes the output of search_rules.
func searchSchema() map[string]any {
	return object([]string{"query", "count", "results"}, map[string]any{
		"query": text(),
		"count": integer(),
		"results": map[string]any{
			"type":     "array",
			"maxItems": maxResults,
			"items": object([]string{"id", "category", "name", "summary", "score"}, map[string]any{
				"id": text(), "category": category(), "name": text(), "summary": text(),
				"score": map[string]any{
					"type": "number", "minimum": 0, "maximum": 1,
					"description": "How well the rule fits; 1 means the query is its name.",
				},
			}),
		},
		"hint": text(),
	})
}

// ruleSchema describes the output of get_rule.
func ruleSchema() map[string]any {
	return object([]string{"id", "category", "name", "system", "summary", "text"}, map[string]any{
		"id": text(), "category": category(), "name": text(), "system": text(),
		"summary": text(), "text": text(),
		"spell": object([]string{"level", "school"}, map[string]any{
			"level": map[string]any{
				"type": "integer", "minimum": 0, "maximum": maxSpellLevel,
				"description": "0 is a cantrip.",
			},
			"school": text(), "casting_time": text(), "range": text(),
			"components": text(), "duration": text(),
			"concentration": flag(), "ritual": flag(),
			"classes": map[string]any{"type": "array", "items": text()},
		}),
	})
}
