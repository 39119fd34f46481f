package web

import (
	"crypto/subtle"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/MrWong99/glyphoxa/internal/mcp/access"
)

// refusal is an error with an HTTP status.
type refusal struct {
	status int
	text   string
}

func (e *refusal) Error() string { return e.text }

func refuse(status int, text string) error { return &refusal{status, text} }

var (
	errInvite = refuse(http.StatusForbidden, "This link is no longer valid. Ask the host for a new one.")
	errNobody = refuse(http.StatusServiceUnavailable, "No game is running at this table. Try again when it has started.")
	errFull   = refuse(http.StatusServiceUnavailable, "The table is full. Try again when someone has left.")
)

// Handler serves the page and lets guests join. The handler around it must refuse unknown hosts and origins.
// address returns a request's client address.
func (r *Room) Handler(address func(*http.Request) string) http.Handler {
	r.rates, r.address = access.NewRates(address, joinEvery, joinBurst), address
	mux := http.NewServeMux()
	mux.HandleFunc("GET /table/", func(w http.ResponseWriter, q *http.Request) {
		name := strings.TrimPrefix(q.URL.Path, "/table/")
		if name == "" {
			name = "index.html"
		}
		r.files.Serve(w, q, "web/"+name)
	})
	mux.HandleFunc("GET /table/ice", r.showServers)
	mux.HandleFunc("POST /table/join", r.join)
	secured := Secure(http.NewCrossOriginProtection().Handler(mux), "media-src 'self' blob:")
	return http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		w.Header().Set("Permissions-Policy", "microphone=(self)")
		secured.ServeHTTP(w, q)
	})
}

// invited reports whether an invite is the current one.
func (r *Room) invited(invite string) bool {
	return subtle.ConstantTimeCompare([]byte(invite), []byte(*r.invite.Load())) == 1
}

// showServers returns the STUN and TURN servers.
func (r *Room) showServers(w http.ResponseWriter, q *http.Request) {
	if !r.rates.Allow(q) {
		r.fail(w, tooMany())
		return
	}
	if !r.invited(q.Header.Get(inviteHeader)) {
		r.fail(w, errInvite)
		return
	}
	servers := r.o.Network.Servers
	if servers == nil {
		servers = []IceServer{}
	}
	r.answer(w, map[string]any{"iceServers": servers})
}

func tooMany() error {
	return refuse(http.StatusTooManyRequests, "Too many tries. Wait a moment and try again.")
}

func (r *Room) answer(w http.ResponseWriter, v any) {
	raw, err := json.Marshal(v)
	if err != nil {
		r.fail(w, err)
		return
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	_, _ = w.Write(raw) // the client may be gone
}

// fail sends an error. Internal errors are only logged, because they may name files and services that guests
// should not see.
func (r *Room) fail(w http.ResponseWriter, err error) {
	var known *refusal
	if !errors.As(err, &known) {
		r.o.Logger.Error("seating a player in a browser", "reason", err)
		known = &refusal{http.StatusInternalServerError, "Something went wrong on the host's side. Try again; the host finds the reason in the log."}
	}
	raw, _ := json.Marshal(map[string]string{"error": known.text}) // strings always marshal
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(known.status)
	_, _ = w.Write(raw)
}
