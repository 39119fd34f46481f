package worldtool

// object returns the schema of an object. required lists its mandatory properties.
func object(properties map[string]any, required ...string) map[string]any {
	s := map[string]any{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		s["required"] = required
	}
	return s
}

// textSchema returns the schema of a string that must not be empty.
func textSchema(most int, description string) map[string]any {
	return map[string]any{"type": "string", "minLength": 1, "maxLength": most, "description": description}
}

func optionalText(most int, description string) map[string]any {
	return map[string]any{"type": "string", "maxLength": most, "description": description}
}

func typed(name string) map[string]any { return map[string]any{"type": name} }

// nullable returns a schema that also accepts null. Each branch has a single type, because some vendors and
// clients require that.
func nullable(s map[string]any) map[string]any {
	out := map[string]any{"anyOf": []any{s, typed("null")}}
	if description, ok := s["description"]; ok {
		out["description"] = description
		delete(s, "description")
	}
	return out
}

func position(description string) map[string]any {
	return map[string]any{
		"type": "array", "items": typed("number"), "minItems": 3, "maxItems": 3, "description": description,
	}
}

func idField(what string) map[string]any {
	return textSchema(maxName, what+" Its id, or a name that only it has.")
}

func locationField() map[string]any {
	return textSchema(maxName, "The entity it is in: its id, or a name that only it has.")
}

func typeField() map[string]any {
	return textSchema(maxID, "Kind of entity: npc, location, faction, item or the campaign's own word.")
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
