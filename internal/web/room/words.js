// The page's words. English ones are their own keys; german.js has the others.
import { teach } from "./language.js";
import { german } from "./german.js";

export { t, language } from "./language.js";

// english are those words whose keys are no words.
const english = {
  "microphone denied": "Your browser does not let this page use the microphone. You are at the table and can type. To speak, allow the microphone next to the page's address, then turn it on here.",
  "microphone missing": "No microphone was found. You are at the table and can type. To speak, plug one in, then turn it on here.",
  "microphone busy": "The microphone could not be opened; another program may be using it. You are at the table and can type.",
  "microphone insecure": "Browsers only let pages use the microphone over https or from this machine. You are at the table and can type; to speak, ask the host for an https link.",
  "microphone ended": "The microphone is gone. You can type; to speak, plug it in again or choose another one.",
  "refused 0": "The table cannot be reached. Are you online, and is the game still running?",
  "refused 403": "This invitation is not valid, or has expired. Ask the host for a new link.",
  "refused 409": "Someone at the table already has this name. Choose another.",
  "refused 429": "You tried too often in a short time. Wait a minute, then try again.",
  "refused 503": "The table is full. Try again when someone has left.",
};

teach({ en: english, de: german });
