package worldtool

// object is the schema of an object; required names its mandatory properties.
func object(properties map[string]any, required ...string) map[string]any {
	s := map[string]any{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		s["required"] = required
	}
	return s
}

// text is the schema of a string that must say something.
func text(most int, description string) map[string]any {
	return map[string]any{"type": "string", "minLength": 1, "maxLength": most, "description": description}
}

func optional(most int, description string) map[string]any {
	return map[string]any{"type": "string", "maxLength": most, "description": description}
}

func typed(name string) map[string]any { return map[string]any{"type": name} }

func list(items map[string]any) map[string]any {
	return map[string]any{"type": "array", "items": items}
}

func nullable(s map[string]any) map[string]any {
	s["type"] = []any{s["type"], "null"}
	return s
}

func position(description string) map[string]any {
	return map[string]any{
		"type": "array", "items": typed("number"), "minItems": 3, "maxItems": 3, "description": description,
	}
}

func idField(what string) map[string]any {
	return text(maxName, what+" Its id, or a name that only it has.")
}

func locationField() map[string]any {
	return text(maxName, "The entity it is in: its id, or a name that only it has.")
}

func typeField() map[string]any {
	return text(maxID, "Kind of entity: npc, location, faction, item or the campaign's own word.")
}

func aliasesField() map[string]any {
	return map[string]any{
		"type": "array", "items": map[string]any{"type": "string", "minLength": 1, "maxLength": maxName},
		"maxItems": maxAliases, "description": "Other names it goes by.",
	}
}

func attributesField(values map[string]any, description string) map[string]any {
	return map[string]any{
		"type": "object", "additionalProperties": values, "maxProperties": maxAttributes, "description": description,
	}
}

func attributeField() map[string]any { return map[string]any{"type": "string", "maxLength": maxNote} }

func knownByField(description string) map[string]any {
	return map[string]any{
		"type": "array", "items": map[string]any{"type": "string", "minLength": 1, "maxLength": maxID},
		"minItems": 1, "maxItems": maxKnown, "description": description,
	}
}

func seqOutput() map[string]any {
	return map[string]any{"type": "integer", "minimum": 0, "description": "Number of the change; state/subscribe takes it as since."}
}

// entityOutput is the schema of view.
func entityOutput() map[string]any {
	return object(map[string]any{
		"id":          typed("string"),
		"type":        typed("string"),
		"name":        typed("string"),
		"aliases":     list(typed("string")),
		"description": typed("string"),
		"attributes":  map[string]any{"type": "object", "additionalProperties": typed("string")},
		"position":    position("x, y and z on the map."),
		"location":    object(map[string]any{"id": typed("string"), "name": typed("string")}, "id", "name"),
		"known_by":    list(typed("string")),
	}, "id", "type", "name")
}

func changedOutput() map[string]any {
	return object(map[string]any{
		"entity":  entityOutput(),
		"seq":     seqOutput(),
		"warning": typed("string"),
	}, "entity", "seq")
}

func removedOutput() map[string]any {
	return object(map[string]any{"id": typed("string"), "removed": typed("boolean"), "seq": seqOutput()}, "id", "removed", "seq")
}

func relatedOutput() map[string]any {
	return object(map[string]any{
		"from": typed("string"), "type": typed("string"), "to": typed("string"), "note": typed("string"),
		"removed": typed("boolean"), "seq": seqOutput(),
	}, "from", "type", "to", "removed", "seq")
}

func sceneOutput() map[string]any {
	return object(map[string]any{"scene": typed("string"), "seq": seqOutput()}, "scene", "seq")
}

func describedOutput() map[string]any {
	return object(map[string]any{
		"scene":    typed("string"),
		"total":    map[string]any{"type": "integer", "minimum": 0, "description": "How many there are; entities may be fewer."},
		"entities": list(entityOutput()),
		"seq":      seqOutput(),
	}, "scene", "total", "entities", "seq")
}
