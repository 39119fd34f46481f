package upstream

//lint:file-ignore SA1019 servers of the older revisions know no other way to ask a model

import (
	"encoding/json"
	"fmt"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/MrWong99/glyphoxa/internal/mcp"
)

// cleanQuestion makes a question fit to be put to a client: bounded, in clean text without
// what we gave the server, and to a person with the server's name. What cannot be put so is
// a [*mcp.Refusal].
func (s *questions) cleanQuestion(question any) error {
	raw, err := json.Marshal(question)
	if err != nil || len(raw) > maxQuestion {
		return notAsked(mcp.CodeInvalidInput, "limits", fmt.Sprintf("a question may have %d KiB", maxQuestion>>10))
	}
	switch q := question.(type) {
	case *sdk.ElicitParams:
		return s.cleanForm(q)
	case *sdk.CreateMessageWithToolsParams:
		return s.cleanSampling(q)
	}
	return notAsked(mcp.CodeForbidden, "client", "only forms and messages for a model are passed on")
}

// cleanForm makes what a person is asked fit to be shown.
func (s *questions) cleanForm(q *sdk.ElicitParams) error {
	if q.Mode != "" && q.Mode != "form" || q.URL != "" {
		return notAsked(mcp.CodeInvalidInput, "client", "only forms are passed on, no addresses to be opened")
	}
	q.Meta, q.ElicitationID = nil, ""
	q.Message = s.cfg.Name + ": " + s.maskText(q.Message, maxAsked)
	q.RequestedSchema = s.maskStrings(cleanStrings(q.RequestedSchema, maxDescription))
	return nil
}

// cleanSampling makes what a model is asked fit to be passed on.
func (s *questions) cleanSampling(q *sdk.CreateMessageWithToolsParams) error {
	if len(q.Tools) > 0 || q.ToolChoice != nil {
		return notAsked(mcp.CodeInvalidInput, "client", "a model is asked without tools alone")
	}
	q.Meta, q.Metadata, q.IncludeContext = nil, nil, ""
	q.SystemPrompt = s.maskText(q.SystemPrompt, maxResult)
	for i, stop := range q.StopSequences {
		q.StopSequences[i] = s.maskText(stop, maxLine)
	}
	for _, m := range q.Messages {
		for _, c := range m.Content {
			switch c := c.(type) {
			case *sdk.TextContent:
				c.Text, c.Meta = s.maskText(c.Text, maxResult), nil
			case *sdk.ImageContent:
				c.MIMEType, c.Meta = cleanLine(c.MIMEType), nil
			case *sdk.AudioContent:
				c.MIMEType, c.Meta = cleanLine(c.MIMEType), nil
			default:
				return notAsked(mcp.CodeInvalidInput, "client", "a model is asked with texts, images and sounds alone")
			}
		}
	}
	return nil
}

// maskStrings masks what we gave the server in all texts of v.
func (s *questions) maskStrings(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			v[key] = s.maskStrings(value)
		}
	case []any:
		for i, item := range v {
			v[i] = s.maskStrings(item)
		}
	case string:
		return s.mask.Text(s.secrets.redact(v))
	}
	return v
}

// withTools is a question in the newer form.
func withTools(p *sdk.CreateMessageParams) *sdk.CreateMessageWithToolsParams {
	q := &sdk.CreateMessageWithToolsParams{
		MaxTokens: p.MaxTokens, ModelPreferences: p.ModelPreferences, StopSequences: p.StopSequences,
		SystemPrompt: p.SystemPrompt, Temperature: p.Temperature,
	}
	for _, m := range p.Messages {
		q.Messages = append(q.Messages, &sdk.SamplingMessageV2{Content: []sdk.Content{m.Content}, Role: m.Role})
	}
	return q
}
