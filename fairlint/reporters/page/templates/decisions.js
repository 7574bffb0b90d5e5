(() => {
  const bar = document.getElementById("decisions");
  if (!bar) return;
  const told = bar.querySelector("output");
  for (const one of document.querySelectorAll(".download")) one.hidden = false;
  const fields = [...document.querySelectorAll("fieldset.decision")];
  const lost = [...document.querySelectorAll("[data-lost]")];
  const read = one => {
    const values = {decision: one.querySelector("input[type=radio]:checked")?.value ?? ""};
    for (const field of one.querySelectorAll("[data-key]")) values[field.dataset.key] = field.value.trim();
    return values;
  };
  const said = one => JSON.stringify(read(one));
  const first = new Map(fields.map(one => [one, said(one)]));
  let before = first;
  let dropped = new Set();
  const isDay = text => {
    const day = new Date(`${text}T00:00:00Z`);
    return /^\d{4}-\d\d-\d\d$/.test(text) && !isNaN(day) && day.toISOString().slice(0, 10) === text;
  };
  const changed = () => fields.filter(one => said(one) !== before.get(one));
  const gone = () => lost.filter(one => one.checked);
  const wrong = () => fields.filter(one => {
    const {decision, by, until, remark} = read(one);
    const isDayWrong = until !== "" && !isDay(until);
    one.querySelector("[data-key=until]").setAttribute("aria-invalid", isDayWrong);
    const lacks = said(one) !== before.get(one) && decision === "" && (by || until || remark) !== "";
    one.classList.toggle("wrong", isDayWrong || lacks);
    return isDayWrong || lacks;
  });
  const update = () => {
    const number = changed().length + gone().filter(one => !dropped.has(one)).length;
    const bad = wrong().length;
    bar.hidden = number === 0;
    told.textContent = `${number} decision${number === 1 ? "" : "s"} changed.` +
      (bad ? ` ${bad} incomplete: a decision is missing, or a day is not written as YYYY-MM-DD.` : "");
    bar.querySelector("button").disabled = bad > 0;
  };
  const entry = one => {
    const isKept = one.dataset.was && said(one) === first.get(one);
    return isKept ? JSON.parse(one.dataset.was) : {...JSON.parse(one.dataset.entry), ...read(one)};
  };
  const entries = () => {
    const kept = [
      ...JSON.parse(bar.dataset.kept),
      ...lost.filter(one => !one.checked).map(one => JSON.parse(one.dataset.lost)),
      ...fields.map(entry).filter(one => one.decision),
    ];
    const key = one => JSON.stringify([one.path, one.identity]);
    return kept.sort((one, other) => (key(one) < key(other) ? -1 : 1));
  };
  const show = one => {
    const {decision} = read(one);
    const finding = one.closest(".finding");
    finding.dataset.decision = decision || "open";
  };
  addEventListener("input", event => {
    const one = event.target.closest("fieldset.decision");
    if (one) show(one);
    if (one || event.target.matches("[data-lost]")) update();
  });
  bar.querySelector("button").addEventListener("click", () => {
    const text = `${JSON.stringify({version: 1, decisions: entries()}, null, 2)}\n`;
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], {type: "application/json"}));
    link.download = bar.dataset.file;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    before = new Map(fields.map(one => [one, said(one)]));
    dropped = new Set(gone());
    update();
  });
  addEventListener("beforeunload", event => {
    if (!bar.hidden) event.preventDefault();
  });
})();
