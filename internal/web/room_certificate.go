package web

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"

	"github.com/pion/webrtc/v4"
)

// newCertificate creates the certificate of all connections during one run of the program. Its fingerprint is
// in each answer.
func newCertificate() (*webrtc.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	return webrtc.GenerateCertificate(key)
}
