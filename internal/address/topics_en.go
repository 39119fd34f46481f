package address

import "slices"

// The lists were made by hand, wider than any table's talk.
var englishTopics = newVocabulary(slices.Concat(englishTellings, englishPhrases, englishAsides, englishSubjects, englishModern)...)

var englishTellings = []telling{
	{rulesSure, `reroll rerolls dice d4 d6 d8 d10 d12 d20 d100 dc dcs ac hp xp initiative initiatives athletics acrobatics arcana proficien* cantrip* crit crits nat slashing bludgeoning necrotic multiclass* dex darkvision
		saving_throw saving_throws save_dc con_save dex_save wisdom_save wis_save strength_save str_save bonus_action bonus_actions spell_slot spell_slots hit_points hit_point to_hit hit_dice hit_die short_rest long_rest opportunity_attack attack_of_opportunity passive_perception armor_class armour_class
		attack_roll attack_rolls dirty_twenty natural_twenty natural_one nat_twenty nat_one critical_hit difficult_terrain half_damage turn_order marching_order climb_speed end_of_turn surprise_round first_level_spell second_level_spell third_level sneak_attack history_check wisdom_check medicine_check religion_check
		nature_check survival_check perception_check stealth_check insight_check strength_check help_action ability_score statblock* kind_of_roll roll_for roll_initiative roll_perception roll_stealth roll_insight on_perception on_stealth on_insight on_a_twelve add_my_dex roll_it tool_proficiency with_advantage with_disadvantage add_proficiency
		twenty_perception action_economy your_reaction my_reaction free_action ready_action half_orc_rage d_and_d dnd players_handbook monster_manual`},
	{aboutRules, `roll rolls rolled rolling reroll rerolls dice d4 d6 d8 d10 d12 d20 d100 dc dcs ac hp xp init initiative initiatives
		perception investigation insight stealth athletics acrobatics arcana persuasion intimidation deception sleight
		modifier* proficien* advantage disadvantage inspiration cantrip* crit crits critical nat damage slashing piercing
		bludgeoning necrotic radiant psychic grapple* multiclass* rogue warlock paladin cleric sorcerer sorcerous barbarian ranger's
		strength dexterity constitution wisdom charisma dex str wis cha darkvision concentration feat feats
		saving_throw saving_throws save_dc con_save dex_save wisdom_save wis_save strength_save bonus_action bonus_actions spell_slot spell_slots hit_points hit_point
		to_hit hit_dice hit_die short_rest long_rest opportunity_attack attack_of_opportunity passive armor_class armour_class attack_roll attack_rolls
		dirty_twenty natural_twenty natural_one nat_twenty nat_one critical_hit critical_fail fumble* difficult_terrain half_damage half_cover
		turn_order marching_order climb_speed my_turn your_turn whose_turn next_turn end_of_turn top_of_the_round surprise_round first_level second_level third_level fourth_level
		my_reaction your_reaction her_reaction his_reaction that_hits does_that_hit that_misses a_hit misses reaction action_surge sneak_attack eldritch smite
		a_check check_for history_check wisdom_check medicine_check religion_check nature_check survival_check strength_check with_the_plus help_action ability_score player's_handbook
		handbook statblock* stat stats homebrew* tiebreak* ties tie plus_two plus_three plus_four plus_five plus_six plus_seven plus_one minus_one minus_two out_of_forty
		how_much_damage do_i_add what_do_i_add do_i_roll spell_save levels_in ritual inventory encumbr* exhaust* metagam* buff debuff aoe cooldown roll_for roll_it
		does_he_roll tool_proficiency downtime reroll history_roll what_kind_of_roll kind_of_roll who_wins_ties bardic song_of_rest lucky_feat
		tracker saves save poisoned_condition prone condition conditions rage raging wild_shape`},
	{aboutEvening, `discord mic mics mike microphone* mute muted unmute* headset* headphone* earphones earbuds audio lag lags lagging laggy internet wifi router
		connection disconnect* reconnect* browser laptop battery charger camera webcam screen screens screenshot* stream streaming recording recorded
		bot bots app apps update updating download* crisps pizza pizzas snack snacks takeaway takeout coke soda fridge microwave kettle oven kitchen loo toilet bathroom
		brb afk lol lmao rofl omg doorbell session sessions campaign oneshot one_shot oneshots netflix youtube movie movies film films series episode* season google googled wikipedia meme memes
		npc npcs dm gm player players character characters goosebumps voices accent accents impression impressions roleplay* roleplaying quote_board
		phone phones text_me texted email emails whatsapp group_chat calendar thursdays fridays saturdays sundays mondays weekend weekends december january february november october
		next_week last_week next_session last_session next_time before_i_forget night_off work_tomorrow homework exam exams essay boss's office shift babysitter kids toddler nappy
		be_right_back back_in_a_sec two_seconds one_sec one_second hang_on_a_sec hear_me hears_me am_i_audible you're_muted breaking_up cutting_out cut_out echoing background_noise wind_on loud_and_clear
		famous_last_words nice_save love_it love_this love_that i_love_how best_thing i'm_dead i_can't_even i_swear that's_amazing that's_hilarious hilarious cracking_up
		i_need_to_drop gotta_go have_to_go at_ten at_eleven what_did_i_miss i'm_lost can_we_pause quick_break take_a_break bio_break five_minutes ten_minutes time_out
		recap notes_from my_notes note_taker sheet sheets my_sheet roll20 foundry vtt dndbeyond beyond pdf battlemap battle_map token tokens minis miniatures soundtrack playlist music
		wait_what_happened spoiler* headcanon lore rewatch* anime game_night board_game podcast* keyboard mouse tablet lamp_in_my_room balcony degrees_in central_heating
		i_wrote_that write_that_down losing_control completely_different every_table my_old_dm no_comment prompt* ai chatgpt that's_the_bot the_bot carry_on mid_game might_be_a_bot`},
	{doing, `go walk run sneak creep crawl climb jump leap step stand sit kneel crouch hide look check search inspect examine study watch listen grab
		take pick put place drop throw toss shoot fire attack stab swing hit strike cast use draw pull push open close shut lock unlock tie pack
		break light fill follow head move turn start try give wink nod wave whisper hum humming sharpening sharpen copying copy sketch reach touch smell slip pocket
		steal lift knock kick punch tackle ready prepare spend slide duck dodge wander stroll point lean lay cover wrap pour poke peek peer squint scan
		distract block bar set hand toss dig swim dive wade ride mount dismount cut slice carve burn douse scoop gather collect stash drag haul
		roll_up stare glance keep hold grabbing casting sneaking climbing drawing hiding heading walking going_to going gonna jumping sprint dash stalk
		tiptoe shove trip tug yank wipe clean fix feed pet pat hug kiss salute bow curtsy curtsey sigh laugh cough clear shrug roll help`},
	{marvel, `wow whoa woah ooh oooh nice damn dang crap shit hell god jesus christ snap brutal ouch yikes aw aww awww boo booo booooo noice sweet cool awesome epic noted fair
		heh yay woo woohoo whoop yes! lame gross ew eww huh gosh goodness blimey crikey dude noooo nooo ooookay oookay ookay okaaay uh-oh boom oof phew classic rude savage legend
		amazing brilliant incredible unbelievable ridiculous creepy spooky ominous adorable cute knew_it called_it no_way oh_no oh_dear oh_boy oh_man oh_my holy for_real right_right
		makes_sense go_on there_it_is here_we_go good_one well_played poor_thing interesting fascinating delicious yep_okay that's_fair uhuh uh-huh uh_huh mm mmm got_it i_see`},
	{filling, `dear oh ok okay ah so well yes yeah yep no nope right really um uh that's that is was it a so my the very what and huh ha haha then alright too just you guys all this man i see sure true gotcha of course indeed`},
	{planning, `we_should should_we we_could could_we let's lets shall_we are_we we_agreed we_said do_we we_need_to we_have_to we_gotta we_can we_can't can_we we_don't we_won't we_never we're_not we're_so we_aren't what_if_we what_if_you
		what_would_we you_two_go split_up split_the never_split the_plan my_plan you_reckon do_you_think don't_you_think you_said_yourself you_always you_never you_totally you_meant you_were_supposed supposed_to me_and_you you_and_me
		two_of_us one_of_us who's_got who's_first i'll_take i've_got_second abort bail regroup our_real our_names call_ourselves the_party party_up flank with_what_money i_say_we i_vote vote_for
		not_it after_you ladies_first you_go_first you_first dibs we_may_have we're_doing are_we_doing that's_how_we we_were_going we_heard_you what_are_you_doing you_muppet your_go go_on_mei don't_look_at
		shush shut_up i_thought_we who_takes first_watch second_watch who_has does_anyone_have does_anyone_remember anyone_remember remember_if remind_me what_do_we where_do_we_go_next which_way_do_we
		can_you_see_in you_can_see i_forgot i_don't_know i_dunno no_idea beats_me told_you i_told_you you_owe_me what_level are_you_sure_you_want get_past you_could_have you_should_have`},
	{noticing, `do_i_see do_i_hear do_i_know do_i_recognise do_i_recognize do_i_notice do_i_smell do_i_feel do_i_get do_i_need do_i_have do_i_still do_i_remember do_i_find do_we_see do_we_hear do_we_know do_we_notice do_we_find
		can_i_see can_i_hear can_i_tell can_i_make can_i_use can_i_do can_i_roll can_i_get could_i_do can_we_see can_we_hear can_i_reach can_i_try what_do_i what_can_i what_do_we_see is_it_locked is_he_armed is_she_armed
		how_deep how_wide how_high how_far_away how_big_is how_tall how_dark how_many_are is_there_a_way is_there_anything is_there_any are_there_any would_it_hold would_i_know would_i does_it_look does_he_look does_she_look
		what's_in_the what's_behind does_the_door is_the_door what_does_it_look what_does_he_look what_does_she_look how_long_does_it does_that_work did_i_see am_i_close are_we_close can_he_see can_she_see in_the_room_as_well is_he_even is_she_even
		did_it_work does_it_work what_happens what_time_is_it_in if_i_throw if_i_use if_we_wait`},
	{requesting, `may_i may_we might_we can_i_have could_i_have could_we_have i'd_like we'd_like i_need we_need i_want we_want looking_for
		tell_me tell_us show_me show_us give_me give_us bring teach let_me let_us help_us help_me i_wanted we're_here i_was_wondering i_beg how_much_for i'll_have we'll_take i'll_take make_it would_it_be mind_if
		and_could where_do_we_pay for_how_long`},
	{courtesy, `please thanks thank_you sir miss ma'am madam milord milady m'lord m'lady my_lord my_lady your_grace your_majesty your_highness your_ladyship your_lordship your_honour your_honor sweetheart sweetie old_man big_man good_man lad lass
		sorry pardon excuse_me beg_your forgive_me my_friend my_dear old_friend friend`},
	{kin, `mum mom mummy mommy daddy grandma grandpa granny babe darling alexa siri cortana hey_google ok_google`},
	{outsiders, `mum mom mummy mommy dad daddy grandma grandpa granny babe honey darling alexa siri cortana ok_google hey_google puppy doggo kitty good_boy good_girl get_down come_here_boy bad_dog sit_sit no_barking off_the_sofa get_off
		neighbour neighbor landlord courier delivery parcel package postman amazon upstairs_mate who's_this wrong_number speaking_to i'm_in_a_game we're_playing on_the_shelf bedtime brush_your dinner's dinner_is
		can_i_help_you whoever_just just_joined the_door_can the_sofa just_leave_it leave_it_by leave_it_at go_back_to_bed i'll_call_you call_you_back can't_talk_right is_that_a_new account`},
	{crew, `guys dude dudes buddy bro mate mates everybody's party team gang lads fellas you_lot y'all folks people`},
	{number, `one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand zero half dozen`},
	{third, `he she him her his hers he'd he'll he'll she'd she'll they them their he's she's they've they're himself herself those_two these_two that_guy this_guy the_guy that_man that_woman that_lady the_old_man the_kid`},
	{replying, `yes yeah yep aye no nope nah sure maybe perhaps please never always both neither nothing nobody none only just mostly certainly absolutely definitely gladly deal done agreed fine probably`},
	{quoting, `it_says and_i_quote he_goes she_goes he_says she_says he's_like she's_like then_she_goes then_he_goes and_then_she and_then_he the_note_say the_letter_says the_note_says the_sign_says what_did_the_note what_was_it_the old_advert like_that_line that_line the_quote
		always_said always_says used_to_say would_say is_written reads carved inscription lyrics the_song_goes that_song my_favourite_bit my_favorite_bit in_that_movie in_that_film says_here somewhere_behind a_voice that_one_where voice_like you_know_the_one that_was_good`},
	{judging, `lying lies liar lied hiding nervous suspicious shady guilty trust trusts trusted weird creep_me creepy innocent straight_with murderer killer suspect suspects jealous scared bluffing harmless dangerous_man afraid_of_us plotting knows_more knows_something up_to_something got_worse looks_like seems_off`},
	{linking, `and so but or then what why how where who when since wait okay also`},
	{yours, `you your yours you're you've you'd you'll yourself thee thou ye`},
	{yoursAll, `you_two you_both both_of_you the_two_of_you the_three_of_you all_of_you which_of_you none_of_you one_of_you neither_of_you two_of_you three_of_you either_of_you any_of_you each_of_you you_all y'all you_three you_lot between_you you_folks you_people both_project yourselves both`},
	{roomSure, `anyone_here anybody_here everybody_on everyone_on someone_here somebody_here anyone_else_in anybody_else_in anyone_in_here anybody_in_here anybody_down_here anyone_in_this anybody_in_this anyone_on_this anybody_on_this anyone_down anybody_down anyone_up_here
		everybody_here everyone_here everyone_in_this who_in_this who_here who_among_you who_of_you does_somebody_here does_anyone_here does_anybody_here has_anyone_here has_anybody_here did_anyone_here did_anybody_here can_anyone_here is_anyone_here is_anybody_here all_staff the_whole_house whole_house
		any_of_you one_of_you_has one_of_you_is one_of_you_did one_of_you_must somebody_in_this someone_in_this listen_up gather_round gather_around good_people good_folk good_folks hear_me_out hear_ye your_attention everybody_quiet everyone_quiet nobody_moves nobody_move nobody_leaves anyone_home anybody_home ahoy_there volunteers
		in_this_room on_this_whole in_this_whole in_this_town in_this_village in_this_inn in_this_tavern everyone_out everybody_out everyone_down everybody_down everyone_listen everybody_listen ladies_and_gentlemen hey_folks evening_all evening_everyone evening_everybody morning_all morning_everyone hello_everyone hello_everybody hello_all hi_all hi_everyone hello_in_there`},
	{roomWide, `anyone_else is_anyone is_anybody is_there_anyone is_there_anybody is_there_someone has_anyone has_anybody does_anyone does_anybody did_anyone did_anybody can_anyone can_anybody could_anyone anyone_know anybody_know anyone_knows anyone_seen anybody_seen anybody_got anyone_got anyone_who anybody_who
		does_somebody does_someone can_somebody can_someone could_somebody could_someone all_of_you who_owns anyone_want_to_earn whoever_wants one_of_you one_of_you_lot raise_your_hand hands_up show_of_hands each_of_you everyone_please everybody_please any_volunteers`},
	{wonder, `think guess suppose maybe reckon probably bet wonder feel_like swear honestly imagine sounds_like kind_of sort_of`},
	{past, `was were had did said saw went came got told gave took heard knew left made found lost saw`},
	{scene, `here this that there these those now tonight`},
	{stopping, `stop wait hold_on hang_on no_no enough shut_up quiet silence listen sorry_sorry`},
	{tracing, `hold_that_thought not_you not_him not_her i_meant i_mean i_didn't_mean wrong_person never_mind nevermind scratch_that forget_her forget_him forget_it actually_no was_meant_for meant_for i'm_asking i_asked i_wasn't_asking i_was_talking_to i_was_asking i'm_talking_to let_me_ask
		or_no no_wait wait_no no_sorry sorry_not sorry_no other_one wrong_one i'd_rather_hear  i_want_to_hear_it_from hear_it_from  answer_that suit_yourself talking_to_you talking_to`},
}
