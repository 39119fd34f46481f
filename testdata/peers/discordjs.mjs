// A bot made with discord.js, for an evening on the test's own Discord. It reports its
// actions, and every warning of the library, on standard output, one JSON object per line.
//
// usage: node discordjs.mjs API TOKEN
//
// It ends when standard input ends.

import { createRequire } from "node:module";

const { ActionRowBuilder, ButtonBuilder, ButtonStyle, Client, Events, GatewayIntentBits, ModalBuilder, Partials, TextInputBuilder, TextInputStyle } =
  createRequire(import.meta.url)("discord.js");

const [api, token] = process.argv.slice(2);
const tell = (event, more = {}) => console.log(JSON.stringify({ event, ...more }));
const complain = (error) => tell("complaint", { text: String(error?.stack ?? error) });
process.on("unhandledRejection", complain);
process.on("uncaughtException", complain);
process.on("warning", complain);

const bot = new Client({
  intents: [GatewayIntentBits.Guilds, GatewayIntentBits.GuildMessages, GatewayIntentBits.MessageContent, GatewayIntentBits.GuildMessageReactions],
  partials: [Partials.Message, Partials.Channel, Partials.Reaction],
  rest: { api },
});
bot.on(Events.Error, complain);
bot.on(Events.Warn, complain);
bot.on(Events.Invalidated, () => complain("the session was invalidated"));
bot.rest.on("invalidRequestWarning", (w) => complain(JSON.stringify(w)));
const on = (event, f) => bot.on(event, (...args) => Promise.resolve(f(...args)).catch(complain));

on(Events.ClientReady, async () => {
  await bot.application.commands.set([
    { name: "roll", description: "Rolls dice", options: [{ type: 3, name: "dice", description: "Which", required: true, autocomplete: true }] },
    { name: "form", description: "Shows a form" },
  ]);
  const all = await bot.application.commands.fetch();
  const guild = bot.guilds.cache.first();
  tell("ready", { commands: all.map((c) => c.name).sort(), guild: guild.name, roles: guild.roles.cache.size });
});

on(Events.MessageCreate, async (m) => {
  if (m.author.bot || m.webhookId) return;
  tell("heard", { author: m.member.displayName, text: m.content });
  if (!m.content.startsWith("play")) return;
  const nonce = `once${m.id}`.slice(0, 25);
  const one = await m.channel.send({ content: "Said once.", nonce, enforceNonce: true });
  const two = await m.channel.send({ content: "Said once.", nonce, enforceNonce: true });
  const hook = await m.channel.createWebhook({ name: "Bartok" });
  const line = await hook.send({ content: "Welcome to the Flagon.", username: "Bartok the Barkeep", allowedMentions: { parse: [] } });
  await hook.editMessage(line, "Welcome, stranger.");
  const slip = await hook.send({ content: "A slip of the tongue.", username: "Bartok the Barkeep" });
  await hook.deleteMessage(slip);
  await m.react("🍺");
  const thread = await m.startThread({ name: "The cellar", autoArchiveDuration: 60 });
  await thread.send({ content: "It is dark here.", embeds: [{ title: "A cellar", description: "Barrels." }] });
  await hook.send({ content: "Who is there?", threadId: thread.id });
  await m.reply({ content: "Replied.", allowedMentions: { repliedUser: false } });
  const gone = await m.channel.send("Gone soon.");
  await gone.delete();
  const last = await m.channel.messages.fetch({ limit: 10 });
  tell("played", { same: one.id === two.id, last: last.filter((x) => x.author.bot).map((x) => x.content).reverse(), hooks: (await m.channel.fetchWebhooks()).size });
});

on(Events.MessageUpdate, (_, m) => { if (!m.author.bot) tell("edited", { text: m.content }); });
on(Events.MessageReactionAdd, (r, u) => { if (!u.bot) tell("reacted", { emoji: r.emoji.name }); });

on(Events.InteractionCreate, async (i) => {
  if (i.isAutocomplete()) return i.respond(["2d6", "1d20"].filter((d) => d.startsWith(i.options.getFocused())).map((d) => ({ name: d, value: d })));
  if (i.isChatInputCommand() && i.commandName === "form") {
    const row = new ActionRowBuilder().addComponents(new TextInputBuilder().setCustomId("name").setLabel("Name").setStyle(TextInputStyle.Short));
    return i.showModal(new ModalBuilder().setCustomId("form").setTitle("Who?").addComponents(row));
  }
  if (i.isModalSubmit()) return i.reply({ content: `It is ${i.fields.getTextInputValue("name")}.`, flags: 64 });
  if (i.isButton()) return i.update({ content: "Rolled again.", components: [] });
  await i.deferReply();
  const row = new ActionRowBuilder().addComponents(new ButtonBuilder().setCustomId("again").setLabel("Again").setStyle(ButtonStyle.Primary));
  await i.editReply({ content: `Rolled ${i.options.getString("dice")}.`, components: [row] });
  await i.followUp({ content: "In private.", flags: 64 });
});

process.stdin.resume();
process.stdin.on("end", async () => {
  await bot.destroy();
  process.exit(0);
});
bot.login(token).catch(complain);
