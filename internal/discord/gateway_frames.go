package discord

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"io"
	"net"
	"sync/atomic"
)

const (
	// frameText and frameClose are opcodes of RFC 6455.
	frameText, frameClose = 1, 8
	// maxControl bounds the frames that are parsed. The messages to reconnect or that the session is invalid
	// are far shorter.
	maxControl = 512
)

// Gateway opcodes that end a connection.
const (
	opReconnect      = 7
	opInvalidSession = 9
)

// frameFilter watches the incoming frames of a gateway connection. discordgo does not report why a connection
// was closed, and deadlocks if the server asks it to reconnect, or invalidates its session, while it opens a
// connection. The filter replaces those messages with a close frame.
type frameFilter struct {
	net.Conn
	in            *bufio.Reader
	code          *atomic.Int64 // the server's close code, 0 if none was received
	opened        *atomic.Bool  // discordgo has opened the connection
	blind         *atomic.Bool  // a proxy responded, so the frames are inside TLS
	refused       bool          // the upgrade was refused
	firstLineRead bool          // the first line was read
	upgraded      bool          // the response to the upgrade was read
	out           []byte        // parsed but not yet read
	bytesLeft     int64         // rest of a frame that is passed through
}

func newFrameFilter(c net.Conn, code *atomic.Int64, opened, blind *atomic.Bool) *frameFilter {
	blind.Store(false)
	return &frameFilter{Conn: c, in: bufio.NewReader(c), code: code, opened: opened, blind: blind}
}

// Read implements net.Conn. Like a connection's, it must not be called concurrently.
func (t *frameFilter) Read(p []byte) (int, error) {
	for {
		switch {
		case len(p) == 0:
			return 0, nil
		case len(t.out) > 0:
			n := copy(p, t.out)
			t.out = t.out[n:]
			return n, nil
		case t.refused && t.upgraded:
			return t.in.Read(p)
		case t.bytesLeft > 0:
			n, err := t.in.Read(p[:min(int64(len(p)), t.bytesLeft)])
			t.bytesLeft -= int64(n)
			return n, err
		}
		next := t.readFrame
		if !t.upgraded {
			next = t.readUpgradeLine
		}
		if err := next(); err != nil {
			return 0, err
		}
	}
}

// readUpgradeLine passes on a line of the response to the upgrade.
func (t *frameFilter) readUpgradeLine() error {
	line, err := t.in.ReadSlice('\n')
	if err != nil && len(line) == 0 {
		return err
	}
	if !t.firstLineRead {
		t.firstLineRead = true
		status, _, _ := bytes.Cut(bytes.TrimPrefix(line, []byte("HTTP/1.")), []byte("\r"))
		t.refused = !bytes.HasPrefix(line, []byte("HTTP/1.1 101 "))
		t.blind.Store(t.refused && len(status) > 2 && bytes.HasPrefix(status[2:], []byte("200 ")))
	}
	t.upgraded = string(line) == "\r\n"
	t.out = append(t.out[:0], line...)
	return nil
}

// readFrame reads a frame, or only the header of a frame that needs no parsing.
func (t *frameFilter) readFrame() error {
	header := make([]byte, 2, 10)
	if _, err := io.ReadFull(t.in, header); err != nil {
		return err
	}
	length := int64(header[1] & 0x7f)
	if more := map[int64]int{126: 2, 127: 8}[length]; more > 0 {
		header = header[:2+more]
		if _, err := io.ReadFull(t.in, header[2:]); err != nil {
			return err
		}
		length = 0
		for _, b := range header[2:] {
			length = length<<8 | int64(b)
		}
	}
	final, opcode, masked := header[0]&0x80 != 0, header[0]&0x0f, header[1]&0x80 != 0
	if masked || length < 0 { // a server may send neither; discordgo reports the error
		t.out, t.bytesLeft = header, max(length, 0)
		return nil
	}
	if !final || length > maxControl || opcode != frameText && opcode != frameClose {
		t.out, t.bytesLeft = header, length
		return nil
	}
	payload := make([]byte, length)
	if _, err := io.ReadFull(t.in, payload); err != nil {
		return err
	}
	if opcode == frameClose {
		if len(payload) >= 2 {
			t.code.Store(int64(binary.BigEndian.Uint16(payload)))
		}
	} else if code := closeCodeOf(payload); code > 0 && !t.opened.Load() {
		t.code.Store(int64(code))
		header, payload = []byte{0x80 | frameClose, 2}, binary.BigEndian.AppendUint16(nil, uint16(code))
	}
	t.out = append(header, payload...)
	return nil
}

// closeCodeOf returns the close code equivalent to a message that asks to reconnect or to start a new
// session. It returns 0 for other messages.
func closeCodeOf(message []byte) int {
	var m struct {
		Op   *int            `json:"op"`
		Data json.RawMessage `json:"d"`
	}
	if json.Unmarshal(message, &m) != nil || m.Op == nil {
		return 0
	}
	switch *m.Op {
	case opReconnect:
		return closeUnknown
	case opInvalidSession:
		if string(m.Data) == "true" {
			return closeUnknown
		}
		return closeTimedOut
	}
	return 0
}
