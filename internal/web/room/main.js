// The way through the page: the door, the table, and the door again.
import { h, replace } from "./dom.js";
import { t } from "./words.js";
import { applyLook, lookControls } from "./look.js";
import { door, refusal } from "./door.js";
import { Seat, keptSeat } from "./seat.js";
import { Microphone } from "./microphone.js";
import { Ears } from "./ears.js";

applyLook();

const root = document.getElementById("main");
const controls = document.getElementById("controls");
const invite = decodeURIComponent(location.hash.slice(1));
let room = null;

const ears = new Ears((blocked) => room?.banner("autoplay", blocked && t("The browser waits for a click before it plays sound."), t("Start the sound"), () => ears.play()));

function showDoor(said, name) {
  room = null;
  ears.stop();
  document.title = "Glyphoxa";
  document.getElementById("brand").textContent = "Glyphoxa";
  document.getElementById("skip").textContent = t("Skip to content");
  replace(controls, lookControls(() => showDoor(said, name)));
  if (invite === "") {
    replace(root, h("div", { class: "panel door" }, h("h1", {}, t("The invitation is missing")), h("p", {}, t("The link to a table ends with # and the invitation. Open the whole link that you were given, or ask the host for a new one."))));
    return;
  }
  const before = keptSeat(invite); // it is had still where the table could not be reached
  door(root, { said, name, enter: (chosen) => enter({ ...chosen, secret: before?.name === chosen.name ? before.secret : undefined }) });
}

// enter takes a seat, or the one that was had before the page was loaded anew.
async function enter({ name, ways, secret }) {
  let problem = "", seat = null;
  const early = []; // messages from before the table is drawn
  const microphone = new Microphone({
    tell: (on) => seat?.send({ type: "mute", on }),
    changed: () => room?.update(),
    ended: () => room?.microphoneProblem("ended"),
  });
  if (ways !== "none") {
    try {
      await microphone.open(localStorage.getItem("microphone"));
      microphone.mute(ways === "hold");
    } catch (error) {
      problem = error.problem ?? "missing";
    }
  }
  seat = new Seat({
    invite, name, ways, secret, track: () => microphone.track,
    hear: (m) => room ? room.hear(m) : early.push(m),
    sound: (tracks) => ears.hear(tracks),
    phase: ({ phase, problem }) => {
      if (phase === "gone") {
        room?.end();
        microphone.close();
        showDoor(refusal(problem), seat.name);
      } else if (phase === "here") {
        seat.send({ type: "mute", on: microphone.track === null || microphone.muted });
        room?.arrived();
      }
      room?.update();
    },
  });
  try {
    await seat.take();
  } catch (error) {
    microphone.close();
    throw error;
  }
  const { Room } = await import("./room.js");
  room = new Room(root, controls, { seat, microphone, ears });
  room.arrived();
  for (const m of early) room.hear(m);
  if (problem) room.microphoneProblem(problem);
  if (ears.waits) ears.blocked(true);
  document.addEventListener("pointerdown", () => microphone.wake());
  if (ways === "none" || problem) room.dock.line.focus();
  else root.focus();
}

addEventListener("hashchange", () => location.reload());
document.getElementById("skip").addEventListener("click", (e) => {
  e.preventDefault();
  root.focus();
});

const kept = keptSeat(invite);
if (!kept) showDoor();
else {
  replace(root, h("p", { class: "panel door soft", role: "status" }, t("Back to your seat …")));
  enter(kept).catch((error) => showDoor(refusal(error), kept.name));
}
