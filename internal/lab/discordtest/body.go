package discordtest

import (
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"
)

// The limits of messages.
const (
	maxContent     = 2000
	maxNonce       = 25
	maxEmbeds      = 10
	maxEmbedText   = 6000
	maxEmbedFields = 25
	maxFiles       = 10
	maxFileSize    = 10 << 20
)

// messageBody creates or edits a message. A nil field is absent, and an edit
// leaves it unchanged.
type messageBody struct {
	Content     *string           `json:"content"`
	TTS         bool              `json:"tts"`
	Embeds      *[]Embed          `json:"embeds"`
	Components  *[]Component      `json:"components"`
	Allowed     *allowedMentions  `json:"allowed_mentions"`
	Reference   *MessageReference `json:"message_reference"`
	Flags       *int              `json:"flags"`
	Nonce       json.RawMessage   `json:"nonce"`
	Enforce     bool              `json:"enforce_nonce"` // only in messages, not in webhooks
	Username    string            `json:"username"`      // webhooks
	AvatarURL   string            `json:"avatar_url"`    // webhooks
	ThreadName  string            `json:"thread_name"`
	Attachments *[]attachmentRef  `json:"attachments"`
	Stickers    []string          `json:"sticker_ids"`
}

// attachmentRef names an existing attachment, or by index a file of the same
// form.
type attachmentRef struct {
	ID          json.RawMessage `json:"id"`
	Filename    string          `json:"filename"`
	Description string          `json:"description"`
}

func (a attachmentRef) is(id string) bool { return strings.Trim(string(a.ID), `"`) == id }

type allowedMentions struct {
	Parse       []string `json:"parse"`
	Users       []string `json:"users"`
	Roles       []string `json:"roles"`
	RepliedUser bool     `json:"replied_user"`
}

// An Embed is a box below a message.
type Embed struct {
	Title       string       `json:"title,omitempty"`
	Type        string       `json:"type,omitempty"`
	Description string       `json:"description,omitempty"`
	URL         string       `json:"url,omitempty"`
	Timestamp   *time.Time   `json:"timestamp,omitempty"`
	Color       int          `json:"color,omitempty"`
	Footer      *EmbedPart   `json:"footer,omitempty"`
	Image       *EmbedPart   `json:"image,omitempty"`
	Thumbnail   *EmbedPart   `json:"thumbnail,omitempty"`
	Author      *EmbedPart   `json:"author,omitempty"`
	Fields      []EmbedField `json:"fields,omitempty"`
}

// EmbedPart is the footer, the author or an image of an embed.
type EmbedPart struct {
	Text    string `json:"text,omitempty"`
	Name    string `json:"name,omitempty"`
	URL     string `json:"url,omitempty"`
	IconURL string `json:"icon_url,omitempty"`
}

// An EmbedField is one field of an embed.
type EmbedField struct {
	Name   string `json:"name"`
	Value  string `json:"value"`
	Inline bool   `json:"inline,omitempty"`
}

// check records the errors of a message, in the API's words.
func (b *messageBody) check(f *formError, at string) {
	if b.Content != nil {
		f.length(at+"content", *b.Content, 0, maxContent)
	}
	if n := len(strings.Trim(string(b.Nonce), `"`)); n > maxNonce {
		f.add(at+"nonce", "NONCE_TYPE_TOO_LONG", "Must be %d or fewer in length.", maxNonce)
	}
	if b.Embeds != nil {
		checkEmbeds(f, at+"embeds", *b.Embeds)
	}
	if b.Components != nil {
		checkRows(f, at+"components", *b.Components)
	}
	b.Allowed.check(f, at)
}

func checkEmbeds(f *formError, at string, embeds []Embed) {
	if len(embeds) > maxEmbeds {
		f.add(at, "BASE_TYPE_MAX_LENGTH", "Must be %d or fewer in length.", maxEmbeds)
	}
	total := 0
	for i, e := range embeds {
		at := fmt.Sprintf("%s.%d.", at, i)
		f.length(at+"title", e.Title, 0, 256)
		f.length(at+"description", e.Description, 0, 4096)
		total += runes(e.Title) + runes(e.Description)
		if e.Footer != nil {
			f.length(at+"footer.text", e.Footer.Text, 1, 2048)
			total += runes(e.Footer.Text)
		}
		if e.Author != nil {
			f.length(at+"author.name", e.Author.Name, 1, 256)
			total += runes(e.Author.Name)
		}
		if len(e.Fields) > maxEmbedFields {
			f.add(at+"fields", "BASE_TYPE_MAX_LENGTH", "Must be %d or fewer in length.", maxEmbedFields)
		}
		for j, field := range e.Fields {
			f.length(fmt.Sprintf("%sfields.%d.name", at, j), field.Name, 1, 256)
			f.length(fmt.Sprintf("%sfields.%d.value", at, j), field.Value, 1, 1024)
			total += runes(field.Name) + runes(field.Value)
		}
	}
	if total > maxEmbedText {
		f.add(at, "MAX_EMBED_SIZE_EXCEEDED", "Embed size exceeds maximum size of %d", maxEmbedText)
	}
}

func runes(s string) int { return len([]rune(s)) }

// check records contradictions: a kind both parsed and listed.
func (a *allowedMentions) check(f *formError, at string) {
	if a == nil {
		return
	}
	for _, kind := range a.Parse {
		switch {
		case kind != "users" && kind != "roles" && kind != "everyone":
			f.add(at+"allowed_mentions.parse", "BASE_TYPE_CHOICES", "Value must be one of ('users', 'roles', 'everyone').")
		case kind == "users" && len(a.Users) > 0 || kind == "roles" && len(a.Roles) > 0:
			f.add(at+"allowed_mentions", "MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE", "parse:%[1]q and %[1]s: [ids...] are mutually exclusive.", kind)
		}
	}
}

// empty reports whether the message has no content.
func (b *messageBody) empty(files []upload) bool {
	return (b.Content == nil || strings.TrimSpace(*b.Content) == "") && (b.Embeds == nil || len(*b.Embeds) == 0) &&
		(b.Components == nil || len(*b.Components) == 0) && len(files) == 0 && len(b.Stickers) == 0
}

// upload is a file in a form.
type upload struct {
	index int // n of files[n]
	name  string
	kind  string
	data  []byte
}

// readForm reads payload_json and files[n].
func (c *call) readForm(body io.Reader, contentType string) error {
	_, params, err := mime.ParseMediaType(contentType)
	if err != nil {
		return fmt.Errorf("reading the form: %w", err)
	}
	form := multipart.NewReader(body, params["boundary"])
	for {
		part, err := form.NextPart()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("reading the form: %w", err)
		}
		data, err := io.ReadAll(part)
		if err != nil {
			return fmt.Errorf("reading part %q: %w", part.FormName(), err)
		}
		if part.FormName() == "payload_json" {
			if !json.Valid(data) {
				return fmt.Errorf("payload_json is no JSON")
			}
			c.body = data
			continue
		}
		n, err := strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(part.FormName(), "files["), "]"))
		if err != nil || part.FileName() == "" {
			return fmt.Errorf("part %q of the form is no file", part.FormName())
		}
		c.files = append(c.files, upload{n, part.FileName(), part.Header.Get("Content-Type"), data})
	}
}

// file is a file that serveFile serves.
type file struct {
	kind string
	data []byte
}

// attach stores the files of a message; s.mu must be held.
func (s *Server) attach(channelID string, b *messageBody, files []upload) ([]Attachment, error) {
	all := []Attachment{}
	if len(files) > maxFiles {
		return nil, bad(30015, "Maximum number of attachments in a message reached (10)")
	}
	for _, f := range files {
		if len(f.data) > maxFileSize {
			return nil, errTooLarge
		}
		a := s.keep(channelID, f)
		if b != nil && b.Attachments != nil {
			for _, d := range *b.Attachments {
				if d.is(strconv.Itoa(f.index)) {
					a.Description = d.Description
				}
			}
		}
		all = append(all, a)
	}
	return all, nil
}

// keep stores a file as an attachment.
func (s *Server) keep(channelID string, f upload) Attachment {
	a := Attachment{ID: s.id(), Filename: path.Base(f.name), ContentType: f.kind, Size: len(f.data)}
	a.URL = s.http.URL + "/attachments/" + channelID + "/" + a.ID + "/" + url.PathEscape(a.Filename)
	a.ProxyURL = a.URL
	s.files[a.ID] = file{f.kind, f.data}
	return a
}

// serveFile serves files without authentication, as Discord's CDN does.
func (s *Server) serveFile(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	f, ok := s.files[r.PathValue("file")]
	s.mu.Unlock()
	if !ok {
		http.NotFound(w, r)
		return
	}
	if f.kind != "" {
		w.Header().Set("Content-Type", f.kind)
	}
	_, _ = w.Write(f.data) // The client may be gone.
}
