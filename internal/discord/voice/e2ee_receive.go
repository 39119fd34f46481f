package voice

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
)

// Opcodes of the voice gateway for the encryption.
const (
	OpPrepareTransition = 21
	OpExecuteTransition = 22
	OpTransitionReady   = 23
	OpPrepareEpoch      = 24
	OpExternalSender    = 25
	OpKeyPackage        = 26
	OpProposals         = 27
	OpCommitWelcome     = 28
	OpAnnounceCommit    = 29
	OpWelcome           = 30
	OpInvalidCommit     = 31
)

// Receive handles a message of the voice gateway: for 21, 22 and 24 the JSON of "d", for 25, 27, 29 and 30
// the bytes after the opcode of a binary frame. It returns an error for an unreadable message, which it
// ignores.
func (s *Group) Receive(op int, data []byte) error {
	switch op {
	case OpPrepareTransition, OpExecuteTransition, OpPrepareEpoch:
		return s.receiveJSON(op, data)
	case OpExternalSender:
		s.OnDaveMLSExternalSenderPackage(data)
	case OpProposals:
		s.OnDaveMLSProposals(data)
	case OpAnnounceCommit, OpWelcome:
		if len(data) < 2 {
			return fmt.Errorf("reading op %d: it is cut off", op)
		}
		id, message := binary.BigEndian.Uint16(data), data[2:]
		if op == OpAnnounceCommit {
			s.OnDaveMLSPrepareCommitTransition(id, message)
		} else {
			s.OnDaveMLSWelcome(id, message)
		}
	default:
		return fmt.Errorf("op %d is not the encryption's", op)
	}
	return nil
}

func (s *Group) receiveJSON(op int, data []byte) error {
	var d struct {
		Transition *uint16 `json:"transition_id"`
		Version    *uint16 `json:"protocol_version"`
		Epoch      *int    `json:"epoch"`
	}
	if err := json.Unmarshal(data, &d); err != nil {
		return fmt.Errorf("reading op %d: %w", op, err)
	}
	missing := errors.New("a field is missing")
	switch {
	case op == OpPrepareTransition && d.Transition != nil && d.Version != nil:
		s.OnDavePrepareTransition(*d.Transition, min(*d.Version, DAVEVersion))
	case op == OpExecuteTransition && d.Transition != nil:
		s.OnDaveExecuteTransition(*d.Transition)
	case op == OpPrepareEpoch && d.Epoch != nil && d.Version != nil:
		s.OnDavePrepareEpoch(*d.Epoch, min(*d.Version, DAVEVersion))
	default:
		return fmt.Errorf("reading op %d: %w", op, missing)
	}
	return nil
}
