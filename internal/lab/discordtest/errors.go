package discordtest

import (
	"fmt"
	"net/http"
	"strings"
)

// apiError is an error in Discord's JSON format.
type apiError struct {
	status  int
	Code    int            `json:"code"`
	Message string         `json:"message"`
	Errors  map[string]any `json:"errors,omitempty"`
}

func (e *apiError) Error() string { return fmt.Sprintf("%d: %s", e.Code, e.Message) }

func notFound(code int, what string) *apiError {
	return &apiError{status: http.StatusNotFound, Code: code, Message: "Unknown " + what}
}

func forbidden(code int, message string) *apiError {
	return &apiError{status: http.StatusForbidden, Code: code, Message: message}
}

func bad(code int, message string) *apiError {
	return &apiError{status: http.StatusBadRequest, Code: code, Message: message}
}

// The errors that several routes return.
var (
	errNotJSON            = bad(50109, "The request body contains invalid JSON.")
	errUnknownApplication = notFound(10002, "Application")
	errUnknownChannel     = notFound(10003, "Channel")
	errUnknownGuild       = notFound(10004, "Guild")
	errUnknownMember      = notFound(10007, "Member")
	errUnknownMessage     = notFound(10008, "Message")
	errUnknownUser        = notFound(10013, "User")
	errUnknownWebhook     = notFound(10015, "Webhook")
	errUnknownInteraction = notFound(10062, "interaction")
	errUnknownCommand     = notFound(10063, "application command")
	errMissingAccess      = forbidden(50001, "Missing Access")
	errMissingPermissions = forbidden(50013, "Missing Permissions")
	errNotAuthor          = forbidden(50005, "Cannot edit a message authored by another user")
	errWebhookToken       = &apiError{status: http.StatusUnauthorized, Code: 50027, Message: "Invalid Webhook Token"}
	errEmptyMessage       = bad(50006, "Cannot send an empty message")
	errWrongChannelType   = bad(50024, "Cannot execute action on this channel type")
	errAcknowledged       = bad(40060, "Interaction has already been acknowledged.")
	errTooManyWebhooks    = bad(30007, "Maximum number of webhooks reached (15)")
	errTooLarge           = &apiError{status: http.StatusRequestEntityTooLarge, Code: 40005, Message: "Request entity too large"}
)

// formError collects the errors of a body, by field path.
type formError struct{ errors map[string]any }

// add records an error at a path such as "embeds.0.title".
func (f *formError) add(path, code, format string, args ...any) {
	if f.errors == nil {
		f.errors = map[string]any{}
	}
	at := f.errors
	for part := range strings.SplitSeq(path, ".") {
		next, _ := at[part].(map[string]any)
		if next == nil {
			next = map[string]any{}
			at[part] = next
		}
		at = next
	}
	list, _ := at["_errors"].([]any)
	at["_errors"] = append(list, map[string]any{"code": code, "message": fmt.Sprintf(format, args...)})
}

// length records an error for a text that is not between least and most
// characters long.
func (f *formError) length(path, text string, least, most int) {
	switch n := len([]rune(text)); {
	case n == 0 && least > 0:
		f.add(path, "BASE_TYPE_REQUIRED", "This field is required")
	case n > most && least == 0:
		f.add(path, "BASE_TYPE_MAX_LENGTH", "Must be %d or fewer in length.", most)
	case n < least || n > most:
		f.add(path, "BASE_TYPE_BAD_LENGTH", "Must be between %d and %d in length.", least, most)
	}
}

// err returns the error of the whole body, or nil.
func (f *formError) err() error {
	if f.errors == nil {
		return nil
	}
	return &apiError{status: http.StatusBadRequest, Code: 50035, Message: "Invalid Form Body", Errors: f.errors}
}
