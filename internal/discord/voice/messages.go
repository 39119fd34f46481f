package voice

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"time"
)

// Opcodes of the voice gateway, version 8.
const (
	opIdentify           = 0
	opSelectProtocol     = 1
	opReady              = 2
	opHeartbeat          = 3
	opSessionDescription = 4
	opSpeaking           = 5
	opHeartbeatAck       = 6
	opResume             = 7
	opHello              = 8
	opResumed            = 9
	opClientsConnect     = 11
	opClientDisconnect   = 13

	opPrepareTransition = 21
	opExecuteTransition = 22
	opTransitionReady   = 23
	opPrepareEpoch      = 24
	opExternalSender    = 25
	opKeyPackage        = 26
	opProposals         = 27
	opCommitWelcome     = 28
	opAnnounceCommit    = 29
	opWelcome           = 30
	opInvalidCommit     = 31
)

// gatewayVersion is the version of the voice gateway's protocol.
const gatewayVersion = 8

const (
	// maxMessage bounds a message, in bytes. A welcome to the largest group is smaller.
	maxMessage = 1 << 20
	// Limits of a server's heartbeat interval.
	minHeartbeat, maxHeartbeat = 50 * time.Millisecond, 5 * time.Minute
	// maxID bounds the length of a snowflake.
	maxID = 20
)

// message is a gateway message: JSON or binary.
type message struct {
	op     int
	binary bool
	data   []byte // "d", or the data after the opcode
	seq    int64  // noSeq if none
}

// noSeq is the sequence number before the first message, as sent to the gateway.
const noSeq = -1

// parseMessage parses a message. The result refers to data.
func parseMessage(isBinary bool, data []byte) (message, error) {
	if isBinary {
		if len(data) < 3 {
			return message{}, errors.New("binary message without an opcode")
		}
		return message{op: int(data[2]), binary: true, data: data[3:], seq: int64(binary.BigEndian.Uint16(data))}, nil
	}
	var m struct {
		Op  *int            `json:"op"`
		D   json.RawMessage `json:"d"`
		Seq *int64          `json:"seq"`
	}
	if err := json.Unmarshal(data, &m); err != nil {
		return message{}, fmt.Errorf("reading a message: %w", err)
	}
	if m.Op == nil {
		return message{}, errors.New("message without an opcode")
	}
	got := message{op: *m.Op, data: m.D, seq: noSeq}
	if m.Seq != nil && *m.Seq >= 0 {
		got.seq = *m.Seq
	}
	return got, nil
}

type identifyData struct {
	Guild   string `json:"server_id"`
	User    string `json:"user_id"`
	Session string `json:"session_id"`
	Token   string `json:"token"`
	DAVE    int    `json:"max_dave_protocol_version"`
}

type resumeData struct {
	Guild   string `json:"server_id"`
	Session string `json:"session_id"`
	Token   string `json:"token"`
	SeqAck  int64  `json:"seq_ack"`
}

type heartbeatData struct {
	T      int64 `json:"t"`
	SeqAck int64 `json:"seq_ack"`
}

type selectData struct {
	Protocol string       `json:"protocol"`
	Data     selectedPath `json:"data"`
}

type selectedPath struct {
	Address string `json:"address"`
	Port    uint16 `json:"port"`
	Mode    string `json:"mode"`
}

// Flags of Speaking.
const (
	speakingMicrophone = 1 << 0
	speakingSoundshare = 1 << 1
)

type speakingData struct {
	Speaking int    `json:"speaking"`
	Delay    int    `json:"delay"`
	SSRC     uint32 `json:"ssrc"`
	User     string `json:"user_id,omitempty"`
}

// ready describes the UDP server. The message's heartbeat interval is wrong and left out.
type ready struct {
	SSRC  uint32
	Addr  netip.AddrPort
	Modes []string
}

func parseReady(data []byte) (ready, error) {
	var d struct {
		SSRC  uint32   `json:"ssrc"`
		IP    string   `json:"ip"`
		Port  int      `json:"port"`
		Modes []string `json:"modes"`
	}
	if err := json.Unmarshal(data, &d); err != nil {
		return ready{}, fmt.Errorf("reading where sound goes: %w", err)
	}
	ip, err := netip.ParseAddr(d.IP)
	if err != nil || d.Port < 1 || d.Port > 65535 {
		return ready{}, errors.New("the voice server names no address for sound")
	}
	return ready{SSRC: d.SSRC, Addr: netip.AddrPortFrom(ip, uint16(d.Port)), Modes: d.Modes}, nil
}

// description describes the encryption of sound.
type description struct {
	Mode string
	Key  []byte
	DAVE int // version of the end-to-end encryption, 0 for none
}

func parseDescription(data []byte) (description, error) {
	var d struct {
		Mode string  `json:"mode"`
		Key  []uint8 `json:"-"`
		Raw  []int   `json:"secret_key"`
		DAVE int     `json:"dave_protocol_version"`
	}
	if err := json.Unmarshal(data, &d); err != nil {
		return description{}, errors.New("the voice server's session description cannot be read") // err may quote the key
	}
	if len(d.Raw) != KeySize {
		return description{}, fmt.Errorf("the voice server's key has %d bytes, want %d", len(d.Raw), KeySize)
	}
	for _, b := range d.Raw {
		if b < 0 || b > 255 {
			return description{}, errors.New("the voice server's key is none")
		}
		d.Key = append(d.Key, uint8(b))
	}
	if d.DAVE < 0 || d.DAVE > DAVEVersion {
		return description{}, fmt.Errorf("the voice server chose version %d of the end-to-end encryption, which was not offered", d.DAVE)
	}
	return description{Mode: d.Mode, Key: d.Key, DAVE: d.DAVE}, nil
}

// parseHello returns the heartbeat interval.
func parseHello(data []byte) (time.Duration, error) {
	var d struct {
		Interval float64 `json:"heartbeat_interval"`
	}
	if err := json.Unmarshal(data, &d); err != nil || !(d.Interval > 0) {
		return 0, errors.New("the voice server names no heartbeat interval")
	}
	ms := min(d.Interval, float64(maxHeartbeat/time.Millisecond))
	return max(time.Duration(ms*float64(time.Millisecond)), minHeartbeat), nil
}

// isID reports whether text has the form of a snowflake.
func isID(text string) bool {
	if text == "" || len(text) > maxID {
		return false
	}
	for _, r := range []byte(text) {
		if r < '0' || r > '9' {
			return false
		}
	}
	return true
}
