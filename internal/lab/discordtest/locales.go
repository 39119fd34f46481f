package discordtest

import (
	"encoding/json"
	"slices"
)

// locales are those that Discord's clients may be set to.
var locales = []string{
	"id", "da", "de", "en-GB", "en-US", "es-ES", "es-419", "fr", "hr", "it", "lt", "hu", "nl", "no", "pl", "pt-BR", "ro", "fi",
	"sv-SE", "vi", "tr", "cs", "el", "bg", "ru", "uk", "hi", "th", "zh-CN", "ja", "zh-TW", "ko",
}

// SetLocale sets the language of a user's client, en-US until then.
func (s *Server) SetLocale(userID, locale string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.locales == nil {
		s.locales = map[string]string{}
	}
	s.locales[s.mustUser(userID).ID] = locale
}

// checkLocalized notes what is wrong with a description or a name in other languages.
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

// checkLocalizedNames notes what is wrong with a command's names in other languages.
func (f *formError) checkLocalizedNames(at string, raw json.RawMessage) {
	f.checkLocalized(at, raw)
	var all map[string]string
	_ = json.Unmarshal(raw, &all) // checkLocalized has noted what is wrong
	for l, name := range all {
		f.checkCommandName(at+"."+l, name)
	}
}

// listed are commands as they are listed: with their translations only to who asks
// for those.
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
