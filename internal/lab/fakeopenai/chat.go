package fakeopenai

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"time"
)

func (s *Server) chat(w http.ResponseWriter, r *http.Request, rec *Request) {
	var c Chat
	if err := json.Unmarshal(rec.Body, &c); err != nil {
		refuse(w, http.StatusBadRequest, "invalid_request_error", "", "Invalid type in the request body: "+err.Error())
		return
	}
	why := c.check()
	if why == "" && c.StreamOptions != nil && s.opts.RefuseStreamOptions {
		why = "Unrecognized request argument supplied: stream_options"
	}
	if why != "" {
		refuse(w, http.StatusBadRequest, "invalid_request_error", "", why)
		return
	}
	if !s.serves(c.Model) {
		refuseModel(w, c.Model)
		return
	}
	resp := s.script(*rec)
	switch {
	case resp.Status >= http.StatusBadRequest:
		resp.refuse(w, rec.Key)
	case c.Stream:
		s.stream(w, r, rec, resp)
	default:
		answer(w, http.StatusOK, resp.whole(rec))
	}
}

func (r Response) refuse(w http.ResponseWriter, key string) {
	if r.RetryAfter != "" {
		w.Header().Set("Retry-After", r.RetryAfter)
	}
	message := r.Message
	if r.EchoKey {
		message += " (key " + key + ")"
	}
	if r.PlainBody {
		http.Error(w, message, r.Status)
		return
	}
	kind := "invalid_request_error"
	if r.Status >= http.StatusInternalServerError {
		kind = "server_error"
	}
	refuse(w, r.Status, kind, r.Code, message)
}

// stream plays the events of resp.
func (s *Server) stream(w http.ResponseWriter, r *http.Request, rec *Request, resp Response) {
	if resp.CutAfter < 0 {
		cut()
	}
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	w.Header().Set("Cache-Control", "no-cache")
	w.WriteHeader(http.StatusOK)
	// Writes to a disconnected client fail silently; the next wait sees it in
	// the request's context.
	flush := http.NewResponseController(w)
	_ = flush.Flush()
	for i, line := range resp.lines(rec) {
		pause := resp.Delay
		if i == 0 {
			pause = resp.First
		}
		if !s.wait(r.Context(), pause) {
			s.noteAbort()
			return
		}
		_, _ = io.WriteString(w, line+"\n\n")
		_ = flush.Flush()
		switch sent := i + 1; {
		case resp.CutAfter > 0 && sent >= resp.CutAfter:
			cut()
		case resp.FailAfter > 0 && sent >= resp.FailAfter:
			_, _ = io.WriteString(w, failureLine+"\n\n")
			return
		}
	}
	if resp.Hang {
		s.waitForever(r.Context())
		s.noteAbort()
	}
}

// failureLine is how the protocol reports a failure within a stream.
const failureLine = `data: {"error":{"message":"The server had an error while processing your request.","type":"server_error","param":null,"code":null}}`

// cut drops the connection during the answer, in the way net/http documents.
func cut() { panic(http.ErrAbortHandler) }

// wait pauses between two events and reports whether to continue.
func (s *Server) wait(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
	case <-s.stopping:
	}
	return false
}

// waitForever returns when the client leaves or the server closes.
func (s *Server) waitForever(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-s.stopping:
	}
}
