package upstream

import (
	"encoding/json"
	"unicode/utf8"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

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
	for i, c := range r.Content {
		if i == maxItems {
			break // the rest is not passed on
		}
		switch c := c.(type) {
		case *sdk.TextContent:
			c.Text = s.maskText(c.Text, maxResult)
		case *sdk.ResourceLink:
			c.URI, c.Name = s.maskText(c.URI, maxURI), s.maskText(c.Name, maxLine)
			c.Title, c.Description = s.maskText(c.Title, maxTitle), s.maskText(c.Description, maxDescription)
		case *sdk.EmbeddedResource:
			if c.Resource != nil {
				c.Resource.URI, c.Resource.Text = s.maskText(c.Resource.URI, maxURI), s.maskText(c.Resource.Text, maxResult)
			}
		}
	}
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
