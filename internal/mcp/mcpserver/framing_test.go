package mcpserver

import (
	"errors"
	"io"
	"net"
	"strings"
	"testing"
)

// recorded is a connection that reads what it is given, and forgets what is written.
type recorded struct {
	net.Conn
	io.Reader
	buffer int
}

func (c *recorded) Read(p []byte) (int, error)  { return c.Reader.Read(p) }
func (c *recorded) Write(p []byte) (int, error) { return len(p), nil }
func (c *recorded) SetWriteBuffer(n int) error  { c.buffer = n; return nil }

// TestFramingEndsWithHTTP shows that a connection is free to say what it likes, and bounded
// in what waits to be written, when both sides agree to another protocol, and no sooner.
func TestFramingEndsWithHTTP(t *testing.T) {
	const upgrade, twice = "GET /ws HTTP/1.1\r\nUpgrade: websocket\r\n\r\n", "POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n"
	for _, row := range []struct {
		name, request, answer string
		buffer                int
		want                  error
	}{
		{name: "agreed", request: upgrade, answer: "HTTP/1.1 101 Switching Protocols\r\n\r\n", buffer: socketBuffer},
		{name: "refused", request: upgrade, answer: "HTTP/1.1 403 Forbidden\r\n\r\n", want: errFraming},
		{name: "not asked for", request: "GET / HTTP/1.1\r\n\r\n", answer: "HTTP/1.1 101 Switching Protocols\r\n\r\n", want: errFraming},
	} {
		below := &recorded{Reader: strings.NewReader(row.request)}
		c := &framedConn{Conn: below, refused: func(net.Conn) {}}
		if _, err := c.Read(make([]byte, 1000)); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Write([]byte(row.answer)); err != nil {
			t.Fatal(err)
		}
		below.Reader = strings.NewReader(twice)
		if _, err := c.Read(make([]byte, 1000)); !errors.Is(err, row.want) {
			t.Errorf("%s: what follows is read with %v, want %v", row.name, err, row.want)
		}
		if below.buffer != row.buffer {
			t.Errorf("%s: the system may hold %d bytes, want %d", row.name, below.buffer, row.buffer)
		}
	}
}

// TestFraming follows requests however they are cut into pieces.
func TestFraming(t *testing.T) {
	const get, plain = "GET / HTTP/1.1\r\nHost: x\r\n\r\n", "POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello"
	const chunked = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n5;x=y\r\nhello\r\nA\r\n0123456789\r\n0\r\nT: 1\r\n\r\n"
	for name, c := range map[string]struct {
		input string
		want  bool
	}{
		"one after the other":        {get + plain + chunked + plain + get, true},
		"a body like a head":         {"POST / HTTP/1.1\r\nContent-Length: 38\r\n\r\nContent-Length: 1\r\nContent-Length: 1\r\n" + plain, true},
		"a chunk like a head":        {"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n26\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n0\r\n\r\n" + plain, true},
		"bare line feeds":            {"POST / HTTP/1.1\nContent-Length: 5\n\nhello" + plain, true},
		"a long line":                {"GET /" + strings.Repeat("x", 1000) + " HTTP/1.1\r\nX: " + strings.Repeat("Content-Length: 1", 100) + "\r\n\r\n" + plain, true},
		"two lengths":                {"POST / HTTP/1.1\r\nContent-Length: 5\r\ncontent-length: 5\r\n\r\nhello", false},
		"two encodings":              {"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n", false},
		"a length and an encoding":   {"POST / HTTP/1.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n", false},
		"an encoding and a length":   {"POST / HTTP/1.1\r\nTRANSFER-ENCODING: x\r\nContent-Length: 5\r\n\r\n", false},
		"two lengths in one":         {"POST / HTTP/1.1\r\nContent-Length: 5, 5\r\n\r\nhello", false},
		"a length below zero":        {"POST / HTTP/1.1\r\nContent-Length: -5\r\n\r\n", false},
		"two lengths behind another": {plain + chunked + "POST / HTTP/1.1\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\nhello", false},
		"two lengths behind chunks":  {chunked + "POST / HTTP/1.1\r\nContent-Length: 0\r\nContent-Length: 0\r\n\r\n", false},
		"a size that is none":        {"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n", false},
	} {
		for _, size := range []int{1, 2, 3, 7, 4096} {
			var f framing
			ok := true
			for rest := c.input; rest != "" && ok; {
				n := min(size, len(rest))
				ok = f.follow([]byte(rest[:n]))
				rest = rest[n:]
			}
			if ok != c.want {
				t.Errorf("%s in pieces of %d: ok = %v, want %v", name, size, ok, c.want)
			}
			if ok && (f.in != inHead || f.firstLineRead) {
				t.Errorf("%s in pieces of %d ends in the middle: %+v", name, size, f)
			}
		}
	}
}
