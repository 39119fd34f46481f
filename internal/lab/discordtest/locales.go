package discordtest

import (
	"encoding/json"
	"slices"
)

// locales are the languages that Discord's clients support.
var locales = []string{
	"id", "da", "de", "en-GB", "en-US", "es-ES", "es-419", "fr", "hr", "it", "lt", "hu", "nl", "no", "pl", "pt-BR", "ro", "fi",
	"sv-SE", "vi", "tr", "cs", "el", "bg", "ru", "uk", "hi", "th", "zh-CN", "ja", "zh-TW", "ko",
}

// SetLocale sets the language of a user's client; the default is en-US.
func (s *Server) SetLocale(userID, locale string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.locales == nil {
		s.locales = map[string]string{}
	}
	s.locales[s.mustUser(userID).ID] = locale
}

// checkLocalized records the errors in translations of a description or a name.
func (f *formError) checkLocalized(at string, raw json.RawMessage) {
	if len(raw) == 0 {
		return
	}
	var all map[string]string
	if err := json.Unmarshal(raw, &all); err != nil {
		f.add(at, "DICT_TYPE_CONVERT", "Only dictionaries may be used in a DictType")
		return
	}
	for l, text := range all {
		if !slices.Contains(locales, l) {
			f.add(at, "BASE_TYPE_CHOICES", "%s is no locale", l)
		}
		f.length(at+"."+l, text, 1, 100)
	}
}

// checkLocalizedNames records the errors in translations of a command's names.
func (f *formError) checkLocalizedNames(at string, raw json.RawMessage) {
	f.checkLocalized(at, raw)
	var all map[string]string
	_ = json.Unmarshal(raw, &all) // checkLocalized has recorded the errors
	for l, name := range all {
		f.checkCommandName(at+"."+l, name)
	}
}

// listed returns commands as the API lists them, with translations only on
// request.
func listed(all []*command, translated bool) []*command {
	out := []*command{}
	for _, k := range all {
		c := *k
		if !translated {
			c.NameLocal, c.DescLocal, c.Options = nil, nil, untranslated(k.Options)
		}
		out = append(out, &c)
	}
	return out
}

func untranslated(all []option) (out []option) {
	for _, o := range all {
		o.NameLocal, o.DescLocal, o.Options = nil, nil, untranslated(o.Options)
		o.Choices = slices.Clone(o.Choices)
		for i := range o.Choices {
			o.Choices[i].NameLocal = nil
		}
		out = append(out, o)
	}
	return out
}
