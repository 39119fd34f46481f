// Calls tools of an MCP server over streamable HTTP with the protocol's TypeScript SDK,
// and answers the server's requests meanwhile: forms, and sampling.
//
// usage: node asked.mjs v1|v2 URL TOKEN
//
// It prints a JSON object: the server's requests, and the tools' final results.

const [line, url, token] = process.argv.slice(2);
const done = { protocol: "", asked: [], said: {} };

async function load(line) {
  if (line === "v2") {
    const { Client, StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
    return { Client, StreamableHTTPClientTransport, elicit: "elicitation/create", sample: "sampling/createMessage" };
  }
  const [{ Client }, { StreamableHTTPClientTransport }, types] = await Promise.all([
    import("@modelcontextprotocol/sdk/client/index.js"),
    import("@modelcontextprotocol/sdk/client/streamableHttp.js"),
    import("@modelcontextprotocol/sdk/types.js"),
  ]);
  return { Client, StreamableHTTPClientTransport, elicit: types.ElicitRequestSchema, sample: types.CreateMessageRequestSchema };
}

const { Client, StreamableHTTPClientTransport, elicit, sample } = await load(line);
const options = { capabilities: { elicitation: { form: {} }, sampling: {} } };
if (line === "v2") {
  options.versionNegotiation = { mode: { pin: "2026-07-28" } };
}
const client = new Client({ name: "asked", version: "1" }, options);
client.setRequestHandler(elicit, ({ params }) => {
  done.asked.push(params.message);
  return { action: "accept", content: { name: "Mira of the Inn", check: true } };
});
client.setRequestHandler(sample, ({ params }) => {
  const [{ content }] = params.messages;
  done.asked.push((Array.isArray(content) ? content[0] : content).text);
  return { role: "assistant", model: "a-model-of-mine", content: { type: "text", text: "The bell is old." } };
});
const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { Authorization: `Bearer ${token}` } } });
await client.connect(transport);
done.protocol = client.getNegotiatedProtocolVersion?.() ?? transport.protocolVersion ?? "";
for (const [name, args] of [["trigger-elicitation-request", {}], ["trigger-sampling-request", { prompt: "the bell" }]]) {
  const result = await client.callTool({ name, arguments: args });
  done.said[name] = (result.isError ? "error: " : "") + result.content.map((c) => c.text).join("\n");
}
await client.close();
console.log(JSON.stringify(done));
