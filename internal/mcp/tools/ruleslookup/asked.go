package ruleslookup

import "gopkg.in/yaml.v3"

// phraseList holds phrases with which players ask for a rule whose name they do not know.
type phraseList struct{ English, German []string }

// filedPhrases holds the phrases that a file gives for a rule defined in another file.
type filedPhrases struct {
	id    string
	where place
	asked phraseList
}

// readAsked reads the value of an "readAsked" key. Only the index keeps the phrases.
func (p *parser) readAsked(n *yaml.Node) (a phraseList) {
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

// isAskedFile reports whether the top level of a file is a mapping of rule ids to phrases.
func isAskedFile(n *yaml.Node) bool {
	return n.Kind == yaml.MappingNode && len(n.Content) > 1 && n.Content[1].Kind == yaml.MappingNode
}

// readAskedFile reads a file that maps rule ids to the phrases with which players ask for them.
func (p *parser) readAskedFile(n *yaml.Node) (all []filedPhrases) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		id := n.Content[i]
		all = append(all, filedPhrases{id: id.Value, where: place{p.file, id.Line}, asked: p.readAsked(n.Content[i+1])})
	}
	return all
}

// addAsked adds the phrases from other files to the rules.
func addAsked(rules []rule, all []filedPhrases, addProblem func(place, string)) {
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
