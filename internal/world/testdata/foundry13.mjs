// Writes the world in foundry13, as Foundry VTT 13 keeps it, with the library it uses: foundry13.mjs DIR.
import { ClassicLevel } from "classic-level";
import fs from "node:fs";
const root = process.argv[2];
const put = async (dir, records, compact) => {
  const db = new ClassicLevel(`${root}/${dir}`, { keyEncoding: "utf8", valueEncoding: "json" });
  await db.open();
  const batch = db.batch();
  for (const [k, v] of Object.entries(records)) batch.put(k, v);
  await batch.write();
  if (compact) await db.compactRange("!", "~");
  await db.close();
};
fs.mkdirSync(`${root}/data`, { recursive: true });
fs.mkdirSync(`${root}/packs`, { recursive: true });
fs.writeFileSync(`${root}/world.json`, JSON.stringify({
  id: "barrow-keep", title: "Barrow Keep", system: "dnd5e", coreVersion: "13.345", compatibility: { minimum: "13", verified: "13" },
  packs: [{ name: "bestiary", label: "Bestiary", path: "packs/bestiary", type: "Actor", system: "dnd5e", ownership: { PLAYER: "NONE", ASSISTANT: "OWNER" } }],
}, null, 2));
const open = { default: 2 }, limited = { default: 1 }, shut = { default: 0, hVvUPRXcRzrGj2lk: 3 };
await put("data/folders", {
  "!folders!FoldScene0000001": { _id: "FoldScene0000001", name: "The Marches", type: "Scene", folder: null, sorting: "a", color: null },
  "!folders!FoldActor0000001": { _id: "FoldActor0000001", name: "Villains", type: "Actor", folder: null, sorting: "a" },
}, true);
await put("data/actors", {
  "!actors!ActorMaren000001": { _id: "ActorMaren000001", name: "Maren the Ferrywoman", type: "npc", ownership: open, folder: null, prototypeToken: {},
    system: { details: { biography: { value: "<p>Maren rows anyone across the Sill for a copper.</p><section class=\"secret\" id=\"secret-abc\"><p>She smuggles letters for @UUID[Actor.ActorBaron000001]{the Baron}.</p></section>", public: "" }, alignment: "Neutral Good", race: "human", cr: 0.5 } } },
  "!actors.items!ActorMaren000001.ItemPole00000001": { _id: "ItemPole00000001", name: "Iron-shod pole", type: "weapon", system: {} },
  "!actors.items!ActorMaren000001.ItemFeat00000001": { _id: "ItemFeat00000001", name: "Steady Hands", type: "feat", system: {} },
  "!actors!ActorBaron000001": { _id: "ActorBaron000001", name: "Baron Ulric Vey", type: "npc", ownership: shut, folder: "FoldActor0000001", prototypeToken: {},
    system: { details: { biography: { value: "<p>Ulric poisoned his brother.</p>", public: "<p>Lord of the keep.</p>" } } } },
  "!actors!ActorSmith000001": { _id: "ActorSmith000001", name: "Hanne Smith", type: "npc", ownership: limited, folder: null, prototypeToken: {},
    system: { details: { biography: { value: "<p>Hanne owes the thieves forty crowns.</p>", public: "<p>The smith of the keep, loud and kind.</p>" }, alignment: "Chaotic Good" } } },
}, false);
await put("data/items", {
  "!items!ItemCrown0000001": { _id: "ItemCrown0000001", name: "Crown of Ash", type: "equipment", ownership: open, system: { identified: false, description: { value: "<p>It burns who lies.</p>" } } },
}, false);
await put("data/journal", {
  "!journal!JrnlKeep00000001": { _id: "JrnlKeep00000001", name: "The Keep", ownership: open, folder: null, pages: ["PageHist00000001", "PageGM0000000001"] },
  "!journal.pages!JrnlKeep00000001.PageHist00000001": { _id: "PageHist00000001", name: "History", type: "text", ownership: { default: -1 },
    text: { format: 1, content: "<h2>Founding</h2><p>Built by &amp; for the wardens. See @UUID[Actor.ActorMaren000001] and @UUID[Actor.ActorBaron000001].</p><p>Roll [[/r 1d6]]{a die} or [[2d4]].</p><script>alert(1)</script>" } },
  "!journal.pages!JrnlKeep00000001.PageGM0000000001": { _id: "PageGM0000000001", name: "For the GM", type: "text", ownership: { default: 0 }, text: { content: "<p>The well is a door to the crypt.</p>" } },
}, true);
await put("data/scenes", {
  "!scenes!SceneCourt000001": { _id: "SceneCourt000001", name: "Courtyard", ownership: open, folder: "FoldScene0000001", journal: null, grid: {}, tokens: ["t1", "t2"], notes: ["n1"] },
  "!scenes.tokens!SceneCourt000001.t1": { _id: "t1", actorId: "ActorMaren000001", hidden: false },
  "!scenes.tokens!SceneCourt000001.t2": { _id: "t2", actorId: "ActorSmith000001", hidden: true },
  "!scenes.notes!SceneCourt000001.n1": { _id: "n1", entryId: "JrnlKeep00000001", pageId: null },
}, false);
await put("data/messages", { "!messages!m1": { _id: "m1", content: "hello", author: "x" } }, false);
await put("packs/bestiary", {
  "!actors!PackGhoul0000001": { _id: "PackGhoul0000001", name: "Barrow Ghoul", type: "npc", ownership: { default: 3 }, system: { details: { biography: { value: "<p>It remembers its name.</p>" } } } },
}, true);
