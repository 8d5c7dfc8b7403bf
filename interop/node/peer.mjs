// The other side of the tests in Go: one process with the official packages, asked over loopback.
//
//   POST /play   an agent: answers with the events that the request carries, written by @ag-ui/encoder
//   POST /ask    @ag-ui/client runs an agent elsewhere; the answer tells what it came to
//   POST /judge  the schemas of @ag-ui/core on a request
//
// It prints its address, and ends with its standard input, so that it never outlives the test.
import { createServer } from "node:http";
import { play } from "./agent.mjs";
import { ask } from "./client.mjs";
import { judge } from "./judge.mjs";

const routes = {
  "/play": play,
  "/ask": async (input, response) => json(response, await ask(input)),
  "/judge": async (input, response) => json(response, judge(input)),
};

function json(response, value) {
  response.writeHead(200, { "Content-Type": "application/json" });
  response.end(JSON.stringify(value));
}

async function read(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString("utf8"));
}

const server = createServer(async (request, response) => {
  try {
    const route = routes[request.url];
    if (!route) throw new Error(`nothing is at ${request.url}`);
    await route(await read(request), response, request);
  } catch (error) {
    if (!response.headersSent) response.writeHead(500, { "Content-Type": "text/plain" });
    response.end(String(error?.stack ?? error));
  }
});

server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}`));
process.stdin.resume();
process.stdin.on("end", () => process.exit(0));
