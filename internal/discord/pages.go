package discord

import (
	"strconv"
	"strings"

	"github.com/bwmarrin/discordgo"
)

const (
	// pageSize bounds a page of a list, in characters: with what stands above and below
	// it, it is one message.
	pageSize = 1700
	// maxLine bounds an entry of a list, in characters.
	maxLine = 500
	// maxPageQuery bounds what a list was asked for, in characters: a button carries it, and
	// Discord lets that carry 100 characters.
	maxPageQuery = 60
	// pageWord comes first in what the buttons of a list say, before the page's number.
	pageWord = "page"
)

// splitPages puts the entries of a list on pages, each as a whole. There is one page at
// least, unless there are no entries.
func splitPages(lines []string) (pages []string) {
	length := 0
	for _, line := range lines {
		line = clipText(line, maxLine)
		n := len([]rune(line)) + 1
		if len(pages) == 0 || length+n > pageSize {
			pages, length = append(pages, line), n
			continue
		}
		pages[len(pages)-1] += "\n" + line
		length += n
	}
	return pages
}

// turnedPage is the page that a button of a list asks for, from 1, and what the list was
// asked for; 0 if the list is asked for the first time.
func (c *call) turnedPage() (page int, query string) {
	word, rest, _ := strings.Cut(c.pressed, " ")
	if word != pageWord {
		return 0, ""
	}
	number, query, _ := strings.Cut(rest, " ")
	page, _ = strconv.Atoi(number)
	return max(page, 1), query
}

// listedText is the option that a list is asked for with, also when a page is turned.
func (c *call) listedText(name string, missing Text) (string, error) {
	if page, query := c.turnedPage(); page > 0 {
		return query, nil
	}
	return c.requireText(name, missing)
}

// showPage shows a page of a list, the first unless another is asked for, with buttons
// that turn it. The command makes the list anew for each, asked for the same query. A
// list that is empty says none.
func (c *call) showPage(command, query string, lines []string, none string) (string, error) {
	page, _ := c.turnedPage()
	return c.pageOf(command, query, lines, none, max(page, 1)), nil
}

// showLastPage is showPage for a list whose end comes first.
func (c *call) showLastPage(command string, lines []string, none string) (string, error) {
	page, _ := c.turnedPage()
	if page == 0 {
		page = len(lines) // there are no more pages than lines
	}
	return c.pageOf(command, "", lines, none, page), nil
}

func (c *call) pageOf(command, query string, lines []string, none string, page int) string {
	pages := splitPages(lines)
	if len(pages) == 0 {
		return none
	}
	page = min(page, len(pages)) // it may have become shorter
	if len(pages) == 1 {
		return pages[0]
	}
	if r := []rune(query); len(r) > maxPageQuery {
		query = string(r[:maxPageQuery])
	}
	turn := func(label Text, to int) {
		if to >= 1 && to <= len(pages) {
			c.buttons = append(c.buttons, button{c.say(label), strings.TrimSpace(strings.Join([]string{command, pageWord, strconv.Itoa(to), query}, " ")), discordgo.SecondaryButton})
		}
	}
	turn(PageBack, page-1)
	turn(PageOn, page+1)
	return pages[page-1] + "\n" + c.say(PageFoot, page, len(pages), len(lines))
}
