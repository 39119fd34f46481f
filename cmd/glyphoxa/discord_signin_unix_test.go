//go:build unix

package main_test

import (
	"encoding/json"
	"net/http"
	"net/http/cookiejar"
	"slices"
	"strings"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/lab/discordtest"
)

// signInSecret is the application's secret at the test's Discord.
const signInSecret = "s3cret-of-the-application"

// visitor is a browser that uses the console.
type visitor struct {
	t     *testing.T
	addr  string
	crumb string
	http.Client
}

func newVisitor(t *testing.T, addr string) *visitor {
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &visitor{t: t, addr: addr, Client: http.Client{Jar: jar}}
}

// ask sends a request as the page does and returns its status.
func (v *visitor) ask(method, path, body string, into any) int {
	v.t.Helper()
	req, err := http.NewRequestWithContext(v.t.Context(), method, v.addr+path, strings.NewReader(body))
	if err != nil {
		v.t.Fatal(err)
	}
	req.Header.Set("X-Glyphoxa-Crumb", v.crumb)
	res, err := v.Do(req)
	if err != nil {
		v.t.Fatal(err)
	}
	defer res.Body.Close()
	if err := json.NewDecoder(res.Body).Decode(into); err != nil {
		v.t.Fatalf("%s %s: %v", method, path, err)
	}
	return res.StatusCode
}

// signIn follows the link of the sign-in page and returns the final address.
func (v *visitor) signIn() string {
	v.t.Helper()
	req, err := http.NewRequestWithContext(v.t.Context(), http.MethodGet, v.addr+"/console/account", nil)
	if err != nil {
		v.t.Fatal(err)
	}
	res, err := v.Do(req)
	if err != nil {
		v.t.Fatal(err)
	}
	res.Body.Close()
	return res.Request.URL.String()
}

// self returns what the console says about a visitor.
type self struct {
	Name, Profile, Crumb, Service string
	Known                         bool
	Rooms                         []struct{ ID string }
}

func (v *visitor) me() self {
	v.t.Helper()
	var m self
	if status := v.ask(http.MethodGet, "/console/me", "", &m); status != http.StatusOK {
		v.t.Fatalf("me = %d", status)
	}
	v.crumb = m.Crumb
	return m
}

func (m self) rooms() (ids []string) {
	for _, r := range m.Rooms {
		ids = append(ids, r.ID)
	}
	return ids
}

// TestSigningInWithDiscord checks that a user who leads games in a server can
// sign in to the console with Discord, and leads those games there and no
// others.
func TestSigningInWithDiscord(t *testing.T) {
	t.Parallel()
	d := discordtest.New(t, nil)
	g, other := newGuild(t, d, "home"), newGuild(t, d, "elsewhere")
	h := newProgram(t)
	h.set("CLIENT_SECRET", signInSecret)
	h.secrets = append(h.secrets, signInSecret)
	s := h.bot(d, tavern+"  client_secret: ${CLIENT_SECRET}\n")
	addr := "http://" + s.errs.after(t, "glyphoxa mcp listening on http://")
	d.AllowSignIn(signInSecret, addr+"/console/account/back")
	for _, at := range []*guild{g, other} {
		answers(t, at.gives(t, at.dm, "session start"), false, "The Flagon")
	}

	dm := newVisitor(t, addr)
	if m := dm.me(); m.Known || m.Service != "Discord" || slices.Contains(m.rooms(), g.id) {
		t.Fatalf("before signing in: %+v", m)
	}
	d.SignedIn(g.dm, false)
	if at := dm.signIn(); at != addr+"/#account-refused" {
		t.Errorf("who does not agree ends at %s", at)
	}
	d.SignedIn(g.dm, true)
	if at := dm.signIn(); at != addr+"/" {
		t.Fatalf("who agrees ends at %s", at)
	}
	m := dm.me()
	if !m.Known || m.Name != "home-dm" || m.Profile != "dm" || !slices.Equal(m.rooms(), []string{g.id}) {
		t.Errorf("the dungeon master is %+v, want them to lead %s alone", m, g.id)
	}
	var said struct{ Said, Error string }
	if status := dm.ask(http.MethodPost, "/console/order?room="+g.id, `{"order":"mute","npc":"Bartok"}`, &said); status != http.StatusOK {
		t.Errorf("muting = %d %s", status, said.Error)
	}
	for _, room := range []string{other.id, "home"} {
		if status := dm.ask(http.MethodPost, "/console/order?room="+room, `{"order":"mute","npc":"Bartok"}`, &said); status != http.StatusNotFound {
			t.Errorf("muting in room %s = %d, want no such table", room, status)
		}
	}

	player := newVisitor(t, addr)
	d.SignedIn(g.ana, true)
	player.signIn()
	if m := player.me(); !m.Known || len(m.Rooms) != 0 {
		t.Errorf("a player is %+v, want them known and leading nothing", m)
	}

	second := newVisitor(t, addr)
	d.SignedIn(other.dm, true)
	second.signIn()
	if m := second.me(); !slices.Equal(m.rooms(), []string{other.id}) {
		t.Errorf("the other dungeon master is %+v", m)
	}

	// Another visitor's code or state does not sign in.
	thief := newVisitor(t, addr)
	for _, way := range []string{"?code=x&state=y", "?state=y", ""} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, addr+"/console/account/back"+way, nil)
		if err != nil {
			t.Fatal(err)
		}
		res, err := thief.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if at := res.Request.URL.Fragment; at != "account-late" {
			t.Errorf("%q ends at #%s", way, at)
		}
	}
	if m := thief.me(); m.Known {
		t.Errorf("a thief is %+v", m)
	}
	s.stop()
}

// TestSigningInWithAWrongSecret checks that the visitor sees that sign-in
// failed, and the operator why.
func TestSigningInWithAWrongSecret(t *testing.T) {
	t.Parallel()
	d := discordtest.New(t, nil)
	g := newGuild(t, d, "home")
	h := newProgram(t)
	h.set("CLIENT_SECRET", "wrong")
	s := h.bot(d, tavern+"  client_secret: ${CLIENT_SECRET}\n", "--verbose")
	addr := "http://" + s.errs.after(t, "glyphoxa mcp listening on http://")
	d.AllowSignIn(signInSecret, addr+"/console/account/back")
	d.SignedIn(g.dm, true)
	v := newVisitor(t, addr)
	if at := v.signIn(); at != addr+"/#account-failed" {
		t.Errorf("with a wrong secret one ends at %s", at)
	}
	if m := v.me(); m.Known {
		t.Errorf("and is %+v", m)
	}
	if r := s.stop(); !strings.Contains(r.stderr, "discord.client_secret does not belong to the application") {
		t.Errorf("stderr = %s", r.stderr)
	}
}
