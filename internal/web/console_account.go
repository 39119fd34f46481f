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

// Accounts let people in by an account they have elsewhere, such as on Discord, and say
// which games it leads. They are safe for concurrent use.
type Accounts interface {
	// Service is what "elsewhere" is called.
	Service() string
	// SignInURL is where somebody is asked whether we may know who they are. They come back
	// to redirect with a code and the state; the verifier is that of RFC 7636.
	SignInURL(ctx context.Context, redirect, state, verifier string) (string, error)
	// Account trades a code for whose it is: what they are called in records, and by people.
	Account(ctx context.Context, redirect, code, verifier string) (id, name string, err error)
	// Leads reports whether an account leads what is played in a room. It is asked with
	// each request, and so has to remember what it was told a moment ago.
	Leads(ctx context.Context, id, room string) (bool, error)
}

// accountPath is where signing in by an account begins, and below it where it ends.
const accountPath = "/console/account"

// accountTime is how long a sign-in by an account may take. The program checks it too, because
// a cookie that was copied knows no MaxAge.
const accountTime = 10 * time.Minute

// Bounds of how often an address may begin or end a sign-in by an account: each costs a question
// to the service.
const (
	accountEvery = 5 * time.Second
	accountBurst = 20
)

// account is somebody's elsewhere; the zero value is nobody's.
type account struct{ id, name string }

// accountCookie is the cookie with what has to come back. It is sent along when another
// site leads back here, unlike the one of who is signed in.
func accountCookie(r *http.Request, value string, age int) *http.Cookie {
	return &http.Cookie{
		Name: cookieName(r) + "-account", Value: value, Path: accountPath, MaxAge: age, HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: encrypted(r),
	}
}

// sealAccount is the value of an account cookie that is good until a time. Its seal is by a key
// of this program, so that no other value is accepted and nothing has to be kept here.
func (c *Console) sealAccount(state, verifier string, until time.Time) string {
	text := state + "." + verifier + "." + strconv.FormatInt(until.Unix(), 36)
	return text + "." + c.sealOf(text)
}

// openAccount is what sealAccount has sealed, or nothing if the time is over or the seal wrong.
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

// redirectOf is where somebody comes back to, on the host they asked.
func redirectOf(r *http.Request) string {
	scheme := "http"
	if encrypted(r) {
		scheme = "https"
	}
	return scheme + "://" + r.Host + accountPath + "/back"
}

// service is what the accounts are called that people may sign in with, empty if none are.
func (c *Console) service() string {
	if c.o.Accounts == nil {
		return ""
	}
	return c.o.Accounts.Service()
}

// spent are the states of sign-ins that somebody came back with: each is good once. The zero
// value is ready; it is safe for concurrent use.
type spent struct {
	mu    sync.Mutex // guards until
	until map[string]time.Time
}

// maxSpent bounds the states that are remembered.
const maxSpent = 4096

// spend reports whether a state was not spent before; from now on it is.
func (s *spent) spend(state string, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, was := s.until[state]; was {
		return false
	}
	maps.DeleteFunc(s.until, func(_ string, until time.Time) bool { return !now.Before(until) })
	if len(s.until) >= maxSpent {
		return false // so many in ten minutes are no people who sign in
	}
	if s.until == nil {
		s.until = map[string]time.Time{}
	}
	s.until[state] = now.Add(accountTime)
	return true
}

// often has an address that asks too often wait.
func (d *door) often(serve http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if !d.accountRates.Allow(r) {
			w.Header().Set("Retry-After", strconv.Itoa(int(accountEvery/time.Second)))
			http.Error(w, "That is too often. Wait a moment, then sign in again.", http.StatusTooManyRequests)
			return
		}
		serve(w, r)
	}
}

// beginAccount sends a visitor to where the account is.
func (d *door) beginAccount(w http.ResponseWriter, r *http.Request) {
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

// endAccount signs in who comes back. Only the browser that was sent has the cookie, so
// that nobody can be signed in with somebody else's account.
func (d *door) endAccount(w http.ResponseWriter, r *http.Request) {
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
	d.admit(w, r, holder{account: a, caller: "account " + a.id})
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

// leader is who leads games by their account: with a DM's rights, in these games alone.
func leader(a account) *access.Subject {
	s := &access.Subject{Name: a.id, Transport: consoleTransport}
	for _, p := range access.BuiltinProfiles() {
		if p.Name == "dm" {
			s.Profile = p
		}
	}
	return s
}

// enters reports whether a visitor may enter a room: the program's own is for everybody,
// those of guilds for who may see everything; an account is for the games that it leads.
func (c *Console) enters(ctx context.Context, v *visitor, room string) bool {
	if v.account.id == "" {
		return room == HomeRoom || v.subject.Profile.SeesAll
	}
	leads, err := c.o.Accounts.Leads(ctx, v.account.id, room)
	if err != nil {
		c.o.Logger.LogAttrs(ctx, slog.LevelWarn, "asking what an account leads", slog.String("room", room), slog.Any("reason", err))
	}
	if leads && !v.proven {
		c.holders.prove(v.cookie)
		v.proven = true
	}
	return leads
}
