package access

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"strings"
)

const (
	tokenPrefix = "glx_"
	hashPrefix  = "sha256:"
	// protocolPrefix is the prefix of the WebSocket subprotocol that carries a token.
	protocolPrefix = "glyphoxa.bearer."
	// maxToken bounds a token, in bytes. Access tokens with many claims are long.
	maxToken = 16 << 10
)

// NewToken returns a new token of 256 random bits and its hash, for a client's token and token_hash in the
// configuration.
func NewToken() (token, hash string) {
	var b [32]byte
	_, _ = rand.Read(b[:]) // never fails
	token = tokenPrefix + base64.RawURLEncoding.EncodeToString(b[:])
	return token, HashToken(token)
}

// HashToken returns the hash of a token as "sha256:HEX".
func HashToken(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hashPrefix + hex.EncodeToString(sum[:])
}

// credentials returns the token of r. given reports whether there was one, even if it is malformed, in which
// case err says why.
func credentials(r *http.Request) (token string, given bool, err error) {
	header, inHeader, headerErr := bearer(r.Header)
	protocol, inProtocol, protocolErr := TokenFromSubprotocols(r.Header)
	switch {
	case r.URL != nil && r.URL.RawQuery != "" && r.URL.Query().Has("access_token"):
		return "", true, malformed("a token does not belong into the address; send it as Authorization: Bearer")
	case inHeader && inProtocol:
		return "", true, malformed("two tokens were sent; send one")
	case inProtocol:
		return protocol, true, protocolErr
	}
	return header, inHeader, headerErr
}

func malformed(text string) error {
	return &denial{kind: ErrUnauthorized, code: codeInvalidToken, text: text}
}

// bearer returns the token of the Authorization header.
func bearer(h http.Header) (token string, given bool, err error) {
	values := h.Values("Authorization")
	if len(values) == 0 {
		return "", false, nil
	}
	if len(values) > 1 {
		return "", true, malformed("two Authorization headers were sent; send one")
	}
	scheme, token, _ := strings.Cut(strings.TrimSpace(values[0]), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return "", true, malformed("only Authorization: Bearer is understood")
	}
	if token = strings.TrimLeft(token, " "); !isToken(token) {
		return "", true, malformed("the token is malformed")
	}
	return token, true, nil
}

// isToken reports whether s may be a token: visible ASCII of at most maxToken bytes.
func isToken(s string) bool {
	if s == "" || len(s) > maxToken {
		return false
	}
	for i := range len(s) {
		if s[i] <= ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// TokenFromSubprotocols returns the token among the WebSocket subprotocols in h. Browsers cannot set headers
// on a WebSocket, so they offer "glyphoxa.bearer." followed by the token in unpadded base64url, in addition
// to "mcp". given reports whether there was such an offer, even if it is malformed, in which case err says
// why and wraps [ErrUnauthorized]. The server must never select that subprotocol.
func TokenFromSubprotocols(h http.Header) (token string, given bool, err error) {
	for _, line := range h.Values("Sec-WebSocket-Protocol") {
		for offer := range strings.SplitSeq(line, ",") {
			text, ok := strings.CutPrefix(strings.TrimSpace(offer), protocolPrefix)
			if !ok {
				continue
			}
			if given {
				return "", true, malformed("two tokens were sent; send one")
			}
			given = true
			raw, bad := base64.RawURLEncoding.Strict().DecodeString(text)
			if token = string(raw); bad != nil || !isToken(token) {
				return "", true, malformed("the token is malformed; write it in base64url without padding")
			}
		}
	}
	return token, given, nil
}
