// The actions of a guest at a browser table: join, listen and say a line.

// join takes a seat through the door, and from then on measures incoming sound.
export async function join(page, called, ways) {
  await page.fill("#name", called);
  await page.check("#agrees");
  await page.check(`input[value=${ways}]`);
  await page.click(".door button.main");
  await page.waitForSelector(".state-dot.on");
  await listen(page);
}

// listen measures incoming sound: the loudest moment of the NPCs, and of other players.
export const listen = (page) => page.evaluate(() => {
  const sound = new AudioContext();
  const meters = [...document.querySelectorAll("audio")].map((a) => {
    const meter = sound.createAnalyser();
    sound.createMediaStreamSource(a.srcObject).connect(meter);
    return meter;
  });
  const data = new Float32Array(2048);
  const loudness = (m) => {
    m.getFloatTimeDomainData(data);
    return Math.sqrt(data.reduce((sum, x) => sum + x * x, 0) / data.length);
  };
  window.loudest = { npc: 0, player: 0 };
  setInterval(() => meters.forEach((m, i) => {
    const of = i === 0 ? "npc" : "player";
    window.loudest[of] = Math.max(window.loudest[of], loudness(m));
  }), 20);
});

export const loudest = (page) => page.evaluate(() => window.loudest);
export const hears = (page, of) => page.waitForFunction((of) => window.loudest[of] > 0.01, of);

export async function say(page, text) {
  await page.fill(".say input", text);
  await page.keyboard.press("Enter");
}
