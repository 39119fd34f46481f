// The page's words. English ones are their own keys; german.js has the others.
import { teach } from "./language.js";
import { german } from "./german.js";

export { t } from "./language.js";

// english are those words whose keys are no words.
const english = {
  "engine cascaded": "cascaded", "engine sentence_cascade": "fast opener", "engine s2s": "speech to speech", "engine lines": "stock phrases only",
  "differs no_speech_model": "no speech-to-speech model is configured", "differs mode_off": "cascade.mode is off", "differs mode_auto": "cascade.mode is auto, so only where an answer would be late", "differs mode_always": "cascade.mode is always", "differs scripted": "the opener has prepared lines only", "differs no_opener": "its opener cannot be used", "differs cost": "the session has cost too much",
  "route name": "called by name", "route group": "a group was called", "route continuation": "the conversation goes on", "route only_npc": "nobody else is there", "route puppet": "led by the DM", "route reaction": "reacts to the answer", "route again": "asked again", "route whisper": "whispered to", "route none": "nobody meant", "route judged": "the judge says so",
  "judge npc": "the judge: for an NPC", "judge player": "the judge: for a player", "judge nobody": "the judge: for nobody", "judge late": "the judge was late", "judge failed": "the judge failed", "judge spent": "the judge was not asked",
  "outcome delivered": "delivered", "outcome barged": "interrupted", "outcome cancelled": "cancelled", "outcome failed": "failed", "outcome muted": "muted", "outcome passed": "did not feel meant", "outcome no_target": "for nobody",
  "guard secret": "a secret", "guard prompt": "instructions", "guard model": "talk of a model", "guard roll": "an invented roll", "guard other_voice": "somebody else's words", "guard syntax": "program text", "guard direction": "a stage direction", "guard mechanics": "rules of the game", "guard markup": "markup", "guard repeated": "a repetition", "guard language": "another language", "guard declined": "words for silence", "guard too_long": "too long a speech",
  "stage endpoint": "end of speech", "stage stt": "transcript", "stage queue": "waiting", "stage route": "who answers", "stage context": "remembering", "stage llm": "model, first token", "stage tool": "tools", "stage writing": "first sentence", "stage tts": "voice", "stage floor": "floor", "stage rest": "until the end",
  "measured endpoint": "end of speech", "measured transcript": "transcript", "measured context": "remembering", "measured model": "model, first token", "measured writing": "first sentence", "measured tool": "tools", "measured voice": "voice",
  "hears eager": "to whatever may be theirs", "hears attentive": "to what is theirs", "hears called_only": "to their names alone",
  "ear packets": "packets", "ear dropped": "dropped", "ear late": "late", "ear lost": "lost", "ear undecodable": "undecodable", "ear broken": "broken connections", "ear late_transcripts": "late transcripts", "ear early": "asked for early", "ear vain": "in vain", "ear samples_lost": "samples lost",
  "step lower_tier": "tier lowered", "step opener": "opener", "step fallback": "faster model", "step filler": "filler", "step cascade": "cascade",
  "tier raised": "{npc} is raised to {tier}", "tier lowered": "{npc} is not raised any more", "tier expired": "the raise of {npc} is over", "tier capped": "{npc} is capped at {tier}", "tier uncapped": "{npc} is not capped any more",
  "listening eager": "the NPCs answer whatever may be meant for them", "listening attentive": "the NPCs answer what is meant for them", "listening called_only": "the NPCs answer to their names alone",
  "cost soft_cap": "the session has reached its soft cap: {spent}", "cost cheaper": "the cap is reached ({spent}): NPCs answer more cheaply", "cost lines": "the cap is reached ({spent}): NPCs have stock phrases only",
};
teach({ en: english, de: german });
