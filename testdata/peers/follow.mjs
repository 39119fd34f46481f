// Follows a table like PAGES pages of the console, without rendering: each reads the event
// stream and requests the table as often as the page would. It prints "following" once all
// have an event, and ends with its input.
//
// usage: node follow.mjs SERVER TOKEN PAGES

const [server, token, pages] = process.argv.slice(2);
const headers = { Authorization: `Bearer ${token}` };
const telling = /"kind":"(tier|listening|turn\.ended|guarded|unsaid|cost|approval\.ended)"/;
let following = 0;

process.stdin.resume().on("end", () => process.exit());
await Promise.all(Array.from({ length: Number(pages) }, follow));

async function follow() {
  const stream = await fetch(`${server}/console/events?room=home`, { headers });
  let said = false;
  let due = false;
  for await (const piece of stream.body) {
    const text = Buffer.from(piece).toString();
    if (!said && text.includes("data:")) {
      said = true;
      if (++following === Number(pages)) console.log("following");
    }
    if (due || !telling.test(text)) continue;
    due = true;
    setTimeout(async () => {
      due = false;
      await (await fetch(`${server}/console/table?room=home`, { headers })).text();
    }, 400);
  }
}
