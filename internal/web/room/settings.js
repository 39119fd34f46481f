// What one chooses once: devices, how one talks, how the page looks and what it announces.
import { h, replace } from "./dom.js";
import { t } from "./words.js";
import { lookControls } from "./look.js";
import { devices } from "./microphone.js";

// settings opens the dialog. at has what is chosen now and what to do with another choice.
export async function settings(at) {
  const dialog = h("dialog", { class: "settings", "aria-labelledby": "settings-title" });
  const inputs = await devices("audioinput"), outputs = "setSinkId" in HTMLMediaElement.prototype ? await devices("audiooutput") : [];
  const choice = (label, all, now, choose) => all.length > 1 && h("label", { class: "field" }, label,
    h("select", { onchange: (e) => choose(e.target.value) }, all.map((d) => h("option", { value: d.deviceId, selected: d.deviceId === now }, d.label))));
  const talk = h("select", { onchange: (e) => at.talk(e.target.value) },
    [["hold", t("Hold to talk")], ["open", t("Open microphone")]].map(([id, name]) => h("option", { value: id, selected: id === at.ways }, name)));
  replace(dialog,
    h("div", { class: "dialog-head" }, h("h2", { id: "settings-title" }, t("Settings")), h("button", { type: "button", class: "quiet", "aria-label": t("Close"), onclick: () => dialog.close() }, "✕")),
    at.speaks ? h("label", { class: "field" }, t("How you talk"), talk)
      : h("button", { type: "button", onclick: () => { dialog.close(); at.turnOn(); } }, t("Turn the microphone on")),
    at.speaks && choice(t("Microphone"), inputs, at.input, at.chooseInput),
    choice(t("Loudspeaker"), outputs, at.output, at.chooseOutput),
    h("label", {}, h("input", { type: "checkbox", checked: localStorage.getItem("aloud") !== "off", onchange: (e) => localStorage.setItem("aloud", e.target.checked ? "on" : "off") }), t("Announce lines to screen readers")),
    h("div", { class: "field" }, h("span", {}, t("Language and colours")), lookControls(() => {
      dialog.close();
      at.redraw();
    })),
    h("p", { class: "small soft" }, t("The sound of your microphone goes to the host of this game, the other players and the host's speech service. What you say is remembered until you delete it.")),
    forget(at.forget, dialog));
  dialog.addEventListener("close", () => dialog.remove());
  dialog.addEventListener("click", (e) => e.target === dialog && dialog.close());
  document.body.append(dialog);
  dialog.showModal();
}

// forget asks once more before what one said is gone for good.
function forget(act, dialog) {
  const button = h("button", { type: "button", class: "danger", onclick: () => {
    if (button.dataset.sure) {
      dialog.close();
      act();
      return;
    }
    button.dataset.sure = "yes";
    button.textContent = t("Really? This cannot be undone");
  } }, t("Delete everything I have said"));
  return button;
}
