package discord

import (
	"strconv"
	"strings"

	"github.com/bwmarrin/discordgo"
)

const (
	// pageSize bounds a page of a list, in characters, so that it fits into one message with its heading and
	// footer.
	pageSize = 1700
	// maxLine bounds an entry of a list, in characters.
	maxLine = 500
	// maxPageQuery bounds a list's query, in characters, because it is stored in a button's id, which Discord
	// limits to 100 characters.
	maxPageQuery = 60
	// pageWord begins the argument of a list's buttons. The page's number follows.
	pageWord = "page"
)

// splitPages groups the entries of a list into pages without splitting entries. An empty list has no pages.
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

// turnedPage returns the page that a list's button requests, from 1, and the list's query. The page is 0 if
// no such button was pressed.
func (c *call) turnedPage() (page int, query string) {
	word, rest, _ := strings.Cut(c.pressed, " ")
	if word != pageWord {
		return 0, ""
	}
	number, query, _ := strings.Cut(rest, " ")
	page, _ = strconv.Atoi(number)
	return max(page, 1), query
}

// listedText returns a list's query, from the option or from the button that turns the page.
func (c *call) listedText(name string, missing Text) (string, error) {
	if page, query := c.turnedPage(); page > 0 {
		return query, nil
	}
	return c.requireText(name, missing)
}

// showPage returns the requested page of a list, by default the first, and adds buttons to turn it. The
// command builds the list again for each page. An empty list returns none.
func (c *call) showPage(command, query string, lines []string, none string) (string, error) {
	page, _ := c.turnedPage()
	return c.pageOf(command, query, lines, none, max(page, 1)), nil
}

// showLastPage is like showPage, but starts with the last page.
func (c *call) showLastPage(command string, lines []string, none string) (string, error) {
	page, _ := c.turnedPage()
	if page == 0 {
		page = len(lines) // at least the number of pages
	}
	return c.pageOf(command, "", lines, none, page), nil
}

func (c *call) pageOf(command, query string, lines []string, none string, page int) string {
	pages := splitPages(lines)
	if len(pages) == 0 {
		return none
	}
	page = min(page, len(pages)) // the list may have become shorter
	if len(pages) == 1 {
		return pages[0]
	}
	if r := []rune(query); len(r) > maxPageQuery {
		query = string(r[:maxPageQuery])
	}
	turn := func(label Text, to int) {
		if to >= 1 && to <= len(pages) {
			c.buttons = append(c.buttons, button{c.format(label), strings.TrimSpace(strings.Join([]string{command, pageWord, strconv.Itoa(to), query}, " ")), discordgo.SecondaryButton})
		}
	}
	turn(PageBack, page-1)
	turn(PageOn, page+1)
	return pages[page-1] + "\n" + c.format(PageFoot, page, len(pages), len(lines))
}
