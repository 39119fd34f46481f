package discordtest

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// FuzzReceive sends the gateway payloads that no client should send: it closes
// the connection or continues, and its queue contains only JSON.
func FuzzReceive(f *testing.F) {
	for _, seed := range []string{
		`{"op":1,"d":null}`, `{"op":2,"d":{"token":"t","intents":513,"properties":{"os":"x"},"shard":[0,1]}}`,
		`{"op":6,"d":{"token":"t","session_id":"x","seq":3}}`, `{"op":4,"d":{"guild_id":"1","channel_id":null}}`,
		`{"op":8,"d":{"guild_id":["1"],"query":"","limit":0}}`, `{"op":3}`, `[]`, `{`, `{"op":2,"d":{"shard":[-1,0],"intents":0}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s := newServer(&Options{Token: "t"})
		defer s.Close()
		guild := s.AddGuild("Waterdeep")
		data = bytes.ReplaceAll(data, []byte(`"1"`), []byte(`"`+guild+`"`))
		c := &conn{s: s, control: make(chan []byte, controlQueue), wake: make(chan struct{}, 1), bye: make(chan farewell, 1), record: &Connection{Version: 10}, beat: time.Now()}
		for range 2 {
			c.receive(data)
		}
		c.receive([]byte(`{"op":2,"d":{"token":"t","intents":33281,"properties":{"os":"x"}}}`))
		c.receive(data)
		if c.session != nil {
			for _, p := range c.session.log {
				if !json.Valid(p) {
					t.Errorf("event %q is no JSON", p)
				}
			}
		}
	})
}

// FuzzBody posts bodies to the routes that parse most of them. Discord answers
// invalid bodies with 4xx.
func FuzzBody(f *testing.F) {
	for _, seed := range []string{
		`{"content":"hi","embeds":[{"title":"x","fields":[{"name":"a","value":"b"}]}],"flags":64}`,
		`{"content":null,"components":[{"type":1,"components":[{"type":2,"style":1,"label":"x","custom_id":"y"}]}]}`,
		`{"type":9,"data":{"custom_id":"x","title":"y"}}`, `{"type":4,"data":{"content":"x","allowed_mentions":{"parse":["users"]}}}`,
		`[{"name":"npc","description":"x","options":[{"type":1,"name":"say","description":"x"}]}]`, `{"message_reference":{"message_id":"1"}}`,
		`{"name":"npc","description":"x","options":[null]}`, `{"attachments":[{"id":0}],"content":"x"}`, `[null]`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s := newServer(nil)
		defer s.Close()
		h := s.handler()
		guild := s.AddGuild("Waterdeep")
		channel, user := s.AddChannel(guild, "tavern"), s.AddMember(guild, "Alice")
		post := func(method, path string, body []byte) *httptest.ResponseRecorder {
			r := httptest.NewRequestWithContext(t.Context(), method, "/api/v10"+path, bytes.NewReader(body))
			r.Header.Set("Authorization", "Bot "+s.Token())
			r.Header.Set("Content-Type", "application/json")
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			return w
		}
		post(http.MethodPut, "/applications/"+s.ApplicationID()+"/commands", []byte(`[{"name":"form","description":"x"}]`))
		var w webhook
		if err := json.Unmarshal(post(http.MethodPost, "/channels/"+channel+"/webhooks", []byte(`{"name":"Bart"}`)).Body.Bytes(), &w); err != nil {
			t.Fatal(err)
		}
		i, err := s.Command(user, channel, "form")
		if err != nil {
			t.Fatal(err)
		}
		for _, to := range [][2]string{
			{"POST", "/channels/" + channel + "/messages"}, {"POST", "/channels/" + channel + "/threads"},
			{"POST", "/channels/" + channel + "/webhooks"}, {"POST", "/webhooks/" + w.ID + "/" + w.Token},
			{"POST", "/interactions/" + i.ID + "/" + i.token + "/callback"}, {"POST", "/webhooks/" + s.ApplicationID() + "/" + i.token},
			{"PATCH", "/webhooks/" + s.ApplicationID() + "/" + i.token + "/messages/@original"},
			{"PUT", "/applications/" + s.ApplicationID() + "/commands"}, {"POST", "/applications/" + s.ApplicationID() + "/commands"},
		} {
			if got := post(to[0], to[1], data); got.Code >= 500 {
				t.Errorf("%s %s with %q: %d %s", to[0], to[1], data, got.Code, got.Body)
			}
		}
	})
}
