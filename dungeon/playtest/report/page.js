"use strict";
let data; // see `as_html` in page.py
const FIRST_ROWS = 12;
const FIRST = 160; // the character that stands for 0 in outlines
const filters = document.getElementById("filters");
const drawn = new Map(); // element -> its chart, or null while it has no rows

/** Return a new element with attributes and children; a child may be text. */
function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/** Turn the columns of a sheet into rows, each an object with the number of the row. */
function rowsOf(sheet) {
  const columns = sheet.columns.map(({ name, words, values }) =>
    [name, words ? values.map((each) => words[each]) : values]);
  return sheet.shown.map((_, row) => {
    const made = { row };
    for (const [name, values] of columns) made[name] = values[row];
    return made;
  });
}

/** Return the rows that match the filters. */
function left(sheet) {
  const wanted = Object.fromEntries(new FormData(filters));
  const asked = sheet.columns.map((each) => each.name).filter((name) => wanted[name]);
  return sheet.rows.filter((row) => asked.every((name) => String(row[name]) === wanted[name]));
}

const settings = {
  count: (value) => value.toLocaleString("en"),
  number: (value) => value.toLocaleString("en", Number.isInteger(value) ? {} : { maximumFractionDigits: 2, minimumFractionDigits: 2 }),
  share: (value) => `${(100 * value).toFixed(1)} %`,
  milliseconds: (value) => `${value.toLocaleString("en", { maximumFractionDigits: 0 })} ms`,
  text: String,
};

const written = (value, form) => (value === null ? "" : settings[form](value));

/** Return rows sorted by a column; rows without a value come last. */
function ordered(rows, name, descending) {
  const sign = descending ? -1 : 1;
  const compare = (a, b) => (typeof a === "string" ? a.localeCompare(b) : a - b);
  return [...rows].sort((a, b) => {
    if (a[name] === null || b[name] === null) return (a[name] === null) - (b[name] === null);
    return sign * compare(a[name], b[name]);
  });
}

function bodyOf(sheet) {
  let rows = left(sheet);
  if (sheet.by) rows = ordered(rows, sheet.by, sheet.descending);
  const some = sheet.whole ? rows : rows.slice(0, FIRST_ROWS);
  const lines = some.map((row) => {
    let isFirst = true; // one tab stop for each row is enough: all its numbers lead to the same levels
    const cells = sheet.columns.map(({ name, form }) => {
      const text = written(row[name], form), about = { "data-name": name.replaceAll("_", " "), class: form === "text" ? "words" : "number" };
      if (form === "text" || text === "" || !sheet.shown[row.row].length) return element("td", about, text);
      const button = element("button", { "data-row": row.row, tabindex: isFirst ? 0 : -1 }, text);
      isFirst = false;
      return element("td", about, button);
    });
    return element("tr", {}, ...cells);
  });
  sheet.body.replaceChildren(...lines);
  sheet.more.hidden = rows.length <= FIRST_ROWS;
  sheet.more.textContent = sheet.whole ? "Show fewer" : `Show all ${rows.length.toLocaleString("en")} rows`;
  sheet.none.hidden = rows.length > 0;
}

/** Return a text as a list of pieces; pieces between backticks become code elements. */
const told = (text) => text.split("`").map((piece, n) => (n % 2 ? element("code", {}, piece) : piece));

function sectionOf(sheet) {
  sheet.rows = rowsOf(sheet);
  sheet.body = element("tbody");
  sheet.more = element("button", { class: "more", type: "button" });
  sheet.none = element("p", {}, sheet.rows.length ? "No rows match the filters." : "There are none.");
  const heads = sheet.columns.map(({ name, form, text }) => {
    const button = element("button", { title: text, type: "button" }, name.replaceAll("_", " "));
    const head = element("th", { scope: "col", ...(form === "text" ? {} : { class: "number" }) }, button);
    button.addEventListener("click", () => {
      sheet.descending = sheet.by === name ? !sheet.descending : form !== "text";
      sheet.by = name;
      for (const each of head.parentNode.children) each.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", sheet.descending ? "descending" : "ascending");
      bodyOf(sheet);
    });
    return head;
  });
  sheet.more.addEventListener("click", () => {
    sheet.whole = !sheet.whole;
    bodyOf(sheet);
  });
  sheet.body.addEventListener("click", ({ target }) => {
    const { row } = target.dataset;
    if (row !== undefined) show(titleOf(sheet, sheet.rows[row]), sheet.shown[row]);
  });
  const table = element("table", {}, element("thead", {}, element("tr", {}, ...heads)), sheet.body);
  const charts = (data.charts[sheet.name] ?? []).map(({ description }, n) => element("figure", {},
    element("figcaption", {}, description), element("div", { class: "chart", "data-sheet": sheet.name, "data-chart": n })));
  bodyOf(sheet);
  return element("section", { id: sheet.name }, element("h2", {}, sheet.title), element("p", {}, ...told(sheet.text)),
    ...charts, element("div", { class: "table" }, table), sheet.none, sheet.more);
}

/** Return the title of a row: the table's title and the row's texts. */
function titleOf(sheet, row) {
  const words = sheet.columns.filter(({ name, form }) => form === "text" && !["reason", "previous"].includes(name) && row[name]);
  return [sheet.title, ...words.map(({ name }) => row[name])].join(" · ");
}

const numbersOf = (text) => [...text].map((each) => each.charCodeAt(0) - FIRST);

/** Return what a level's outlines hold: height, width, spots (what, y, x) and boxes (category, y, x, height, width). */
function sketchOf(text) {
  const numbers = numbersOf(text);
  let at = 0;
  const next = () => numbers[at++];
  const [height, width, y, x, exits] = [next(), next(), next(), next(), next()];
  const spots = [["entrance", y, x]], boxes = [];
  for (let n = 0; n < exits; n += 1) spots.push(["exit", next(), next()]);
  while (at < numbers.length) boxes.push([data.categories[next()], next(), next(), next(), next()]);
  return { height, width, spots, boxes };
}

/** Return the drawing of a level's outlines, with a frame around each box (y, x, height, width) in `marks`. */
function outlines(text, marks, title) {
  const { height, width, spots, boxes } = sketchOf(text);
  const framed = numbersOf(marks);
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", title);
  const add = (name, attributes) => {
    const made = document.createElementNS(space, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    svg.append(made);
  };
  for (const [category, top, leftmost, rows, columns] of boxes) {
    const colour = data.colours[category] ?? "#88888866";
    add("rect", { x: leftmost, y: top, width: columns, height: rows, fill: colour, "fill-opacity": 0.6, stroke: colour, "stroke-width": 0.4 });
  }
  for (const [what, row, column] of spots) {
    add("circle", { cx: column + 0.5, cy: row + 0.5, r: Math.max(1.2, width / 60), class: what });
  }
  const margin = width / 60; // cells
  for (let n = 0; n < framed.length; n += 4) {
    const [top, leftmost, rows, columns] = framed.slice(n, n + 4);
    add("rect", { x: leftmost - margin, y: top - margin, width: columns + 2 * margin, height: rows + 2 * margin, rx: margin, class: "marked" });
  }
  return svg;
}

/** Return the commands that show a place: its level, and the game if there is one. `Report.commands` writes them, too. */
function commandsOf([level, mark, game]) {
  const [seed, map] = data.levels[level];
  const marked = data.marks[mark] && ` --mark ${data.marks[mark]}`;
  const commands = [`dungeon show ${map} --seed ${seed}${marked}${data.arguments}`];
  const played = data.games[game];
  if (played) commands.push(`${data.viewer} --replay ${played} --seed ${seed} --map ${map}${marked}${data.arguments}`);
  return commands;
}

/** Return a command with a button that copies it. */
function commandLine(command) {
  const copy = element("button", { type: "button" }, "Copy");
  copy.addEventListener("click", async () => {
    await navigator.clipboard.writeText(command);
    copy.textContent = "Copied";
  });
  return element("p", {}, element("code", {}, command), " ", copy);
}

/** List places, each with the outlines of its level and the commands that show it. */
function show(title, numbers) {
  const dialog = document.getElementById("levels");
  document.getElementById("levels-title").textContent = title;
  const items = numbers.map((number) => {
    const [level, mark] = data.places[number];
    const [seed, map, text, marks] = data.levels[level];
    const name = `seed ${seed}, ${map}${data.marks[mark] && `: ${data.marks[mark]}`}`;
    const picture = text ? [outlines(text, marks[mark] ?? "", name)] : [];
    return element("li", {}, element("b", {}, name), ...picture, ...commandsOf(data.places[number]).map(commandLine));
  });
  dialog.querySelector("ul").replaceChildren(...items);
  dialog.showModal();
}

const LEVELS = 4; // the outlines of at most this number of levels lie behind the picture of a map

/** Return rows for charts with the outlines of the maps of some rows, taken from the example levels of these rows. */
function outlineRows(sheet, rows) {
  const maps = new Map(rows.map(({ map, depth }) => [map, { depth, levels: new Set() }]));
  for (const { map, row } of rows) {
    const { levels } = maps.get(map);
    for (const number of sheet.shown[row]) if (levels.size < LEVELS) levels.add(data.places[number][0]);
  }
  return [...maps].flatMap(([map, { depth, levels }]) => [...levels].flatMap((number, n) => {
    const { height, width, spots, boxes } = sketchOf(data.levels[number][2]);
    const made = (outline, y, x, rows, columns) => ({ map, depth, outline, y, x, y_to: y + rows, x_to: x + columns });
    return [
      ...(n ? [] : [made("map", 0, 0, height, width)]),
      ...boxes.map(([, ...box]) => made("box", ...box)),
      ...spots.map(([, y, x]) => made("stairs", y + 0.5, x + 0.5, 0, 0)),
    ];
  }));
}

/** Hide the names of marks that would lie over other names, and a chart without marks but lines: its figures need content that is missing. */
function unclutter(target) {
  target.hidden = target.parentNode.hidden = !target.querySelector(".role-mark:not(.mark-line) :is(path, line)");
  const seen = [];
  for (const name of target.querySelectorAll(".mark-text.role-mark text")) {
    const box = name.getBoundingClientRect();
    const covers = seen.some((each) => box.left < each.right && each.left < box.right && box.top < each.bottom && each.top < box.bottom);
    name.style.visibility = covers ? "hidden" : "";
    if (!covers) seen.push(box);
  }
}

/** Draw all charts from the top, one after the other, without blocking the page. */
async function drawCharts() {
  for (const each of document.querySelectorAll(".chart")) {
    await draw(each);
    await new Promise((done) => setTimeout(done));
  }
}

const LOOK = {
  background: null,
  font: "system-ui, sans-serif",
  view: { stroke: null },
  axis: { labelColor: "currentColor", titleColor: "currentColor", domainColor: "currentColor", tickColor: "currentColor",
    gridColor: "currentColor", gridOpacity: 0.12, titleFontWeight: "normal", labelFontSize: 11, titleFontSize: 11 },
  legend: { labelColor: "currentColor", titleColor: "currentColor", orient: "top", titleFontWeight: "normal", labelFontSize: 11,
    titleFontSize: 11 },
  header: { labelColor: "currentColor", titleColor: "currentColor" },
};

const AXIS = 50, BETWEEN = 20; // pixels
const LABELS = 0.35; // the share of a chart's width that the labels of its rows may take
const NARROW = 500; // pixels; on narrower pages a legend has two columns
const MOST = 5, NARROWEST = 130; // at most this number of charts side by side; their least width

/** Return the number of columns and the size of small charts that fill a width. */
function fitted({ spec }, width) {
  const columns = Math.min(MOST, Math.max(1, Math.floor((width - AXIS) / (NARROWEST + BETWEEN))));
  const wide = Math.floor((width - AXIS) / columns) - BETWEEN;
  return { columns, spec: { ...spec, width: wide, height: Math.round(wide * spec.height / spec.width) } };
}

/** Draw a chart of the filtered rows, or draw it again; without rows it is hidden. */
async function draw(target) {
  const sheet = data.sheets.find(({ name }) => name === target.dataset.sheet);
  const rows = left(sheet), before = drawn.get(target);
  target.hidden = target.parentNode.hidden = !rows.length;
  if (target.hidden) {
    drawn.set(target, before ?? null);
    return;
  }
  if (before && !before.isMany) {
    await before.view.data("rows", rows).runAsync();
    unclutter(target);
    return;
  }
  before?.view.finalize(); // a faceted chart would keep space for facets without rows
  const spec = { ...data.charts[sheet.name][target.dataset.chart] };
  if (spec.width === "container") spec.autosize = { type: "fit-x", contains: "padding" };
  if (spec.facet) Object.assign(spec, fitted(spec, target.clientWidth));
  const names = new Set(sheet.columns.map(({ name }) => name));
  const given = spec.usermeta?.outlines ? [...rows, ...outlineRows(sheet, rows)] : rows;
  const legend = { ...LOOK.legend, ...(target.clientWidth < NARROW ? { columns: 2 } : {}) };
  const look = { ...LOOK, legend, axisY: { labelLimit: LABELS * target.clientWidth } };
  const made = await vegaEmbed(target, { ...spec, datasets: { rows: given } },
    { actions: false, renderer: "svg", config: look, tooltip: { theme: matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light" } });
  drawn.set(target, { view: made.view, isMany: Boolean(spec.facet) });
  unclutter(target);
  made.view.addEventListener("click", (_, item) => {
    const datum = item?.datum;
    if (!datum) return;
    // A mark may stand for several rows: all that agree with it in every column of the table but the summed ones.
    const same = datum.row !== undefined ? [sheet.rows[datum.row]] : left(sheet).filter((row) =>
      Object.keys(datum).every((key) => !names.has(key) || SUMMED.has(key) || row[key] === datum[key]));
    const levels = [...new Set(same.flatMap(({ row }) => sheet.shown[row]))].slice(0, 6);
    if (levels.length) show(titleOf(sheet, same[0]), levels);
  });
}

const SUMMED = new Set(["times", "levels", "realised", "deep_share", "meetings", "deaths"]);

function fill() {
  const values = { map: new Map(), depth: new Map() };
  for (const sheet of data.sheets) {
    for (const row of sheet.rows) {
      if (typeof row.map === "string" && row.depth !== undefined) values.map.set(row.map, row.depth);
      if (typeof row.depth === "number") values.depth.set(row.depth, row.depth);
    }
  }
  const options = (of) => [...of].sort((a, b) => a[1] - b[1]).map(([name]) => element("option", { value: name }, String(name)));
  filters.elements.map.append(...options(values.map));
  filters.elements.depth.append(...options(values.depth));
  filters.elements.category.append(...data.categories.map((each) => element("option", { value: each }, each)));
}

function refilter() {
  const wanted = Object.fromEntries(new FormData(filters));
  for (const item of document.querySelectorAll("#findings li")) {
    const { map, category } = item.dataset; // a finding may be about several maps
    item.hidden = (wanted.map && !map.split(" ").includes(wanted.map)) || (wanted.category && category !== wanted.category);
  }
  for (const sheet of data.sheets) bodyOf(sheet);
  for (const target of drawn.keys()) draw(target);
}

/** Return the text that an element of the page holds, packed by `packed` in `page.py`. */
async function unpacked(id) {
  const bytes = Uint8Array.from(atob(document.getElementById(id).textContent), (each) => each.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).text();
}

/** Lay the page out, and draw its charts. */
async function begin() {
  data = JSON.parse(await unpacked("data"));
  document.getElementById("sheets").append(...data.sheets.map(sectionOf));
  document.getElementById("contents").append(...data.sheets.map(({ name, title }) =>
    element("li", {}, element("a", { href: `#${name}` }, title))));
  document.getElementById("legend").append(
    ...["entrance", "exit", "marked"].map((name) => element("span", {}, element("i", { class: name }), name)),
    ...data.categories.map((name) => element("span", {}, element("i", { style: `background: ${data.colours[name]}` }), name)));
  fill();
  filters.addEventListener("change", refilter);
  filters.addEventListener("reset", () => setTimeout(refilter));
  document.getElementById("findings").addEventListener("click", ({ target }) => {
    const { finding } = target.dataset;
    if (finding !== undefined) show(target.closest("li").firstChild.textContent.trim(), data.findings[finding]);
  });
  if (data.redrawn) {
    // Ask only for the page's stamp (ETag): the page is reloaded, and scrolls to the top, only if it has changed.
    let stamp = null;
    setInterval(async () => {
      const answer = await fetch(location.href, { method: "HEAD" }).catch(() => null);
      const now = answer?.headers.get("ETag") ?? stamp;
      if (stamp !== null && now !== stamp && !document.getElementById("levels").open) location.reload();
      stamp ??= now;
    }, 1000 * data.redrawn);
  }
  document.head.append(element("script", {}, await unpacked("renderer")));
  await drawCharts();
}

begin();
