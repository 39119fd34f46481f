package main

// The forms for users, as JSON Schema.
const (
	nameForm = `{"type":"object","properties":{"username":{"type":"string","description":"What to call you"}},"required":["username"]}`

	defaultsForm = `{
		"type": "object",
		"properties": {
			"name": {"type": "string", "description": "Name of the user", "default": "John Doe"},
			"age": {"type": "integer", "description": "Years of age", "default": 30},
			"score": {"type": "number", "description": "Points", "default": 95.5},
			"status": {"type": "string", "description": "State of the account", "enum": ["active", "inactive", "pending"], "default": "active"},
			"verified": {"type": "boolean", "description": "Whether somebody checked", "default": true}
		}
	}`

	choicesForm = `{
		"type": "object",
		"properties": {
			"untitledSingle": {"type": "string", "enum": ["option1", "option2", "option3"]},
			"titledSingle": {"type": "string", "oneOf": [
				{"const": "value1", "title": "First Option"},
				{"const": "value2", "title": "Second Option"},
				{"const": "value3", "title": "Third Option"}
			]},
			"legacyEnum": {
				"type": "string", "enum": ["opt1", "opt2", "opt3"], "enumNames": ["Option One", "Option Two", "Option Three"]
			},
			"untitledMulti": {
				"type": "array", "minItems": 1, "maxItems": 3, "items": {"type": "string", "enum": ["option1", "option2", "option3"]}
			},
			"titledMulti": {"type": "array", "minItems": 1, "maxItems": 3, "items": {"anyOf": [
				{"const": "value1", "title": "First Choice"},
				{"const": "value2", "title": "Second Choice"},
				{"const": "value3", "title": "Third Choice"}
			]}}
		}
	}`

	callerForm  = `{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}`
	colourForm  = `{"type":"object","properties":{"color":{"type":"string"}},"required":["color"]}`
	confirmForm = `{"type":"object","properties":{"ok":{"type":"boolean"}},"required":["ok"]}`
	contextForm = `{"type":"object","properties":{"context":{"type":"string"}},"required":["context"]}`
)
