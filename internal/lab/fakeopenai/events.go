package fakeopenai

import (
	"encoding/json"
	"fmt"
	"strings"
)

const (
	// created is the timestamp of every object, so that answers are identical.
	created = 1700000000
	// fragmentSize is the number of characters of a call's arguments in one
	// event.
	fragmentSize = 5
)

// object is a JSON object under construction.
type object = map[string]any

// lines returns the answer's events in wire format.
func (r Response) lines(rec *Request) []string {
	if r.Raw != nil {
		return r.Raw
	}
	usage := rec.Chat.StreamOptions != nil && rec.Chat.StreamOptions.IncludeUsage
	var out []string
	add := func(choices []any, counts any) {
		e := object{
			"id": rec.completionID(), "object": "chat.completion.chunk", "created": created,
			"model": rec.Chat.Model, "system_fingerprint": "fp_fake", "choices": choices,
		}
		if usage {
			e["usage"] = counts
		}
		out = append(out, "data: "+encode(e))
	}
	delta := func(d object, finish any) {
		add([]any{object{"index": 0, "delta": d, "logprobs": nil, "finish_reason": finish}}, nil)
	}
	delta(object{"role": "assistant", "content": ""}, nil)
	if r.Reasoning != "" {
		delta(object{"reasoning_content": r.Reasoning}, nil)
	}
	for _, p := range r.Pieces {
		delta(object{"content": p}, nil)
	}
	for _, f := range r.fragments(rec) {
		delta(object{"tool_calls": []any{f}}, nil)
	}
	if r.Hang {
		return out
	}
	delta(object{}, r.finish())
	if usage {
		add([]any{}, r.counts(rec))
	}
	if !r.NoDone {
		out = append(out, "data: [DONE]")
	}
	return out
}

// fragments splits the calls the way OpenAI does: first a call's id and name
// with empty arguments, then its arguments piece by piece, call after call.
func (r Response) fragments(rec *Request) []object {
	var out []object
	for i, c := range r.Calls {
		head := object{"type": "function", "function": object{"name": c.Name, "arguments": ""}}
		if !r.NoCallIDs {
			head["id"] = rec.callID(i, c)
		}
		if r.WholeCalls {
			head["function"] = object{"name": c.Name, "arguments": c.Arguments}
		}
		pieces := []object{head}
		if !r.WholeCalls {
			for _, p := range split(c.Arguments, fragmentSize) {
				pieces = append(pieces, object{"function": object{"arguments": p}})
			}
		}
		for _, p := range pieces {
			switch {
			case r.NoIndex:
			case r.ZeroIndex:
				p["index"] = 0
			default:
				p["index"] = i
			}
		}
		out = append(out, pieces...)
	}
	return out
}

// whole returns the answer to a request without streaming.
func (r Response) whole(rec *Request) object {
	message := object{"role": "assistant", "content": strings.Join(r.Pieces, ""), "refusal": nil}
	if len(r.Calls) > 0 {
		var calls []any
		for i, c := range r.Calls {
			calls = append(calls, object{
				"id": rec.callID(i, c), "type": "function",
				"function": object{"name": c.Name, "arguments": c.Arguments},
			})
		}
		message["tool_calls"] = calls
		if len(r.Pieces) == 0 {
			message["content"] = nil
		}
	}
	return object{
		"id": rec.completionID(), "object": "chat.completion", "created": created, "model": rec.Chat.Model,
		"choices": []any{object{"index": 0, "message": message, "logprobs": nil, "finish_reason": r.finish()}},
		"usage":   r.counts(rec),
	}
}

func (r Response) finish() string {
	switch {
	case r.Finish != "":
		return r.Finish
	case len(r.Calls) > 0:
		return "tool_calls"
	}
	return "stop"
}

// counts are the answer's token counts, approximated by words.
func (r Response) counts(rec *Request) object {
	prompt, completion := 0, 0
	for _, m := range rec.Chat.Messages {
		prompt += len(strings.Fields(m.Text())) + 1
	}
	completion += len(strings.Fields(strings.Join(r.Pieces, "")))
	for _, c := range r.Calls {
		completion += len(strings.Fields(c.Arguments)) + 1
	}
	return object{"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}
}

func (r *Request) completionID() string { return fmt.Sprintf("chatcmpl-fake%d", r.Number) }

func (r *Request) callID(i int, c Call) string {
	if c.ID != "" {
		return c.ID
	}
	return fmt.Sprintf("call_fake%d_%d", r.Number, i)
}

// split cuts s into pieces of n characters.
func split(s string, n int) []string {
	var out []string
	for r := []rune(s); len(r) > 0; {
		k := min(n, len(r))
		out = append(out, string(r[:k]))
		r = r[k:]
	}
	return out
}

// encode encodes an event. It cannot fail, because the values are this
// package's own.
func encode(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return `{"error":{"message":"encoding the event: ` + strings.ReplaceAll(err.Error(), `"`, "'") + `"}}`
	}
	return string(b)
}
