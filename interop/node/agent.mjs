import { EventEncoder } from "@ag-ui/encoder";
import { judge } from "./judge.mjs";

// play answers with the events of forwardedProps.events, which is JSON text. A request that the schema has something against is refused.
export async function play(input, response, request) {
  const { issues } = judge(input);
  if (issues.length > 0) {
    response.writeHead(400, { "Content-Type": "text/plain" });
    response.end(issues.join("\n"));
    return;
  }
  const encoder = new EventEncoder({ accept: request.headers.accept });
  response.writeHead(200, { "Content-Type": encoder.getContentType() });
  for (const event of JSON.parse(input.forwardedProps.events)) {
    response.write(encoder.encode(event));
    await new Promise(setImmediate); // a chunk of its own
  }
  response.end();
}
