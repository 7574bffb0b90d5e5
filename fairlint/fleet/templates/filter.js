const field = document.getElementById("filter");
if (field) {
  const most = 500, together = 8;
  const { stem } = field.dataset, pages = Number(field.dataset.pages);
  const matches = document.getElementById("matches");
  const tables = [...document.querySelectorAll("table.fleet")];
  const list = pages > 1 ? tables[0].tBodies[0] : null;
  const own = list && list.innerHTML;
  const loaded = [];
  let loading = null, asked = 0;
  const signs = { amp: "&", lt: "<", gt: ">", "#34": '"', "#39": "'" };
  const text = (row) => row.replace(/<\/td>/g, " ").replace(/<[^>]*>/g, "")
    .replace(/&(amp|lt|gt|#34|#39);/g, (_, name) => signs[name]).toLowerCase();
  globalThis.fairlintRows = (number, rows) => {
    loaded[number] = rows.map((row) => ({ row, text: text(row) }));
  };
  const load = (number) => new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.onload = resolve;
    script.onerror = reject;
    script.src = `${stem}-${number}.js`;
    document.head.append(script);
  });
  const loadAll = async () => {
    for (let at = 1; at <= pages; at += together) {
      const numbers = Array.from({ length: Math.min(together, pages - at + 1) }, (_, more) => at + more);
      matches.textContent = `Page ${at} of ${pages} …`;
      await Promise.all(numbers.map(load));
    }
  };
  const show = (name, hidden) => {
    for (const one of document.querySelectorAll(name)) one.hidden = hidden;
  };
  const said = (count, shown) => shown < count
    ? `${count.toLocaleString("en")} rows, of which ${shown} are shown`
    : `${count.toLocaleString("en")} ${count === 1 ? "row" : "rows"}`;
  const filter = async () => {
    const mine = ++asked;
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    const has = (whole) => words.every((word) => whole.includes(word));
    if (!list) {
      const rows = tables.flatMap((table) => [...table.tBodies[0].rows]);
      for (const row of rows) row.hidden = !has(row.textContent.toLowerCase());
      matches.textContent = words.length ? said(rows.filter((row) => !row.hidden).length) : "";
      return;
    }
    show("nav.pages", words.length > 0);
    if (!words.length) {
      list.innerHTML = own;
      matches.textContent = "";
      return;
    }
    try {
      await (loading ??= loadAll());
    } catch {
      loading = null;
      matches.textContent = "The other pages cannot be loaded.";
      return;
    }
    if (mine !== asked) return;
    const found = loaded.flat().filter((one) => has(one.text));
    list.innerHTML = found.slice(0, most).map((one) => one.row).join("");
    matches.textContent = said(found.length, Math.min(found.length, most));
    matches.dataset.done = field.value;
  };
  field.closest(".filter").hidden = false;
  field.addEventListener("input", filter);
  const begin = () => {
    const words = /^#only=(.*)$/.exec(location.hash);
    if (!words) return;
    field.value = decodeURIComponent(words[1]);
    filter();
  };
  addEventListener("hashchange", begin);
  begin();
}
