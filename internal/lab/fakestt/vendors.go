package fakestt

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/MrWong99/glyphoxa/internal/lab/fakesocket"
)

// segmentSamples is the length of sound after which Deepgram's protocol
// finalizes a segment (3 s).
const segmentSamples = 3 * Rate

// deepgram speaks Deepgram's protocol.
func (s *Server) deepgram(ctx context.Context, c *session) {
	d := &deepgram{session: c}
	if s.script.Understand != nil {
		d.understand(ctx)
		return
	}
	for {
		m, ok := c.Receive(ctx)
		if !ok {
			return
		}
		if m.Binary {
			if !d.sound(len(m.Data) / 2) {
				return
			}
			continue
		}
		var control struct {
			Type string `json:"type"`
		}
		if json.Unmarshal(m.Data, &control) != nil {
			c.Send(object{"type": "Error", "description": "Could not parse a control message"})
			return
		}
		switch control.Type {
		case "KeepAlive":
			s.mu.Lock()
			s.kept++
			s.mu.Unlock()
		case "Finalize":
			if !d.finalize(ctx) {
				return
			}
		case "CloseStream":
			c.Send(object{"type": "Metadata", "request_id": "1", "duration": seconds(d.total)})
			c.Close(1000, "")
			return
		}
	}
}

// deepgram is the state of one connection.
type deepgram struct {
	*session
	total     int // samples so far
	settled   int // of those in final results
	begin     int // where the line began
	announced int
}

func seconds(samples int) float64 { return float64(samples) / Rate }

func (d *deepgram) sound(samples int) bool {
	d.server.count(samples)
	if d.goOn() {
		d.begin = d.total
	}
	d.total += samples
	if d.fault == Break && d.total > Rate/2 {
		return false
	}
	if d.total-d.settled >= segmentSamples {
		d.results(true, false, d.fresh(d.total))
		d.settled = d.total
	}
	if d.total-d.announced >= WordSamples {
		d.announced = d.total
		d.results(false, false, d.fresh(d.total))
	}
	return true
}

// fresh returns the line up to a sample, without the text of earlier final
// results.
func (d *deepgram) fresh(upTo int) string {
	all := d.text(upTo - d.begin)
	if upTo < 0 {
		all = d.text(-1)
	}
	return strings.TrimSpace(strings.TrimPrefix(all, d.text(d.settled-d.begin)))
}

func (d *deepgram) results(final, finalize bool, text string) {
	d.Send(d.result(final, finalize, text))
}

func (d *deepgram) result(final, finalize bool, text string) object {
	words := []any{}
	for i, w := range strings.Fields(text) {
		at := d.settled + i*WordSamples
		words = append(words, object{
			"word": strings.ToLower(strings.Trim(w, ".,!?")), "punctuated_word": w,
			"start": seconds(at), "end": seconds(at + WordSamples), "confidence": 0.9,
		})
	}
	return object{
		"type": "Results", "channel_index": []int{0, 1},
		"start": seconds(d.settled), "duration": seconds(d.total - d.settled),
		"is_final": final, "speech_final": false, "from_finalize": finalize,
		"channel":  object{"alternatives": []any{object{"transcript": text, "confidence": 0.9, "words": words}}},
		"metadata": object{"request_id": "1"},
	}
}

// finalize answers a request for the final transcript. Like the real service,
// it sends nothing if all text is final.
func (d *deepgram) finalize(ctx context.Context) bool {
	if !d.server.pause(ctx) {
		return false
	}
	text := d.fresh(-1)
	if d.server.script.GoesOn > 0 {
		text = d.fresh(d.total)
	}
	switch d.fault {
	case Mute:
		return true
	case Garbage:
		d.Send("<html>")
		return true
	case Complain:
		d.Send(object{"type": "Error", "description": "No for " + d.key, "message": "no", "variant": "NET-0000"})
		return true
	case Empty:
		text = ""
	}
	if d.total > d.settled {
		d.results(true, true, text)
		if d.fault == Duplicate {
			d.results(true, true, text)
		}
	}
	d.settled, d.announced, d.final = d.total, d.total, time.Now()
	return true
}

// elevenLabs speaks ElevenLabs' protocol.
func (s *Server) elevenLabs(ctx context.Context, c *session) {
	c.Send(object{"message_type": "session_started", "session_id": "1", "config": object{"sample_rate": Rate}})
	total, announced, given := 0, 0, 0
	for {
		received, ok := c.Receive(ctx)
		if !ok {
			return
		}
		var m struct {
			Type   string `json:"message_type"`
			Audio  string `json:"audio_base_64"`
			Commit bool   `json:"commit"`
			Rate   int    `json:"sample_rate"`
		}
		sound, bad := []byte(nil), json.Unmarshal(received.Data, &m)
		if bad == nil {
			sound, bad = base64.StdEncoding.DecodeString(m.Audio)
		}
		if bad != nil || m.Type != "input_audio_chunk" || m.Rate != Rate || len(sound)%2 != 0 {
			c.Send(object{"message_type": "input_error", "error": "the chunk cannot be read"})
			return
		}
		s.count(len(sound) / 2)
		if len(sound) > 0 && c.goOn() {
			total, announced, given = 0, 0, 0
		}
		total += len(sound) / 2
		if c.fault == Break && total > Rate/2 {
			return
		}
		if total-announced >= WordSamples {
			announced = total
			c.Send(object{"message_type": "partial_transcript", "text": c.fresh(given, total)})
		}
		if m.Commit {
			if !c.commit(ctx, given, total) {
				return
			}
			announced, given = total, total
		}
	}
}

// fresh returns the text of the line between two samples.
func (c *session) fresh(given, upTo int) string {
	return strings.TrimSpace(strings.TrimPrefix(c.text(upTo), c.text(given)))
}

// commit answers a request for the final transcript of the samples from given on.
func (c *session) commit(ctx context.Context, given, total int) bool {
	if !c.server.pause(ctx) {
		return false
	}
	text := c.fresh(given, -1)
	if c.server.script.GoesOn > 0 {
		text = c.fresh(given, total)
	}
	switch {
	case total-given < Rate*3/10:
		c.Send(object{"message_type": "commit_throttled", "error": "too little audio was sent"})
		return true
	case c.fault == Mute:
		return true
	case c.fault == Garbage:
		c.Send("<html>")
		return true
	case c.fault == Complain:
		c.Send(object{"message_type": "quota_exceeded", "error": "No for " + c.key})
		return false
	case c.fault == Empty:
		text = ""
	}
	final := object{"message_type": "committed_transcript", "text": text}
	c.Send(final)
	if c.fault == Duplicate {
		c.Send(final)
	}
	c.final = time.Now()
	return true
}

// transcriptions is OpenAI's endpoint.
func (s *Server) transcriptions(w http.ResponseWriter, r *http.Request) {
	q := Request{Path: r.URL.Path, Header: r.Header.Clone()}
	if err := r.ParseMultipartForm(32 << 20); err == nil {
		q.Form = r.MultipartForm.Value
		if f, _, err := r.FormFile("file"); err == nil {
			q.File, _ = io.ReadAll(f) // a missing file is refused below
			_ = f.Close()             // only read
		}
	}
	fault := s.record(q)
	key := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	refuse := func(status int, code string) {
		fakesocket.Answer(w, status, object{"error": object{"message": "No for " + key, "type": "invalid_request_error", "code": code}})
	}
	switch {
	case fault == Unauthorized:
		refuse(http.StatusUnauthorized, "invalid_api_key")
		return
	case fault == RateLimited:
		refuse(http.StatusTooManyRequests, "rate_limit_exceeded")
		return
	case fault == Down:
		refuse(http.StatusServiceUnavailable, "")
		return
	case fault == Complain:
		refuse(http.StatusTooManyRequests, "insufficient_quota")
		return
	case len(q.File) < 44 || string(q.File[:4]) != "RIFF" || len(q.Form["model"]) == 0:
		refuse(http.StatusBadRequest, "")
		return
	case fault == Mute, fault == Deaf:
		select {
		case <-r.Context().Done():
		case <-s.sockets.Done():
		}
		return
	}
	s.count((len(q.File) - 44) / 2)
	line := s.lineOf(q.File[44:])
	if s.pause(r.Context()) {
		s.transcript(w, fault, line, q.File[44:])
	}
}

// lineOf returns the line of a recording: the previous one if the recording
// continues the previous sound, otherwise the next. It ignores differences in
// how the end of that sound was filtered.
func (s *Server) lineOf(sound []byte) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	known := len(s.last) - min(len(s.last), Rate/100)
	if s.script.GoesOn == 0 || known == 0 || len(sound) <= len(s.last) || !bytes.Equal(sound[:known], s.last[:known]) {
		s.line++
	}
	s.last = sound
	return s.line - 1
}

// transcript answers a valid request with a line, or with the words understood
// in its sound.
func (s *Server) transcript(w http.ResponseWriter, fault Fault, line int, sound []byte) {
	text := ""
	if line < len(s.script.Lines) && fault != Empty {
		text = s.script.Lines[line]
	}
	if s.script.Understand != nil && fault != Empty {
		text = s.script.Understand(samplesOf(sound))
	}
	switch fault {
	case Garbage:
		_, _ = io.WriteString(w, "<html>") // the client may be gone
	case Break:
		w.Header().Set("Content-Length", "1000")
		_, _ = io.WriteString(w, `{"text":"`) // as above
	default:
		fakesocket.Answer(w, http.StatusOK, object{"text": text})
	}
}
