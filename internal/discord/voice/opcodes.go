package voice

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"time"

	"github.com/disgoorg/godave"
)

// replayed is how far back a sequence number may be to count as a repeated message.
const replayed = 1000

// handleMessage handles a gateway message. Invalid messages are counted and ignored.
func (s *session) handleMessage(ctx context.Context, l *link, in inbound) ending {
	m, err := parseMessage(in.isBinary, in.data)
	if err != nil {
		s.dropMessage(-1, err)
		return ending{}
	}
	if m.seq != noSeq {
		if behind := int16(uint16(m.seq) - uint16(s.seq)); s.seq != noSeq && behind <= 0 && behind > -replayed {
			return ending{} // already handled before the connection broke
		}
		s.seq = m.seq
	}
	switch m.op {
	case opExternalSender, opProposals, opAnnounceCommit, opWelcome:
		return s.handleEncryptionMessage(ctx, l, m, m.binary)
	case opPrepareTransition, opExecuteTransition, opPrepareEpoch:
		return s.handleEncryptionMessage(ctx, l, m, !m.binary)
	}
	if m.binary {
		return ending{}
	}
	e, err := s.handleJSON(ctx, l, m)
	if err != nil {
		s.dropMessage(m.op, err)
	}
	return e
}

// dropMessage counts a message that could not be handled. It does not log the content.
func (s *session) dropMessage(op int, err error) {
	s.c.count.badMessages.Add(1)
	s.c.opts.Logger.Debug("message of the voice gateway left out", "op", op, "error", err)
}

func (s *session) handleJSON(ctx context.Context, l *link, m message) (ending, error) {
	switch m.op {
	case opHello:
		interval, err := parseHello(m.data)
		if err == nil {
			l.interval = interval
			l.beat.Reset(interval)
		}
		return ending{}, err
	case opReady:
		return s.handleReady(ctx, m.data)
	case opSessionDescription:
		return s.handleDescription(ctx, l, m.data)
	case opResumed:
		return s.handleResumed(ctx, l), nil
	case opHeartbeatAck:
		s.handleHeartbeatAck(l, m.data)
	case opSpeaking:
		return ending{}, s.handleSpeaking(ctx, m.data)
	case opClientsConnect:
		return ending{}, s.handleClients(ctx, l, m.data)
	case opClientDisconnect:
		return ending{}, s.handleDisconnect(ctx, l, m.data)
	}
	return ending{}, nil
}

// handleEncryptionMessage passes a message to the encryption, if it has the right form.
func (s *session) handleEncryptionMessage(ctx context.Context, l *link, m message, rightForm bool) ending {
	err := errors.New("message of the encryption in the wrong form")
	if rightForm {
		err = s.dave.Receive(m.op, m.data)
	}
	if err != nil {
		s.dropMessage(m.op, err)
	}
	s.reportEncryption(ctx, l)
	return ending{}
}

// maySend reports whether sound can be sent: encrypted as the others expect, or because the bot is alone. It
// is safe for concurrent use.
func (s *session) maySend() bool {
	return s.dave.Ready() || s.met.Load() && len(s.roster.Load().users) == 0
}

// tick runs the encryption's due actions.
func (s *session) tick(ctx context.Context, l *link) {
	s.dave.Tick()
	s.reportEncryption(ctx, l)
}

// handleReady opens the UDP connection.
func (s *session) handleReady(ctx context.Context, data []byte) (ending, error) {
	if s.udp != nil {
		return ending{}, nil
	}
	r, err := parseReady(data)
	if err != nil {
		return ending{identify, err.Error()}, err
	}
	mode, ok := Choose(r.Modes)
	if !ok {
		return ending{fail, "Discord's voice server offers no encryption that this version knows; install a newer version of Glyphoxa"}, nil
	}
	udp, err := s.c.net.dialMedia(ctx, r.Addr)
	if err != nil {
		return ending{identify, fmt.Sprintf("the sound connection to Discord cannot be opened: %v", err)}, nil
	}
	s.ready, s.mode, s.udp = r, mode, udp
	rx := newReceiver(s, udp, r)
	s.media.Go(func() { rx.run(ctx) })
	return ending{}, nil
}

// selectProtocol sends the server the address of the bot's sound.
func (s *session) selectProtocol(ctx context.Context, l *link, own netip.AddrPort) ending {
	selected := selectedPath{own.Addr().String(), own.Port(), s.mode}
	if l.send(ctx, opSelectProtocol, selectData{"udp", selected}) != nil {
		return l.whyBroken(ctx)
	}
	return ending{}
}

// handleDescription sets the transport key. A second key replaces the first. The same key must not be set
// again, because its nonces have been used.
func (s *session) handleDescription(ctx context.Context, l *link, data []byte) (ending, error) {
	if s.udp == nil {
		return ending{}, fmt.Errorf("session description before there is a way for sound")
	}
	d, err := parseDescription(data)
	if err != nil {
		return ending{identify, err.Error()}, err
	}
	if old := s.transport.Load(); old == nil || old.mode != d.Mode || old.key != string(d.Key) {
		t := &transport{mode: d.Mode, key: string(d.Key)}
		if t.seal, err = NewSealer(d.Mode, d.Key); err == nil {
			t.open, err = NewOpener(d.Mode, d.Key)
		}
		if err != nil {
			return ending{identify, "Discord's voice server chose an encryption that the bot did not ask for"}, nil
		}
		s.transport.Store(t)
	}
	if !s.described || d.DAVE != s.chosen {
		s.chosen = d.DAVE
		s.dave.OnSelectProtocolAck(uint16(d.DAVE))
	}
	if !s.described {
		s.described = true
		l.company.Reset(companyTimeout)
		tx, err := newSender(s, s.udp, s.ready.SSRC)
		if err != nil {
			return ending{stop, "an NPC's voice cannot be sent: " + err.Error()}, nil
		}
		s.media.Go(func() { tx.run(ctx) })
	}
	s.reportEncryption(ctx, l)
	return ending{}, nil
}

// reportEncryption checks whether sound can be sent now, and reports how it is encrypted.
func (s *session) reportEncryption(ctx context.Context, l *link) {
	if !s.described {
		return
	}
	s.speaking.encryptionChanged()
	switch may := s.maySend(); {
	case !s.announced:
	case may:
		l.agree.Stop()
		l.agreeing = false
	case !l.agreeing:
		l.agree.Reset(agreeTimeout)
		l.agreeing = true
	}
	version := s.dave.State().Version
	if !s.maySend() || s.announced && version == s.version {
		return
	}
	first := !s.announced
	s.announced, s.version = true, version
	if first {
		l.limit.Stop()
	}
	s.sendNotice(ctx, notice{ready: first, event: Encryption{Version: version}})
}

func (s *session) handleResumed(ctx context.Context, l *link) ending {
	l.resuming = false
	l.limit.Stop()
	if !s.announced {
		l.limit.Reset(time.Until(s.readyBy))
	}
	s.resumedAt = time.Now()
	s.reportEncryption(ctx, l)
	s.c.count.resumed.Add(1)
	if s.speaking.on.Load() {
		return s.sendSpeaking(ctx, l)
	}
	return ending{}
}

func (s *session) handleHeartbeatAck(l *link, data []byte) {
	if !l.awaited {
		return
	}
	l.awaited = false
	var d struct {
		T json.Number `json:"t"`
	}
	if json.Unmarshal(data, &d) == nil && d.T.String() == fmt.Sprint(l.nonce) {
		s.c.count.gatewayRoundTrip.Store(int64(time.Since(l.sentAt)))
	}
}

func (s *session) handleSpeaking(ctx context.Context, data []byte) error {
	var d speakingData
	if err := json.Unmarshal(data, &d); err != nil {
		return err
	}
	if !isID(d.User) || d.User == s.c.opts.User {
		return fmt.Errorf("speaking of nobody")
	}
	next, err := s.roster.Load().withSource(d.User, d.SSRC, d.Speaking)
	if err != nil {
		return err
	}
	s.publishRoster(next)
	if d.Speaking&speakingSoundshare == 0 {
		s.sendNotice(ctx, notice{event: Speaking{User: d.User, On: d.Speaking&speakingMicrophone != 0}})
	}
	return nil
}

func (s *session) handleClients(ctx context.Context, l *link, data []byte) error {
	var d struct {
		Users []string `json:"user_ids"`
	}
	if err := json.Unmarshal(data, &d); err != nil {
		return err
	}
	for _, user := range d.Users {
		if !isID(user) || user == s.c.opts.User {
			continue
		}
		next, added := s.roster.Load().withUser(user)
		if !added {
			continue
		}
		s.publishRoster(next)
		s.dave.AddUser(godave.UserID(user))
		s.sendNotice(ctx, notice{event: UserJoined{User: user}})
	}
	s.reportEncryption(ctx, l)
	return nil
}

func (s *session) handleDisconnect(ctx context.Context, l *link, data []byte) error {
	var d struct {
		User string `json:"user_id"`
	}
	if err := json.Unmarshal(data, &d); err != nil {
		return err
	}
	if !isID(d.User) {
		return fmt.Errorf("nobody disconnected")
	}
	s.publishRoster(s.roster.Load().without(d.User))
	s.dave.RemoveUser(godave.UserID(d.User))
	s.sendNotice(ctx, notice{event: UserLeft{User: d.User}})
	s.reportEncryption(ctx, l)
	return nil
}

// publishRoster makes a new roster visible to the receiver.
func (s *session) publishRoster(r *roster) {
	s.roster.Store(r)
	if s.udp != nil {
		_ = s.udp.SetReadDeadline(time.Now()) // wakes the receiver; a closed socket needs no wake-up
	}
}

// sendOutbox sends the encryption's messages.
func (s *session) sendOutbox(ctx context.Context, l *link) ending {
	messages, overflow := s.outbox.drain()
	if overflow {
		return ending{identify, "Discord did not accept all messages of the end-to-end encryption"}
	}
	if s.dave.State().Failed {
		return ending{identify, "the bot and the others in the voice channel could not agree on an end-to-end encryption"}
	}
	for i, m := range messages {
		var err error
		if m.binary {
			err = l.write(ctx, true, append([]byte{byte(m.op)}, m.data...))
		} else {
			err = l.send(ctx, m.op, json.RawMessage(m.data))
		}
		if err != nil {
			s.outbox.requeue(messages[i:])
			return l.whyBroken(ctx)
		}
		if m.op == opInvalidCommit {
			s.sendNotice(ctx, notice{event: EncryptionFailed{Reason: "the end-to-end encryption broke and is agreed on anew"}})
		}
	}
	return ending{}
}

// sendSpeaking tells the server whether the bot speaks.
func (s *session) sendSpeaking(ctx context.Context, l *link) ending {
	bits := 0
	if s.speaking.on.Load() {
		bits = speakingMicrophone
	}
	if l.send(ctx, opSpeaking, speakingData{Speaking: bits, SSRC: s.ready.SSRC}) != nil {
		return l.whyBroken(ctx)
	}
	s.speaking.acknowledge()
	return ending{}
}
