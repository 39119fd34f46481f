package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/MrWong99/glyphoxa/internal/mcp"
)

// plainFixtures answer without a request to the client.
func plainFixtures() []fixture {
	note := func(uri, text string) mcp.Content {
		return mcp.Content{Type: "resource", URI: uri, MIMEType: "text/plain", Text: text}
	}
	image := mcp.Content{Type: "image", Data: picture(), MIMEType: "image/png"}
	return []fixture{
		{name: "test_simple_text", does: "Answers with one text.", run: says("This is a simple text response for testing.")},
		{name: "test_image_content", does: "Answers with an image.", run: shows(image)},
		{
			name: "test_audio_content", does: "Answers with sound.",
			run: shows(mcp.Content{Type: "audio", Data: silence(), MIMEType: "audio/wav"}),
		},
		{
			name: "test_embedded_resource", does: "Answers with a resource.",
			run: shows(note("test://embedded-resource", "This is an embedded resource content.")),
		},
		{
			name: "test_multiple_content_types", does: "Answers with a text, an image and a resource.",
			run: shows(
				mcp.Content{Type: "text", Text: "Multiple content types test:"}, image,
				mcp.Content{Type: "resource", URI: "test://mixed-content-resource", MIMEType: "application/json", Text: `{"test":"data","value":123}`},
			),
		},
		{name: "test_error_handling", does: "Always fails.", run: func(context.Context, string) (mcp.Result, error) {
			return mcp.Result{}, errors.New("this tool intentionally returns an error for testing")
		}},
		{
			name: "test_streaming_elicitation", does: "Answers on a stream that asks nothing.",
			run: says("Nothing but this result is on the stream."),
		},
		{
			name: "json_schema_2020_12_tool", does: "Takes what a rich JSON Schema (draft 2020-12) allows.",
			input: richSchema, run: repeats,
		},
		{
			name: "test_x_mcp_header", does: "Takes an argument that clients repeat in a header.",
			input: mirroredSchema, run: region,
		},
	}
}

// repeats returns its arguments.
func repeats(_ context.Context, args string) (mcp.Result, error) {
	return mcp.Result{Text: "called with " + args, Content: []mcp.Content{{Type: "text", Text: "called with " + args}}}, nil
}

func region(_ context.Context, args string) (mcp.Result, error) {
	var in struct{ Region string }
	if err := json.Unmarshal([]byte(args), &in); err != nil {
		return mcp.Result{}, fmt.Errorf("%w: %v", mcp.ErrInvalidArguments, err)
	}
	return mcp.Result{Text: "the region is " + in.Region}, nil
}

// mirroredSchema marks an argument that clients of the newest revision also
// send as a header.
const mirroredSchema = `{
	"type": "object",
	"properties": {
		"region": {"type": "string", "description": "sent as Mcp-Param-Region too", "x-mcp-header": "Region"},
		"level": {"type": "integer", "description": "sent in the body alone"}
	}
}`

// richSchema uses keywords that a careless server loses.
const richSchema = `{
	"$schema": "https://json-schema.org/draft/2020-12/schema",
	"type": "object",
	"$defs": {
		"address": {
			"$anchor": "addressDef",
			"type": "object",
			"properties": {"street": {"type": "string"}, "city": {"type": "string"}}
		}
	},
	"properties": {
		"name": {"type": "string"},
		"address": {"$ref": "#/$defs/address"},
		"contactMethod": {"type": "string", "enum": ["phone", "email"]},
		"phone": {"type": "string"},
		"email": {"type": "string"}
	},
	"allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
	"if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
	"then": {"required": ["phone"]},
	"else": {"required": ["email"]},
	"additionalProperties": false
}`
