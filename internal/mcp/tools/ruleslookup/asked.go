package ruleslookup

import "gopkg.in/yaml.v3"

// asked holds phrases with which players ask for a rule whose name they do not know.
type asked struct{ English, German []string }

// askedOf holds the phrases that a file gives for a rule defined in another file.
type askedOf struct {
	id    string
	where place
	asked asked
}

// asked reads the value of an "asked" key. Only the index keeps the phrases.
func (p *parser) asked(n *yaml.Node) (a asked) {
	p.mapping(n, map[string]func(*yaml.Node){
		"en": p.readPhrases(&a.English),
		"de": p.readPhrases(&a.German),
	})
	return a
}

// readPhrases returns a setter for a single phrase or a list of them.
func (p *parser) readPhrases(into *[]string) func(*yaml.Node) {
	many := p.readTexts(into)
	return func(n *yaml.Node) {
		if n.Kind == yaml.ScalarNode {
			*into = make([]string, 1)
			p.readText(&(*into)[0])(n)
			return
		}
		many(n)
	}
}

// tellsAsked reports whether the top level of a file is a mapping of rule ids to phrases.
func tellsAsked(n *yaml.Node) bool {
	return n.Kind == yaml.MappingNode && len(n.Content) > 1 && n.Content[1].Kind == yaml.MappingNode
}

// askedFile reads a file that maps rule ids to the phrases with which players ask for them.
func (p *parser) askedFile(n *yaml.Node) (all []askedOf) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		id := n.Content[i]
		all = append(all, askedOf{id: id.Value, where: place{p.file, id.Line}, asked: p.asked(n.Content[i+1])})
	}
	return all
}

// addAsked adds the phrases from other files to the rules.
func addAsked(rules []rule, all []askedOf, addProblem func(place, string)) {
	at := make(map[string]int, len(rules))
	for i := range rules {
		at[rules[i].ID] = i
	}
	for _, more := range all {
		i, known := at[more.id]
		if !known {
			addProblem(more.where, more.id)
			continue
		}
		a := &rules[i].Asked
		a.English = append(a.English, more.asked.English...)
		a.German = append(a.German, more.asked.German...)
	}
}
