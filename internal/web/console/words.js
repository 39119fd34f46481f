// The page's words. English ones are their own keys; german.js has the others.
import { teach } from "./language.js";
import { german } from "./german.js";

export { t } from "./language.js";

// english are those words whose keys are no words.
const english = {
  "engine cascaded": "language model and voice", "engine sentence_cascade": "quick first sentence", "engine s2s": "speech-to-speech model", "engine lines": "prepared lines only",
  "differs no_speech_model": "no speech-to-speech model is configured", "differs mode_off": "cascade.mode is off", "differs mode_auto": "cascade.mode is auto, so only if an answer would be late", "differs mode_always": "cascade.mode is always", "differs scripted": "there are only prepared lines for the first sentence", "differs no_opener": "the model for its first sentence cannot be used", "differs cost": "the session has cost too much",
  "route name": "called by name", "route group": "a group was called", "route continuation": "the conversation goes on", "route only_npc": "no other NPC is there", "route puppet": "led by the DM", "route reaction": "reacts to the answer", "route again": "asked again", "route whisper": "whispered to", "route none": "no NPC was meant", "route judged": "the judge model decided",
  "judge npc": "judge model: for an NPC", "judge player": "judge model: for a player", "judge nobody": "judge model: for no one", "judge late": "judge model was late", "judge failed": "judge model failed", "judge spent": "judge model was not asked",
  "outcome delivered": "answered", "outcome barged": "interrupted", "outcome cancelled": "cancelled", "outcome failed": "failed", "outcome muted": "muted", "outcome passed": "did not think it was meant", "outcome no_target": "for no NPC",
  "guard secret": "a secret", "guard prompt": "its instructions", "guard model": "talk about being a language model", "guard roll": "a made-up dice roll", "guard other_voice": "someone else's words", "guard syntax": "program text", "guard direction": "a stage direction", "guard mechanics": "rules of the game", "guard markup": "formatting", "guard repeated": "a repetition", "guard language": "another language", "guard declined": "announcing its silence", "guard too_long": "a speech that is too long",
  "stage endpoint": "end of speech", "stage stt": "transcript", "stage queue": "waiting", "stage route": "who answers", "stage context": "remembering", "stage llm": "model, first word", "stage tool": "tools", "stage writing": "first sentence", "stage tts": "voice", "stage floor": "waiting to speak", "stage rest": "until the end",
  "measured endpoint": "end of speech", "measured transcript": "transcript", "measured context": "remembering", "measured model": "model, first word", "measured writing": "first sentence", "measured tool": "tools", "measured voice": "voice",
  "hears eager": "to anything that may be for them", "hears attentive": "to what is for them", "hears called_only": "only to their names",
  "ear packets": "packets", "ear dropped": "dropped", "ear late": "late", "ear lost": "lost", "ear undecodable": "unreadable", "ear broken": "broken connections", "ear late_transcripts": "late transcripts", "ear early": "requested early", "ear vain": "requested in vain", "ear samples_lost": "samples lost",
  "step lower_tier": "tier lowered", "step opener": "quick first sentence", "step fallback": "faster model", "step filler": "filler line", "step cascade": "faster model first",
  "tier raised": "{npc} is raised to {tier}", "tier lowered": "{npc} is no longer raised", "tier expired": "{npc} is no longer raised, because the time is up", "tier capped": "{npc} is limited to {tier}", "tier uncapped": "{npc} is no longer limited",
  "listening eager": "the NPCs answer anything that may be meant for them", "listening attentive": "the NPCs answer what is meant for them", "listening called_only": "the NPCs only answer to their names",
  "{n} tools, one": "{n} tool", "{n} lines, one": "{n} line", "{n} calls, one": "{n} call", "{n} turns, one": "{n} turn", "and {n} more, one": "and {n} more", "{n} entities, one": "{n} entity", "{n} relations, one": "{n} relation",
  "your direction ({n} answers): {text}, one": "your direction ({n} answer): {text}", "{n} calls; last P50 / P99 {a} / {b}, at most {c}, one": "{n} call; last P50 / P99 {a} / {b}, at most {c}", "{n} turns; first sound due within {ms}, one": "{n} turn; first sound due within {ms}",
  "Show {n} places, this once, one": "Show {n} place, this once", "{n} events are missing here, because this page was too slow, one": "{n} event is missing here, because this page was too slow",
  "dm override": "raised by the DM", "deep keyword": "asked for a thorough answer", "deep keyword again too soon": "thorough answers asked for too often", "standard keyword": "something to look up", "first turn": "the first answer", "default": "nothing special asked for", "reaction": "a reaction", "puppet": "led by the DM", "rules found": "found in the rule book", "memory found": "found in memory",
  "cost soft_cap": "the session has reached its first cost limit: {spent}", "cost cheaper": "the cost limit is reached ({spent}): NPCs give cheaper answers", "cost lines": "the cost limit is reached ({spent}): NPCs only have prepared lines",
};
teach({ en: english, de: german });
