// Passkeys (Web Authentication Level 3): shows the forms that need one, asks the browser, and sends what it answers with the form.
"use strict";
(() => {
  const forms = [...document.querySelectorAll("form[data-passkey]")];
  const credentials = window.PublicKeyCredential;
  const tell = (attribute) => {
    const place = document.querySelector(`[${attribute}]`);
    return place ? JSON.parse(place.getAttribute(attribute)) : undefined;
  };
  const signal = async (name, value) => {
    try {
      if (value && credentials && credentials[name]) await credentials[name](value);
    } catch {}
  };
  signal("signalUnknownCredential", tell("data-unknown"));
  signal("signalAllAcceptedCredentials", tell("data-accepted"));
  signal("signalCurrentUserDetails", tell("data-details"));
  if (!credentials || !navigator.credentials) return;

  const bytes = (text) => Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (c) => c.charCodeAt(0));
  const text = (buffer) =>
    btoa(String.fromCharCode(...new Uint8Array(buffer))).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
  const named = (list) => (list || []).map((item) => ({ ...item, id: bytes(item.id) }));
  const parse = {
    create: (json) =>
      credentials.parseCreationOptionsFromJSON
        ? credentials.parseCreationOptionsFromJSON(json)
        : { ...json, challenge: bytes(json.challenge), user: { ...json.user, id: bytes(json.user.id) },
            excludeCredentials: named(json.excludeCredentials) },
    get: (json) =>
      credentials.parseRequestOptionsFromJSON
        ? credentials.parseRequestOptionsFromJSON(json)
        : { ...json, challenge: bytes(json.challenge), allowCredentials: named(json.allowCredentials) },
  };
  const json = (made) => {
    if (made.toJSON) return made.toJSON();
    const response = {};
    for (const name of ["clientDataJSON", "attestationObject", "authenticatorData", "signature", "userHandle"])
      if (made.response[name]) response[name] = text(made.response[name]);
    if (made.response.getTransports) response.transports = made.response.getTransports();
    return { id: made.id, rawId: text(made.rawId), type: made.type, response,
      authenticatorAttachment: made.authenticatorAttachment, clientExtensionResults: made.getClientExtensionResults() };
  };

  let waiting;
  const ask = async (form, isConditional) => {
    const body = new URLSearchParams(new FormData(form));
    if (isConditional) body.set("conditional", "1");
    if (document.querySelector("input[name=stay]:checked")) body.set("stay", "1");
    const reply = await fetch(form.dataset.options, {
      method: "POST", body, credentials: "same-origin", cache: "no-store", headers: { Accept: "application/json" } });
    const answer = await reply.json();
    if (!reply.ok) throw Object.assign(new Error(), { name: "Refused", words: answer.problem });
    return answer;
  };
  const send = (form, members) => {
    for (const [name, value] of Object.entries(members)) {
      const field = form.elements[name] || form.appendChild(Object.assign(document.createElement("input"), { type: "hidden", name }));
      field.value = value;
    }
    form.submit();
  };
  const run = async (form, isConditional) => {
    if (waiting) waiting.abort();
    const abort = (waiting = new AbortController());
    const { options, attempt } = await ask(form, isConditional);
    const kind = form.dataset.passkey;
    const request = { publicKey: parse[kind](options), signal: abort.signal };
    if (isConditional) request.mediation = "conditional";
    const made = await navigator.credentials[kind](request);
    const members = { response: JSON.stringify(json(made)) };
    if (attempt) members.attempt = attempt;
    if (isConditional) members.conditional = "1";
    send(form, members);
  };
  const problem = (form, error) => {
    const { cancelled, present, failed } = form.dataset;
    const words = { Refused: error.words, NotAllowedError: cancelled, AbortError: cancelled, InvalidStateError: present }[error.name];
    const line = form.querySelector(".problem");
    line.setAttribute("role", "alert");
    line.textContent = words || failed;
    line.hidden = false;
  };
  const conditional = async (form) => {
    try {
      const can = credentials.getClientCapabilities ? await credentials.getClientCapabilities() : {};
      if (form.dataset.passkey === "create") {
        if (can.conditionalCreate) await run(form, true);
      } else if (can.conditionalGet || (await credentials.isConditionalMediationAvailable?.())) {
        setTimeout(() => { if (waiting && form.dataset.conditional) conditional(form); }, 600000);
        await run(form, true);
      }
    } catch {}
  };
  for (const form of forms) {
    form.hidden = false;
    form.addEventListener("submit", async (event) => {
      if (event.submitter && event.submitter.name) return;
      event.preventDefault();
      delete form.dataset.conditional;
      form.querySelector(".problem").hidden = true;
      try {
        await run(form, false);
      } catch (error) {
        problem(form, error);
      }
    });
  }
  const first = forms.find((form) => form.dataset.conditional);
  if (first) conditional(first);
})();
