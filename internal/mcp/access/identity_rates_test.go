package access

import (
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

// TestRatesAreEachAddressOwn sends too many requests from one address, then requests from
// very many addresses.
func TestRatesAreEachAddressOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rates := NewRates(func(r *http.Request) string { return r.RemoteAddr }, time.Second, 3)
		ask := func(from string) bool { return rates.Allow(&http.Request{RemoteAddr: from}) }
		for n := range 5 {
			if got, want := ask("a"), n < 3; got != want {
				t.Errorf("request %d is allowed: %t", n+1, got)
			}
		}
		if !ask("b") {
			t.Error("another address is refused")
		}
		time.Sleep(time.Second)
		if !ask("a") || ask("a") {
			t.Error("want one more after a second")
		}
		for n := range 3 * maxRates {
			ask(fmt.Sprint(n))
		}
		if len(rates.of) > maxRates {
			t.Errorf("%d addresses are counted", len(rates.of))
		}
	})
}
