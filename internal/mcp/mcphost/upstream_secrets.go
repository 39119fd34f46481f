package mcphost

import (
	"cmp"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/untrusted"
)

// shortestVariable is the length of the shortest environment variable that is treated as a secret. Shorter
// values are usually settings, and a log in which every "true" is redacted would be useless.
const shortestVariable = 8

// secrets removes from text the credentials and settings configured for a server, and its access token,
// because the server may repeat them in an error or on stderr. It is safe for concurrent use.
type secrets struct {
	configured  []string // credentials and settings, longest first
	credentials []string // those that are certainly secret, longest first

	mu    sync.Mutex // guards token
	token string     // the current access token
}

func secretsOf(cfg config.MCPServerConfig) *secrets {
	s := &secrets{}
	add := func(text string, credential bool) {
		if text = strings.TrimSpace(text); untrusted.IsDummyKey(text) {
			return
		}
		s.configured = append(s.configured, text, url.QueryEscape(text))
		if credential {
			s.credentials = append(s.credentials, text, url.QueryEscape(text))
		}
	}
	add(withoutBearer(cfg.Auth.Token), true)
	if o := cfg.Auth.OAuth; o != nil {
		add(o.ClientSecret.Reveal(), true)
	}
	for name, value := range cfg.Env {
		if v := value.Reveal(); len(v) >= shortestVariable {
			add(v, config.NamesSecret(name))
		}
	}
	if u, err := url.Parse(cfg.URL); err == nil {
		add(u.RawQuery, false)
		for name, values := range u.Query() {
			for _, v := range values {
				if len(v) >= shortestVariable {
					add(v, config.NamesSecret(name))
				}
			}
		}
		if password, ok := u.User.Password(); ok {
			add(password, true)
		}
	}
	for _, all := range [][]string{s.configured, s.credentials} {
		slices.SortFunc(all, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	}
	return s
}

// withoutBearer returns a configured token without the "Bearer " prefix.
func withoutBearer(s config.Secret) string {
	token := strings.TrimSpace(s.Reveal())
	if len(token) > 7 && strings.EqualFold(token[:7], "bearer ") {
		token = strings.TrimSpace(token[7:])
	}
	return token
}

// setToken stores the current access token.
func (s *secrets) setToken(token string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.token = token
}

// redact replaces everything that was configured for the server, including settings.
func (s *secrets) redact(text string) string { return s.replace(text, s.configured) }

// redactCredentials replaces only what is certainly secret.
func (s *secrets) redactCredentials(text string) string { return s.replace(text, s.credentials) }

// replace replaces the given secrets and the access token in text.
func (s *secrets) replace(text string, secrets []string) string {
	const redacted = "[redacted]"
	for _, secret := range secrets {
		text = strings.ReplaceAll(text, secret, redacted)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.token != "" {
		text = strings.ReplaceAll(text, s.token, redacted)
	}
	return text
}

// cleanLine formats text from or about the server as one line of an error, with secrets removed.
func (s *secrets) cleanLine(text string) string {
	const room = 16 * maxLine // cleaned before searching for secrets
	clean := untrusted.Clean(text[:min(len(text), room)], 0)
	return cleanLine(s.redact(strings.Join(strings.Fields(clean), " ")))
}

// maskRoom is how much more text is masked than passed on, as a factor, so that a secret is found before the
// text is cut in the middle of it.
const maskRoom = 4

// maskText removes from a server's text the values configured for the server and anything that looks like a
// secret. It drops the rest of a text much longer than limit characters.
func (s *Server) maskText(text string, limit int) string {
	if room := maskRoom * utf8.UTFMax * limit; len(text) > room {
		text = text[:room]
	}
	return s.mask.Text(s.secrets.redact(untrusted.Clean(text, maskRoom*limit)))
}

// maskFailure masks all text of a failed result, because servers do not write error texts for the people who
// read them here. Images and sound are not changed.
func (s *Server) maskFailure(r *sdk.CallToolResult) {
	maskContent(r, s.maskText)
	if r.StructuredContent == nil {
		return
	}
	raw, err := json.Marshal(r.StructuredContent)
	var masked any
	if err != nil || len(raw) > maxResult || json.Unmarshal([]byte(s.maskText(string(raw), maxResult)), &masked) != nil {
		masked = nil // the text says what failed
	}
	r.StructuredContent = masked
}

// maskSuccess masks only what is certainly secret in a successful result. Paths and settings stay, because
// they may be what the caller asked for.
func (s *Server) maskSuccess(r *sdk.CallToolResult) {
	maskContent(r, s.maskSecrets)
	if r.StructuredContent != nil {
		r.StructuredContent = s.maskValues(r.StructuredContent)
	}
}

// maskSecrets is maskText for a successful result.
func (s *Server) maskSecrets(text string, limit int) string {
	return s.mask.Secrets(s.secrets.redactCredentials(untrusted.Clean(text, maskRoom*limit)))
}

// maskValues masks the strings in v, and every string under a key that names a password. It modifies v.
func (s *Server) maskValues(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			if text, ok := value.(string); ok && text != "" && config.NamesPassword(key) {
				v[key] = config.Masked
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
			break // later items are not passed on
		}
		switch c := c.(type) {
		case *sdk.TextContent:
			full := utf8.RuneCountInString(c.Text)
			c.Text = clipTo(with(c.Text, maxResult), maxResult, full)
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
