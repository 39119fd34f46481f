package mcphost

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/untrusted"
)

// maxOwnText bounds the text of a built-in tool or a workflow, in characters. The tools themselves document
// smaller bounds, such as a file of 1 MiB.
const maxOwnText = 8 << 20

// cleanResult cleans and bounds the result of a built-in tool or a workflow, because it may contain what
// players, files or external servers wrote. Results of external tools are cleaned when they arrive.
func cleanResult(res mcp.Result) mcp.Result {
	own := string(res.Structured) == res.Text
	res.Text = cleanText(res.Text)
	if own {
		res.Structured = json.RawMessage(res.Text)
	} else {
		res.Structured = json.RawMessage(cleanText(string(res.Structured)))
	}
	if len(res.Structured) == 0 || len(res.Structured) > maxOwnText {
		res.Structured = nil
	}
	res.Text = clipText(res.Text, maxOwnText)
	for i := range res.Content {
		res.Content[i].Text = clipText(cleanText(res.Content[i].Text), maxOwnText)
	}
	return res
}

// forModel bounds a result for a model.
func forModel(res mcp.Result) mcp.Result {
	res.Text = clipText(res.Text, maxResult)
	return res
}

// clipText returns a text of at most most characters. If it is cut, it ends with the size of the whole.
func clipText(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return clipTo(text, most, utf8.RuneCountInString(text))
}

// clipTo is clipText for a text that was already cut from one of full characters.
func clipTo(text string, most, full int) string {
	if full <= most {
		return text
	}
	end := fmt.Sprintf("\n[cut here; the whole text has %d characters]", full)
	return untrusted.Clip(text, most-len(end)) + end
}

// cleanText removes the characters that [untrusted.Hidden] reports. In a JSON text, it also removes those that
// are written as escapes.
func cleanText(text string) string {
	clean := untrusted.Clean(text, 0)
	if text == "" || text[0] != '{' && text[0] != '[' || clean == text && !strings.Contains(text, `\u`) || !json.Valid([]byte(text)) {
		return clean
	}
	var out strings.Builder
	for i := 0; i < len(text); {
		if text[i] != '"' {
			out.WriteByte(text[i])
			i++
			continue
		}
		end := i + 1
		for ; text[end] != '"'; end++ {
			if text[end] == '\\' {
				end++
			}
		}
		out.WriteString(cleanLiteral(text[i : end+1]))
		i = end + 1
	}
	return out.String()
}

// cleanLiteral cleans a JSON string literal.
func cleanLiteral(literal string) string {
	var text string
	if json.Unmarshal([]byte(literal), &text) != nil {
		return `""`
	}
	clean := untrusted.Clean(text, 0)
	if clean == text && untrusted.Clean(literal, 0) == literal {
		return literal
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(clean) != nil {
		return `""`
	}
	return strings.TrimSuffix(b.String(), "\n")
}
