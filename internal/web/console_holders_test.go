package web

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

// TestSignInsGiveWayToTheirOwn: a caller who signs in repeatedly, with the weakest token or
// with ever new accounts, signs out neither the DM nor an account that leads.
func TestSignInsGiveWayToTheirOwn(t *testing.T) {
	if testing.Short() {
		t.Skip("long; make test-all runs it")
	}
	for name, row := range map[string]struct {
		times int
		other func(i int) signInState
		most  int // sign-ins left besides the DM's
	}{
		"one_token": {100_000, func(int) signInState { return signInState{token: "weak", caller: "token weak", proven: true} }, maxOwnHolders},
		"accounts":  {20_000, func(i int) signInState { return signInState{caller: fmt.Sprint("account ", i)} }, maxHolders - 2},
		"tokens":    {20_000, func(i int) signInState { return signInState{caller: fmt.Sprint("token ", i%400), proven: true} }, maxHolders - 2},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var h signInStates
				dm := h.add(signInState{owner: true, caller: "owner", proven: true})
				lead := h.add(signInState{caller: "account lead"})
				h.prove(lead)
				for i := range row.times {
					time.Sleep(time.Millisecond)
					h.add(row.other(i))
					if len(h.all) > maxHolders {
						t.Fatalf("%d are signed in, want %d at most", len(h.all), maxHolders)
					}
				}
				for who, cookie := range map[string]string{"the DM": dm, "who leads by an account": lead} {
					if _, ok := h.find(cookie); !ok {
						t.Errorf("after %d sign-ins of others %s is signed out", row.times, who)
					}
				}
				if left := len(h.all) - 2; left > row.most {
					t.Errorf("%d other sign-ins are left, want %d at most", left, row.most)
				}
			})
		})
	}
}

// TestOwnSignInsGiveWay: at the limit of one caller, the sign-in unused for longest ends.
func TestOwnSignInsGiveWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var h signInStates
		var all []string
		for range maxOwnHolders {
			all = append(all, h.add(signInState{caller: "token a", proven: true}))
			time.Sleep(time.Second)
		}
		h.find(all[0])
		h.add(signInState{caller: "token a", proven: true})
		for i, cookie := range all {
			if _, ok := h.find(cookie); ok != (i != 1) {
				t.Errorf("sign-in %d is there: %t, want only the second to be gone", i, ok)
			}
		}
	})
}

// TestSignInsExpire: a sign-in ends 12 hours after the last request, and after a week in any
// case. Its running requests end with it.
func TestSignInsExpire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var h signInStates
		idle := h.add(signInState{caller: "a", proven: true})
		time.Sleep(holderTime)
		one, ok := h.find(idle)
		if !ok {
			t.Error("the sign-in is over after 12 h")
		}
		time.Sleep(holderTime + time.Second)
		if _, ok := h.find(idle); ok || one.ended.Err() == nil {
			t.Errorf("without a request for more than 12 h the sign-in is there: %t, its requests go on: %t", ok, one.ended.Err() == nil)
		}
		busy, began := h.add(signInState{caller: "b", proven: true}), time.Now()
		for {
			time.Sleep(time.Hour)
			if _, ok := h.find(busy); !ok {
				break
			}
		}
		if d := time.Since(began); d <= holderMost || d > holderMost+time.Hour {
			t.Errorf("a sign-in with requests lasts %v, want %v", d, holderMost)
		}
	})
}

// TestAccountCookiesExpire: the cookie for a sign-in with an account is valid for ten minutes,
// and only with this program's seal.
func TestAccountCookiesExpire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, other := NewConsole(ConsoleOptions{}), NewConsole(ConsoleOptions{})
		value := c.sealAccount("state", "verifier", time.Now().Add(accountTime))
		for name, forged := range map[string]string{"empty": "", "no_seal": "state.verifier", "later": "state.verifier.zzzzzz" + value[len("state.verifier.zzzzzz"):],
			"of_another_program": other.sealAccount("state", "verifier", time.Now().Add(accountTime))} {
			if s, _ := c.openAccount(forged, time.Now()); s != "" {
				t.Errorf("%s is accepted", name)
			}
		}
		time.Sleep(accountTime - time.Second)
		if s, v := c.openAccount(value, time.Now()); s != "state" || v != "verifier" {
			t.Errorf("in time the cookie has %q and %q", s, v)
		}
		time.Sleep(time.Second)
		if s, _ := c.openAccount(value, time.Now()); s != "" {
			t.Error("after ten minutes the cookie is still good")
		}
	})
}

// TestFirstStreamsAreOpen: visitors with many streams do not block the first stream of others.
func TestFirstStreamsAreOpen(t *testing.T) {
	var s streams
	for i := range maxStreams {
		s.open(fmt.Sprint(i % (maxStreams / maxOwn)))
	}
	if s.all != maxStreams || s.open("0") || !s.open("dm") || s.open("dm") {
		t.Errorf("of %d streams, want the DM to have one more and nobody another", s.all)
	}
	for i := range 2 * mostStreams {
		s.open(fmt.Sprint("token ", i))
	}
	if s.all != mostStreams {
		t.Errorf("%d streams are open, want %d at most", s.all, mostStreams)
	}
}
