package discord

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/bwmarrin/discordgo"
)

func TestErrorsNameNoAddress(t *testing.T) {
	request, err := http.NewRequest(http.MethodPost, "https://discord.com/api/v9/webhooks/7/secret", nil)
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name string
		err  error
		want string
	}{
		{"refused", &discordgo.RESTError{Request: request, Response: answered(403), Message: &discordgo.APIErrorMessage{Code: 50013, Message: "Missing Permissions"}}, "Missing Permissions (50013)"},
		{"without_a_message", &discordgo.RESTError{Request: request, Response: answered(404)}, "status 404"},
		{"wrong_token", &discordgo.RESTError{Request: request, Response: answered(401)}, ErrToken.Error()},
		{"unreachable", &http.MaxBytesError{}, "no connection to Discord"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := WithoutAddress(test.err).Error()
			if !strings.Contains(got, test.want) || strings.Contains(got, "secret") {
				t.Errorf("WithoutAddress = %q, want %q in it and no address", got, test.want)
			}
		})
	}
}

func answered(status int) *http.Response {
	return &http.Response{StatusCode: status, Status: http.StatusText(status), Header: http.Header{}, Body: io.NopCloser(strings.NewReader(""))}
}
