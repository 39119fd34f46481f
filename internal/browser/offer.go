package browser

import (
	"errors"
	"fmt"
	"strings"

	"github.com/pion/sdp/v3"
)

// Bounds of an offer.
const (
	maxOffer      = 32 << 10 // bytes
	voiceSlots    = 4        // other players who are heard at once
	maxSections   = 2 + voiceSlots
	maxCandidates = 64
)

// checkOffer returns an error if an offer is not what a page of ours makes: one section
// of sound, some more that only receive, and one of data. What it says goes to the page.
func checkOffer(offer string) error {
	if offer == "" {
		return errors.New("the offer is missing")
	}
	if len(offer) > maxOffer {
		return fmt.Errorf("an offer may have %d bytes", maxOffer)
	}
	var d sdp.SessionDescription
	if err := d.UnmarshalString(offer); err != nil {
		return errors.New("the offer is no session description")
	}
	if len(d.MediaDescriptions) > maxSections {
		return fmt.Errorf("an offer has at most %d sections: sound, other players, and data", maxSections)
	}
	sounds, data, candidates := 0, 0, 0
	for _, m := range d.MediaDescriptions {
		for _, a := range m.Attributes {
			if a.Key == "candidate" {
				candidates++
			}
		}
		switch m.MediaName.Media {
		case "audio":
			if err := checkSound(m, sounds == 0); err != nil {
				return err
			}
			sounds++
		case "application":
			data++
		default:
			return errors.New("only sound and data are exchanged at this table")
		}
	}
	switch {
	case sounds == 0 || data != 1:
		return errors.New("an offer has at least one section of sound, and one of data")
	case candidates > maxCandidates:
		return fmt.Errorf("an offer has at most %d candidates", maxCandidates)
	}
	return nil
}

// checkSound checks a section of sound: the first may send, further ones only receive.
func checkSound(m *sdp.MediaDescription, first bool) error {
	direction := "sendrecv"
	opus := false
	for _, a := range m.Attributes {
		switch a.Key {
		case "sendrecv", "recvonly", "sendonly", "inactive":
			direction = a.Key
		case "rtpmap":
			opus = opus || strings.Contains(strings.ToLower(a.Value), " opus/48000")
		}
	}
	switch {
	case !opus:
		return errors.New("sound is exchanged as Opus at 48 kHz, which this browser does not offer")
	case first && (direction == "sendrecv" || direction == "recvonly"), direction == "recvonly":
		return nil
	case first:
		return errors.New("the first section of sound receives, and sends where there is a microphone")
	}
	return errors.New("only the first section of sound may send")
}
