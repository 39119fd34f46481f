package address

// reactions are words by which people show that they are listening: continuers ("mm-hm", "uh huh"),
// acknowledgements ("yeah", "okay", "right"), newsmarkers ("really", "oh", "wow") and assessments ("great",
// "awful"). The list was compiled by hand along these classes, which are those of Jurafsky, Shriberg, Fox and
// Curl, "Lexical, prosodic and syntactic cues for dialog acts" (1998), of Gardner, "When listeners talk"
// (2001), and of McCarthy, "Talking back" (2003); for German of Ehlich, "Interjektionen" (1986). Words of a
// phrase are joined by "_".
var reactions = setOf(`
	yeah yea yep yup yes yah ya ok okay okey okie k right alright all_right sure sure_thing exactly indeed absolutely definitely certainly totally
	precisely agreed true very_true so_true fair fair_enough fair_point good_point good_to_know good_call got_it gotcha i_see i_got_it i_get_it i_know i_knew_it
	i_know_right i_understand understood makes_sense that_makes_sense of_course naturally obviously clearly noted copy roger uh_huh uh_oh mm_hm
	you_bet you're_right you_don't_say no_kidding no_way no_wonder no_doubt for_sure for_real really oh_really seriously honestly
	is_that_so is_that_right that's_it that's_right that's_true that's_fair that's_good that's_great that_is_true that_is_right that_is_good that's_what_i_thought
	figures that_figures i_guess i_guess_so i_suppose i_bet i_imagine i_thought_so thought_so
	oh ooh ah aha aah aw aww wow whoa woah wowza huh hm yikes yay ew eww eek yuck ugh oof ouch phew jeez geez gosh golly gee dang damn darn dammit
	damn_it shit holy_shit holy_cow holy_moly holy holy_crap crap hell bloody_hell what_the_hell heck fuck fuck_me oh_dear dear_me dear_god my_god oh_my_god oh_god oh_my oh_boy oh_man
	man boy my_goodness goodness goodness_me gracious good_lord good_grief good_heavens heavens lord bless bless_him bless_her bless_them omg lol
	no oh_no nope nah no_no never what_a_shame too_bad poor_thing poor_guy poor_man poor_girl sorry_to_hear_that well
	great nice nicely cool sweet neat lovely wonderful brilliant perfect excellent amazing awesome fantastic incredible unbelievable marvellous marvelous terrific
	splendid superb beautiful gorgeous good very_good not_bad not_good fine impressive fascinating interesting intriguing clever smart hilarious funny weird
	strange odd creepy spooky scary eerie terrifying horrible awful terrible gross disgusting nasty sad crazy insane wild mad ridiculous ominous
	suspicious sketchy shady brutal rough harsh tough epic badass sick dope lit hot gold classic adorable cute
	bingo bravo hooray hurray cheers yum yummy burn boom jackpot congrats
	ja jo joa jap jup jep jawoll yo nja jaja na_ja naja nun_ja ja_ja ja_klar na_klar klar alles_klar na_gut na_dann nun_gut schon_gut gut sehr_gut so_so soso okay okee oki
	genau eben ganz_genau richtig ganz_richtig stimmt das_stimmt stimmt_schon da_stimmt natürlich logisch selbstverständlich freilich sicher sicherlich bestimmt gewiss
	verstehe ich_verstehe verstanden versteh ich_seh_schon ich_weiß weiß_ich kapiert passt passt_schon in_ordnung geht_klar einverstanden gern gerne eh
	ach ach_so achso ach_ja ach_was ach_nein ach_nee ach_komm ach_du_scheiße ach_du_meine_güte ach_du_liebe_güte ach_herrje aha ah oh oha ohje oje o_je oje_oje ohjemine uff puh uh
	hui ui uiuiui boah bo wow huch hoppla igitt ih iih bäh pfui autsch aua mist verdammt scheiße scheisse mann mensch mein_gott oh_gott oh_mein_gott gott meine_güte du_meine_güte
	himmel um_himmels_willen donnerwetter alter alter_schwede herrje
	echt echt_jetzt wirklich ernsthaft tatsächlich im_ernst sag_bloß na_sowas na_so_was sowas ist_nicht_wahr nicht_wahr nicht_dein_ernst kein_wunder klingt_gut klingt_logisch klingt_plausibel
	nein nee ne nö oh_nein och och_nö och_nee nicht_gut gar_nicht_gut nicht_schlecht schade
	schön wunderbar super toll prima klasse spitze stark geil krass heftig irre hammer wahnsinn unglaublich unfassbar faszinierend interessant spannend perfekt
	großartig herrlich fantastisch hervorragend ausgezeichnet lecker köstlich lustig witzig komisch seltsam merkwürdig gruselig unheimlich schrecklich furchtbar
	schlimm übel eklig widerlich traurig verrückt brutal hart fies gemein süß niedlich nett fein cool nice
`)

// accompanies are words that may accompany a reaction without adding meaning: "that's so cool", "das ist ja
// krass", "what a nice guy".
var accompanies = setOf(`
	that that's thats this it it's its is was so very really quite pretty just too kinda kind of such a an the what how and
	even sounds seems looks oh well then to know hear bit little actually super though like
	das ist war ja so sehr echt wirklich ganz voll total schon aber mal doch halt na wie was ein eine der die klingt wäre und auch
`)

// halts are phrases that ask a speaker to stop, compiled by hand. The phrases of all languages apply at every
// table, so none may be an everyday word in another language.
var halts = setOf(`
	stop stop_it stop_that stop_talking stop_there stop_right_there wait wait_wait wait_up wait_a_second wait_a_sec wait_a_minute wait_a_moment hold_on hold_up hold_it hold_that_thought hold_your_tongue hold_your_horses
	hang_on one_moment one_second one_sec one_minute just_a_moment just_a_second just_a_sec just_a_minute a_moment give_me_a_second give_me_a_moment pause time_out
	slow_down not_so_fast enough that's_enough that_is_enough that'll_do that_will_do shut_up silence quiet be_quiet hush shush shh cut_it_out spare_me save_it let_me_stop_you never_mind nevermind forget_it
	skip_it skip_that skip_to excuse_me pardon pardon_me
	stopp stop_mal stopp_mal halt halt_mal halt_stopp halt_an haltet_ein halt_ein warte wartet warten_sie warte_mal wartet_mal wart_mal moment moment_mal einen_moment momentchen augenblick einen_augenblick sekunde eine_sekunde
	kurze_pause immer_langsam nicht_so_schnell genug das_reicht es_reicht reicht_jetzt schluss schluss_jetzt ruhe sei_still seid_still sei_ruhig seid_ruhig schweig schweigt halt_den_mund halt_die_klappe
	klappe aufhören hör_auf hört_auf vergiss_es entschuldigung verzeihung
`)

// haltsNothing are words after which a phrase of halts does not ask anyone to stop.
var haltsNothing = setOf(`me him her them us for till until by at with to of auf bis ihn sie es als dass ob`)

// answers are words that answer yes or no. mayPrecede are words that may precede one.
var (
	answers = setOf(`yes yeah yea yep yup aye no nope nah sure okay ok certainly absolutely never maybe perhaps agreed right exactly correct true indeed
		ja jawohl jo jap jep doch nein nee ne nö klar gern gerne natürlich sicher niemals vielleicht einverstanden genau stimmt richtig`)
	mayPrecede = setOf(`oh ah um uh hm hmm well er err ähm äh na ach also`)
)
