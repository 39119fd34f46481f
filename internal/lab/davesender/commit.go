package davesender

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
)

// leafNode holds the parts of a member's node that are read.
type leafNode struct {
	identity            []byte
	source              uint64
	notBefore, notAfter uint64
}

func readLeaf(r *reader) (leaf leafNode) {
	_, _ = r.vector(), r.vector() // the encryption key and the signature key
	if credential := r.uint(2); credential != basicCredential && r.err == nil {
		r.err = fmt.Errorf("credential has type %d", credential)
	}
	leaf.identity = r.vector()
	for range 5 { // capabilities
		_ = r.vector()
	}
	switch leaf.source = r.uint(1); leaf.source {
	case leafOfKeyPackage:
		leaf.notBefore, leaf.notAfter = r.uint(8), r.uint(8)
	case leafOfCommit:
		_ = r.vector() // hash of the parent
	}
	_, _ = r.vector(), r.vector() // extensions, signature
	return leaf
}

// commit holds the parts of a member's commit that the delivery service reads.
type commit struct {
	epoch  uint64
	leaf   uint32 // of the committer
	refs   [][sha256.Size]byte
	raw    []byte // MLSMessage, for the announcement
	rest   []byte // Welcome, if the commit adds members
	member []byte // the identity in its path, or nil
}

// readCommit parses the payload of op 28 for a channel's group.
func readCommit(channel uint64, payload []byte) (commit, error) {
	r := &reader{rest: payload}
	if r.uint(2) != mls10 || r.uint(2) != publicMessage {
		return commit{}, errors.New("commit is no public message of MLS 1.0")
	}
	if group := r.vector(); len(group) != 8 || binary.BigEndian.Uint64(group) != channel {
		return commit{}, errors.New("commit is for another group")
	}
	c := commit{epoch: r.uint(8)}
	if r.uint(1) != senderMember {
		return commit{}, errors.New("commit is not a member's")
	}
	c.leaf = uint32(r.uint(4))
	_ = r.vector() // authenticated data
	if r.uint(1) != contentCommit {
		return commit{}, errors.New("message is no commit")
	}
	for refs := (&reader{rest: r.vector()}); len(refs.rest) > 0; {
		if refs.uint(1) != orReference {
			return commit{}, errors.New("commit has a proposal in it")
		}
		ref := refs.vector()
		if len(ref) != sha256.Size {
			return commit{}, errors.New("commit has a reference of another length")
		}
		c.refs = append(c.refs, [sha256.Size]byte(ref))
	}
	if r.uint(1) == 1 { // a path
		c.member = readLeaf(r).identity
		_ = r.vector()
	}
	_, _, _ = r.vector(), r.vector(), r.vector() // signature, confirmation, membership
	if r.err != nil {
		return commit{}, r.err
	}
	c.raw, c.rest = payload[:len(payload)-len(r.rest)], r.rest
	return c, nil
}
