package upstream

import (
	"encoding/json"
	"unicode/utf8"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/MrWong99/glyphoxa/internal/mask"
	"github.com/MrWong99/glyphoxa/internal/untrusted"
)

// maskRoom is how much more of a text is masked than is passed on, so that no secret is
// cut before it is found.
const maskRoom = 4

// maskText takes out of text from the server what we gave it, and what looks like a
// secret. Of what is much longer than limit characters the rest is left out.
func (s *Server) maskText(text string, limit int) string {
	if room := maskRoom * utf8.UTFMax * limit; len(text) > room {
		text = text[:room]
	}
	return s.mask.Text(s.secrets.redact(untrusted.Clean(text, maskRoom*limit)))
}

// maskFailure masks all text of a result that tells of a failure: nobody wrote it for
// those who read it here. Images and sound pass as they are.
func (s *Server) maskFailure(r *sdk.CallToolResult) {
	maskContent(r, s.maskText)
	if r.StructuredContent == nil {
		return
	}
	raw, err := json.Marshal(r.StructuredContent)
	var masked any
	if err != nil || len(raw) > maxResult || json.Unmarshal([]byte(s.maskText(string(raw), maxResult)), &masked) != nil {
		masked = nil // a failure is told by its text
	}
	r.StructuredContent = masked
}

// maskSuccess masks what is certainly a secret in a result that was asked for. Paths and
// what the server was configured with stay: they may be what it was asked for.
func (s *Server) maskSuccess(r *sdk.CallToolResult) {
	maskContent(r, s.maskSecrets)
	if r.StructuredContent != nil {
		r.StructuredContent = s.maskValues(r.StructuredContent)
	}
}

// maskSecrets is maskText for a text that was asked for.
func (s *Server) maskSecrets(text string, limit int) string {
	return s.mask.Secrets(s.secrets.redactCredentials(untrusted.Clean(text, maskRoom*limit)))
}

// maskValues masks the texts in a value, which is the caller's own, and what stands in it
// under a secret's name.
func (s *Server) maskValues(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			if text, ok := value.(string); ok && text != "" && mask.NamesPassword(key) {
				v[key] = mask.Masked
				continue
			}
			v[key] = s.maskValues(value)
		}
	case []any:
		for i, item := range v {
			v[i] = s.maskValues(item)
		}
	case string:
		return s.mask.Secrets(s.secrets.redactCredentials(v))
	}
	return v
}

// maskContent masks all text of a result's content.
func maskContent(r *sdk.CallToolResult, with func(text string, limit int) string) {
	for i, c := range r.Content {
		if i == maxItems {
			break // the rest is not passed on
		}
		switch c := c.(type) {
		case *sdk.TextContent:
			c.Text = with(c.Text, maxResult)
		case *sdk.ResourceLink:
			c.URI, c.Name = with(c.URI, maxURI), with(c.Name, maxLine)
			c.Title, c.Description = with(c.Title, maxTitle), with(c.Description, maxDescription)
		case *sdk.EmbeddedResource:
			if c.Resource != nil {
				c.Resource.URI, c.Resource.Text = with(c.Resource.URI, maxURI), with(c.Resource.Text, maxResult)
			}
		}
	}
}
