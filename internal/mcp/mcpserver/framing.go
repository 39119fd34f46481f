package mcpserver

import (
	"bytes"
	"context"
	"errors"
	"net"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/MrWong99/glyphoxa/internal/mcp/access"
)

// errFraming is why a connection ends on which a request says twice how long it is.
var errFraming = errors.New("a request says more than once how long it is")

// onceHeaders are headers of which a second could be another's word against the first.
var onceHeaders = []string{
	"Authorization", "Content-Type", "Last-Event-Id", "Mcp-Method", "Mcp-Name", protocolHeader, sessionHeader, "Origin",
}

// twice says which of them a request has more than once, nil if none. Its connection has
// to end.
func twice(r *http.Request) error {
	for _, name := range onceHeaders {
		if len(r.Header[name]) > 1 {
			return errors.New("the request has more than one " + name)
		}
	}
	return nil
}

// recordFraming records that a connection ends at a request that says twice how long it is.
// Whose it is, nobody can tell any more.
func (w *Web) recordFraming(c net.Conn) {
	address, _ := w.o.Gatekeeper.Peer(c.RemoteAddr().String())
	w.recordAddress(context.Background(), access.TransportHTTP, address, byFraming, errFraming)
}

// framedListener hands out connections that end at a request with more than one
// Content-Length or Transfer-Encoding, or with both: net/http takes some of them, and what
// stands before us may read them otherwise.
type framedListener struct {
	net.Listener
	refused func(net.Conn) // told of each that ends so
}

func (l framedListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &framedConn{Conn: c, refused: l.refused}, nil
}

// framedConn is a connection of such a listener.
type framedConn struct {
	net.Conn
	refused func(net.Conn)
	ended   sync.Once   // at a doubtful request
	asks    atomic.Bool // the last request asks for another protocol
	raw     atomic.Bool // it speaks another protocol
	seen    framing     // owned by the reader
}

func (c *framedConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if c.raw.Load() {
		return n, err
	}
	if !c.seen.follow(p[:n]) {
		c.ended.Do(func() { c.refused(c.Conn) })
		return 0, errFraming
	}
	c.asks.Store(c.seen.upgrades)
	return n, err
}

// Write sees whether the server agrees to another protocol, a WebSocket, of which the
// system is to hold little.
func (c *framedConn) Write(p []byte) (int, error) {
	if c.asks.Load() && bytes.HasPrefix(p, []byte("HTTP/1.1 101 ")) {
		c.raw.Store(true)
		if b, ok := c.Conn.(interface{ SetWriteBuffer(bytes int) error }); ok {
			_ = b.SetWriteBuffer(socketBuffer) // else the system chooses
		}
	}
	return c.Conn.Write(p)
}

// framing follows where requests begin and end.
type framing struct {
	in     part
	line   []byte // of a head or a chunk's, as far as it is kept
	left   int64  // bytes of the body, or of the chunk with its end
	begun  bool   // the head has its first line
	length int64  // what Content-Length said
	says   int    // headers that say how long the body is
	chunks bool
	broken bool
	// upgrades is kept until the next head: the last asked for another protocol.
	upgrades bool
}

// part is what of a request comes next.
type part int

const (
	inHead    part = iota // → inBody, inSize or the next head
	inBody                // → inHead
	inSize                // of a chunk → inChunk, or inTrailer after the last
	inChunk               // → inSize
	inTrailer             // → inHead
)

// maxFramingLine is how much of a line is kept: the longest that says how long a body is.
const maxFramingLine = 64

// follow takes what was read next, and reports false once a request is doubtful.
func (f *framing) follow(p []byte) bool {
	for len(p) > 0 && !f.broken {
		if f.in == inBody || f.in == inChunk {
			n := min(f.left, int64(len(p)))
			p = p[n:]
			if f.left -= n; f.left == 0 {
				f.in = map[part]part{inBody: inHead, inChunk: inSize}[f.in]
			}
			continue
		}
		end := bytes.IndexByte(p, '\n')
		piece := p
		if end >= 0 {
			piece = p[:end]
		}
		f.line = append(f.line, piece[:min(len(piece), maxFramingLine-len(f.line))]...)
		if end < 0 {
			return true
		}
		p = p[end+1:]
		f.takeLine(bytes.TrimRight(f.line, "\r"))
		f.line = f.line[:0]
	}
	return !f.broken
}

// takeLine takes a line of a head, a chunk's size or a trailer.
func (f *framing) takeLine(line []byte) {
	switch {
	case f.in == inSize:
		size, _, _ := bytes.Cut(line, []byte(";"))
		n, err := strconv.ParseInt(string(bytes.TrimSpace(size)), 16, 62)
		f.broken = err != nil || n < 0
		if f.left, f.in = n+2, inChunk; n == 0 {
			f.in = inTrailer
		}
	case f.in == inTrailer && len(line) == 0:
		*f = framing{line: f.line, upgrades: f.upgrades}
	case f.in == inTrailer:
	case len(line) == 0 && f.begun:
		f.endHead()
	case len(line) > 0:
		if f.begun {
			f.takeHeader(line)
			return
		}
		f.begun, f.upgrades = true, false
	}
}

// takeHeader counts a header that says how long the body is.
func (f *framing) takeHeader(line []byte) {
	name, value, _ := bytes.Cut(line, []byte(":"))
	switch {
	case bytes.EqualFold(name, []byte("Content-Length")):
		n, err := strconv.ParseInt(string(bytes.TrimSpace(value)), 10, 62)
		f.broken = f.broken || err != nil || n < 0
		f.length = n
	case bytes.EqualFold(name, []byte("Transfer-Encoding")):
		f.chunks = true
	case bytes.EqualFold(name, []byte("Upgrade")):
		f.upgrades = true
		return
	default:
		return
	}
	f.says++
	f.broken = f.broken || f.says > 1
}

// endHead goes on to the body, if there is one.
func (f *framing) endHead() {
	switch next := (framing{line: f.line, upgrades: f.upgrades}); {
	case f.chunks:
		next.in = inSize
		*f = next
	case f.length > 0:
		next.in, next.left = inBody, f.length
		*f = next
	default:
		*f = next
	}
}
