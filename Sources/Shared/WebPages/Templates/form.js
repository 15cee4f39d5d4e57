// Shows a password while it is typed, where its reader wants that, and says two minutes before an attempt ends that it does. Without it
// passwords stay hidden, and the page after the end says that it has come.
"use strict";
(() => {
  for (const button of document.querySelectorAll("button[data-reveal]")) {
    const field = document.getElementById(button.dataset.reveal);
    if (!field) continue;
    const show = (isShown) => {
      field.type = isShown ? "text" : "password";
      button.setAttribute("aria-pressed", String(isShown));
    };
    button.addEventListener("click", () => show(field.type === "password"));
    // What was typed into a field for text could be remembered by the browser.
    field.form.addEventListener("submit", () => show(false));
    button.hidden = false;
  }
  const warning = document.querySelector("[data-expires]");
  if (!warning) return;
  setTimeout(() => {
    warning.textContent = warning.dataset.text;
    warning.className = "notice";
  }, Math.max(0, Number(warning.dataset.expires) - 120) * 1000);
})();
