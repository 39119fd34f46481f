package world

// Kinds of calendars.
const (
	kindOwn       = "own"
	kindCommon    = "common"
	kindGregorian = "gregorian"
)

type calendarKey struct {
	_        struct{} `noun:"the calendar"`
	Kind     string   `yaml:"kind" enum:"own|common|gregorian" doc:"own has the months below, common twelve months of thirty days, gregorian those of our own world; own if there are months, else common."`
	Months   []month  `yaml:"months" doc:"The months of a year in their order: names, or name and days."`
	Weekdays []string `yaml:"weekdays" doc:"The days of a week in their order; without them there are no weeks."`
	Era      string   `yaml:"era" doc:"What stands behind the year."`
	Today    string   `yaml:"today" doc:"The day on which the first session starts, such as 3 Thaw 218."`
}

type month struct {
	_    struct{} `noun:"a month"`
	Name string   `yaml:"name" short:"true" required:"true" doc:"Its name."`
	Days int      `yaml:"days" min:"1" max:"400" doc:"How many days it has; 30 if missing."`
}

// calendar returns the calendar described by the file. It is valid if checkCalendar reports no problems.
func (k *calendarKey) calendar() Calendar {
	var c Calendar
	switch {
	case k.Kind == kindGregorian:
		c = GregorianCalendar()
	case k.Kind == kindCommon, len(k.Months) == 0:
		c = CommonCalendar()
	default:
		for _, m := range k.Months {
			if m.Days == 0 {
				m.Days = 30
			}
			c.Months = append(c.Months, Month{Name: m.Name, Days: m.Days})
		}
	}
	if len(k.Weekdays) > 0 && k.Kind != kindGregorian {
		c.Weekdays = k.Weekdays
	}
	c.Era = k.Era
	return c
}

// checkCalendar reports missing or superfluous months, and an invalid date.
func (p *checker) checkCalendar(k *calendarKey) {
	if k == nil {
		return
	}
	if k.Kind == kindOwn && len(k.Months) == 0 {
		p.addSentence(calendarPath.Key("kind"), "a calendar of its own needs months", "list them under months:")
	}
	if (k.Kind == kindGregorian || k.Kind == kindCommon) && len(k.Months) > 0 {
		p.addSentence(calendarPath.Key("months"), "this kind of calendar has months already", "remove them, or write kind: own")
	}
	if k.Today == "" {
		return
	}
	c := k.calendar()
	if _, err := c.Set(k.Today, 0); err != nil {
		p.addSentence(calendarPath.Key("today"), "this is no date of the calendar", "write one like "+c.Write(0))
	}
}
