package config

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"strings"
)

// Secret is a string that cannot be printed by accident. Printing or encoding it in any way yields
// "[redacted]", or "" if it is empty. Reveal returns the value.
//
// Package fmt does not call methods on unexported struct fields, so keep a Secret only in exported fields or
// local variables.
type Secret string

const redacted = "[redacted]"

// Reveal returns the value itself.
func (s Secret) Reveal() string { return string(s) }

// String returns "[redacted]", or "" for an empty secret. All other methods that print or encode a Secret do
// the same.
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return redacted
}

// GoString redacts %#v.
func (s Secret) GoString() string { return s.String() }

// Format redacts every verb and flag of package fmt.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, s.String()) }

// MarshalText redacts text encodings.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// MarshalJSON redacts JSON.
func (s Secret) MarshalJSON() ([]byte, error) { return json.Marshal(s.String()) }

// MarshalYAML redacts YAML.
func (s Secret) MarshalYAML() (any, error) { return s.String(), nil }

// LogValue redacts log attributes.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// If a verb does not fit its operand, package fmt prints what a nested pointer points to without calling any
// methods below it. Types that are passed by pointer therefore implement Format themselves.

// Format prints the configuration without its secrets.
func (c Config) Format(f fmt.State, verb rune) {
	type plain Config
	_, _ = fmt.Fprintf(f, fmt.FormatString(f, verb), plain(c))
}

// Format prints the server's settings without its secrets.
func (c MCPServerConfig) Format(f fmt.State, verb rune) {
	type plain MCPServerConfig
	_, _ = fmt.Fprintf(f, fmt.FormatString(f, verb), plain(c))
}

// Format prints the credentials without the secret.
func (o MCPOAuth) Format(f fmt.State, verb rune) {
	type plain MCPOAuth
	_, _ = fmt.Fprintf(f, fmt.FormatString(f, verb), plain(o))
}

// Format prints the settings without the clients' tokens.
func (s Server) Format(f fmt.State, verb rune) {
	type plain Server
	_, _ = fmt.Fprintf(f, fmt.FormatString(f, verb), plain(s))
}

// Format prints the client without its token.
func (c Client) Format(f fmt.State, verb rune) {
	type plain Client
	_, _ = fmt.Fprintf(f, fmt.FormatString(f, verb), plain(c))
}

// ProviderOptions are settings that only one provider knows. Printing or encoding them redacts the values of
// keys whose names suggest a secret. Reading a value from the map does not.
type ProviderOptions map[string]any

// shown returns a copy that is safe to print.
func (o ProviderOptions) shown() map[string]any {
	if o == nil {
		return nil
	}
	out, _ := redactSecrets(map[string]any(o)).(map[string]any)
	return out
}

func redactSecrets(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, e := range v {
			if soundsSecret(k) {
				out[k] = redacted
				continue
			}
			out[k] = redactSecrets(e)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = redactSecrets(e)
		}
		return out
	}
	return v
}

// String prints the options without their secrets.
func (o ProviderOptions) String() string { return fmt.Sprint(o.shown()) }

// GoString redacts %#v.
func (o ProviderOptions) GoString() string { return fmt.Sprintf("%#v", o.shown()) }

// Format redacts every verb and flag of package fmt.
func (o ProviderOptions) Format(f fmt.State, verb rune) {
	_, _ = fmt.Fprintf(f, fmt.FormatString(f, verb), o.shown())
}

// MarshalJSON redacts JSON.
func (o ProviderOptions) MarshalJSON() ([]byte, error) { return json.Marshal(o.shown()) }

// MarshalYAML redacts YAML.
func (o ProviderOptions) MarshalYAML() (any, error) { return o.shown(), nil }

// LogValue redacts log attributes.
func (o ProviderOptions) LogValue() slog.Value { return slog.AnyValue(o.shown()) }

// soundsSecret reports whether the name of a key suggests a secret value.
func soundsSecret(key string) bool {
	key = strings.ToLower(key)
	for _, word := range [...]string{"key", "token", "secret", "password", "passwd", "credential", "authorization", "cookie"} {
		if strings.Contains(key, word) {
			return true
		}
	}
	return false
}
