package discordtest

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// oauth implements Discord's authorization server (RFC 6749, RFC 7636).
type oauth struct {
	secret    string
	redirects []string
	browser   string           // the user of the next browser
	agrees    bool             // the user agrees that the application may learn who they are
	codes     map[string]grant // each valid once
	tokens    map[string]*User
}

// grant is the user and request of a code.
type grant struct {
	user                *User
	redirect, challenge string
}

// AllowSignIn makes the application an OAuth2 client with a secret and allowed
// redirects, as under OAuth2 in the developer portal.
func (s *Server) AllowSignIn(secret string, redirects ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.oauth = oauth{secret: secret, redirects: redirects, codes: map[string]grant{}, tokens: map[string]*User{}}
}

// SignedIn sets the user signed in to later browsers, and whether the user
// agrees that an application may learn who they are.
func (s *Server) SignedIn(userID string, agrees bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.oauth.browser, s.oauth.agrees = s.mustUser(userID).ID, agrees
}

// OwnApplication makes a user the application's owner.
func (s *Server) OwnApplication(userID string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.app.Owner, s.app.Team = s.mustUser(userID), nil
}

// OwnApplicationAsTeam makes users a team that owns the application.
func (s *Server) OwnApplicationAsTeam(userIDs ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := &team{ID: s.bot.ID}
	for _, id := range userIDs {
		t.Members = append(t.Members, teamMember{2, s.mustUser(id)})
	}
	s.app.Team = t
}

// serveAuthorize answers the authorization page for a user who has decided in
// advance.
func (s *Server) serveAuthorize(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	q := r.URL.Query()
	to, err := url.Parse(q.Get("redirect_uri"))
	switch {
	case q.Get("client_id") != s.app.ID || err != nil || !slices.Contains(s.oauth.redirects, q.Get("redirect_uri")):
		s.fault("authorize: redirect_uri %q of client %q is not registered", q.Get("redirect_uri"), q.Get("client_id"))
		http.Error(w, "Invalid OAuth2 redirect_uri", http.StatusBadRequest)
		return
	case q.Get("response_type") != "code" || q.Get("scope") != "identify" || q.Get("state") == "" || q.Get("code_challenge_method") != "S256":
		s.fault("authorize: %q asks for too much, or carelessly", r.URL.RawQuery)
		http.Error(w, "Invalid OAuth2 request", http.StatusBadRequest)
		return
	}
	back := url.Values{"state": {q.Get("state")}}
	if s.oauth.agrees {
		code := rand.Text()
		s.oauth.codes[code] = grant{s.users[s.oauth.browser], q.Get("redirect_uri"), q.Get("code_challenge")}
		back.Set("code", code)
	} else {
		back.Set("error", "access_denied")
	}
	to.RawQuery = back.Encode()
	http.Redirect(w, r, to.String(), http.StatusFound)
}

// serveToken exchanges a code for a token.
func (s *Server) serveToken(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	if err := r.ParseForm(); err != nil {
		answer(w, http.StatusBadRequest, mustJSON(map[string]string{"error": "invalid_request"}))
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	f := r.PostForm
	if s.oauth.secret == "" || f.Get("client_id") != s.app.ID || subtle.ConstantTimeCompare([]byte(f.Get("client_secret")), []byte(s.oauth.secret)) != 1 {
		answer(w, http.StatusUnauthorized, mustJSON(map[string]string{"error": "invalid_client"}))
		return
	}
	g, ok := s.oauth.codes[f.Get("code")]
	delete(s.oauth.codes, f.Get("code"))
	sum := sha256.Sum256([]byte(f.Get("code_verifier")))
	if !ok || f.Get("grant_type") != "authorization_code" || f.Get("redirect_uri") != g.redirect || base64.RawURLEncoding.EncodeToString(sum[:]) != g.challenge {
		answer(w, http.StatusBadRequest, mustJSON(map[string]string{"error": "invalid_grant", "error_description": `Invalid "code" in request.`}))
		return
	}
	token := rand.Text()
	s.oauth.tokens[token] = g.user
	answer(w, http.StatusOK, mustJSON(map[string]any{"access_token": token, "token_type": "Bearer", "expires_in": 604800, "refresh_token": rand.Text(), "scope": "identify"}))
}

// bearer returns the user of a call's bearer token, or nil.
func (s *Server) bearer(c *call) *User {
	token, _ := strings.CutPrefix(c.r.Header.Get("Authorization"), "Bearer ")
	return s.oauth.tokens[token]
}
