package discord

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/bwmarrin/discordgo"
)

func TestFatal(t *testing.T) {
	tests := []struct {
		name string
		code int
		want error
		stop bool
	}{
		{name: "token", code: 4004, want: ErrToken, stop: true},
		{name: "intents", code: 4014, want: ErrIntents, stop: true},
		{name: "version", code: 4012, stop: true},
		{name: "unknown_error", code: 4000},
		{name: "session_timed_out", code: 4009},
		{name: "no_code", code: 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			err := fatal(test.code)
			if (err != nil) != test.stop || test.want != nil && !errors.Is(err, test.want) {
				t.Errorf("fatal(%d) = %v, want %v, an error: %t", test.code, err, test.want, test.stop)
			}
		})
	}
}

func TestPlainNamesNoAddress(t *testing.T) {
	request, err := http.NewRequest(http.MethodPost, "https://discord.com/api/v9/webhooks/7/secret", nil)
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name string
		err  error
		want string
	}{
		{"refused", &discordgo.RESTError{Request: request, Response: reply(403, ""), Message: &discordgo.APIErrorMessage{Code: 50013, Message: "Missing Permissions"}}, "Missing Permissions (50013)"},
		{"without_a_message", &discordgo.RESTError{Request: request, Response: reply(404, "")}, "status 404"},
		{"wrong_token", &discordgo.RESTError{Request: request, Response: reply(401, "")}, ErrToken.Error()},
		{"unreachable", &http.MaxBytesError{}, "no connection to Discord"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := plain(test.err).Error()
			if !strings.Contains(got, test.want) || strings.Contains(got, "secret") {
				t.Errorf("plain = %q, want %q in it and no address", got, test.want)
			}
		})
	}
}

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
