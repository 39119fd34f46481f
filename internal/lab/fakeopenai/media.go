package fakeopenai

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"net/http"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// SpeechRate is the sample rate of synthesised speech, per second.
	SpeechRate = 24000
	// SpeechPerRune is the number of samples per character of input (40 ms).
	SpeechPerRune = SpeechRate / 25

	speechPiece    = SpeechRate / 10 // samples per write, 100 ms
	speechLevel    = 8000            // amplitude of the sine
	longestInput   = 4096            // characters of speech input
	embeddingSize  = 1536            // default dimensions
	mostDimensions = 4096
)

// Speech returns the server's speech of text: a sine whose pitch depends on
// voice, [SpeechPerRune] samples per character, divided by speed.
func Speech(text, voice string, speed float64) []int16 {
	if speed == 0 {
		speed = 1
	}
	pitch := 110 + float64(hash(voice)%24)*10
	n := int(float64(utf8.RuneCountInString(text)*SpeechPerRune) / speed)
	out := make([]int16, n)
	for i := range out {
		out[i] = int16(speechLevel * math.Sin(2*math.Pi*pitch*float64(i)/SpeechRate))
	}
	return out
}

type speechRequest struct {
	Model  string   `json:"model"`
	Input  string   `json:"input"`
	Voice  string   `json:"voice"`
	Format string   `json:"response_format"`
	Speed  *float64 `json:"speed"`
}

func (q speechRequest) check() string {
	switch {
	case q.Model == "":
		return "you must provide a model parameter"
	case q.Input == "":
		return "Invalid 'input': string too short. Expected a string with minimum length 1."
	case utf8.RuneCountInString(q.Input) > longestInput:
		return "Invalid 'input': string too long. Expected a string with maximum length 4096."
	case q.Voice == "":
		return "Missing required parameter: 'voice'."
	case q.Speed != nil && (*q.Speed < 0.25 || *q.Speed > 4):
		return "Invalid 'speed': must be between 0.25 and 4."
	case q.Format != "pcm" && q.Format != "wav":
		return fmt.Sprintf("response_format %q is not played here; ask for 'pcm' or 'wav'.", q.Format)
	}
	return ""
}

func (s *Server) speech(w http.ResponseWriter, r *http.Request, rec *Request) {
	var q speechRequest
	if err := json.Unmarshal(rec.Body, &q); err != nil {
		refuse(w, http.StatusBadRequest, "invalid_request_error", "", "Invalid type in the request body: "+err.Error())
		return
	}
	if why := q.check(); why != "" {
		refuse(w, http.StatusBadRequest, "invalid_request_error", "", why)
		return
	}
	if !s.serves(q.Model) {
		refuseModel(w, q.Model)
		return
	}
	speed := 1.0
	if q.Speed != nil {
		speed = *q.Speed
	}
	samples := s.voice(q.Input, q.Voice, speed)
	if !s.wait(r.Context(), s.opts.SpeechFirst) {
		s.noteAbort()
		return
	}
	w.Header().Set("Content-Type", "audio/"+q.Format)
	flush := http.NewResponseController(w)
	if q.Format == "wav" {
		_, _ = w.Write(wavHeader(len(samples))) // as below
	}
	for first := true; len(samples) > 0; first = false {
		if !first && !s.wait(r.Context(), s.opts.SpeechDelay) {
			s.noteAbort()
			return
		}
		n := min(speechPiece, len(samples))
		b := make([]byte, 0, 2*n)
		for _, v := range samples[:n] {
			b = binary.LittleEndian.AppendUint16(b, uint16(v))
		}
		samples = samples[n:]
		_, _ = w.Write(b) // the next wait notices a disconnected client
		_ = flush.Flush() // as above
	}
}

func (s *Server) voice(text, voice string, speed float64) []int16 {
	if s.opts.Voice != nil {
		return s.opts.Voice(text, voice)
	}
	return Speech(text, voice, speed)
}

func wavHeader(samples int) []byte {
	b := []byte("RIFF")
	b = binary.LittleEndian.AppendUint32(b, uint32(36+2*samples))
	b = append(b, "WAVEfmt "...)
	b = binary.LittleEndian.AppendUint32(b, 16)
	b = binary.LittleEndian.AppendUint16(b, 1) // PCM
	b = binary.LittleEndian.AppendUint16(b, 1) // mono
	b = binary.LittleEndian.AppendUint32(b, SpeechRate)
	b = binary.LittleEndian.AppendUint32(b, 2*SpeechRate)
	b = binary.LittleEndian.AppendUint16(b, 2)
	b = binary.LittleEndian.AppendUint16(b, 16)
	b = append(b, "data"...)
	return binary.LittleEndian.AppendUint32(b, uint32(2*samples))
}

// Embedding returns the server's vector for text: its words hashed into size
// dimensions and normalised, so that texts with shared words are near.
func Embedding(text string, size int) []float32 {
	sum := make([]float64, size)
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	if len(words) == 0 {
		words = []string{text}
	}
	for _, word := range words {
		h := hash(word)
		for i := range uint64(4) {
			part := h >> (16 * i)
			sign := 1.0
			if part&0x8000 != 0 {
				sign = -1
			}
			sum[part%uint64(size)] += sign
		}
	}
	norm := 0.0
	for _, v := range sum {
		norm += v * v
	}
	out := make([]float32, size)
	if norm == 0 {
		out[0] = 1
		return out
	}
	for i, v := range sum {
		out[i] = float32(v / math.Sqrt(norm))
	}
	return out
}

func hash(s string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(s)) // cannot fail
	return h.Sum64()
}

type embeddingsRequest struct {
	Model      string          `json:"model"`
	Input      json.RawMessage `json:"input"`
	Dimensions *int            `json:"dimensions"`
	Encoding   string          `json:"encoding_format"`
}

// texts reads the input: one text or a list.
func (q embeddingsRequest) texts() ([]string, error) {
	var one string
	if json.Unmarshal(q.Input, &one) == nil && one != "" {
		return []string{one}, nil
	}
	var many []string
	if json.Unmarshal(q.Input, &many) != nil || len(many) == 0 || len(many) > 2048 {
		return nil, errors.New("'$.input' is invalid")
	}
	for _, t := range many {
		if t == "" {
			return nil, errors.New("'$.input' is invalid: it holds an empty string")
		}
	}
	return many, nil
}

func (s *Server) embeddings(w http.ResponseWriter, _ *http.Request, rec *Request) {
	var q embeddingsRequest
	if err := json.Unmarshal(rec.Body, &q); err != nil {
		refuse(w, http.StatusBadRequest, "invalid_request_error", "", "Invalid type in the request body: "+err.Error())
		return
	}
	texts, err := q.texts()
	size := embeddingSize
	if q.Dimensions != nil {
		size = *q.Dimensions
	}
	switch {
	case q.Model == "":
		err = errors.New("you must provide a model parameter")
	case size < 1 || size > mostDimensions:
		//lint:ignore ST1005 the wire's wording
		err = errors.New("Invalid 'dimensions'.")
	}
	if err != nil {
		refuse(w, http.StatusBadRequest, "invalid_request_error", "", err.Error())
		return
	}
	if !s.serves(q.Model) {
		refuseModel(w, q.Model)
		return
	}
	data, words := make([]any, 0, len(texts)), 0
	for i, t := range texts {
		words += len(strings.Fields(t))
		data = append(data, object{"object": "embedding", "index": i, "embedding": q.encode(Embedding(t, size))})
	}
	answer(w, http.StatusOK, object{
		"object": "list", "model": q.Model, "data": data,
		"usage": object{"prompt_tokens": words, "total_tokens": words},
	})
}

// encode encodes a vector in the requested format.
func (q embeddingsRequest) encode(v []float32) any {
	if q.Encoding != "base64" {
		return v
	}
	b := make([]byte, 0, 4*len(v))
	for _, f := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(f))
	}
	return base64.StdEncoding.EncodeToString(b)
}
