// Asks whether what the page waits for has happened, and goes where the server says. The server waits with its answer. Without the script the
// page loads itself again.
"use strict";
(() => {
  const line = document.querySelector("[data-wait]");
  if (!line) return;
  const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
  const ask = async () => {
    for (let failures = 0; failures < 5; ) {
      try {
        const reply = await fetch(line.dataset.wait, { credentials: "same-origin", cache: "no-store", headers: { Accept: "application/json" } });
        // Without content: the server stops.
        if (!reply.ok || reply.status === 204) throw new Error(String(reply.status));
        const { next } = await reply.json();
        if (typeof next === "string" && next.startsWith("/") && !next.startsWith("//")) {
          location.replace(next);
          return;
        }
        failures = 0;
        await pause(300);
      } catch {
        failures += 1;
        await pause(1000 * 2 ** failures);
      }
    }
    location.reload();
  };
  ask();
})();
