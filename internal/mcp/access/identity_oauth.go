package access

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"unicode"

	"github.com/coreos/go-oidc/v3/oidc"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/outbound"
)

// maxSubject bounds the name derived from a token's subject, in runes.
const maxSubject = 64

// oauth identifies holders of access tokens. It is safe for concurrent use.
type oauth struct {
	issuer, audience string
	keys             *keyring
	// byScope maps scopes to profiles. fallback is the profile for tokens without such a scope; if nil, they
	// are refused.
	byScope  map[string]Profile
	fallback *Profile
	metadata http.Handler
}

func newOAuth(cfg *config.OAuth, opts GatekeeperOptions) (*oauth, error) {
	o := &oauth{issuer: cfg.Issuer, audience: cfg.Audience, byScope: map[string]Profile{}}
	for _, scope := range slices.Sorted(maps.Keys(cfg.Scopes)) {
		p, ok := opts.Profile(cfg.Scopes[scope])
		if !ok {
			return nil, fmt.Errorf("scope %q: there is no profile %q", scope, cfg.Scopes[scope])
		}
		o.byScope[scope] = p
	}
	if cfg.Profile != "" {
		p, ok := opts.Profile(cfg.Profile)
		if !ok {
			return nil, fmt.Errorf("there is no profile %q", cfg.Profile)
		}
		o.fallback = &p
	}
	c := opts.HTTPClient
	if c == nil {
		c = outboundClient(outbound.NamesPrivate(cfg.Issuer))
	}
	o.keys = &keyring{issuer: cfg.Issuer, fixed: cfg.JWKS, client: c}
	o.metadata = o.describe()
	return o, nil
}

// claims are the claims of an access token that are used here.
type claims struct {
	Client string `json:"client_id"`
	Scope  words  `json:"scope"`
	Scp    words  `json:"scp"`
}

// findHolder returns the findHolder of an access token.
func (o *oauth) findHolder(ctx context.Context, token string, log *slog.Logger) (Subject, Term, error) {
	t, err := o.verify(ctx, token)
	if err != nil {
		log.LogAttrs(ctx, slog.LevelWarn, "access token refused", slog.Any("error", cause(err)))
		return Subject{}, Term{}, err
	}
	var c claims
	if err := t.Claims(&c); err != nil {
		return Subject{}, Term{}, &denial{kind: ErrUnauthorized, code: codeInvalidToken, innocent: true, text: "the token's scopes are malformed"}
	}
	name := cmp.Or(t.Subject, c.Client)
	if name == "" {
		return Subject{}, Term{}, &denial{kind: ErrUnauthorized, code: codeInvalidToken, innocent: true, text: "the token names nobody"}
	}
	profile, ok := o.profile(append(c.Scope, c.Scp...))
	if !ok {
		return Subject{}, Term{}, &denial{kind: ErrForbidden, code: codeInsufficientScope, text: "the token's scopes allow nothing here"}
	}
	return Subject{Name: subjectName(name), Profile: profile}, Term{expires: t.Expiry}, nil
}

// verify checks a token's signature, issuer, audience and times.
func (o *oauth) verify(ctx context.Context, token string) (*oidc.IDToken, error) {
	var algs []string
	for _, a := range algorithms() {
		algs = append(algs, string(a))
	}
	try := &attempt{keys: o.keys}
	v := oidc.NewVerifier(o.issuer, try, &oidc.Config{ClientID: o.audience, SupportedSigningAlgs: algs})
	t, err := v.Verify(ctx, token)
	if err == nil {
		return t, nil
	}
	d := &denial{kind: ErrUnauthorized, code: codeInvalidToken, innocent: try.signed, text: "the token is not valid here", cause: err}
	var expired *oidc.TokenExpiredError
	switch {
	case errors.Is(try.err, ErrUnavailable):
		d.kind, d.wait, d.text = ErrUnavailable, fetchPause, "try again in a moment"
	case errors.As(err, &expired):
		d.text = "the token has expired"
	}
	return nil, d
}

// profile returns the profile of the first scope that has one.
func (o *oauth) profile(scopes []string) (Profile, bool) {
	for _, s := range scopes {
		if p, ok := o.byScope[s]; ok {
			return p, true
		}
	}
	if o.fallback == nil {
		return Profile{}, false
	}
	return *o.fallback, true
}

// subjectName derives a name for rules and records from a token's subject. If it has to change the subject,
// it appends a hash, so that two subjects never get the same name.
func subjectName(sub string) string {
	var b strings.Builder
	n := 0
	for _, r := range sub {
		if n++; n > maxSubject {
			break
		}
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("._-@|:+/", r) {
			r = '_'
		}
		b.WriteRune(r)
	}
	kept := b.String()
	if kept != sub {
		sum := sha256.Sum256([]byte(sub))
		kept += "~" + hex.EncodeToString(sum[:8])
	}
	return "oauth:" + kept
}

// words is a claim that is a list of strings, or a string of words.
type words []string

func (s *words) UnmarshalJSON(b []byte) error {
	var text string
	if err := json.Unmarshal(b, &text); err == nil {
		*s = strings.Fields(text)
		return nil
	}
	return json.Unmarshal(b, (*[]string)(s))
}
