// Package revoketest checks credentials of every kind alike: from the moment of
// its revocation a credential is refused, also while its connections are still
// being torn down. Only tests import it.
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

// ErrRefused is wrapped by the error of a use that was refused for its
// credential.
var ErrRefused = errors.New("the credential is refused")

const (
	together = 2 // goroutines that use a credential concurrently
	uses     = 3 // by each of them, during the tear-down and after it
)

// Credential is a credential that a test has obtained.
type Credential struct {
	// Use sends a request with the credential. It returns nil if the request
	// was accepted, and an error that wraps ErrRefused if it was refused. Any
	// other error fails the test. Several goroutines call Use at once.
	Use func() error
	// Revoke revokes the credential. It returns when the revocation is
	// confirmed, without waiting for the tear-down.
	Revoke func()
	// Hold delays the tear-down of Revoke until release is called. Nil means
	// that there is no tear-down.
	Hold func() (release func())
	// Gone waits until the tear-down has ended. Nil means that there is no
	// tear-down.
	Gone func()
}

// Check uses a credential before its revocation, during the tear-down, and
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
