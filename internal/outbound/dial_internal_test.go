package outbound

import (
	"errors"
	"testing"
)

// TestMetadataByName refuses a name that resolves to a cloud's metadata service, even
// where private addresses are permitted: only the literal address in the configuration
// may reach it.
func TestMetadataByName(t *testing.T) {
	for _, row := range []struct {
		name, address string
		to            reach
		refused       bool
	}{
		{"a_name", "169.254.169.254:80", reach{private: true}, true},
		{"a_name_in_ipv6", "[fd00:ec2::254]:80", reach{private: true}, true},
		{"written", "169.254.169.254:80", reach{private: true, literal: true}, false},
		{"a_machine_of_the_network", "192.168.1.7:11434", reach{private: true}, false},
		{"no_address", "nothing", reach{private: true, literal: true}, true},
		{"the_open_network", "93.184.216.34:443", reach{}, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			if err := row.to.check(row.address); (err != nil) != row.refused || row.refused && row.name != "no_address" && !errors.Is(err, ErrPrivate) {
				t.Errorf("check(%s) = %v, want refused: %t", row.address, err, row.refused)
			}
		})
	}
}
