const field = document.getElementById("filter");
if (field) {
  const rows = [...document.querySelectorAll("table.fleet tbody tr")];
  field.closest(".filter").hidden = false;
  field.addEventListener("input", () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const row of rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
    }
  });
}
