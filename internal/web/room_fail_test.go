package web

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestErrorsOfThisSideAreForTheLog: an internal error names files, so a guest must not read it.
func TestErrorsOfThisSideAreForTheLog(t *testing.T) {
	var log bytes.Buffer
	r := &Room{o: RoomOptions{Logger: slog.New(slog.NewTextHandler(&log, nil))}}
	for _, row := range []struct {
		err    error
		status int
		told   string
	}{
		{errors.New("open /home/dm/game.yaml: denied"), 500, "Something went wrong"},
		{fmt.Errorf("joining: %w", errInvite), 403, "a new one"},
	} {
		w := httptest.NewRecorder()
		r.fail(w, row.err)
		if got := w.Body.String(); w.Code != row.status || !strings.Contains(got, row.told) || strings.Contains(got, "/home") {
			t.Errorf("%v is told as %d %s", row.err, w.Code, got)
		}
	}
	if !strings.Contains(log.String(), "/home/dm/game.yaml") {
		t.Errorf("the log has %s", log.String())
	}
}
