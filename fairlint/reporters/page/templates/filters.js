"use strict";
(() => {
  const form = document.getElementById("filters");
  const all = [...document.querySelectorAll(".finding, .line")];
  if (form) {
    const groups = [...document.querySelectorAll("section.group")];
    const isAside = one => one.closest("#aside") !== null;
    const told = form.querySelector("output");
    const fits = (one, asked) =>
      (!asked.severity || one.dataset.severity === asked.severity) &&
      (!asked.rule || one.dataset.rule === asked.rule) &&
      (!asked.attribute || one.dataset.attribute.split(" ").includes(asked.attribute)) &&
      (!asked.owner || one.dataset.owner.split(" ").includes(asked.owner)) &&
      (!asked.decision || one.dataset.decision === asked.decision) &&
      (!asked.since || one.dataset.since === asked.since) &&
      (!asked.path || one.dataset.path.toLowerCase().includes(asked.path.toLowerCase()));
    const apply = () => {
      const asked = Object.fromEntries(new FormData(form));
      const shown = [0, 0];
      for (const one of all) {
        one.hidden = !fits(one, asked);
        shown[Number(isAside(one))] += !one.hidden;
      }
      for (const group of groups) group.hidden = !group.querySelector(".finding:not([hidden])");
      const number = (at, noun) => {
        const whole = all.filter(one => Number(isAside(one)) === at).length;
        const counted = shown[at] === whole ? `${whole}` : `${shown[at]} of ${whole}`;
        return whole ? `${counted} ${noun}` : "";
      };
      const findings = number(0, "shown");
      told.textContent = [findings, number(1, findings ? "suppressed" : "suppressed shown")].filter(Boolean).join(", ");
    };
    form.hidden = false;
    form.addEventListener("input", apply);
    form.addEventListener("submit", event => event.preventDefault());
    form.addEventListener("reset", () => setTimeout(apply));
    form.addEventListener("click", event => {
      const open = event.target.dataset && event.target.dataset.open;
      if (open === undefined) return;
      for (const one of document.querySelectorAll("details.finding:not([hidden])")) one.open = Boolean(open);
    });
    apply();
  }
  const reveal = () => {
    const aim = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!aim || aim.tagName !== "DETAILS") return;
    aim.open = true;
    if (aim.hidden && form) form.reset();
  };
  addEventListener("hashchange", reveal);
  reveal();
  let closed = [];
  addEventListener("beforeprint", () => {
    closed = [...document.querySelectorAll("details:not([open])")];
    for (const one of closed) one.open = true;
  });
  addEventListener("afterprint", () => {
    for (const one of closed) one.open = false;
  });
})();
