package recall

// fillers are folded German words that carry no topic, in addition to those in words.Stop: conjunctions,
// intensifiers, pronouns, contractions of spoken German. They are not in words.Stop because stored vectors
// were computed without them.
var fillers = set(`alle alles allem allen aller jede jeder jedes jedem jeden etwas nix nichts selbst selber
dass ob weil damit obwohl bevor solange sobald wahrend trotz trotzdem wegen statt sonst zwar also je
unser unserem unseren unserer seinem seinen seiner ihrem ihren ihrer deinem deinen deiner eurem euren eurer
welchem welchen denen deren dessen derselbe denselben derselben dieselbe dasselbe irgend irgendwie
dabei dadurch dafur dagegen dahin danach daneben daran darauf daraus darin daruber davon davor dazu dazwischen
wobei wodurch wofur wogegen woher wohin womit woran worauf woraus worin woruber wovon wovor wozu
ans aufs durchs furs hinterm ins uberm ubers ums unterm vorm dran drauf drin raus rauf rein ruber rum runter los
halt eben eigentlich uberhaupt sogar gar bisschen nochmal hab habt hattest hatten wars ware waren wurde wurden
werde wirst seid sollte sollten konnte konnten durfte musste mussten ne nem nen`)
