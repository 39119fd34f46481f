// Package revoketest checks credentials of every kind alike: from the moment a credential is
// revoked it is refused, also while what it had opened is still being torn down. Tests alone
// import it.
//
//	revoketest.Check(t, revoketest.Credential{
//		Use:    func() error { return join(seat) },
//		Revoke: func() { room.Remove("Ana") },
//		Hold:   func() func() { cast.block(); return cast.unblock },
//		Gone:   func() { awaitNobody() },
//	})
package revoketest

import (
	"errors"
	"sync"
	"testing"
)

// ErrRefused is wrapped by the error of a use that was refused because of its credential.
var ErrRefused = errors.New("the credential is refused")

const (
	together = 2 // goroutines that use a credential at once
	uses     = 3 // by each of them, while the tear-down is held and after it
)

// Credential is one that a test has obtained.
type Credential struct {
	// Use sends a request with the credential. It returns nil if the request was accepted, and
	// an error that wraps ErrRefused if it was refused. Any other error fails the test. Use is
	// called by several goroutines at once.
	Use func() error
	// Revoke revokes the credential. It returns once who ordered that is told so, and waits
	// for no tear-down.
	Revoke func()
	// Hold keeps the tear-down that Revoke begins from ending, until release is called. Nil if
	// nothing is torn down.
	Hold func() (release func())
	// Gone waits until the tear-down has ended. Nil if nothing is torn down.
	Gone func()
}

// Check uses a credential before it is revoked, while what it had opened is torn down, and
// after that. Only the first use may be accepted.
func Check(t *testing.T, c Credential) {
	t.Helper()
	if err := c.Use(); err != nil {
		t.Fatalf("before it is revoked the credential is not accepted: %v", err)
	}
	release := func() {}
	if c.Hold != nil {
		release = sync.OnceFunc(c.Hold())
		defer release()
	}
	c.Revoke()
	refused(t, c, "while what it had opened is torn down")
	release()
	if c.Gone != nil {
		c.Gone()
	}
	refused(t, c, "after the tear-down")
}

// refused fails the test if a use is accepted.
func refused(t *testing.T, c Credential, when string) {
	t.Helper()
	var work sync.WaitGroup
	for range together {
		work.Go(func() {
			for range uses {
				switch err := c.Use(); {
				case err == nil:
					t.Errorf("%s the credential is accepted", when)
				case !errors.Is(err, ErrRefused):
					t.Errorf("%s a use fails in another way than refused: %v", when, err)
				}
			}
		})
	}
	work.Wait()
}
