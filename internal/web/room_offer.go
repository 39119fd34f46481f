package web

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/pion/ice/v4"
	"github.com/pion/sdp/v3"
)

// Limits of an offer.
const (
	maxOffer       = 32 << 10 // bytes
	voiceSlots     = 4        // other players heard at once
	maxSections    = 2 + voiceSlots
	maxCandidates  = 64 // in the offer
	keptCandidates = 8  // used for connectivity checks
	maxNamed       = 2  // sound sources
	lowestPort     = 1024
)

// offer is a page's offer, as far as the table accepts it.
type offer struct {
	sdp.SessionDescription
	sources []uint32 // named sound sources
}

// readOffer parses an offer. It returns an error unless the offer is like our page's: one section of sound,
// some more that only receive, and one of data. The page shows the error.
func readOffer(text string) (*offer, error) {
	if text == "" {
		return nil, errors.New("the offer is missing")
	}
	if len(text) > maxOffer {
		return nil, fmt.Errorf("an offer may have %d bytes", maxOffer)
	}
	var o offer
	if err := o.UnmarshalString(text); err != nil {
		return nil, errors.New("the offer is not a session description")
	}
	if len(o.MediaDescriptions) > maxSections {
		return nil, fmt.Errorf("an offer has at most %d sections: sound, other players, and data", maxSections)
	}
	sounds, data, candidates := 0, 0, 0
	for _, m := range o.MediaDescriptions {
		for _, a := range m.Attributes {
			switch a.Key {
			case "candidate":
				candidates++
			case "rid", "simulcast":
				return nil, errors.New("sound comes in one quality at this table")
			case "ssrc":
				if err := o.nameSource(a.Value); err != nil {
					return nil, err
				}
			}
		}
		switch m.MediaName.Media {
		case "audio":
			if err := checkSound(m, sounds == 0); err != nil {
				return nil, err
			}
			sounds++
		case "application":
			data++
		default:
			return nil, errors.New("only sound and data are exchanged at this table")
		}
	}
	switch {
	case sounds == 0 || data != 1:
		return nil, errors.New("an offer has at least one section of sound, and one of data")
	case candidates > maxCandidates:
		return nil, fmt.Errorf("an offer has at most %d candidates", maxCandidates)
	}
	return &o, nil
}

// nameSource records the source in an attribute of the offer.
func (o *offer) nameSource(attribute string) error {
	number, _, _ := strings.Cut(attribute, " ")
	source, err := strconv.ParseUint(number, 10, 32)
	if err != nil {
		return errors.New("the offer names a source of sound that is not a number")
	}
	if !slices.Contains(o.sources, uint32(source)) {
		o.sources = append(o.sources, uint32(source))
	}
	if len(o.sources) > maxNamed {
		return fmt.Errorf("an offer names at most %d sources of sound", maxNamed)
	}
	return nil
}

// filterCandidates keeps only the candidates at the guest's own address, from which the offer came. This
// machine sends checks to each candidate, so otherwise an offer could direct them at others. A guest behind a
// router or relay is found by the checks that its browser sends, and so is a guest on this machine.
func (o *offer) filterCandidates(own netip.Addr) {
	kept := 0
	isForeign := func(a sdp.Attribute) bool {
		switch {
		case a.Key == "remote-candidates":
			return true
		case a.Key != "candidate":
			return false
		}
		if kept == keptCandidates || !isAt(a.Value, own) {
			return true
		}
		kept++
		return false
	}
	o.Attributes = slices.DeleteFunc(o.Attributes, isForeign)
	for _, m := range o.MediaDescriptions {
		m.Attributes = slices.DeleteFunc(m.Attributes, isForeign)
	}
}

// isAt reports whether a candidate is a UDP port at the address own, and whether a guest can be there.
func isAt(candidate string, own netip.Addr) bool {
	own = own.Unmap().WithZone("")
	if !own.IsValid() || own.IsLoopback() || own.IsUnspecified() || own.IsMulticast() || own.IsLinkLocalUnicast() {
		return false
	}
	c, err := ice.UnmarshalCandidate(candidate)
	if err != nil || !c.NetworkType().IsUDP() || c.Port() < lowestPort {
		return false
	}
	at, err := netip.ParseAddr(c.Address()) // host names are not allowed
	return err == nil && at.Unmap().WithZone("") == own
}

// checkSound checks a section of sound: only the first may send.
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
