package openai

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/MrWong99/glyphoxa/internal/untrusted"
	"github.com/MrWong99/glyphoxa/pkg/audio"
	"github.com/MrWong99/glyphoxa/pkg/provider/internal/vendor"
)

// maxAnswer is the maximum number of bytes read from a response.
const maxAnswer = 1 << 20

// shortAnswers reads and closes the body of every response, up to maxAnswer bytes, because the client library
// would read all of it.
type shortAnswers struct{ client *http.Client }

// Do implements the client library's HTTPDoer.
func (s shortAnswers) Do(request *http.Request) (*http.Response, error) {
	response, err := s.client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err != nil {
		return nil, fmt.Errorf("reading the answer: %w", err)
	}
	response.Body = io.NopCloser(bytes.NewReader(body))
	return response, nil
}

// encode encodes a recording at [vendor.Rate] as a WAV file.
func encode(recording []int16) ([]byte, error) {
	var m memory
	w, err := audio.NewWAVWriter(&m, vendor.Rate, 1)
	if err == nil {
		err = w.Write(recording)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		return nil, fmt.Errorf("encoding the recording: %w", err)
	}
	return m.data, nil
}

// memory is an in-memory file. It can seek, so that the WAV writer can fill in the length.
type memory struct {
	data []byte
	at   int
}

func (m *memory) Write(p []byte) (int, error) {
	n := copy(m.data[m.at:], p)
	m.data = append(m.data, p[n:]...)
	m.at += len(p)
	return len(p), nil
}

// Seek supports only the WAV writer's calls: offsets from the start, and the current offset.
func (m *memory) Seek(offset int64, whence int) (int64, error) {
	if whence == io.SeekStart {
		if offset < 0 || offset > int64(len(m.data)) {
			return 0, io.ErrUnexpectedEOF
		}
		m.at = int(offset)
	}
	return int64(m.at), nil
}

// clean removes characters that are unfit for people and models from a transcript.
func clean(text string) string { return strings.TrimSpace(untrusted.Clean(text, 0)) }
