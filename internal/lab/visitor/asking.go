package visitor

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"github.com/pion/webrtc/v4"

	"github.com/MrWong99/glyphoxa/internal/outbound"
)

// client returns an HTTP client for the table only, which may be on this
// machine.
func client(table string) *http.Client {
	return outbound.Client(nil, outbound.Policy{Home: table, Private: true, MaxBody: 1 << 20})
}

// relay asks the table for its TURN servers, the only way to reach the visitor.
func relay(ctx context.Context, o Options) (webrtc.Configuration, error) {
	way := webrtc.Configuration{ICETransportPolicy: webrtc.ICETransportPolicyRelay}
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, o.Table+"ice", nil)
	if err != nil {
		return way, err
	}
	q.Header.Set("X-Table-Invite", o.Invite)
	c := client(o.Table)
	defer c.CloseIdleConnections() // because nothing uses this client again
	res, err := c.Do(q)
	if err != nil {
		return way, err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return way, &Refused{res.StatusCode, "asking which servers there are"}
	}
	var told struct {
		Servers []struct {
			URLs                 []string
			Username, Credential string
		} `json:"iceServers"`
	}
	if err := json.NewDecoder(io.LimitReader(res.Body, 1<<20)).Decode(&told); err != nil {
		return way, fmt.Errorf("reading which servers there are: %w", err)
	}
	for _, s := range told.Servers {
		way.ICEServers = append(way.ICEServers, webrtc.ICEServer{URLs: s.URLs, Username: s.Username, Credential: s.Credential})
	}
	return way, nil
}

// ask sends the offer.
func (v *Visitor) ask(ctx context.Context, o Options, offer string) error {
	if o.Offer != nil {
		offer = o.Offer(offer)
	}
	body, err := json.Marshal(map[string]any{"invite": o.Invite, "name": o.Name, "consent": !o.Withhold, "offer": offer, "seat": o.Seat})
	if err != nil {
		return err
	}
	return Post(ctx, o.Table+"join", body, &v.Joined)
}

// Post sends a body and decodes the answer into out. A refusal is a *Refused.
func Post(ctx context.Context, url string, body []byte, out any) error {
	q, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	q.Header.Set("Content-Type", "application/json")
	c := client(url)
	defer c.CloseIdleConnections() // because nothing uses this client again
	res, err := c.Do(q)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(res.Body, 1<<20))
	if err != nil {
		return err
	}
	if res.StatusCode != http.StatusOK {
		var told struct{ Error string }
		_ = json.Unmarshal(raw, &told) // an answer that is not JSON has no text
		return &Refused{res.StatusCode, told.Error}
	}
	return json.Unmarshal(raw, out)
}
