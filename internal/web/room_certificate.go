package web

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"

	"github.com/pion/webrtc/v4"
)

// newCertificate makes what the connections of one run of the program prove themselves by:
// its fingerprint is in each answer.
func newCertificate() (*webrtc.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	return webrtc.GenerateCertificate(key)
}
