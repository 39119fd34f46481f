// The page's words. English ones are their own keys; german.js has the others.
import { teach } from "./language.js";
import { german } from "./german.js";

export { t, language } from "./language.js";

// english are those words whose keys are no words.
const english = {
  "microphone denied": "The browser keeps the microphone from this page. You are at the table and can type. To speak, allow the microphone beside the page's address, then turn it on here.",
  "microphone missing": "No microphone was found. You are at the table and can type. To speak, plug one in, then turn it on here.",
  "microphone busy": "The microphone could not be opened; another program may be using it. You are at the table and can type.",
  "microphone insecure": "Browsers give the microphone only to pages that come over https or from this machine. You are at the table and can type; to speak, ask whoever runs the game for an https link.",
  "microphone ended": "The microphone is gone. You can type; plug it in again or choose another to speak.",
  "refused 0": "The table cannot be reached. Is your connection up, and is the game still running?",
  "refused 403": "This invitation does not hold, or has ended. Ask whoever runs the game for a new link.",
  "refused 409": "Somebody at the table has this name already. Take another.",
  "refused 429": "That was too often in a short time. Wait a minute, then try again.",
  "refused 503": "The table is full. Try again when somebody has left.",
};

teach({ en: english, de: german });
