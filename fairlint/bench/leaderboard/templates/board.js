"use strict";
(() => {
  const form = document.getElementById("filters");
  const told = form.querySelector("output");
  const sections = [...document.querySelectorAll("section.table")];
  const rows = sections.flatMap(one => [...one.querySelectorAll("tbody tr")]);
  const fits = (row, section, asked) =>
    (!asked.suite || section.dataset.suite === asked.suite) &&
    (!asked.protocol || section.dataset.protocol === asked.protocol) &&
    (!asked.organisation || row.dataset.organisation === asked.organisation) &&
    (!asked.size || row.dataset.size === asked.size) &&
    (!asked.model || row.querySelector("th").textContent.toLowerCase().includes(asked.model.toLowerCase())) &&
    Number(row.dataset.valid) >= Number(asked.valid);
  const apply = () => {
    const asked = Object.fromEntries(new FormData(form));
    let shown = 0;
    for (const section of sections) {
      let any = false;
      for (const row of section.querySelectorAll("tbody tr")) {
        row.hidden = !fits(row, section, asked);
        any = any || !row.hidden;
        shown += !row.hidden;
      }
      section.hidden = !any;
    }
    const runs = rows.length === 1 ? "run" : "runs";
    told.textContent = shown === rows.length ? `${shown} ${runs}` : `${shown} of ${rows.length} ${runs}`;
  };
  form.hidden = false;
  form.addEventListener("input", apply);
  form.addEventListener("submit", event => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(apply));
  apply();

  const value = cell => {
    const known = cell.dataset.value;
    return known === undefined ? cell.textContent.trim().toLowerCase() : known === "" ? null : Number(known);
  };
  const compared = (one, other, way) => {
    if (one === null || other === null) return (one === null) - (other === null);
    return way * (typeof one === "number" ? one - other : one.localeCompare(other));
  };
  const sort = (table, head) => {
    const place = head.cellIndex;
    const first = head.dataset.sort.startsWith("t") || head.textContent.trim() === "Rank" ? "ascending" : "descending";
    const other = first === "ascending" ? "descending" : "ascending";
    const now = head.getAttribute("aria-sort") === first ? other : first;
    for (const one of table.querySelectorAll("th[aria-sort]")) one.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", now);
    const body = table.tBodies[0];
    const way = now === "ascending" ? 1 : -1;
    [...body.rows]
      .sort((one, other) => compared(value(one.cells[place]), value(other.cells[place]), way))
      .forEach(row => body.append(row));
  };
  for (const table of document.querySelectorAll("table.sortable")) {
    for (const head of table.querySelectorAll("th[data-sort]")) {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => sort(table, head));
    }
  }
})();
