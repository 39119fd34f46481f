// A bot made with oceanic.js, for an evening on the test's own Discord. It reports its
// actions, and every warning of the library, on standard output, one JSON object per line.
//
// usage: node oceanic.mjs API TOKEN
//
// It ends when standard input ends.

import { createRequire } from "node:module";

const { ApplicationCommandTypes, ButtonStyles, Client, ComponentTypes, InteractionTypes, TextInputStyles } = createRequire(import.meta.url)("oceanic.js");

const [api, token] = process.argv.slice(2);
const tell = (event, more = {}) => console.log(JSON.stringify({ event, ...more }));
const complain = (error) => tell("complaint", { text: String(error?.stack ?? error) });
process.on("unhandledRejection", complain);
process.on("uncaughtException", complain);
process.on("warning", complain);

const bot = new Client({
  auth: `Bot ${token}`,
  gateway: { intents: ["GUILDS", "GUILD_MESSAGES", "MESSAGE_CONTENT", "GUILD_MESSAGE_REACTIONS"] },
  rest: { baseURL: `${api}/v10` },
});
bot.on("error", complain);
bot.on("warn", complain);
const on = (event, f) => bot.on(event, (...args) => Promise.resolve(f(...args)).catch(complain));

let greeted = false;
on("ready", async () => {
  if (greeted) return;
  greeted = true;
  await bot.application.bulkEditGlobalCommands([
    { type: ApplicationCommandTypes.CHAT_INPUT, name: "roll", description: "Rolls dice", options: [{ type: 3, name: "dice", description: "Which", required: true, autocomplete: true }] },
    { type: ApplicationCommandTypes.CHAT_INPUT, name: "form", description: "Shows a form" },
  ]);
  const all = await bot.application.getGlobalCommands();
  const guild = bot.guilds.first();
  tell("ready", { commands: all.map((c) => c.name).sort(), guild: guild.name, roles: guild.roles.size });
});

on("messageCreate", async (m) => {
  if (m.author.bot || m.webhookID) return;
  tell("heard", { author: m.member.displayName, text: m.content });
  if (!m.content.startsWith("play")) return;
  const rest = bot.rest;
  const nonce = `once${m.id}`.slice(0, 25);
  const once = () => rest.channels.createMessage(m.channelID, { content: "Said once.", nonce, enforceNonce: true });
  const one = await once();
  const two = await once();
  const hook = await rest.webhooks.create(m.channelID, { name: "Bartok" });
  const line = await rest.webhooks.execute(hook.id, hook.token, { content: "Welcome to the Flagon.", username: "Bartok the Barkeep", wait: true });
  await rest.webhooks.editMessage(hook.id, hook.token, line.id, { content: "Welcome, stranger." });
  const slip = await rest.webhooks.execute(hook.id, hook.token, { content: "A slip of the tongue.", username: "Bartok the Barkeep", wait: true });
  await rest.webhooks.deleteMessage(hook.id, hook.token, slip.id);
  await rest.channels.createReaction(m.channelID, m.id, "🍺");
  const thread = await rest.channels.startThreadFromMessage(m.channelID, m.id, { name: "The cellar", autoArchiveDuration: 60 });
  await rest.channels.createMessage(thread.id, { content: "It is dark here.", embeds: [{ title: "A cellar", description: "Barrels." }] });
  await rest.webhooks.execute(hook.id, hook.token, { content: "Who is there?", threadID: thread.id, wait: true });
  await rest.channels.createMessage(m.channelID, { content: "Replied.", messageReference: { messageID: m.id }, allowedMentions: { repliedUser: false } });
  const gone = await rest.channels.createMessage(m.channelID, { content: "Gone soon." });
  await rest.channels.deleteMessage(m.channelID, gone.id);
  const last = await rest.channels.getMessages(m.channelID, { limit: 10 });
  const hooks = await rest.webhooks.getForChannel(m.channelID);
  tell("played", { same: one.id === two.id, last: last.filter((x) => x.author.bot).map((x) => x.content).reverse(), hooks: hooks.length });
});

on("messageUpdate", (m) => { if (!m.author.bot) tell("edited", { text: m.content }); });
on("messageReactionAdd", (_, u, r) => { if (u.id !== bot.user.id) tell("reacted", { emoji: r.emoji.name }); });

on("interactionCreate", async (i) => {
  switch (i.type) {
    case InteractionTypes.APPLICATION_COMMAND_AUTOCOMPLETE:
      return i.result(["2d6", "1d20"].filter((d) => d.startsWith(i.data.options.getFocused().value)).map((d) => ({ name: d, value: d })));
    case InteractionTypes.MODAL_SUBMIT:
      return i.createMessage({ content: `It is ${i.data.components.getTextInput("name")}.`, flags: 64 });
    case InteractionTypes.MESSAGE_COMPONENT:
      return i.editParent({ content: "Rolled again.", components: [] });
  }
  if (i.data.name === "form") {
    return i.createModal({
      customID: "form", title: "Who?",
      components: [{ type: ComponentTypes.ACTION_ROW, components: [{ type: ComponentTypes.TEXT_INPUT, customID: "name", label: "Name", style: TextInputStyles.SHORT }] }],
    });
  }
  await i.defer();
  await i.editOriginal({
    content: `Rolled ${i.data.options.getString("dice")}.`,
    components: [{ type: ComponentTypes.ACTION_ROW, components: [{ type: ComponentTypes.BUTTON, customID: "again", label: "Again", style: ButtonStyles.PRIMARY }] }],
  });
  await i.createFollowup({ content: "In private.", flags: 64 });
});

process.stdin.resume();
process.stdin.on("end", () => {
  bot.disconnect(false);
  process.exit(0);
});
bot.connect().catch(complain);
