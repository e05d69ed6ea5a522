// The Model Context Protocol: node mcp.mjs "QUESTION" starts `sourcebound mcp` and calls its tool `ask`.
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

const { SOURCEBOUND = "sourcebound", ...env } = process.env;
const [command, ...args] = SOURCEBOUND.split(" ");

const client = new Client({ name: "example", version: "1.0.0" });
await client.connect(new StdioClientTransport({ command, args: [...args, "mcp"], env }));
try {
  const { tools } = await client.listTools();
  console.log(tools.map(({ name }) => name).join(", "));
  const question = process.argv[2] ?? "What does a lost card cost?";
  const { content } = await client.callTool({ name: "ask", arguments: { question } });
  for (const { text } of content) console.log(text);
} finally {
  await client.close();
}
