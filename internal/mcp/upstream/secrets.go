package upstream

import (
	"cmp"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mask"
	"github.com/MrWong99/glyphoxa/internal/untrusted"
)

// shortestVariable is the shortest environment variable that is taken for a
// secret: most are none, and a log with every "true" blacked out helps nobody.
const shortestVariable = 8

// secrets knows what must not be told of one server: what we were given to
// reach it and what it gave us. A server may echo it in an error or on stderr.
// It is safe for concurrent use.
type secrets struct {
	fixed []string // longest first
	sure  []string // of fixed, those that are nothing but secrets; longest first

	mu    sync.Mutex // guards token
	token string     // the current access token
}

func secretsOf(cfg config.MCPServerConfig) *secrets {
	s := &secrets{}
	add := func(text string, sure bool) {
		if text = strings.TrimSpace(text); text == "" {
			return
		}
		s.fixed = append(s.fixed, text, url.QueryEscape(text))
		if sure {
			s.sure = append(s.sure, text, url.QueryEscape(text))
		}
	}
	add(bareToken(cfg.Auth.Token), true)
	if o := cfg.Auth.OAuth; o != nil {
		add(o.ClientSecret.Reveal(), true)
	}
	for name, value := range cfg.Env {
		if v := value.Reveal(); len(v) >= shortestVariable {
			add(v, mask.NamesSecret(name))
		}
	}
	if u, err := url.Parse(cfg.URL); err == nil {
		add(u.RawQuery, false)
		for name, values := range u.Query() {
			for _, v := range values {
				if len(v) >= shortestVariable {
					add(v, mask.NamesSecret(name))
				}
			}
		}
		if password, ok := u.User.Password(); ok {
			add(password, true)
		}
	}
	for _, all := range [][]string{s.fixed, s.sure} {
		slices.SortFunc(all, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	}
	return s
}

// bareToken returns a configured token without "Bearer ".
func bareToken(s config.Secret) string {
	token := strings.TrimSpace(s.Reveal())
	if len(token) > 7 && strings.EqualFold(token[:7], "bearer ") {
		token = strings.TrimSpace(token[7:])
	}
	return token
}

// setToken notes the access token in use.
func (s *secrets) setToken(token string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.token = token
}

// redact replaces in text what we were given for the server, settings too.
func (s *secrets) redact(text string) string { return s.replace(text, s.fixed) }

// redactCredentials replaces in text what of that is nothing but secret.
func (s *secrets) redactCredentials(text string) string { return s.replace(text, s.sure) }

// replace replaces secrets in text, and the access token.
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

// cleanLine makes text from or about the server fit for one line of an error.
func (s *secrets) cleanLine(text string) string {
	const room = 16 * maxLine // for cleaning, before secrets are looked for
	clean := untrusted.Clean(text[:min(len(text), room)], 0)
	return cleanLine(s.redact(strings.Join(strings.Fields(clean), " ")))
}
