// The OpenAI chat API: node openai.mjs "QUESTION", with the server in URL and a key in KEY. A domain is a model.
const { URL: address = "http://127.0.0.1:8787", KEY = "none" } = process.env;

const client = await openClient();
const [model] = (await client.models.list()).data;
const completion = await client.chat.completions.create({
  model: model.id,
  messages: [{ role: "user", content: process.argv[2] ?? "What is the deadline for a Higher-Level Review?" }],
});
console.log(completion.choices[0].message.content);
// The whole answer, with offsets and checks, is beside `choices`.
console.log(completion.sourcebound.status, completion.sourcebound.citations.length);

/** The official client (npm install openai), or the same two calls by fetch. */
async function openClient() {
  try {
    const { default: OpenAI } = await import("openai");
    return new OpenAI({ baseURL: `${address}/v1`, apiKey: KEY });
  } catch {
    const headers = { "content-type": "application/json", authorization: `Bearer ${KEY}` };
    const call = async (path, body) => (await fetch(`${address}/v1/${path}`, { ...body, headers })).json();
    return {
      models: { list: () => call("models") },
      chat: { completions: { create: (body) => call("chat/completions", { method: "POST", body: JSON.stringify(body) }) } },
    };
  }
}
