package openai

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
)

// report is what an error body says.
type report struct {
	message, param, code string
	page                 bool   // the body is a web page
	retryIn              string // pause that the body asks for, such as "7s"
}

// reportOf reads an error body: the protocol's own, {"error":"text"}, {"message":…}, {"detail":…} with a text
// or a list of faults, a list of any of those, or plain text.
func reportOf(body []byte) report {
	var value any
	if json.Unmarshal(body, &value) != nil {
		text := strings.TrimSpace(strings.ToValidUTF8(string(body), ""))
		if strings.HasPrefix(text, "<") {
			return report{page: true, message: pageTitle(text)}
		}
		return report{message: text}
	}
	r := report{message: reasonIn(value, 0)}
	if r.message == "" {
		r.message = string(body)
	}
	r.readDetails(value, 0)
	return r
}

// readDetails reads what an error says beside its message.
func (r *report) readDetails(value any, depth int) {
	if depth > 6 {
		return
	}
	switch v := value.(type) {
	case []any:
		for _, e := range v {
			r.readDetails(e, depth+1)
		}
	case map[string]any:
		for _, field := range []struct {
			key string
			to  *string
		}{{"param", &r.param}, {"code", &r.code}, {"type", &r.code}, {"error_type", &r.code}, {"status", &r.code}, {"retryDelay", &r.retryIn}} {
			switch s := v[field.key].(type) {
			case string:
				if field.to != &r.code {
					*field.to = s
				} else {
					*field.to = strings.TrimSpace(*field.to + " " + s)
				}
			case float64:
				if field.to == &r.code {
					*field.to = strings.TrimSpace(*field.to + " " + strconv.FormatFloat(s, 'f', -1, 64))
				}
			}
		}
		if metadata, ok := v["metadata"].(map[string]any); ok { // a gateway's own place for the vendor's words
			if raw, ok := metadata["raw"].(string); ok {
				r.message += ": " + reportOf([]byte(raw)).message
			}
		}
		for _, key := range []string{"error", "details", "errors"} {
			r.readDetails(v[key], depth+1)
		}
	}
}

var title = regexp.MustCompile(`(?is)<title[^>]*>(.*?)</title>`)

// pageTitle returns the title of a web page, or what it is.
func pageTitle(page string) string {
	if m := title.FindStringSubmatch(page); m != nil && strings.TrimSpace(m[1]) != "" {
		return "a web page: " + strings.TrimSpace(m[1])
	}
	return "a web page"
}

// reasonIn returns the message in a decoded error.
func reasonIn(value any, depth int) string {
	if depth > 4 {
		return ""
	}
	switch v := value.(type) {
	case string:
		return v
	case []any:
		var all []string
		for _, e := range v {
			if s := reasonIn(e, depth+1); s != "" {
				all = append(all, s)
			}
		}
		return strings.Join(all, "; ")
	case map[string]any:
		for _, key := range []string{"error", "message", "msg", "detail", "status_msg", "error_msg", "base_resp", "errors", "title"} {
			if s := reasonIn(v[key], depth+1); s != "" {
				return place(v["loc"]) + s
			}
		}
	}
	return ""
}

// place returns where a fault was found, such as "body.stream_options: ".
func place(loc any) string {
	list, ok := loc.([]any)
	if !ok || len(list) == 0 {
		return ""
	}
	var parts []string
	for _, e := range list {
		switch e := e.(type) {
		case string:
			parts = append(parts, e)
		case float64:
			parts = append(parts, strconv.Itoa(int(e)))
		}
	}
	return strings.Join(parts, ".") + ": "
}
