package web

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"log/slog"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/oauth2"

	"github.com/MrWong99/glyphoxa/internal/mcp/access"
)

// Accounts let people sign in with an account of another service, such as Discord, and report which games it
// leads. They must be safe for concurrent use.
type Accounts interface {
	// Service returns the name of the other service.
	Service() string
	// SignInURL returns the address at which the service asks the user for permission to identify them. The
	// service then redirects to redirect with a code and the state; the verifier is that of RFC 7636.
	SignInURL(ctx context.Context, redirect, state, verifier string) (string, error)
	// Account exchanges a code for its account: the id for records, and the name for people.
	Account(ctx context.Context, redirect, code, verifier string) (id, name string, err error)
	// Leads reports whether an account leads the games in a room. It is called for each request, so it should
	// cache recent answers.
	Leads(ctx context.Context, id, room string) (bool, error)
}

// accountPath is the path at which a sign-in with an account begins; it ends at a path below.
const accountPath = "/console/account"

// accountTime bounds a sign-in with an account. The program checks it as well, because a copied cookie has no
// MaxAge.
const accountTime = 10 * time.Minute

// Limits on how often an address may begin or end a sign-in with an account, because each costs a request to
// the service.
const (
	accountEvery = 5 * time.Second
	accountBurst = 20
)

// account is an account of another service; the zero value means none.
type account struct{ id, name string }

// accountCookie returns the cookie that the browser must send back. Unlike the sign-in cookie, it is sent
// when another site redirects here.
func accountCookie(r *http.Request, value string, age int) *http.Cookie {
	return &http.Cookie{
		Name: cookieName(r) + "-account", Value: value, Path: accountPath, MaxAge: age, HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: encrypted(r),
	}
}

// sealAccount returns the value of an account cookie that is valid until a time. It is signed with a key of
// this program, so that no other value is accepted and no state needs to be stored.
func (c *Console) sealAccount(state, verifier string, until time.Time) string {
	text := state + "." + verifier + "." + strconv.FormatInt(until.Unix(), 36)
	return text + "." + c.sealOf(text)
}

// openAccount returns what sealAccount has signed, or nothing if the value has expired or the signature is
// wrong.
func (c *Console) openAccount(value string, now time.Time) (state, verifier string) {
	i := strings.LastIndexByte(value, '.')
	if i < 0 || !hmac.Equal([]byte(value[i+1:]), []byte(c.sealOf(value[:i]))) {
		return "", ""
	}
	part := strings.Split(value[:i], ".")
	until, err := strconv.ParseInt(part[len(part)-1], 36, 64)
	if len(part) != 3 || err != nil || now.Unix() >= until {
		return "", ""
	}
	return part[0], part[1]
}

func (c *Console) sealOf(text string) string {
	h := hmac.New(sha256.New, []byte(c.seal))
	h.Write([]byte(text)) // never fails
	return hex.EncodeToString(h.Sum(nil))
}

// redirectOf returns the address to come back to, on the requested host.
func redirectOf(r *http.Request) string {
	scheme := "http"
	if encrypted(r) {
		scheme = "https"
	}
	return scheme + "://" + r.Host + accountPath + "/back"
}

// service returns the name of the accounts' service, "" without one.
func (c *Console) service() string {
	if c.o.Accounts == nil {
		return ""
	}
	return c.o.Accounts.Service()
}

// spent holds the used states of sign-ins, because each is valid once. The zero value is empty. It is safe
// for concurrent use.
type spent struct {
	mu    sync.Mutex // guards until
	until map[string]time.Time
}

// maxSpent bounds the remembered states.
const maxSpent = 4096

// spend marks a state as used. It returns false if it was used before.
func (s *spent) spend(state string, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, was := s.until[state]; was {
		return false
	}
	maps.DeleteFunc(s.until, func(_ string, until time.Time) bool { return !now.Before(until) })
	if len(s.until) >= maxSpent {
		return false // more sign-ins in ten minutes than people cause
	}
	if s.until == nil {
		s.until = map[string]time.Time{}
	}
	s.until[state] = now.Add(accountTime)
	return true
}

// often limits the rate of requests from an address.
func (d *authenticator) often(serve http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if !d.accountRates.Allow(r) {
			w.Header().Set("Retry-After", strconv.Itoa(int(accountEvery/time.Second)))
			http.Error(w, "Too many tries. Wait a moment, then sign in again.", http.StatusTooManyRequests)
			return
		}
		serve(w, r)
	}
}

// beginAccount redirects a visitor to the account's service.
func (d *authenticator) beginAccount(w http.ResponseWriter, r *http.Request) {
	state, verifier := rand.Text(), oauth2.GenerateVerifier()
	to, err := d.o.Accounts.SignInURL(r.Context(), redirectOf(r), state, verifier)
	if err != nil {
		d.o.Logger.LogAttrs(r.Context(), slog.LevelWarn, "signing in with an account", slog.Any("reason", err))
		http.Redirect(w, r, "/#account-failed", http.StatusSeeOther)
		return
	}
	http.SetCookie(w, accountCookie(r, d.sealAccount(state, verifier, time.Now().Add(accountTime)), int(accountTime/time.Second)))
	http.Redirect(w, r, to, http.StatusSeeOther)
}

// endAccount signs in a visitor who comes back. It requires the cookie of the browser that began the sign-in,
// so that no one can be signed in with another person's account.
func (d *authenticator) endAccount(w http.ResponseWriter, r *http.Request) {
	state, verifier := "", ""
	if c, err := r.Cookie(accountCookie(r, "", 0).Name); err == nil {
		state, verifier = d.openAccount(c.Value, time.Now())
	}
	http.SetCookie(w, accountCookie(r, "", -1))
	q := r.URL.Query()
	switch {
	case state == "" || subtle.ConstantTimeCompare([]byte(q.Get("state")), []byte(state)) != 1:
		http.Redirect(w, r, "/#account-late", http.StatusSeeOther)
		return
	case q.Get("code") == "":
		http.Redirect(w, r, "/#account-refused", http.StatusSeeOther)
		return
	case !d.spent.spend(state, time.Now()):
		http.Redirect(w, r, "/#account-late", http.StatusSeeOther)
		return
	}
	var a account
	var err error
	if a.id, a.name, err = d.o.Accounts.Account(r.Context(), redirectOf(r), q.Get("code"), verifier); err != nil {
		d.o.Logger.LogAttrs(r.Context(), slog.LevelWarn, "signing in with an account", slog.Any("reason", err))
		http.Redirect(w, r, "/#account-failed", http.StatusSeeOther)
		return
	}
	d.admit(w, r, signInState{account: a, caller: "account " + a.id})
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

// leader returns the subject of an account that leads games: with a DM's rights, for these games only.
func leader(a account) *access.Subject {
	s := &access.Subject{Name: a.id, Transport: consoleTransport}
	for _, p := range access.BuiltinProfiles() {
		if p.Name == "dm" {
			s.Profile = p
		}
	}
	return s
}

// enters reports whether a visitor may enter a room. The program's own room is open to everyone, guilds'
// rooms to profiles that see everything, and accounts enter the games that they lead.
func (c *Console) enters(ctx context.Context, v *visitor, room string) bool {
	if v.account.id == "" {
		return room == HomeRoom || v.subject.Profile.SeesAll
	}
	leads, err := c.o.Accounts.Leads(ctx, v.account.id, room)
	if err != nil {
		c.o.Logger.LogAttrs(ctx, slog.LevelWarn, "asking what an account leads", slog.String("room", room), slog.Any("reason", err))
	}
	if leads && !v.proven {
		c.signIns.prove(v.cookie)
		v.proven = true
	}
	return leads
}
