package outbound_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/outbound"
)

// victim records the requests that reach it.
type victim struct {
	*httptest.Server
	requests atomic.Int32
	heard    atomic.Value
}

func newVictim(t *testing.T) *victim {
	v := &victim{}
	v.Server = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		v.requests.Add(1)
		v.heard.Store(string(body) + r.Header.Get("Authorization"))
	}))
	t.Cleanup(v.Close)
	return v
}

// TestRedirects has a service redirect to another port, which is another origin, and
// within its own origin.
func TestRedirects(t *testing.T) {
	for _, row := range []struct {
		name, method string
		status       int
		elsewhere    bool
		follows      bool
	}{
		{"post_307_elsewhere", http.MethodPost, 307, true, false},
		{"post_308_elsewhere", http.MethodPost, 308, true, false},
		{"post_302_elsewhere", http.MethodPost, 302, true, false},
		{"post_301_elsewhere", http.MethodPost, 301, true, false},
		{"post_303_elsewhere", http.MethodPost, 303, true, false},
		{"get_302_elsewhere", http.MethodGet, 302, true, false},
		{"post_307_within", http.MethodPost, 307, false, true},
		{"post_308_within", http.MethodPost, 308, false, true},
		{"post_302_within_becomes_a_get", http.MethodPost, 302, false, false},
		{"get_302_within", http.MethodGet, 302, false, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			other := newVictim(t)
			var own atomic.Int32
			service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				switch {
				case r.URL.Path == "/answers":
					own.Add(1)
				case row.elsewhere:
					http.Redirect(w, r, other.URL+"/answers", row.status)
				default:
					http.Redirect(w, r, "/answers", row.status)
				}
			}))
			defer service.Close()
			client := outbound.Client(nil, outbound.Policy{Home: service.URL, Private: true})
			defer client.CloseIdleConnections()
			req, err := http.NewRequestWithContext(t.Context(), row.method, service.URL+"/v1", strings.NewReader("the whole prompt"))
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Authorization", "Bearer key")
			resp, err := client.Do(req)
			if err == nil {
				_ = resp.Body.Close()
			}
			if n := other.requests.Load(); n != 0 {
				t.Errorf("another host got %d requests, with %q", n, other.heard.Load())
			}
			if got := own.Load() == 1; got != row.follows || row.follows == errors.Is(err, outbound.ErrRedirect) {
				t.Errorf("followed: %t, err = %v; want followed: %t", got, err, row.follows)
			}
		})
	}
}

// TestRedirectsFromTLS checks that a redirect never leaves TLS.
func TestRedirectsFromTLS(t *testing.T) {
	other := newVictim(t)
	service := httptest.NewTLSServer(http.RedirectHandler(other.URL, http.StatusTemporaryRedirect))
	defer service.Close()
	client := outbound.Client(service.Client(), outbound.Policy{Home: service.URL, Private: true})
	if resp, err := client.Post(service.URL, "text/plain", strings.NewReader("prompt")); !errors.Is(err, outbound.ErrRedirect) || other.requests.Load() != 0 {
		t.Errorf("Post = %v, %v, and %d requests in the clear; want the redirect refused", resp, err, other.requests.Load())
	}
}

// TestPrivate checks that private addresses are dialled only if the configuration names
// the host.
func TestPrivate(t *testing.T) {
	v := newVictim(t)
	byName := strings.Replace(v.URL, "127.0.0.1", "localhost", 1)
	for _, row := range []struct {
		name, address string
		policy        outbound.Policy
		reached       bool
	}{
		{"nothing_is_configured", v.URL, outbound.Policy{}, false},
		{"a_name_that_leads_inside", byName, outbound.Policy{}, false},
		{"no_proxy_is_asked_either", byName, outbound.Policy{Direct: true}, false},
		{"a_vendors_own_address", v.URL, outbound.Policy{Home: v.URL}, false},
		{"a_person_wrote_it", v.URL, outbound.Policy{Home: v.URL, Private: true}, true},
		{"a_person_wrote_the_name", byName, outbound.Policy{Home: byName, Private: true}, true},
		{"a_person_wrote_another", v.URL, outbound.Policy{Home: byName, Private: true}, false},
		{"a_person_permits_all", v.URL, outbound.Policy{AnyPrivate: true}, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			v.requests.Store(0)
			client := outbound.Client(nil, row.policy)
			defer client.CloseIdleConnections()
			resp, err := client.Get(row.address)
			if err == nil {
				_ = resp.Body.Close()
			}
			if got := v.requests.Load() == 1; got != row.reached || row.reached == errors.Is(err, outbound.ErrPrivate) {
				t.Errorf("reached: %t, err = %v; want reached: %t", got, err, row.reached)
			}
		})
	}
}

// TestMetadata checks that a cloud's metadata service is never reached, because it hands
// out credentials.
func TestMetadata(t *testing.T) {
	client := outbound.Client(nil, outbound.Policy{})
	for _, address := range []string{"http://169.254.169.254/", "http://[fd00:ec2::254]/", "http://[::ffff:169.254.169.254]/", "http://100.100.100.200/"} {
		if resp, err := client.Get(address); !errors.Is(err, outbound.ErrPrivate) {
			t.Errorf("Get(%s) = %v, %v; want a refusal", address, resp, err)
		}
	}
}

// TestEndlessBody checks that an endless body is cut off.
func TestEndlessBody(t *testing.T) {
	endless := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			if _, err := w.Write(make([]byte, 1<<16)); err != nil {
				return
			}
		}
	}))
	defer endless.Close()
	client := outbound.Client(nil, outbound.Policy{Home: endless.URL, Private: true, MaxBody: 1 << 20})
	resp, err := client.Get(endless.URL)
	if err != nil {
		t.Fatal(err)
	}
	n, err := io.Copy(io.Discard, resp.Body)
	_ = resp.Body.Close()
	if n != 1<<20 || !errors.Is(err, outbound.ErrTooLong) {
		t.Errorf("%d bytes were read, err = %v; want %d and ErrTooLong", n, err, 1<<20)
	}
}

// TestWholeBody checks that a body of exactly the permitted length is complete.
func TestWholeBody(t *testing.T) {
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "12345678") }))
	defer service.Close()
	resp, err := outbound.Client(nil, outbound.Policy{Home: service.URL, Private: true, MaxBody: 8}).Get(service.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if body, err := io.ReadAll(resp.Body); err != nil || string(body) != "12345678" {
		t.Errorf("body = %q, %v", body, err)
	}
}

// TestEndlessHeader checks that endless headers are cut off.
func TestEndlessHeader(t *testing.T) {
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for i := range 1000 {
			w.Header().Set(fmt.Sprintf("X-%d", i), strings.Repeat("x", 1000))
		}
	}))
	defer service.Close()
	if resp, err := outbound.Client(nil, outbound.Policy{Home: service.URL, Private: true}).Get(service.URL); err == nil {
		_ = resp.Body.Close()
		t.Error("a megabyte of headers was read")
	}
}
