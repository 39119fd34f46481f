package web

import (
	"cmp"
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"slices"
	"strconv"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/access"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// maxChange bounds a request's body, in bytes.
const maxChange = 64 << 10

// crumbHeader holds the visitor's CSRF token, which our page knows and a forged request does not.
const crumbHeader = "X-Glyphoxa-Crumb"

// consoleTransport names the console as a transport in records.
const consoleTransport = "console"

// visitor is the sender of a request.
type visitor struct {
	subject      *access.Subject
	account      account // set if they signed in with an account
	crumb        string
	cookie       string          // sign-in cookie, "" if not signed in
	proven       bool            // the account is known to lead a game
	sessionEnded context.Context // ends at sign-out; nil if not signed in
	term         access.Term     // validity of the token, if they used one
	// known is false for visitors without a token.
	known bool
}

// identifier identifies the sender of a request and how long the identification is valid, like
// [access.Gatekeeper]. It is safe for concurrent use.
type identifier interface {
	Admit(r *http.Request) (*access.Subject, access.Term, error)
	// Address returns the address by which requests are rate-limited.
	Address(r *http.Request) string
}

// authenticator identifies visitors.
type authenticator struct {
	*Console
	identifier   identifier
	accountRates *access.Rates // for sign-ins with an account
	spent        spent
}

// cookieName includes the port, because browsers send a host's cookies to all its ports.
func cookieName(r *http.Request) string {
	_, port, err := net.SplitHostPort(r.Host)
	if err != nil {
		port = "0"
	}
	return "glyphoxa-" + port
}

// identify returns the sender of a request.
func (d *authenticator) identify(r *http.Request) (*visitor, error) {
	cookie, err := r.Cookie(cookieName(r))
	if err != nil || r.Header.Get("Authorization") != "" {
		return d.identifyBy(r, "", d.crumb)
	}
	h, ok := d.signIns.find(cookie.Value)
	if !ok {
		return d.identifyBy(r, "", d.crumb)
	}
	v := &visitor{account: h.account, crumb: h.crumb, proven: h.proven, known: true}
	switch {
	case h.owner:
		v.subject = leader(account{id: "console"})
	case h.account.id != "":
		v.subject = leader(h.account)
	default:
		if v, err = d.identifyBy(r, h.token, h.crumb); err != nil {
			return nil, err
		}
	}
	v.cookie, v.sessionEnded = h.cookie, h.ended
	return v, nil
}

// signedOut reports whether a visitor has been signed out, or their token has expired or was revoked.
func (v *visitor) signedOut() bool {
	return v.sessionEnded != nil && v.sessionEnded.Err() != nil || v.term.HasEnded()
}

// hasSignIn reports whether the sign-in cookie of r is still valid. A cookie without a holder belongs to a
// visitor who signed out or was evicted.
func (d *authenticator) hasSignIn(r *http.Request) bool {
	cookie, err := r.Cookie(cookieName(r))
	if err != nil || r.Header.Get("Authorization") != "" {
		return true
	}
	_, ok := d.signIns.find(cookie.Value)
	return ok
}

// identifyBy asks the gatekeeper to identify a token, or the request itself if token is "".
func (d *authenticator) identifyBy(r *http.Request, token, crumb string) (*visitor, error) {
	if token != "" {
		r = r.Clone(r.Context())
		r.Header.Set("Authorization", "Bearer "+token)
	}
	s, term, err := d.identifier.Admit(r)
	if err != nil {
		return nil, err
	}
	s.Transport = consoleTransport
	return &visitor{subject: s, crumb: crumb, known: s.Name != access.Anonymous, term: term}, nil
}

// signIn signs in a visitor with a token.
func (d *authenticator) signIn(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Token string `json:"token"`
	}
	if !decode(w, r, &in) {
		return
	}
	h := signInState{token: in.Token, caller: "owner", proven: true}
	if h.owner = subtle.ConstantTimeCompare([]byte(in.Token), []byte(d.owner)) == 1; !h.owner {
		if in.Token == "" {
			fail(w, http.StatusBadRequest, "there is no token; make one with: glyphoxa mcp token NAME")
			return
		}
		v, err := d.identifyBy(r, in.Token, "")
		if err != nil {
			d.refuse(w, err)
			return
		}
		h.caller = "token " + v.subject.Name
	}
	d.admit(w, r, h)
	w.WriteHeader(http.StatusNoContent)
}

// admit signs in a visitor and ends their previous sign-in.
func (d *authenticator) admit(w http.ResponseWriter, r *http.Request, h signInState) {
	d.dropSignIn(r)
	http.SetCookie(w, &http.Cookie{
		Name: cookieName(r), Value: d.signIns.add(h), Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: encrypted(r),
	})
}

// encrypted reports whether the browser's connection uses TLS, at least up to a proxy.
func encrypted(r *http.Request) bool {
	return r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https"
}

func (d *authenticator) signOut(w http.ResponseWriter, r *http.Request) {
	d.dropSignIn(r)
	http.SetCookie(w, &http.Cookie{Name: cookieName(r), Path: "/", MaxAge: -1, HttpOnly: true, SameSite: http.SameSiteStrictMode})
	w.WriteHeader(http.StatusNoContent)
}

func (d *authenticator) dropSignIn(r *http.Request) {
	if old, err := r.Cookie(cookieName(r)); err == nil {
		d.signIns.drop(old.Value)
	}
}

// refuse reports why a visitor is refused, and which service they can sign in with.
func (d *authenticator) refuse(w http.ResponseWriter, err error) {
	if wait := access.RetryAfter(err); wait > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(wait.Seconds())))
	}
	raw, _ := json.Marshal(map[string]string{"error": err.Error(), "service": d.service()}) // strings always marshal
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(access.Status(err))
	_, _ = w.Write(raw) // the client may be gone
}

// inRoom identifies the visitor and finds the request's room. A request that changes something must have the
// visitor's crumb in addition to the cookie.
func (d *authenticator) inRoom(serve func(*roomRequest)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		v, err := d.identify(r)
		if err != nil {
			d.refuse(w, err)
			return
		}
		if r.Method != http.MethodGet && r.Header.Get("Authorization") == "" &&
			subtle.ConstantTimeCompare([]byte(r.Header.Get(crumbHeader)), []byte(v.crumb)) != 1 {
			fail(w, http.StatusForbidden, "the request did not come from the current version of this page; reload it")
			return
		}
		id := r.URL.Query().Get("room")
		rooms := d.visible(r.Context(), v)
		i := slices.IndexFunc(rooms, func(r *consoleRoom) bool { return r.id == id })
		if i < 0 {
			fail(w, http.StatusNotFound, "this table no longer exists")
			return
		}
		// Requests in progress end with the sign-in or the token.
		ctx, end := v.term.Within(r.Context())
		defer end()
		if v.sessionEnded != nil {
			var cancel context.CancelFunc
			ctx, cancel = context.WithCancel(ctx)
			defer cancel()
			defer context.AfterFunc(v.sessionEnded, cancel)()
		}
		serve(&roomRequest{d, w, r.WithContext(ctx), v, rooms[i]})
	}
}

// may reports whether the visitor has a permission in the room for something read-only.
func (a *roomRequest) may(permission string) bool {
	t := mcp.Target{Tool: "console", Source: "server", Permission: permission, ReadOnly: true}
	return a.room.game.Registry.Governance.Policy.Permits(a.calling(), t) == nil
}

// sees reports whether the visitor may see non-public data that requires a permission.
func (a *roomRequest) sees(permission string) bool {
	return a.visitor.subject.Profile.SeesAll && a.visitor.subject.NPC == "" && a.may(permission)
}

// viewer returns the NPC whose view of the world the visitor has, "" for all of it.
func (a *roomRequest) viewer() string { return a.visitor.subject.Caller().Viewer() }

// me describes the visitor and the rooms they may enter.
func (d *authenticator) me(w http.ResponseWriter, r *http.Request) {
	v, err := d.identify(r)
	if err != nil {
		d.refuse(w, err)
		return
	}
	name := cmp.Or(v.account.name, v.subject.Name)
	type roomView struct {
		ID      string   `json:"id"`
		Name    string   `json:"name"`
		Live    bool     `json:"live"`
		Rights  []string `json:"rights"`
		SeesAll bool     `json:"sees_all"`
	}
	rooms := []roomView{}
	for _, at := range d.visible(r.Context(), v) {
		a := &roomRequest{d, w, r, v, at}
		one := roomView{ID: at.id, Name: at.name, Live: at.session != nil, Rights: []string{}, SeesAll: a.viewer() == "" && v.subject.Profile.SeesAll}
		for _, p := range access.Permissions() {
			if a.may(p) {
				one.Rights = append(one.Rights, p)
			}
		}
		rooms = append(rooms, one)
	}
	answer(w, map[string]any{
		"name": name, "profile": v.subject.Profile.Name, "known": v.known, "crumb": v.crumb, "rooms": rooms, "version": d.o.Version, "service": d.service(),
	})
}

// decode decodes the JSON body of a request. On failure, it sends an error and returns false.
func decode(w http.ResponseWriter, r *http.Request, into any) bool {
	dec := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxChange))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		fail(w, http.StatusBadRequest, "the request is not the JSON that is expected here: "+err.Error())
		return false
	}
	return true
}

// decode decodes the request's JSON body. It sends an error and returns false on failure, or if the visitor
// was signed out or lost the right to enter the room while the body arrived, which can take half a minute.
func (a *roomRequest) decode(into any) bool {
	if !decode(a.w, a.r, into) {
		return false
	}
	switch {
	case a.visitor.signedOut():
		fail(a.w, http.StatusUnauthorized, "you were signed out; sign in again")
	case !a.auth.enters(a.r.Context(), a.visitor, a.room.id):
		fail(a.w, http.StatusForbidden, "you no longer lead this game")
	default:
		return true
	}
	return false
}

func answer(w http.ResponseWriter, v any) {
	raw, err := json.Marshal(v)
	if err != nil {
		fail(w, http.StatusInternalServerError, "the answer could not be written")
		return
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	_, _ = w.Write(raw) // the client may be gone
}

// fail sends an error message.
func fail(w http.ResponseWriter, status int, text string) {
	raw, _ := json.Marshal(map[string]string{"error": text}) // strings always marshal
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(raw)
}

// failWith sends an error of a call or an order.
func failWith(w http.ResponseWriter, err error) {
	text, _ := mcp.PublicText(err)
	status := http.StatusBadRequest
	var refused *mcp.Refusal
	switch {
	case errors.As(err, &refused) && refused.Code == mcp.CodeCapacityExceeded:
		status = http.StatusTooManyRequests
	case errors.As(err, &refused):
		status = http.StatusForbidden
	case errors.Is(err, mcp.ErrUnknownTool), errors.Is(err, memory.ErrNotFound):
		status = http.StatusNotFound
	}
	fail(w, status, text)
}
