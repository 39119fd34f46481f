package mcpserver

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// appendPlainCall appends a result of texts alone as [sdk.CallToolResult] encodes it, and
// reports false for any other: most calls end in one, and reflection takes its time.
func appendPlainCall(b []byte, r *sdk.CallToolResult, newest bool) (_ []byte, ok bool) {
	b = append(b, `{"_meta":{`...)
	if b, ok = appendPlainMeta(b, r.Meta); !ok {
		return b, false
	}
	b = append(b, `},"content":[`...)
	for i, c := range r.Content {
		text, is := c.(*sdk.TextContent)
		if !is || text.Meta != nil || text.Annotations != nil {
			return b, false
		}
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, `{"type":"text","text":`...)
		b = append(appendString(b, text.Text), '}')
	}
	b = append(b, ']')
	if r.StructuredContent != nil {
		raw, is := r.StructuredContent.(json.RawMessage)
		if !is || !isCompact(raw) || !json.Valid(raw) {
			return b, false
		}
		b = append(b, `,"structuredContent":`...)
		b = append(b, raw...)
	}
	if r.IsError {
		b = append(b, `,"isError":true`...)
	}
	if newest {
		b = append(b, `,"resultType":"complete"`...)
	}
	return append(b, '}'), true
}

// appendPlainMeta appends the members of what every answer carries, and reports false if
// there is more in it.
func appendPlainMeta(b []byte, meta sdk.Meta) ([]byte, bool) {
	keys := make([]string, 0, 3)
	for key := range meta {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	for i, key := range keys {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(appendString(b, key), ':')
		switch v := meta[key].(type) {
		case []string:
			b = append(b, '[')
			for i, s := range v {
				if i > 0 {
					b = append(b, ',')
				}
				b = appendString(b, s)
			}
			b = append(b, ']')
		case float64:
			if v != 0 && (math.Abs(v) < 1e-6 || math.Abs(v) >= 1e21) || math.IsNaN(v) {
				return b, false // which have an exponent, or cannot be
			}
			b = strconv.AppendFloat(b, v, 'f', -1, 64)
		case json.RawMessage:
			b = append(b, v...)
		default:
			return b, false
		}
	}
	return b, true
}

// appendString appends a text as JSON that is safe within HTML.
func appendString(b []byte, text string) []byte {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' {
			raw, _ := json.Marshal(text) // a text always can be
			return append(b, raw...)
		}
	}
	b = append(b, '"')
	b = append(b, text...)
	return append(b, '"')
}

// isCompact reports whether raw, if it is JSON, is for certain what encoding it again
// makes of it.
func isCompact(raw []byte) bool {
	within, escaped := false, false
	for _, c := range raw {
		switch {
		case c < ' ' || c > '~' || c == '<' || c == '>' || c == '&' || c == ' ' && !within:
			return false
		case escaped:
			escaped = false
		case c == '\\':
			escaped = true
		case c == '"':
			within = !within
		}
	}
	return true
}
