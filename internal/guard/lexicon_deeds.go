package guard

// deeds are what is done and kept quiet: a line is one meaning, in English and German.
const deeds = `
*forge making~ make~ made~ machen~ macht~ gemacht~ work~ werk~ forged forging forgery forger fake faked faking counterfeit counterfeited counterfeiter falsify falsified fälschen gefälscht fälschte fälschung fälscherin nachmachen nachgemacht
*desert left~ leave~ verließ~ ran~ run~ away~ off~ weg~ lief~ gelaufen~ deserted deserter deserting abscond absconded fahnenflucht fahnenflüchtig desertieren desertiert desertierte deserteur ausgerissen abgehauen davongelaufen weggelaufen flee fled fleeing bolted fliehen floh geflohen entlaufen skipped~ service~ dienst~ schwänzt~
*hide hides hid hidden hiding conceal concealed conceals stash stashed lurk hideout verstecken versteckt verstecke versteckte verbergen verborgen verbirgt birgt bergen verstaut stecken steckt tarnen getarnt
*drown pushed~ water~ wasser~ river~ fluss~ gestoßen~ drowned drowning drowns ertränken ertränkt ertränkte ertrinken ertrunken ersäufen ersäuft ersoffen held~ hielt~ under~
*kill hit~ struck~ strike~ beat~ bludgeoned~ stabbed~ fell~ schlug~ geschlagen~ died~ gestorben~ kills killed killing killer slay slew slain slayer murder murdered murderer murders murderess manslaughter töten getötet tötete umbringen umgebracht brachte ermorden ermordet ermordete mord mörder mörderin morden erschlagen erschlug erstechen erstochen totschlag
*poison poisoned poisoning poisons poisoner venom vergiften vergiftet vergiftete gift giftmord giftig vergiftung
*steal steals stole stolen stealing theft thief thieved nick nicked pinch pinched swipe swiped filch filched pilfer pilfered rob robbed purloined stehlen stiehlt stahl gestohlen gestohlene klauen geklaut klaute mausen gemaust entwenden entwendet entwendete diebstahl dieb diebin raub rauben geraubt stibitzt mitgehen~ mitgenommen~ geholt~ took~ genommen~ helped~
*bribe money~ cash~ coins~ geld~ paid~ pay~ bezahlt~ gab~ gave~ bribed bribes bribery bribing backhander schmieren geschmiert bestechen bestochen bestach besticht bestechung bestechungsgeld schmiergeld gekauft gold~ silver~ silber~ purse~ beutel~ took~ genommen~ zahlte~ gezahlt~
*swap swapped swaps swapping switch switched exchange exchanged changeling substitute substituted replaced vertauschen vertauscht vertauschte vertauschtes tauschen getauscht tausche austauschen ausgetauscht umgetauscht unterschieben untergeschoben wechselbalg ausgewechselt another~ other~ anderes~ anderer~ fremdes~ fremde~ hingelegt~ legte~ laid~ eigenes~ eigene~
*hang hanged hung hanging hangs gallows noose execute executed execution hängen gehängt gehängte gehenkt aufgehängt erhängt galgen strick hinrichten hingerichtet aufgeknüpft henker baumeln baumelt aufknüpfen
*dilute mix~ mixed~ mischen~ mischt~ gemischt~ gießt~ gießen~ schüttet~ schütten~ pour~ diluted dilutes diluting watered stretch stretched thin thinned strecken streckt gestreckt verdünnen verdünnt verdünne verwässern verwässert panschen panscht gepanscht schuss~ drittel~ hälfte~ drin~ hinein~ third~ splash~
*bury tot~ dead~ body~ leiche~ buried buries burying burial grave begraben begräbt vergraben vergrub begrub verscharren verscharrt verbuddelt eingegraben grab beerdigt
*betray betrayed betrays betrayal traitor treason verraten verriet verrät verräter verräterin verrat
lie lied lying liar lies lügen gelogen log lügner
spy spies spied spying informer spion spionin spionieren spioniert ausspionieren spitzel
*smuggle smuggled smuggler smugglers smuggling contraband schmuggeln geschmuggelt schmuggler schmuggel schmuggelt
conspire conspiracy conspirator conspirators plotter plotters plot plotting verschwören verschwörer verschwörern verschwörung intrige
rebel rebels rebellion insurgent insurgents uprising revolt mutineer aufständische aufständischen aufständischer aufständler aufstand rebellen rebell rebellion aufrührer umstürzler
*kidnap kidnapped abduct abducted entführen entführt entführte verschleppt
*cheat cheated cheats swindle swindled fraud con conned trick tricked betrügen betrogen betrug betrüger schwindel beschwindelt prellen
*extinguish aus~ out~ dark~ dunkel~ put~ machte~ extinguished douse doused quench quenched snuff löschen gelöscht löschte löscht ausmachen ausgemacht auslöschen ausgelöscht auspusten
dark darkness unlit dunkel finster dunkelheit finsternis
*sabotage sabotaged damaged manipuliert sabotieren sabotiert
*sever severed cut cuts cutting saw sawn sawed sawing durchtrennen durchtrennt durchgeschnitten durchschnitten schneiden schnitt geschnitten zerschnitten durchgesägt gesägt angesägt sägen through~ durch~ apart~ entzwei~ gone~
*withdraw weg~ away~ off~ ab~ withdrawn withdrew withdraws abziehen abgezogen abzieht zieht ziehe zog zögen ziehen zurückziehen zurückgezogen pull pulls pulled remove removes removed wegschicken weggeschickt abberufen schicke~ schicken~ schickt~ send~ sent~ home~ heim~ bett~ unbewacht~ unguarded~
*sell sells sold selling seller verkaufen verkauft verkaufte verhökern verhökert verscherbelt veräußert verticken
bankrupt bankruptcy broke ruined pleite bankrott zahlungsunfähig
*blackmail blackmailed extort extorted erpressen erpresst erpresste erpressung
*curse cursed curses hex hexed verfluchen verflucht fluch verhext
*summon summoned conjure conjured beschwören beschworen herbeigerufen
*bewitch bewitched enchant enchanted charm charmed verzaubern verzaubert behext bezaubert
*burn fire~ feuer~ burned burnt burns burning arson arsonist torch torched brennen verbrennen gebrannt verbrannt brannte abgebrannt anzünden angezündet brandstiftung
escape escaped escapes runaway entkommen entkam entwischt entflohen ausbrechen ausgebrochen
disguise disguised masquerade impostor imposter pretend pretends pretended verkleiden verkleidet hochstapler ausgegeben vorgeben
abandon abandoned verlassen
marry married wed wedded marriage heiraten geheiratet verheiratet hochzeit
pregnant expecting schwanger
*imprison imprisoned captive prisoner locked gefangen gefangene eingesperrt einsperren kerker eingekerkert
*torture tortured foltern gefoltert folter
-free frees freed freeing release released releases freedom freiheit liberty acquit acquitted frei freigelassen freilassen freikam laufen freisprechen freigesprochen loose ungeschoren
*feed feeds fed feeding füttern füttert füttere gefüttert fütterte fleisch~ meat~ frisst~ eats~ päppeln päpple päppelt aufpäppeln pflege~ pflegen~ nurse~ nursing~ bringe~ bring~
sign signs signed signing signature unterschreiben unterschreibt unterschrieb unterschrieben unterschreibe unterzeichnen unterzeichnet
lose stop~ stopped~ no~ longer~ left~ loses lost losing verlieren verliert verlor verloren abhandengekommen nothing~ gone~ died~ habit~ aufgehört~ nie~ ohne~ without~
-missing vanished vanish disappeared disappear verschwunden verschwundene verschwand verschollen verschollene vermisst vermisste long-lost gesucht gesuchte suchen~ sucht~ searching~ search~ seek~
wed
owe owes owed debt debts schulden schulde schuldet verschuldet
`
