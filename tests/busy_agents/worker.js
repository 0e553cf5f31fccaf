// In JavaScript: a worker computes all the time; the main thread plays the first move that is legal.
const { Worker } = require("node:worker_threads");
new Worker("for (let kept = []; ; ) { kept.push(Math.random()); if (kept.length > 1e5) kept = []; }", { eval: true });
let unread = "";
process.stdin.on("data", (data) => {
  const lines = (unread + data).split("\n");
  unread = lines.pop();
  for (const line of lines) {
    const { type, game, id, legal } = JSON.parse(line);
    if (type === "start") process.stdout.write(JSON.stringify({ type: "ready", game }) + "\n");
    if (type === "turn") process.stdout.write(JSON.stringify({ type: "move", game, id, move: legal[0] }) + "\n");
    if (type === "bye") process.exit();
  }
});
