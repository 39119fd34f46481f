package config

import (
	"fmt"
	"net/netip"

	"github.com/MrWong99/glyphoxa/internal/userfile"
)

// Browser configures the web table, with which players join in a browser.
type Browser struct {
	// Enabled makes glyphoxa run serve the table. For glyphoxa play, use --browser.
	Enabled bool `yaml:"enabled" json:"enabled" doc:"Whether glyphoxa run lets players join in a browser; glyphoxa play does with --browser."`
	// MaxGuests is the maximum number of guests at a table. Default 12.
	MaxGuests int `yaml:"max_guests" json:"max_guests" min:"1" max:"100" doc:"Maximum number of players who join in a browser at the same time."`
	// ICEServers are the ICE servers that browsers use. Default none.
	ICEServers []ICEServer `yaml:"ice_servers" json:"ice_servers" doc:"STUN and TURN servers through which browsers reach the table from other networks."`
	// UDPPort is the single port for audio. If zero, each guest has a port of their own.
	UDPPort int `yaml:"udp_port" json:"udp_port" min:"0" max:"65535" doc:"One UDP port for the sound of all players; with 0, each player has a port."`
	// UDPMinPort and UDPMaxPort are the range of those ports. If zero, the system chooses them.
	UDPMinPort int `yaml:"udp_min_port" json:"udp_min_port" min:"0" max:"65535" doc:"First UDP port of a range in which each player gets a port."`
	UDPMaxPort int `yaml:"udp_max_port" json:"udp_max_port" min:"0" max:"65535" doc:"Last UDP port of that range."`
	// PublicAddresses replace the machine's own addresses.
	PublicAddresses []string `yaml:"public_addresses" json:"public_addresses" format:"network" doc:"IP addresses at which browsers reach this machine, if it is behind a router that forwards the ports."`
}

// ICEServer is a STUN or TURN server.
type ICEServer struct {
	URLs       []string `yaml:"urls" json:"urls" required:"true" doc:"Its addresses, such as stun:stun.example.com:3478 or turn:turn.example.com:3478."`
	Username   string   `yaml:"username" json:"username" doc:"User name for a TURN server. Everyone with an invite can see it."`
	Credential Secret   `yaml:"credential" json:"credential" doc:"Password for a TURN server. Everyone with an invite can see it, so use one that opens nothing else."`
}

// Format prints the server without its password.
func (s ICEServer) Format(f fmt.State, verb rune) {
	type plain ICEServer
	_, _ = fmt.Fprintf(f, fmt.FormatString(f, verb), plain(s))
}

// checkBrowser checks that browsers can reach the table with these settings.
func checkBrowser(l *loader) {
	b, root := &l.cfg.Browser, userfile.Path("browser")
	switch {
	case b.UDPPort != 0 && (b.UDPMinPort != 0 || b.UDPMaxPort != 0):
		l.main.AddProblem(root.Key("udp_port"), "is one port for all, and udp_min_port and udp_max_port are one for each", "keep one or the other")
	case (b.UDPMinPort == 0) != (b.UDPMaxPort == 0), b.UDPMinPort > b.UDPMaxPort:
		l.main.AddProblem(root.Key("udp_min_port"), "and udp_max_port are not a range", "give both, the lower one first, such as 50000 and 50100")
	}
	for i, text := range b.PublicAddresses {
		if _, err := netip.ParseAddr(text); err != nil {
			l.main.AddProblem(root.Key("public_addresses").Item(i), fmt.Sprintf("%q is not the address of a machine", text), "write an IP address, such as 203.0.113.7")
		}
	}
}
