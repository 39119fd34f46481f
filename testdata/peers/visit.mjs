// Connects to an MCP server over streamable HTTP with the protocol's TypeScript SDK and uses
// everything that changes nothing: tools with valid and invalid arguments, a missing tool,
// resources, prompts, completion. The SDK checks every answer against the protocol's schemas,
// and structured content against the tool's own.
//
// usage: node visit.mjs v1|v2 URL TOKEN ARGUMENTS [ADDRESS]
//
// ARGUMENTS is a JSON object with the arguments for tools and prompts, by name. ADDRESS is the
// address of the URL's host, if no name server knows it. It prints a JSON object: the actions,
// and the failures.

import dns from "node:dns";

const [line, url, token, given, address] = process.argv.slice(2);
if (address) {
  dns.lookup = (_, options, done) => (options.all ? done(null, [{ address, family: 4 }]) : done(null, address, 4));
}
const { Client, StreamableHTTPClientTransport } = await load(line);
const known = JSON.parse(given);

const done = { protocol: "", tools: [], refused: [], unknown: [], resources: [], templates: 0, prompts: [], completed: 0, failures: [] };

async function load(line) {
  if (line === "v2") {
    return import("@modelcontextprotocol/client");
  }
  const [{ Client }, { StreamableHTTPClientTransport }] = await Promise.all([
    import("@modelcontextprotocol/sdk/client/index.js"),
    import("@modelcontextprotocol/sdk/client/streamableHttp.js"),
  ]);
  return { Client, StreamableHTTPClientTransport };
}

// attempt records a failure and continues.
async function attempt(what, use) {
  try {
    await use();
  } catch (error) {
    done.failures.push(`${what}: ${error.name} ${error.code ?? ""} ${error.message}`);
  }
}

// everyPage calls a list method until there is no further cursor.
async function everyPage(list, key) {
  const all = [];
  let cursor;
  do {
    const page = await list(cursor === undefined ? {} : { cursor });
    all.push(...page[key]);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return all;
}

// misfit is a value that fits no schema of a simple type.
function misfit(schema) {
  const name = Object.keys(schema.properties ?? {})[0] ?? "there_is_no_such_argument";
  return { [name]: { neither: ["this", "nor", "that"] } };
}

async function useTool(client, tool) {
  await attempt(`calling ${tool.name}`, async () => {
    const result = await client.callTool({ name: tool.name, arguments: known[tool.name] ?? {} });
    if (result.isError) {
      throw new Error(JSON.stringify(result.content));
    }
    if (tool.outputSchema && result.structuredContent === undefined) {
      throw new Error("it has an output schema and answers without structure");
    }
    done.tools.push(tool.name);
  });
  await attempt(`calling ${tool.name} with nonsense`, async () => {
    const result = await client.callTool({ name: tool.name, arguments: misfit(tool.inputSchema) });
    if (!result.isError) {
      throw new Error("it takes anything");
    }
    done.refused.push(tool.name);
  });
}

// The protocol defines the error code for a missing tool.
async function useNoTool(client, name) {
  await attempt(`calling ${name}, which is not there`, async () => {
    try {
      await client.callTool({ name, arguments: {} });
    } catch (error) {
      if (error.code !== -32602 || !error.message.includes(name)) {
        throw error;
      }
      done.unknown.push(name);
      return;
    }
    throw new Error("it is answered");
  });
}

async function usePrompt(client, prompt) {
  await attempt(`getting prompt ${prompt.name}`, async () => {
    const { messages } = await client.getPrompt({ name: prompt.name, arguments: known[prompt.name] ?? {} });
    if (messages.length === 0) {
      throw new Error("it has no message");
    }
    done.prompts.push(prompt.name);
  });
  for (const argument of prompt.arguments ?? []) {
    await attempt(`completing ${argument.name} of ${prompt.name}`, async () => {
      await client.complete({ ref: { type: "ref/prompt", name: prompt.name }, argument: { name: argument.name, value: "" } });
      done.completed++;
    });
  }
}

async function useResource(client, resource) {
  await attempt(`reading ${resource.uri}`, async () => {
    const { contents } = await client.readResource({ uri: resource.uri });
    for (const content of contents) {
      if (content.mimeType === "application/json") {
        JSON.parse(content.text);
      }
    }
    done.resources.push(resource.uri);
  });
}

// The SDK's first version knows the revisions with sessions; with the second one the newest
// revision is required.
const options = line === "v2" ? { versionNegotiation: { mode: { pin: "2026-07-28" } } } : {};
const client = new Client({ name: "visitor", version: "1" }, options);
const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { Authorization: `Bearer ${token}` } } });
await attempt("connecting", () => client.connect(transport));
done.protocol = client.getNegotiatedProtocolVersion?.() ?? transport.protocolVersion ?? "";

await attempt("tools", async () => {
  for (const tool of await everyPage((page) => client.listTools(page), "tools")) {
    if (tool.annotations?.readOnlyHint) {
      await useTool(client, tool);
    }
  }
  await useNoTool(client, "summon");
});
await attempt("resources", async () => {
  for (const resource of await everyPage((page) => client.listResources(page), "resources")) {
    await useResource(client, resource);
  }
  done.templates = (await everyPage((page) => client.listResourceTemplates(page), "resourceTemplates")).length;
});
await attempt("prompts", async () => {
  for (const prompt of await everyPage((page) => client.listPrompts(page), "prompts")) {
    await usePrompt(client, prompt);
  }
});
await attempt("leaving", () => client.close());
console.log(JSON.stringify(done));
