package voice

import (
	"encoding/binary"
	"errors"
)

// What MLS numbers so (RFC 9420), as far as a proposal of the voice gateway has it.
const (
	mlsPublicMessage  = 1
	mlsExternalSender = 2
	mlsProposal       = 2
	mlsAdd            = 1
	mlsRemove         = 3
	mlsBasic          = 1
	mlsKeyPackageLeaf = 1
)

var errNoProposal = errors.New("reading a proposal: it is none, or cut off")

// proposalSize returns how many bytes the proposal of an external sender has with which b
// begins. Others may follow: the library reads one message that nothing follows.
func proposalSize(b []byte) (int, error) {
	c := cursor{rest: b}
	_, format := c.uint(2), c.uint(2)
	c.vector() // the group
	c.skip(8)  // the epoch
	sender := c.uint(1)
	c.skip(4)  // which of them
	c.vector() // authenticated data
	content := c.uint(1)
	if c.failed || format != mlsPublicMessage || sender != mlsExternalSender || content != mlsProposal {
		return 0, errNoProposal
	}
	switch c.uint(2) {
	case mlsAdd:
		c.keyPackage()
	case mlsRemove:
		c.skip(4)
	default:
		c.failed = true
	}
	c.vector() // the signature
	if c.failed {
		return 0, errNoProposal
	}
	return len(b) - len(c.rest), nil
}

// cursor walks over a message. Once something is missing it has failed and goes no further.
type cursor struct {
	rest   []byte
	failed bool
}

func (c *cursor) skip(n int) []byte {
	if c.failed || n > len(c.rest) {
		c.failed = true
		return nil
	}
	skipped := c.rest[:n]
	c.rest = c.rest[n:]
	return skipped
}

// uint reads a number of one or two bytes.
func (c *cursor) uint(size int) int {
	b := c.skip(size)
	switch len(b) {
	case 1:
		return int(b[0])
	case 2:
		return int(binary.BigEndian.Uint16(b))
	}
	return 0
}

func (c *cursor) vector() {
	if c.failed {
		return
	}
	_, rest, err := readVector(c.rest)
	if c.failed = err != nil; !c.failed {
		c.rest = rest
	}
}

// keyPackage walks over the key package of who is to be added.
func (c *cursor) keyPackage() {
	c.skip(4)  // version and ciphersuite
	c.vector() // the key to encrypt a welcome to
	c.vector() // the leaf's keys
	c.vector()
	if c.uint(2) != mlsBasic {
		c.failed = true
	}
	c.vector() // the identity
	for range 5 {
		c.vector() // capabilities
	}
	if c.uint(1) != mlsKeyPackageLeaf {
		c.failed = true
	}
	c.skip(16)    // the lifetime
	for range 4 { // extensions and signatures, of the leaf and of all
		c.vector()
	}
}
