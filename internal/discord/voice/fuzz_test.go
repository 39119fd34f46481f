package voice

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// FuzzParse parses any gateway message: nothing panics, and accepted values are within bounds.
func FuzzParse(f *testing.F) {
	for _, text := range []string{
		`{"op":8,"d":{"heartbeat_interval":13750.5}}`, `{"op":2,"d":{"ssrc":1,"ip":"127.0.0.1","port":1,"modes":["aead_aes256_gcm_rtpsize"]}}`,
		`{"op":4,"d":{"mode":"x","secret_key":[1,2],"dave_protocol_version":1}}`, `{"op":5,"seq":3,"d":{"speaking":1,"ssrc":2,"user_id":"3"}}`,
		`{"op":8,"d":{"heartbeat_interval":1e400}}`, `{"op":null}`, `[]`, `{"op":6,"d":{"t":12}}`,
	} {
		f.Add(false, []byte(text))
	}
	f.Add(true, []byte{0, 1, opProposals, 1, 2, 3})
	f.Add(true, []byte{0})
	f.Fuzz(func(t *testing.T, isBinary bool, data []byte) {
		m, err := parseMessage(isBinary, data)
		if err != nil {
			return
		}
		if m.seq < noSeq || isBinary && m.seq > 0xffff {
			t.Errorf("sequence %d", m.seq)
		}
		if d, err := parseHello(m.data); err == nil && (d < minHeartbeat || d > maxHeartbeat) {
			t.Errorf("heartbeat interval %v", d)
		}
		if r, err := parseReady(m.data); err == nil && (!r.Addr.IsValid() || r.Addr.Port() == 0) {
			t.Errorf("address %v", r.Addr)
		}
		if d, err := parseDescription(m.data); err == nil && (len(d.Key) != KeySize || d.DAVE < 0 || d.DAVE > 1) {
			t.Errorf("description with a key of %d bytes, version %d", len(d.Key), d.DAVE)
		}
	})
}

// FuzzSession sends an encrypted session anything over the gateway and UDP: it neither panics
// nor stalls, and stops on request.
func FuzzSession(f *testing.F) {
	f.Add([]byte(`{"op":5,"d":{"speaking":1,"ssrc":2,"user_id":"3"}}`), []byte{0, 1, opExternalSender, 4}, []byte{0x90, 0x78, 0, 1, 2, 3})
	f.Add([]byte(`{"op":11,"d":{"user_ids":["1","2","x"]}}`), []byte{0, 9, opProposals, 0, 1, 1}, make([]byte, DiscoverySize))
	f.Add([]byte(`{"op":24,"d":{"protocol_version":1,"epoch":1}}`), []byte{0, 9, opWelcome, 0, 1, 1}, []byte{0x80, 0x78})
	f.Add([]byte(`{"op":21,"d":{"protocol_version":0,"transition_id":0}}`), []byte{0, 9, opAnnounceCommit, 0, 1, 1}, []byte{})
	f.Add([]byte(`{"op":2,"d":{}}`), []byte{1}, []byte("keepaliv"))
	f.Add([]byte(`{"op":4,"d":{"mode":"aead_aes256_gcm_rtpsize","secret_key":[],"dave_protocol_version":9}}`), []byte{}, []byte{0xff})
	f.Fuzz(func(t *testing.T, text, binary, datagram []byte) {
		if len(datagram) > maxDatagram {
			return
		}
		synctest.Test(t, func(t *testing.T) {
			tb := newTable(t, func(tb *table) { tb.dave = 1 })
			defer func() {
				tb.stop()
				<-tb.ended
			}()
			tb.net.alive = true
			g, m := tb.connect()
			for range 2 {
				g.toBot <- inbound{data: text}
				g.toBot <- inbound{isBinary: true, data: binary}
				m.toBot <- datagram
				if seal, err := NewSealer(tb.mode(), tb.key); err == nil {
					if p, err := seal.Seal(nil, Header{PayloadType: PayloadType, SSRC: 2, Sequence: 3}, datagram); err == nil {
						m.toBot <- p
					}
				}
				time.Sleep(400 * time.Millisecond)
			}
			if err := tb.c.Write(t.Context(), frame()); err != nil && tb.c.Stats().Connected {
				t.Errorf("Write = %v", err)
			}
			select {
			case <-g.gone: // also a valid reaction
			default:
				g.say(opClientsConnect, map[string]any{"user_ids": []string{"77777777777777777777"}})
				synctest.Wait()
				if _, events, _ := tb.take(); !slices.Contains(names(events), "UserJoined {User:77777777777777777777}") {
					t.Errorf("the session stands still: %v", names(events))
				}
			}
		})
	})
}
