package discordtest

import (
	"crypto/sha256"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// The default limits of routes. They are generous, so that only tests that set
// a rate limit reach one.
const (
	defaultLimit = 10000
	defaultPer   = time.Second
)

const (
	// globalPerSecond bounds a bot's calls per second, except those of
	// interactions and webhooks.
	globalPerSecond = 50
	// maxInvalid bounds a client's calls with status 401, 403 or 429 in
	// invalidWindow; beyond it the client is banned for the same time.
	maxInvalid    = 10_000
	invalidWindow = 10 * time.Minute
)

// isBanned reports whether a client is banned.
func (l *limits) isBanned(now time.Time) bool {
	for len(l.invalid) > 0 && now.Sub(l.invalid[0]) > invalidWindow {
		l.invalid = l.invalid[1:]
	}
	return len(l.invalid) >= maxInvalid
}

// noteStatus counts responses that Discord treats as abuse if there are many.
func (l *limits) noteStatus(status int) {
	if status == http.StatusUnauthorized || status == http.StatusForbidden || status == http.StatusTooManyRequests {
		l.invalid = append(l.invalid, time.Now())
	}
}

// limits counts calls by route and top-level resource. Server.mu guards it,
// except routes, which does not change.
type limits struct {
	routes map[string]bool // by pattern

	rules    map[string]rule
	buckets  map[string]*bucket // by pattern and top-level resource
	forced   map[string][]time.Duration
	global   time.Time   // until then every call is refused
	second   bucket      // of all routes together
	invalid  []time.Time // calls in the last ten minutes with status 401, 403 or 429
	refused  int
	hasty    int
	notUntil map[string]demand // by bucket: the demand of the last 429
}

type rule struct {
	limit int
	per   time.Duration
}

// demand is the wait a 429 asks for, and when it was sent.
type demand struct{ told, until time.Time }

type bucket struct {
	left  int
	reset time.Time
}

func (l *limits) init() {
	l.routes = map[string]bool{}
	l.rules = map[string]rule{}
	l.buckets = map[string]*bucket{}
	l.forced = map[string][]time.Duration{}
	l.notUntil = map[string]demand{}
}

// LimitRoute allows a number of calls in a time for a route as the
// documentation writes it ("POST /channels/{channel}/messages"), separately for
// each channel, guild or webhook.
func (s *Server) LimitRoute(pattern string, calls int, per time.Duration) {
	s.mustRoute(pattern)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.limits.rules[pattern] = rule{calls, per}
}

// RefuseNext answers the next call of a route with a 429 and a retry time.
// Several refusals apply one after another.
func (s *Server) RefuseNext(pattern string, after time.Duration) {
	s.mustRoute(pattern)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.limits.forced[pattern] = append(s.limits.forced[pattern], after)
}

// RefuseAll answers every call with a global 429 for a time, except those of
// interactions.
func (s *Server) RefuseAll(during time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.limits.global = time.Now().Add(during)
}

// Refused returns the number of calls answered with a 429, and how many of
// those came before the retry time of an earlier 429.
func (s *Server) Refused() (all, hasty int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.limits.refused, s.limits.hasty
}

// mustRoute panics for an unknown route, so that a typo in a test does not look
// like a route without calls.
func (s *Server) mustRoute(pattern string) {
	if !s.limits.routes[pattern] {
		panic(fmt.Sprintf("discordtest: no route %q", pattern))
	}
}

// rateLimited is the body of a 429.
type rateLimited struct {
	Message string  `json:"message"`
	After   float64 `json:"retry_after"`
	Global  bool    `json:"global"`
	Code    int     `json:"code"`
}

// take counts a call and sets the headers. It returns the body of a 429 if the
// call exceeds the limit.
func (l *limits) take(h http.Header, c *call, pattern string) *rateLimited {
	now := time.Now()
	if now.Before(l.global) && !strings.Contains(pattern, "{token}") {
		h.Set("X-RateLimit-Global", "true")
		return l.refuse(h, "global", "global", l.global, now, c.came())
	}
	if !strings.Contains(pattern, "{token}") {
		if !now.Before(l.second.reset) {
			l.second = bucket{globalPerSecond, now.Add(time.Second)}
		}
		if l.second.left == 0 {
			h.Set("X-RateLimit-Global", "true")
			return l.refuse(h, "global", "global", l.second.reset, now, c.came())
		}
		l.second.left--
	}
	key := bucketKey(c.r, pattern)
	r, ruled := l.rules[pattern]
	if !ruled {
		r = rule{defaultLimit, defaultPer}
	}
	b := l.buckets[key]
	if b == nil || !now.Before(b.reset) {
		b = &bucket{r.limit, now.Add(r.per)}
		l.buckets[key] = b
	}
	forced := l.forced[pattern]
	if len(forced) > 0 {
		l.forced[pattern] = forced[1:]
		b.left, b.reset = 0, now.Add(forced[0])
	}
	exhausted := b.left == 0
	if !exhausted {
		b.left--
	}
	l.describe(h, pattern, r, b, now)
	if exhausted {
		return l.refuse(h, key, "user", b.reset, now, c.came())
	}
	delete(l.notUntil, key)
	return nil
}

// describe sets the headers of every response.
func (l *limits) describe(h http.Header, pattern string, r rule, b *bucket, now time.Time) {
	sum := sha256.Sum256([]byte(pattern))
	h.Set("X-RateLimit-Bucket", fmt.Sprintf("%x", sum[:16]))
	h.Set("X-RateLimit-Limit", strconv.Itoa(r.limit))
	h.Set("X-RateLimit-Remaining", strconv.Itoa(b.left))
	h.Set("X-RateLimit-Reset", seconds(time.Duration(b.reset.UnixMilli())*time.Millisecond))
	h.Set("X-RateLimit-Reset-After", seconds(b.reset.Sub(now)))
}

// refuse returns a 429 and records whether the client came too early.
func (l *limits) refuse(h http.Header, key, scope string, until, now, came time.Time) *rateLimited {
	l.refused++
	if last := l.notUntil[key]; now.Before(last.until) && came.After(last.told) {
		l.hasty++
	}
	l.notUntil[key] = demand{now, until}
	after := until.Sub(now)
	h.Set("X-RateLimit-Scope", scope)
	h.Set("Retry-After", strconv.Itoa(int(math.Ceil(after.Seconds()))))
	if scope == "global" {
		h.Set("X-RateLimit-Reset-After", seconds(after))
	}
	return &rateLimited{Message: "You are being rate limited.", After: math.Ceil(after.Seconds()*1000) / 1000, Global: scope == "global"}
}

// bucketKey distinguishes the routes of different channels, guilds and
// webhooks.
func bucketKey(r *http.Request, pattern string) string {
	key := pattern
	for _, top := range []string{"channel", "guild", "webhook", "token"} {
		key += "\n" + r.PathValue(top)
	}
	return key
}

func seconds(d time.Duration) string {
	return strconv.FormatFloat(math.Ceil(float64(d)/float64(time.Millisecond))/1000, 'f', 3, 64)
}
