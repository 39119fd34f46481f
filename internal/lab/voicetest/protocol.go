package voicetest

import "encoding/json"

// The voice gateway's opcodes.
const (
	opIdentify          = 0
	opSelectProtocol    = 1
	opReady             = 2
	opHeartbeat         = 3
	opDescription       = 4
	opSpeaking          = 5
	opHeartbeatAck      = 6
	opResume            = 7
	opHello             = 8
	opResumed           = 9
	opClientsConnect    = 11
	opVideo             = 12
	opClientDisconnect  = 13
	opMediaSinkWants    = 15
	opVersions          = 16
	opFlags             = 18
	opPlatform          = 20
	OpPrepareTransition = 21
	OpExecuteTransition = 22
	opTransitionReady   = 23
	OpPrepareEpoch      = 24
	OpExternalSender    = 25
	opKeyPackage        = 26
	OpProposals         = 27
	opCommitWelcome     = 28
	OpAnnounceCommit    = 29
	OpWelcome           = 30
	opInvalidCommit     = 31
)

// The voice gateway's close codes.
const (
	CloseUnknownOpcode        = 4001
	CloseDecodeError          = 4002
	CloseNotAuthenticated     = 4003
	CloseAuthenticationFailed = 4004
	CloseAlreadyAuthenticated = 4005
	CloseSessionInvalid       = 4006
	CloseSessionTimedOut      = 4009
	CloseServerNotFound       = 4011
	CloseUnknownProtocol      = 4012
	CloseDisconnected         = 4014
	CloseServerCrashed        = 4015
	CloseUnknownMode          = 4016
	CloseEncryptionRequired   = 4017
	CloseBadRequest           = 4020
	CloseRateLimited          = 4021
	CloseCallTerminated       = 4022
)

// resumable reports whether a session can be resumed after the code.
func resumable(code int) bool {
	return code == 0 || code == CloseServerCrashed || code > 1001 && code < 4000
}

// The encryption modes of the transport.
const (
	AES256GCM = "aead_aes256_gcm_rtpsize"
	XChaCha20 = "aead_xchacha20_poly1305_rtpsize"
)

// The flags of Speaking.
const (
	speakingMicrophone = 1 << 0
	speakingSoundshare = 1 << 1
	speakingPriority   = 1 << 2
)

// received is a client's message.
type received struct {
	Op *int            `json:"op"`
	D  json.RawMessage `json:"d"`
}

type identification struct {
	Server  string `json:"server_id"`
	User    string `json:"user_id"`
	Session string `json:"session_id"`
	Token   string `json:"token"`
	DAVE    *int   `json:"max_dave_protocol_version"`
}

type resumption struct {
	Server  string `json:"server_id"`
	Session string `json:"session_id"`
	Token   string `json:"token"`
	SeqAck  *int   `json:"seq_ack"`
}

type selection struct {
	Protocol string `json:"protocol"`
	Data     struct {
		Address string `json:"address"`
		Port    uint16 `json:"port"`
		Mode    string `json:"mode"`
	} `json:"data"`
}

type speaking struct {
	Speaking *int    `json:"speaking"`
	Delay    *int    `json:"delay,omitempty"`
	SSRC     *uint32 `json:"ssrc"`
	User     string  `json:"user_id,omitempty"`
}

func mustJSON(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // Only this package's values are marshalled.
	}
	return b
}
