/* Tables that can be sorted and searched. The page is complete without it. */
"use strict";

(() => {
  const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });

  const make = (tag, className, text) => {
    const element = document.createElement(tag);
    element.className = className;
    element.textContent = text;
    return element;
  };
  // What is looked for may have plain blanks where the page has some that keep words together.
  const searched = (text) => text.trim().replace(/\s+/g, " ").toLowerCase();
  const counted = (number, noun) => `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;

  const valueOf = (row, place, isNumber) => {
    const text = row.cells[place].textContent.trim();
    return isNumber ? Number.parseFloat(text.replaceAll(",", "")) : text;
  };

  // Cells without a number come last in either direction; equal ones stay in the order of the page.
  const compare = (first, second, direction) => {
    const [one, other] = [first.value, second.value];
    if (typeof one === "string") {
      return (one === "") - (other === "") || direction * collator.compare(one, other) || first.place - second.place;
    }
    return (
      Number.isNaN(one) - Number.isNaN(other) || direction * (one - other) || first.place - second.place || 0
    );
  };

  const makeSortable = (table, rows, announce) => {
    const headings = [...table.tHead.rows[0].cells];
    headings.forEach((heading, place) => {
      const button = make("button", "sort", heading.textContent);
      button.type = "button";
      heading.replaceChildren(button);
      button.addEventListener("click", () => {
        const isNumber = heading.classList.contains("number");
        const first = heading.dataset.first ?? "ascending";
        const other = first === "ascending" ? "descending" : "ascending";
        const chosen = heading.getAttribute("aria-sort") === first ? other : first;
        for (const each of headings) {
          each.removeAttribute("aria-sort");
        }
        heading.setAttribute("aria-sort", chosen);
        const keyed = rows.map((row, number) => ({ row, place: number, value: valueOf(row, place, isNumber) }));
        keyed.sort((one, two) => compare(one, two, chosen === "ascending" ? 1 : -1));
        table.tBodies[0].append(...keyed.map((each) => each.row));
        announce(`sorted by ${button.textContent.trim()}, ${chosen}`);
      });
    });
  };

  const makeSearchable = (holder, rows, announce) => {
    const [search, select] = [holder.querySelector("input[type=search]"), holder.querySelector("select")];
    const texts = rows.map((row) => [...row.cells].map((cell) => searched(cell.textContent)).join("\n"));
    const apply = () => {
      const [wanted, group] = [searched(search.value), select ? select.value : ""];
      let shown = 0;
      rows.forEach((row, place) => {
        row.hidden = !texts[place].includes(wanted) || (group !== "" && (row.className || "plain") !== group);
        shown += row.hidden ? 0 : 1;
      });
      announce(`${shown.toLocaleString("en")} of ${counted(rows.length, "row")} shown`);
    };
    search.addEventListener("input", apply);
    if (select) {
      select.addEventListener("change", apply);
    }
  };

  for (const holder of document.querySelectorAll(".searched")) {
    const table = holder.querySelector("table");
    const rows = [...table.tBodies[0].rows];
    const status = holder.querySelector(".found");
    const announce = (text) => {
      status.textContent = text;
    };
    makeSortable(table, rows, announce);
    makeSearchable(holder, rows, announce);
    holder.querySelector(".controls").hidden = false;
  }
})();
