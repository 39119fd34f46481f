package access

import (
	"context"
	"crypto/sha256"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/MrWong99/glyphoxa/internal/config"
)

// TestTermsExpire: access that a token granted ends when the token expires.
func TestTermsExpire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		term := Term{expires: time.Now().Add(5 * time.Minute)}
		ctx, end := term.Within(t.Context())
		defer end()
		time.Sleep(5*time.Minute - time.Nanosecond)
		synctest.Wait()
		if term.HasEnded() || ctx.Err() != nil {
			t.Errorf("before its time the term is over: %t, %v", term.HasEnded(), ctx.Err())
		}
		time.Sleep(time.Nanosecond)
		if !term.HasEnded() {
			t.Error("in time the term is not over")
		}
		<-ctx.Done()
		if err := context.Cause(ctx); !errors.Is(err, ErrOver) {
			t.Errorf("it ends with %v", err)
		}
	})
}

// TestClientsAreReplaced: when SetClients returns, the terms of removed or changed
// clients are over and those of others are not. An invalid list changes nothing.
func TestClientsAreReplaced(t *testing.T) {
	profile := func(name string) (Profile, bool) { return Profile{Name: name}, name != "boss" }
	of := func(name, token, profile string) config.Client {
		return config.Client{Name: name, Token: config.Secret(token), Profile: profile}
	}
	g, err := NewGatekeeper(t.Context(), config.Server{Clients: []config.Client{of("kept", "k", "dm"), of("gone", "g", "dm"), of("changed", "c", "dm")}}, GatekeeperOptions{Profile: profile})
	if err != nil {
		t.Fatal(err)
	}
	terms := map[string]Term{}
	for _, token := range []string{"k", "g", "c"} {
		if _, terms[token], err = g.findHolder(t.Context(), token); err != nil {
			t.Fatal(err)
		}
	}
	if err := g.SetClients([]config.Client{of("worse", "w", "boss")}); err == nil || terms["g"].HasEnded() {
		t.Errorf("a profile that is not there: %v, and terms are over: %t", err, terms["g"].HasEnded())
	}
	if err := g.SetClients([]config.Client{of("new", "n", "dm"), of("changed", "c", "player.limited"), of("kept", "k", "dm")}); err != nil {
		t.Fatal(err)
	}
	for token, over := range map[string]bool{"k": false, "g": true, "c": true} {
		if terms[token].HasEnded() != over {
			t.Errorf("the term of %s is over: %t, want %t", token, !over, over)
		}
	}
	for token, want := range map[string]string{"k": "dm", "c": "player.limited", "n": "dm", "g": ""} {
		if s, _, err := g.findHolder(t.Context(), token); s.Profile.Name != want || (err == nil) != (want != "") {
			t.Errorf("%s has the profile %q, %v, want %q", token, s.Profile.Name, err, want)
		}
	}
	if g.match(*g.clients.Load(), sha256.Sum256([]byte("g"))) >= 0 {
		t.Error("the token of a client that is gone is known")
	}
}
