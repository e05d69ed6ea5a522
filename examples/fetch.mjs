// A streamed answer over HTTP with nothing but fetch: node fetch.mjs "QUESTION", with the server in URL and a key in KEY.
const { URL: address = "http://127.0.0.1:8787", KEY } = process.env;

const response = await fetch(`${address}/v1/ask`, {
  method: "POST",
  headers: {
    "content-type": "application/json",
    accept: "text/event-stream",
    ...(KEY === undefined ? {} : { authorization: `Bearer ${KEY}` }),
  },
  body: JSON.stringify({ question: process.argv[2] ?? "What is the deadline for a Higher-Level Review?" }),
});
if (!response.ok) throw new Error((await response.json()).error.message);

let buffer = "";
for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
  buffer += chunk;
  const events = buffer.split("\n\n");
  buffer = events.pop() ?? "";
  for (const event of events) {
    const [, name, data] = /^event: (.+)\ndata: (.+)$/m.exec(event) ?? [];
    if (name === "sentence") console.log(JSON.parse(data).text);
    if (name === "answer") print(JSON.parse(data));
    if (name === "error") throw new Error(JSON.parse(data).error.message);
  }
}

function print({ status, citations, refusal }) {
  if (status !== "ok") console.log("refused:", refusal.message);
  for (const { n, title, quote } of citations) console.log(`[${n}] ${title}: "${quote}"`);
}
