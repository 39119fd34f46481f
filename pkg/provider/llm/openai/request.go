package openai

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"net/http"
	"net/url"
	"strconv"

	oai "github.com/sashabaranov/go-openai"

	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

const (
	// longestSpeaker is the maximum length of a speaker's name in runes.
	longestSpeaker = 100
	// longestToolName is the API's limit in bytes.
	longestToolName = 64
)

// query is a request on the wire.
type query struct {
	body   oai.ChatCompletionRequest
	extras []extra
	offer  *offer
	terms  *terms
	// maxTokens is the older field for the length, if the client library refuses it for the model. Gateways have
	// rules of their own.
	maxTokens int
}

// extra holds fields of a message that the client library lacks, or of one of its calls if call is not
// negative.
type extra struct {
	message, call int
	fields        map[string]json.RawMessage
}

// query converts a request to what an endpoint with the terms t accepts.
func (p *Provider) query(req llm.Request, t *terms) *query {
	q := &query{offer: offerOf(req.Tools, t), terms: t}
	q.body = oai.ChatCompletionRequest{Model: p.opts.Model, Tools: q.offer.wire}
	q.body.Messages, q.extras = wireMessages(p.messages(req.Messages, t, q.offer))
	if t.effort != leftOut {
		q.body.ReasoningEffort = t.effort
	}
	//lint:ignore SA1019 other services know only the old field
	q.body.MaxTokens, q.body.MaxCompletionTokens = t.lengthOf(req)
	if isReasoning(p.opts.Model) {
		//lint:ignore SA1019 see maxTokens
		q.maxTokens, q.body.MaxTokens = q.body.MaxTokens, 0
	}
	if v := req.Temperature; v != nil && !t.noTemperature {
		q.body.Temperature = float32(*v)
		if q.body.Temperature == 0 {
			// The client omits zero from the request.
			q.body.Temperature = math.SmallestNonzeroFloat32
		}
	}
	if !t.noUsage && !t.whole {
		q.body.StreamOptions = &oai.StreamOptions{IncludeUsage: true}
	}
	return q
}

// edit puts what the client library cannot express into the body of its request.
func (q *query) edit(req *http.Request) error {
	if len(q.extras) == 0 && !q.terms.whole && q.maxTokens == 0 || req.Body == nil {
		return nil
	}
	raw, err := io.ReadAll(req.Body)
	if err != nil {
		return fmt.Errorf("reading the request: %w", err)
	}
	_ = req.Body.Close() // it is a buffer
	var body map[string]json.RawMessage
	if err := json.Unmarshal(raw, &body); err != nil {
		return fmt.Errorf("editing the request: %w", err)
	}
	if q.terms.whole {
		body["stream"] = json.RawMessage("false")
		req.Header.Set("Accept", "application/json")
	}
	if q.maxTokens > 0 {
		body["max_tokens"] = json.RawMessage(strconv.Itoa(q.maxTokens))
	}
	if len(q.extras) > 0 {
		if body["messages"], err = q.withExtras(body["messages"]); err != nil {
			return fmt.Errorf("editing the messages: %w", err)
		}
	}
	if raw, err = json.Marshal(body); err != nil {
		return fmt.Errorf("editing the request: %w", err)
	}
	req.Body, req.ContentLength = io.NopCloser(bytes.NewReader(raw)), int64(len(raw))
	req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(raw)), nil }
	return nil
}

// withExtras returns the messages with the extra fields.
func (q *query) withExtras(raw json.RawMessage) (json.RawMessage, error) {
	var messages []map[string]json.RawMessage
	if err := json.Unmarshal(raw, &messages); err != nil {
		return nil, err
	}
	for _, e := range q.extras {
		m := messages[e.message]
		if e.call < 0 {
			addMissing(m, e.fields)
			continue
		}
		var calls []map[string]json.RawMessage
		if err := json.Unmarshal(m["tool_calls"], &calls); err != nil {
			return nil, err
		}
		addMissing(calls[e.call], e.fields)
		var err error
		if m["tool_calls"], err = json.Marshal(calls); err != nil {
			return nil, err
		}
	}
	return json.Marshal(messages)
}

// addMissing adds fields to m that it does not have.
func addMissing(m, fields map[string]json.RawMessage) {
	for name, value := range fields {
		if _, ok := m[name]; !ok {
			m[name] = value
		}
	}
}

func (p *Provider) host() string {
	u, err := url.Parse(p.service.Address)
	if err != nil {
		return ""
	}
	return u.Hostname()
}

// parameters adds what the API requires of every schema. It does not modify its argument.
func parameters(schema map[string]any) map[string]any {
	out := maps.Clone(schema)
	if out == nil {
		out = map[string]any{}
	}
	if out["type"] == nil {
		out["type"] = "object"
	}
	if out["properties"] == nil {
		out["properties"] = map[string]any{}
	}
	return out
}
