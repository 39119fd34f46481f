// Package davesender implements the voice gateway's part of Discord's
// end-to-end encryption (DAVE) for tests: the external sender, which signs the
// proposals that add and remove members, and the delivery service, which
// selects the valid commit and the recipients of each message. It is written
// from the protocol's text and MLS (RFC 9420) alone and shares no code with the
// encryption under test.
//
// It does no I/O: it returns the messages to send.
package davesender

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
)

// Sender signs proposals for the group of one channel.
type Sender struct {
	channel uint64
	key     *ecdsa.PrivateKey
}

// NewSender returns a Sender with a new key.
func NewSender(channel uint64) *Sender {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err) // no randomness available
	}
	return &Sender{channel: channel, key: key}
}

// Package returns the sender's public data for members: the payload of op 25.
func (s *Sender) Package() []byte {
	public, err := s.key.PublicKey.Bytes()
	if err != nil {
		panic(err) // the key is on its curve
	}
	p := appendVector(nil, public)
	p = binary.BigEndian.AppendUint16(p, basicCredential)
	return appendVector(p, []byte("voice gateway"))
}

// proposal is a signed proposal that was broadcast.
type proposal struct {
	message []byte // MLSMessage
	ref     [sha256.Size]byte
	user    uint64 // the user to add or remove
	add     bool
	leaf    uint32 // leaf of the member to remove
}

// add proposes to add the owner of a key package.
func (s *Sender) add(epoch, user uint64, keyPackage []byte) proposal {
	p := s.sign(epoch, append(binary.BigEndian.AppendUint16(nil, proposalAdd), keyPackage...))
	p.user, p.add = user, true
	return p
}

// remove proposes to remove the member at a leaf.
func (s *Sender) remove(epoch, user uint64, leaf uint32) proposal {
	p := s.sign(epoch, binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint16(nil, proposalRemove), leaf))
	p.user, p.leaf = user, leaf
	return p
}

func (s *Sender) sign(epoch uint64, body []byte) proposal {
	var group [8]byte
	binary.BigEndian.PutUint64(group[:], s.channel)
	content := appendVector(nil, group[:])
	content = binary.BigEndian.AppendUint64(content, epoch)
	content = append(content, senderExternal)
	content = binary.BigEndian.AppendUint32(content, 0) // the first of the external senders
	content = appendVector(content, nil)                // authenticated data
	content = append(content, contentProposal)
	content = append(content, body...)

	head := binary.BigEndian.AppendUint16(nil, mls10)
	wire := binary.BigEndian.AppendUint16(nil, publicMessage)
	framed := append(wire, content...) // with the format in front, without a group context
	labelled := appendVector(nil, []byte("MLS 1.0 FramedContentTBS"))
	labelled = appendVector(labelled, append(head[:2:2], framed...))
	digest := sha256.Sum256(labelled)
	signature, err := ecdsa.SignASN1(rand.Reader, s.key, digest[:])
	if err != nil {
		panic(err) // no randomness available
	}
	authenticated := appendVector(framed, signature)
	value := appendVector(nil, []byte("MLS 1.0 Proposal Reference"))
	value = appendVector(value, authenticated)
	return proposal{message: append(head[:2:2], authenticated...), ref: sha256.Sum256(value)}
}

// appended returns the payload of op 27 that announces proposals.
func appended(ps []proposal) []byte {
	var all []byte
	for _, p := range ps {
		all = append(all, p.message...)
	}
	return appendVector([]byte{0}, all)
}

// revoked returns the payload of op 27 that revokes proposals.
func revoked(ps []proposal) []byte {
	var all []byte
	for _, p := range ps {
		all = appendVector(all, p.ref[:])
	}
	return appendVector([]byte{1}, all)
}

// identity returns the user of a key package.
func identity(keyPackage []byte) (uint64, error) {
	r := &reader{rest: keyPackage}
	version, suite := r.uint(2), r.uint(2)
	_ = r.vector() // init key
	leaf := readLeaf(r)
	if r.err != nil {
		return 0, r.err
	}
	if version != mls10 || suite != 2 {
		return 0, fmt.Errorf("key package is of MLS %d with ciphersuite %d", version, suite)
	}
	if leaf.source != leafOfKeyPackage || leaf.notBefore != 0 || leaf.notAfter != 1<<64-1 {
		return 0, fmt.Errorf("key package has source %d and lives from %d to %d", leaf.source, leaf.notBefore, leaf.notAfter)
	}
	if len(leaf.identity) != 8 {
		return 0, fmt.Errorf("key package has an identity of %d bytes", len(leaf.identity))
	}
	return binary.BigEndian.Uint64(leaf.identity), nil
}
