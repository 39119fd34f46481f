// The way to the server: every request says which room it is about; one that changes
// something has the crumb that only this page knows.

export const here = { room: "home", me: null };

async function ask(path, options) {
  const url = new URL(path, location.origin);
  if (path !== "/console/me") url.searchParams.set("room", here.room);
  let answer;
  try {
    answer = await fetch(url, { credentials: "same-origin", ...options });
  } catch {
    throw Object.assign(new Error("the server cannot be reached"), { status: 0 });
  }
  const text = await answer.text();
  const body = text === "" ? null : JSON.parse(text);
  if (!answer.ok) throw Object.assign(new Error(body?.error ?? answer.statusText), { status: answer.status, service: body?.service });
  return body;
}

export const get = (what, query) => ask(`/console/${what}${query ? `?${new URLSearchParams(query)}` : ""}`);

export const post = (what, body) => ask(`/console/${what}`, {
  method: "POST", body: JSON.stringify(body), headers: { "Content-Type": "application/json", "X-Glyphoxa-Crumb": here.me?.crumb ?? "" },
});

export const read = (uri) => get("read", { uri });

// call runs a tool and returns what it says, as a value where that is JSON.
export async function call(tool, args) {
  const got = await post("call", { tool, args: JSON.stringify(args) });
  if (got.is_error) throw new Error(got.text);
  try {
    return JSON.parse(got.text);
  } catch {
    return got.text;
  }
}

export const order = (order, more) => post("order", { order, ...more });

const room = () => here.me?.rooms.find((r) => r.id === here.room);
export const may = (permission) => room()?.rights.includes(permission) ?? false;
export const seesAll = () => room()?.sees_all ?? false;
export const isLive = () => room()?.live ?? false;
