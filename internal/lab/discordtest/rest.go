package discordtest

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

const (
	maxBody     = 26 << 20 // above Discord's 25 MB for a request
	maxRequests = 100_000  // request records that are kept
)

// A Request is the server's record of one REST call.
type Request struct {
	At     time.Time
	Method string
	Route  string // as in the documentation, "POST /channels/{channel}/messages"; empty if unknown
	Path   string // after the version, without secrets of interactions and webhooks
	Body   []byte // without files
	Status int
}

// call is a REST call in progress; its handler runs under Server.mu.
type call struct {
	s     *Server
	r     *http.Request
	body  []byte // JSON, also of a form
	files []upload
}

// arrival is the context key of a request's arrival time.
type arrival struct{}

// came returns the arrival time of the call, before any delay.
func (c *call) came() time.Time {
	at, _ := c.r.Context().Value(arrival{}).(time.Time)
	return at
}

// id returns a path parameter.
func (c *call) id(name string) string { return c.r.PathValue(name) }

// decode reads the body. It ignores unknown fields, as Discord does.
func (c *call) decode(into any) error {
	if len(c.body) == 0 {
		c.s.fault("%s %s without a body", c.r.Method, c.r.Pattern)
		return errNotJSON
	}
	if err := json.Unmarshal(c.body, into); err != nil {
		c.s.fault("%s: body does not decode: %v", c.r.Pattern, err)
		return errNotJSON
	}
	return nil
}

// A route handles one call: a value for a 200, nil for a 204, or an *apiError.
type route func(*call) (any, error)

// handler returns the handler of the whole server.
func (s *Server) handler() http.Handler {
	api := http.NewServeMux()
	add := func(pattern string, f route) {
		api.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			r = r.WithContext(context.WithValue(r.Context(), arrival{}, time.Now()))
			s.faultOf(pattern).serveDisturbed(w, r, func(w http.ResponseWriter, r *http.Request) { s.serveREST(w, r, pattern, f) })
		})
		s.limits.routes[pattern] = true
	}
	api.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { s.serveREST(w, r, "", nowhere(api)) })
	s.baseRoutes(add)
	s.guildRoutes(add)
	s.messageRoutes(add)
	s.channelRoutes(add)
	s.threadRoutes(add)
	s.webhookRoutes(add)
	s.commandRoutes(add)
	s.interactionRoutes(add)
	top := http.NewServeMux()
	for _, prefix := range []string{"/api/v9", "/api/v10", "/api"} {
		top.Handle(prefix+"/", http.StripPrefix(prefix, api))
	}
	top.HandleFunc("GET /oauth2/authorize", s.serveAuthorize)
	top.HandleFunc("POST /api/oauth2/token", s.serveToken)
	top.HandleFunc("GET /gateway", s.serveGateway)
	top.HandleFunc("GET /gateway/{$}", s.serveGateway)
	top.HandleFunc("GET /resume", s.serveGateway)
	top.HandleFunc("GET /resume/{$}", s.serveGateway)
	top.HandleFunc("GET /attachments/{channel}/{file}/{name}", s.serveFile)
	top.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.fault("%s %s is nowhere", r.Method, r.URL.Path)
		answer(w, http.StatusNotFound, mustJSON(&apiError{Message: "404: Not Found"}))
	})
	return top
}

// serveREST answers one call. It reads the body before the lock and writes the
// answer after it.
func (s *Server) serveREST(w http.ResponseWriter, r *http.Request, pattern string, f route) {
	c := &call{s: s, r: r}
	readErr := c.read(http.MaxBytesReader(w, r.Body, maxBody))
	if s.isBanned() { // a proxy in front of Discord answers, without JSON
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("Retry-After", strconv.Itoa(int(invalidWindow.Seconds())))
		w.WriteHeader(http.StatusTooManyRequests)
		fmt.Fprint(w, "<html><head><title>Access denied | error 1015</title></head></html>")
		return
	}
	status, body := s.dispatch(w.Header(), c, pattern, f, readErr)
	if status == http.StatusNoContent {
		w.WriteHeader(status)
		return
	}
	answer(w, status, body)
}

// isBanned reports whether the client is banned, and records a fault if it is.
func (s *Server) isBanned() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.limits.isBanned(time.Now()) {
		return false
	}
	s.fault("the client is shut out: %d invalid requests in %v", maxInvalid, invalidWindow)
	return true
}

// dispatch runs the route of a call under the lock and records it. It encodes
// the answer there too, because the answer refers to data that changes.
func (s *Server) dispatch(h http.Header, c *call, pattern string, f route, readErr error) (status int, body []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	status, v := s.decide(h, c, pattern, f, readErr)
	s.limits.noteStatus(status)
	if len(s.requests) < maxRequests {
		s.requests = append(s.requests, Request{
			At: time.Now(), Method: c.r.Method, Route: pattern, Path: pathOf(c.r), Body: c.body, Status: status,
		})
	}
	s.touch()
	return status, mustJSON(v)
}

// decide returns the status and the body.
func (s *Server) decide(h http.Header, c *call, pattern string, f route, readErr error) (int, any) {
	if readErr != nil {
		s.fault("%s: %v", pattern, readErr)
		return errNotJSON.status, errNotJSON
	}
	if e := s.authorize(c, pattern); e != nil {
		return e.status, e
	}
	if wait := s.limits.take(h, c, pattern); wait != nil {
		return http.StatusTooManyRequests, wait
	}
	v, err := f(c)
	if err != nil {
		e, ok := err.(*apiError)
		if !ok {
			e = &apiError{status: http.StatusInternalServerError, Message: err.Error()}
			s.fault("%s: %v", pattern, err)
		}
		return e.status, e
	}
	if v == nil {
		return http.StatusNoContent, nil
	}
	if created, ok := v.(createdBody); ok {
		return http.StatusCreated, created.v
	}
	return http.StatusOK, v
}

// nowhere answers calls without a route, which are faults.
func nowhere(api *http.ServeMux) route {
	return func(c *call) (any, error) {
		c.s.fault("no route for %s %s", c.r.Method, c.r.URL.Path)
		for _, method := range []string{"GET", "POST", "PUT", "PATCH", "DELETE"} {
			other := c.r.Clone(c.r.Context())
			other.Method = method
			if _, pattern := api.Handler(other); pattern != "/" {
				return nil, &apiError{status: http.StatusMethodNotAllowed, Message: "405: Method Not Allowed"}
			}
		}
		return nil, &apiError{status: http.StatusNotFound, Message: "404: Not Found"}
	}
}

// createdBody marks an answer as 201.
type createdBody struct{ v any }

// authorize checks the token. Webhooks and interactions have theirs in the
// path; an unknown path needs none.
func (s *Server) authorize(c *call, pattern string) *apiError {
	token, bot := strings.CutPrefix(c.r.Header.Get("Authorization"), "Bot ")
	if pattern == "" || bot && s.knows(token) || strings.Contains(pattern, "{token}") || strings.HasSuffix(pattern, " /gateway") {
		return nil
	}
	if pattern == selfPattern && s.bearer(c) != nil {
		return nil
	}
	return &apiError{status: http.StatusUnauthorized, Message: "401: Unauthorized"}
}

// knows reports whether a token is the bot's, with or without the prefix "Bot".
func (s *Server) knows(token string) bool {
	return s.token != "" && strings.TrimPrefix(token, "Bot ") == s.token
}

// pathOf returns the path without tokens.
func pathOf(r *http.Request) string {
	path := r.URL.Path
	if token := r.PathValue("token"); token != "" {
		path = strings.Replace(path, token, "TOKEN", 1)
	}
	return path
}

func answer(w http.ResponseWriter, status int, body []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(body) // The client may be gone.
}

// read parses the body: JSON, or a form with files.
func (c *call) read(body io.Reader) error {
	kind := c.r.Header.Get("Content-Type")
	if strings.HasPrefix(kind, "multipart/form-data") {
		return c.readForm(body, kind)
	}
	data, err := io.ReadAll(body)
	if err != nil {
		return fmt.Errorf("reading the body: %w", err)
	}
	if len(data) > 0 && !strings.HasPrefix(kind, "application/json") {
		return fmt.Errorf("body of type %q", kind)
	}
	if len(data) > 0 && !json.Valid(data) {
		return fmt.Errorf("body is no JSON")
	}
	c.body = data
	return nil
}
