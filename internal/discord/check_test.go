package discord

import "testing"

func TestTokenShape(t *testing.T) {
	tests := []struct {
		name, token string
		want        bool
	}{
		{"bot_token", "MTIzNDU2Nzg5MDEyMzQ1Njc4.GAbCdE.abcdefghijklmnopqrstuvwxyz", true},
		{"client_secret", "abcdefghijklmnopqrstuvwxyz012345", false},
		{"first_part_is_no_id", "aGVsbG8.GAbCdE.abcdef", false},
		{"cut_off", "MTIzNDU2Nzg5MDEyMzQ1Njc4.GAbCdE.", false},
		{"empty", "", false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := tokenShape(test.token); got != test.want {
				t.Errorf("tokenShape(%q) = %t, want %t", test.token, got, test.want)
			}
		})
	}
}
