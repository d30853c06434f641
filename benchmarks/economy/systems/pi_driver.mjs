// pi's own tools without its loop or model: a line of JSON in is a call, a line out is its answer.
// Usage: node pi_driver.mjs PACKAGE_FOLDER WORKSPACE
import { createInterface } from "node:readline";

const [folder, workspace] = process.argv.slice(2);
const { createCodingTools } = await import(`${folder}/dist/index.js`);
const tools = new Map(createCodingTools(workspace).map((tool) => [tool.name, tool]));
const say = (value) => process.stdout.write(JSON.stringify(value) + "\n");
const text = (answer) => answer.content.filter((part) => part.type === "text").map((part) => part.text).join("\n");

say([...tools.values()].map(({ name, description, parameters }) => ({ name, description, parameters })));
for await (const line of createInterface({ input: process.stdin })) {
  const { name, given } = JSON.parse(line);
  const tool = tools.get(name);
  try {
    const ready = tool.prepareArguments ? tool.prepareArguments(given) : given;
    say({ text: text(await tool.execute("call", ready)) });
  } catch (error) {
    say({ text: String(error.message ?? error) });
  }
}
