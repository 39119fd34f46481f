package voice

import (
	"encoding/binary"
	"errors"
)

// MLS numbers in a proposal of the voice gateway (RFC 9420).
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

// proposalSize returns the length in bytes of the external sender's proposal at the beginning of b. Others
// may follow, which the library does not accept.
func proposalSize(b []byte) (int, error) {
	c := cursor{rest: b}
	_, format := c.uint(2), c.uint(2)
	c.vector() // group id
	c.skip(8)  // epoch
	sender := c.uint(1)
	c.skip(4)  // sender index
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
	c.vector() // signature
	if c.failed {
		return 0, errNoProposal
	}
	return len(b) - len(c.rest), nil
}

// cursor reads a message. After a failure, it does not advance.
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

// keyPackage skips the key package of the added member.
func (c *cursor) keyPackage() {
	c.skip(4)  // version and cipher suite
	c.vector() // init key
	c.vector() // leaf keys
	c.vector()
	if c.uint(2) != mlsBasic {
		c.failed = true
	}
	c.vector() // identity
	for range 5 {
		c.vector() // capabilities
	}
	if c.uint(1) != mlsKeyPackageLeaf {
		c.failed = true
	}
	c.skip(16)    // lifetime
	for range 4 { // extensions and signatures, of the leaf node and of the key package
		c.vector()
	}
}
