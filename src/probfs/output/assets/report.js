/* Tables that can be sorted and searched, and the story of the rounds. The page is complete without it. */
"use strict";

(() => {
  const MOST_BARS = 30;
  const SVG = "http://www.w3.org/2000/svg";
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
  // As the tables have them: 0.1234, and 1.23e-04 where few digits of that would be seen.
  const shownScore = (value) => {
    if (value === null) {
      return "";
    }
    const isPlain = value === 0 || Math.abs(value) >= 1e-3;
    return isPlain ? value.toFixed(4) : value.toExponential(2).replace(/([+-])(\d)$/, "$10$2");
  };

  /* ---- tables ---- */

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

  /* ---- the story ---- */

  const data = document.getElementById("story-data");
  if (!data) {
    return;
  }
  const story = JSON.parse(data.textContent);
  const element = (name) => document.getElementById(`story-${name}`);
  const [slider, list, rest, sentence] = ["round", "bars", "rest", "sentence"].map(element);
  const [find, order, scale] = ["find", "order", "scale"].map(element);
  const nameRows = [...document.getElementById("features").tBodies[0].rows];
  const roundRows = [...document.getElementById("rounds").tBodies[0].rows];
  const names = nameRows.map((row) => row.querySelector("th").textContent.trim());
  const searchedNames = names.map(searched);
  const largestEver = story.largest.reduce((one, other) => Math.max(one, other), 0);
  const lines = new Map();

  const lineOf = (place) => {
    if (!lines.has(place)) {
      const line = make("li", "", "");
      const name = make("bdi", "name", names[place]);
      const track = document.createElementNS(SVG, "svg");
      track.setAttribute("class", "track");
      const bar = track.appendChild(document.createElementNS(SVG, "rect"));
      const [value, mark] = [make("span", "value", ""), make("span", "mark", "")];
      line.append(name, track, value, mark);
      lines.set(place, { line, bar, value, mark });
    }
    return lines.get(place);
  };

  // What is said of columns that have no bar: no room, another name, or no place in the table of this page.
  const describeRest = (places, scores, unlisted) => {
    const without = `${unlisted.toLocaleString("en")} that this page does not list`;
    if (!places.length) {
      return unlisted
        ? `No column that is left and listed has such a name; there may be one among the ${without}.`
        : "No column that is left has such a name.";
    }
    const hidden = places.slice(MOST_BARS).map((place) => scores[place] ?? 0);
    if (!hidden.length) {
      return unlisted ? `… and ${without}` : "";
    }
    const above = shownScore(hidden.reduce((one, other) => Math.max(one, other)));
    return `… ${hidden.length.toLocaleString("en")} more, none above ${above}${unlisted ? `, and ${without}` : ""}`;
  };

  const show = () => {
    const number = Number(slider.value);
    const scores = story.scores[number];
    const remaining = story.left[number + 1] ?? 0;
    const wanted = searched(find.value);
    const places = scores.map((_, place) => place).filter((place) => searchedNames[place].includes(wanted));
    if (order.value === "score") {
      places.sort((one, other) => (scores[other] ?? -Infinity) - (scores[one] ?? -Infinity) || one - other);
    }
    const shown = places.slice(0, MOST_BARS);
    const largest = (scale.checked ? largestEver : story.largest[number]) || 1;
    for (const place of shown) {
      const { line, bar, value, mark } = lineOf(place);
      bar.setAttribute("width", `${(100 * Math.max(scores[place] ?? 0, 0)) / largest}%`);
      value.textContent = shownScore(scores[place]);
      line.classList.toggle("leaving", place >= remaining);
      mark.textContent = place >= remaining ? "leaves" : "";
    }
    list.replaceChildren(...shown.map((place) => lineOf(place).line));
    rest.textContent = describeRest(places, scores, story.left[number] - scores.length);
    sentence.textContent = story.sentences[number];
    slider.setAttribute("aria-valuetext", story.sentences[number].split(". ")[0]);
    roundRows.forEach((row, place) => row.classList.toggle("current", place === number));
    element("back").disabled = number === 0;
    element("on").disabled = number === Number(slider.max);
  };

  const move = (step) => {
    slider.value = String(Number(slider.value) + step);
    show();
  };
  element("back").addEventListener("click", () => move(-1));
  element("on").addEventListener("click", () => move(1));
  for (const control of [slider, find]) {
    control.addEventListener("input", show);
  }
  for (const control of [order, scale]) {
    control.addEventListener("change", show);
  }
  element("player").hidden = false;
  show();
})();
