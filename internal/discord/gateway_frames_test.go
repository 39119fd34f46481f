package discord

import (
	"bytes"
	"encoding/binary"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"testing/iotest"
)

// pipe is a connection that reads from r.
type pipe struct {
	net.Conn
	r io.Reader
}

func (p pipe) Read(b []byte) (int, error) { return p.r.Read(b) }

const upgrade = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n"

// wireFrame returns an unfragmented frame of a server.
func wireFrame(opcode byte, payload string) string {
	head := []byte{0x80 | opcode}
	switch n := len(payload); {
	case n < 126:
		head = append(head, byte(n))
	case n < 1<<16:
		head = binary.BigEndian.AppendUint16(append(head, 126), uint16(n))
	default:
		head = binary.BigEndian.AppendUint64(append(head, 127), uint64(n))
	}
	return string(head) + payload
}

func closed(code uint16, reason string) string {
	return wireFrame(frameClose, string(binary.BigEndian.AppendUint16(nil, code))+reason)
}

func TestFrameFilter(t *testing.T) {
	hello := wireFrame(frameText, `{"op":10,"d":{"heartbeat_interval":41250}}`)
	long := wireFrame(frameText, `{"op":0,"t":"GUILD_CREATE","d":"`+strings.Repeat("x", 70_000)+`"}`)
	medium := wireFrame(frameText, `{"op":0,"d":"`+strings.Repeat("y", 300)+`"}`)
	gone := wireFrame(frameText, `{"t":null,"s":null,"op":9,"d":false}`)
	tests := []struct {
		name   string
		opened bool
		in     string
		want   string
		code   int64
	}{
		{name: "frames_pass_as_they_are", in: hello + long + medium, want: hello + long + medium},
		{name: "close_code_is_noted", opened: true, in: hello + closed(4004, "Authentication failed."), want: hello + closed(4004, "Authentication failed."), code: 4004},
		{name: "close_without_a_code", in: wireFrame(frameClose, ""), want: wireFrame(frameClose, "")},
		{name: "lost_session_while_opening_is_a_close", in: hello + gone, want: hello + closed(4009, ""), code: 4009},
		{name: "resumable_session_while_opening", in: wireFrame(frameText, `{"op":9,"d":true}`), want: closed(4000, ""), code: 4000},
		{name: "reconnect_while_opening_is_a_close", in: wireFrame(frameText, `{"op":7,"d":null}`), want: closed(4000, ""), code: 4000},
		{name: "lost_session_later_passes", opened: true, in: gone, want: gone},
		{name: "text_that_speaks_of_op_9", in: wireFrame(frameText, `{"op":0,"d":{"op":9}}`), want: wireFrame(frameText, `{"op":0,"d":{"op":9}}`)},
		{name: "binary_frames_are_not_looked_into", in: wireFrame(2, `{"op":9,"d":false}`), want: wireFrame(2, `{"op":9,"d":false}`)},
		{name: "stream_ends_in_a_frame", in: hello + gone[:5], want: hello},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for _, r := range []io.Reader{strings.NewReader(upgrade + test.in), iotest.OneByteReader(strings.NewReader(upgrade + test.in))} {
				var code atomic.Int64
				var opened, blind atomic.Bool
				opened.Store(test.opened)
				got, _ := io.ReadAll(newFrameFilter(pipe{r: r}, &code, &opened, &blind)) // a truncated frame ends in an error
				if want := upgrade + test.want; string(got) != want {
					t.Errorf("read %d bytes %.200q, want %d bytes %.200q", len(got), got, len(want), want)
				}
				if code.Load() != test.code {
					t.Errorf("code = %d, want %d", code.Load(), test.code)
				}
			}
		})
	}
}

// TestFrameFilterBehindAProxy checks that the filter passes on bytes that are not a websocket,
// because TLS follows a proxy's answer.
func TestFrameFilterBehindAProxy(t *testing.T) {
	in := "HTTP/1.1 200 Connection established\r\n\r\n" + wireFrame(frameText, `{"op":9,"d":false}`) + "\x16\x03\x01"
	var code atomic.Int64
	var opened, blind atomic.Bool
	got, err := io.ReadAll(newFrameFilter(pipe{r: strings.NewReader(in)}, &code, &opened, &blind))
	if err != nil || string(got) != in || !blind.Load() {
		t.Errorf("read %q, %v, blind: %t; want %q, nil, true", got, err, blind.Load(), in)
	}
}

// FuzzFrameFilter sends any bytes from the server: after the opening, a filter passes every
// byte of whole frames and nothing else.
func FuzzFrameFilter(f *testing.F) {
	f.Add([]byte(wireFrame(frameText, `{"op":9,"d":false}`)), true)
	f.Add([]byte(closed(4004, "no")), false)
	f.Add([]byte{0x81, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1}, true)
	f.Fuzz(func(t *testing.T, in []byte, opened bool) {
		var code atomic.Int64
		var open, blind atomic.Bool
		open.Store(opened)
		got, _ := io.ReadAll(newFrameFilter(pipe{r: io.MultiReader(strings.NewReader(upgrade), bytes.NewReader(in))}, &code, &open, &blind))
		if opened && !bytes.HasPrefix(append([]byte(upgrade), in...), got) {
			t.Errorf("an opened filter changed %q into %q", in, got)
		}
	})
}
