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

// errFraming ends a connection on which a request states its length more than once.
var errFraming = errors.New("a request says more than once how long it is")

// onceHeaders are headers that must not occur twice, because the values could contradict each other.
var onceHeaders = []string{
	"Authorization", "Content-Type", "Last-Event-Id", "Mcp-Method", "Mcp-Name", protocolHeader, sessionHeader, "Origin",
}

// twice returns an error if a request repeats one of onceHeaders. The connection must then be closed.
func twice(r *http.Request) error {
	for _, name := range onceHeaders {
		if len(r.Header[name]) > 1 {
			return errors.New("the request has more than one " + name)
		}
	}
	return nil
}

// recordFraming records that a connection was closed because a request states its length twice. The caller is
// unknown, because such a request cannot be trusted.
func (w *Web) recordFraming(c net.Conn) {
	address, _ := w.o.Gatekeeper.Peer(c.RemoteAddr().String())
	w.recordAddress(context.Background(), access.TransportHTTP, address, byFraming, errFraming)
}

// framedListener accepts connections that end at a request with more than one Content-Length or
// Transfer-Encoding header, or with both. net/http accepts some of these requests, and a proxy in front of us
// might read them differently (request smuggling).
type framedListener struct {
	net.Listener
	refused func(net.Conn) // called for each connection that ends this way
}

func (l framedListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &framedConn{Conn: c, refused: l.refused}, nil
}

// framedConn is a connection from a [framedListener].
type framedConn struct {
	net.Conn
	refused func(net.Conn)
	ended   sync.Once   // once, at a doubtful request
	asks    atomic.Bool // the last request asks for a protocol upgrade
	raw     atomic.Bool // the connection has changed to another protocol
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

// Write detects that the server agrees to a protocol upgrade, to a WebSocket, and then reduces the system's
// write buffer.
func (c *framedConn) Write(p []byte) (int, error) {
	if c.asks.Load() && bytes.HasPrefix(p, []byte("HTTP/1.1 101 ")) {
		c.raw.Store(true)
		if b, ok := c.Conn.(interface{ SetWriteBuffer(bytes int) error }); ok {
			_ = b.SetWriteBuffer(socketBuffer) // otherwise the system chooses
		}
	}
	return c.Conn.Write(p)
}

// framing tracks where requests begin and end.
type framing struct {
	in            part
	line          []byte // of a head or a chunk, as far as needed
	bytesLeft     int64  // bytes left of the body, or of the chunk with its line end
	firstLineRead bool   // the first line of the head was read
	length        int64  // value of Content-Length
	lengthHeaders int    // number of headers that state the body's length
	chunks        bool
	broken        bool
	// upgrades says that the last request asks for another protocol. It is kept until the next head.
	upgrades bool
}

// part is the part of a request that comes next.
type part int

const (
	inHead    part = iota // → inBody, inSize or the next head
	inBody                // → inHead
	inSize                // of a chunk → inChunk, or inTrailer after the last
	inChunk               // → inSize
	inTrailer             // → inHead
)

// maxFramingLine is how much of a line is kept. It suffices for every header that states a body's length.
const maxFramingLine = 64

// follow processes the next bytes read. It returns false once a request is doubtful.
func (f *framing) follow(p []byte) bool {
	for len(p) > 0 && !f.broken {
		if f.in == inBody || f.in == inChunk {
			n := min(f.bytesLeft, int64(len(p)))
			p = p[n:]
			if f.bytesLeft -= n; f.bytesLeft == 0 {
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
		f.processLine(bytes.TrimRight(f.line, "\r"))
		f.line = f.line[:0]
	}
	return !f.broken
}

// processLine processes a line of a head, a chunk size or a trailer.
func (f *framing) processLine(line []byte) {
	switch {
	case f.in == inSize:
		size, _, _ := bytes.Cut(line, []byte(";"))
		n, err := strconv.ParseInt(string(bytes.TrimSpace(size)), 16, 62)
		f.broken = err != nil || n < 0
		if f.bytesLeft, f.in = n+2, inChunk; n == 0 {
			f.in = inTrailer
		}
	case f.in == inTrailer && len(line) == 0:
		*f = framing{line: f.line, upgrades: f.upgrades}
	case f.in == inTrailer:
	case len(line) == 0 && f.firstLineRead:
		f.endHead()
	case len(line) > 0:
		if f.firstLineRead {
			f.countLengthHeader(line)
			return
		}
		f.firstLineRead, f.upgrades = true, false
	}
}

// countLengthHeader counts headers that state the body's length.
func (f *framing) countLengthHeader(line []byte) {
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
	f.lengthHeaders++
	f.broken = f.broken || f.lengthHeaders > 1
}

// endHead proceeds to the body, if there is one.
func (f *framing) endHead() {
	switch next := (framing{line: f.line, upgrades: f.upgrades}); {
	case f.chunks:
		next.in = inSize
		*f = next
	case f.length > 0:
		next.in, next.bytesLeft = inBody, f.length
		*f = next
	default:
		*f = next
	}
}
