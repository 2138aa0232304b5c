// attune/ship/report/detail/page_assets.hpp - the script and the style of a report: light, dark, phone, print.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>

namespace attune::inline ATTUNE_ABI::detail {

/// Sorts, filters and chooses. The page has all information without it. Texts of the store become
/// text nodes, never markup.
inline constexpr char const* page_script = R"js(
"use strict";
(() => {
  const page = 100; // rows of the log that are shown at once

  function quantity(s) {
    const short = v => String(Number(v.toPrecision(3)));
    if (s >= 999.5) return s.toFixed(0) + " s";
    if (s >= 0.9995) return short(s) + " s";
    if (s >= 0.9995e-3) return short(s * 1e3) + " ms";
    if (s >= 0.9995e-6) return short(s * 1e6) + " us";
    return short(s * 1e9) + " ns";
  }
  function make(name, style, text) {
    const out = document.createElement(name);
    if (style) out.className = style;
    if (text !== undefined) out.textContent = text;
    return out;
  }
  function usable(s, of) { // a time is positive
    return Number.isFinite(s) && (s > 0 || of.unit !== undefined);
  }
  function time(cell, s, of) {
    if (!usable(s, of)) return cell;
    const text = of.unit === undefined ? quantity(s) : (Number(s.toPrecision(6)) + " " + of.unit).trim();
    const data = make("data", "", text);
    data.value = String(s);
    cell.append(data);
    return cell;
  }

  // A row of the data: the index of each value, then [seconds, low, high, samples] or [stage, reason].
  function read(section) {
    const data = JSON.parse(section.querySelector("script.data").textContent);
    const count = data.names.length;
    data.rows = data.rows.map((r, i) => {
      const values = data.names.map((_, p) => data.levels[p][r[p]]);
      const row = { number: i + 1, at: r, values };
      if (r.length === count + 4) [row.s, row.low, row.high, row.samples] = r.slice(count);
      else { row.stage = data.stages[r[count]]; row.why = data.reasons[r[count + 1]]; }
      return row;
    });
    return data;
  }

  function log(section, data) {
    const box = section.querySelector(".log");
    const body = box.querySelector("tbody");
    const tools = box.querySelector(".tools");
    const [filter, kind] = [tools.querySelector("input"), tools.querySelector("select")];
    const [back, on] = tools.querySelectorAll("button");
    const says = tools.querySelector("output");
    const heads = [...box.querySelectorAll("thead th")];
    const last = v => v === undefined || v === null;
    const keys = [r => r.number, r => r.s, r => r.low, r => r.samples,
                  ...data.names.map((_, p) => r => r.at[p]), r => r.stage];
    let column = 1, up = !data.higher, from = 0, found = [];

    function matches(row, words) {
      if (kind.value === "measured" && row.stage) return false;
      if (kind.value !== "" && kind.value !== "measured" && row.stage !== kind.value) return false;
      if (words.length === 0) return true;
      row.words ??= data.names.map((n, p) => (n + "=" + row.values[p]).replace(/\s/g, "").toLowerCase());
      row.text ??= row.words.join(" ") + " " + (row.stage ? (row.stage + " " + row.why).toLowerCase() : "");
      return words.every(w => w.includes("=") ? row.words.includes(w) : row.text.includes(w));
    }
    function choose() {
      const words = filter.value.toLowerCase().replace(/\s*([=,{}])\s*/g, "$1").split(/\s+/).filter(w => w);
      const key = keys[column];
      found = data.rows.filter(r => matches(r, words)).sort((a, b) => {
        const [x, y] = [key(a), key(b)];
        if (last(x) || last(y)) return last(x) - last(y) || a.number - b.number;
        const order = x < y ? -1 : x > y ? 1 : 0;
        return (up ? order : -order) || a.number - b.number;
      });
      from = 0;
      show();
    }
    function show() {
      body.replaceChildren(...found.slice(from, from + page).map(row => {
        const tr = make("tr");
        tr.append(make("td", "n", row.number));
        if (row.stage) {
          const cell = make("td", "failed-word", row.stage);
          cell.colSpan = 3;
          tr.append(cell);
        } else {
          const interval = make("td", "n");
          if (row.low < row.high) {
            time(interval, row.low, data);
            interval.append(" \u2013 ");
            time(interval, row.high, data);
          }
          tr.append(time(make("td", "n"), row.s, data), interval, make("td", "n", row.samples));
        }
        row.values.forEach(v => tr.append(make("td", "", v)));
        tr.append(make("td", "why", row.why ?? ""));
        return tr;
      }));
      const n = found.length;
      says.textContent = n === 0 ? "none of " + data.rows.length
        : (from + 1) + "\u2013" + Math.min(from + page, n) + " of " + n
          + (n < data.rows.length ? " (" + data.rows.length + " in all)" : "");
      back.disabled = from === 0;
      on.disabled = from + page >= n;
    }
    heads.forEach((head, i) => {
      if (i >= keys.length) return;
      const button = make("button", "", head.textContent);
      button.type = "button";
      button.addEventListener("click", () => {
        up = column === i ? !up : true;
        column = i;
        heads.forEach(h => h.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", up ? "ascending" : "descending");
        choose();
      });
      head.replaceChildren(button);
    });
    heads[1].setAttribute("aria-sort", up ? "ascending" : "descending");
    [...new Set(data.rows.map(r => r.stage).filter(s => s))].forEach(s => kind.append(make("option", "", s)));
    filter.addEventListener("input", choose);
    kind.addEventListener("change", choose);
    back.addEventListener("click", () => { from -= page; show(); });
    on.addEventListener("click", () => { from += page; show(); });
    tools.hidden = false;
    choose();
  }

  function heat(section, data) {
    const box = section.querySelector(".heat-box");
    if (!box) return;
    const selects = [...box.querySelectorAll("select")];
    const table = box.querySelector("table");
    const most = 32;
    const worst = data.higher ? -Infinity : Infinity, better = data.higher ? Math.max : Math.min;
    function drawn(p) { // the fastest values, in their order
      const best = data.levels[p].map(() => worst);
      for (const r of data.rows) if (!r.stage && usable(r.s, data)) best[r.at[p]] = better(best[r.at[p]], r.s);
      const all = [...best.keys()];
      if (all.length <= most) return all;
      all.sort((x, y) => best[x] === best[y] ? x - y : (best[x] < best[y]) === !data.higher ? -1 : 1);
      return all.slice(0, most).sort((x, y) => x - y);
    }
    function name(p) {
      const n = data.levels[p].length;
      return data.names[p] + (n > most ? " (" + most + " fastest of " + n + ")" : "");
    }
    function draw() {
      const [a, b] = selects.map(s => Number(s.value));
      const columns = drawn(a), lines = drawn(b);
      const x = new Map(columns.map((l, i) => [l, i])), y = new Map(lines.map((l, i) => [l, i]));
      const cells = lines.map(() => columns.map(() => ({ count: 0, failed: 0, best: worst })));
      let fast = Infinity, slow = -Infinity;
      for (const r of data.rows) {
        if (!x.has(r.at[a]) || !y.has(r.at[b])) continue;
        const cell = cells[y.get(r.at[b])][x.get(r.at[a])];
        if (r.stage) cell.failed++;
        else if (usable(r.s, data)) { cell.count++; cell.best = better(cell.best, r.s); }
      }
      for (const c of cells.flat()) if (c.count) { fast = Math.min(fast, c.best); slow = Math.max(slow, c.best); }
      const flat = !(slow > fast), place = fast > 0 ? Math.log : v => v;
      if (data.higher) [fast, slow] = [slow, fast];
      const head = make("tr");
      const th = (scope, text) => { const out = make("th", "", text); out.scope = scope; return out; };
      head.append(th("col", name(b) + " \\ " + name(a)), ...columns.map(l => th("col", data.levels[a][l])));
      const rows = lines.map((l, i) => {
        const tr = make("tr");
        tr.append(th("row", data.levels[b][l]));
        cells[i].forEach(c => {
          const td = make("td");
          if (c.count) {
            const q = flat ? 1 : (place(slow) - place(c.best)) / (place(slow) - place(fast));
            td.style.setProperty("--q", q.toFixed(3));
            if (q > 0.5) td.className = "hot";
            time(td, c.best, data);
          } else {
            td.className = "none";
            td.textContent = c.failed ? "\u2715" : "\u00b7";
          }
          td.title = c.count + " measured, " + c.failed + " failed";
          tr.append(td);
        });
        return tr;
      });
      table.tHead.replaceChildren(head);
      table.tBodies[0].replaceChildren(...rows);
    }
    selects.forEach(s => s.addEventListener("change", draw));
    box.querySelector(".tools").hidden = false;
  }

  // On paper all problems are shown.
  let closed = [];
  addEventListener("beforeprint", () => {
    closed = [...document.querySelectorAll("details.problem:not([open])")];
    closed.forEach(d => { d.open = true; });
  });
  addEventListener("afterprint", () => closed.forEach(d => { d.open = false; }));

  for (const section of document.querySelectorAll(".problem")) {
    if (!section.querySelector("script.data")) continue;
    let started = false;
    const start = () => {
      if (started || section.tagName === "DETAILS" && !section.open) return;
      started = true;
      const data = read(section);
      log(section, data);
      heat(section, data);
    };
    section.addEventListener("toggle", start);
    start();
  }
})();
)js";

inline constexpr char const* page_style = R"css(
:root {
  color-scheme: light dark;
  --paper: #fcfcfb; --ink: #1b1f24; --soft: #59636e; --rule: #dfe3e8; --faint: #eef1f4;
  --best: #1a63b5; --best-soft: #9cc3ec; --own: #8b95a1; --failed: #b3471d;
  --hot: #0f4c92; --hot-ink: #ffffff; --cold: #e9f0f8; --cold-ink: #1b1f24;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #14171b; --ink: #e6e9ed; --soft: #9aa5b1; --rule: #2c333b; --faint: #1d2228;
    --best: #74b0f4; --best-soft: #35618f; --own: #77828e; --failed: #f0976b;
    --hot: #8fc1fa; --hot-ink: #0c1116; --cold: #1d2a38; --cold-ink: #d5dce4;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body {
  margin: 0 auto; padding: 2rem 1.25rem 4rem; max-width: 62rem;
  background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
  font-variant-numeric: tabular-nums;
}
h1, h2, h3 { line-height: 1.2; overflow-wrap: anywhere; text-wrap: balance; }
h1 { font-size: 1.75rem; font-weight: 650; margin: 0; }
h2 { font-size: 1.3rem; font-weight: 650; margin: 3.5rem 0 0; }
h3 { font-size: 1rem; font-weight: 650; margin: 2.75rem 0 .25rem; padding-top: .75rem; border-top: 1px solid var(--rule); }
p { margin: .25rem 0 .75rem; max-width: 44rem; }
a { color: var(--best); }
.soft, figcaption, .brand { color: var(--soft); font-size: .875rem; }
.brand { margin: 0 0 .25rem; letter-spacing: .02em; }
.verdict { font-size: 1.15rem; margin: .6rem 0 1rem; }
.verdict b { font-size: 2.25rem; font-weight: 650; color: var(--best); margin-right: .3rem; letter-spacing: -.01em; }
.notice { border-left: 3px solid var(--failed); padding-left: .75rem; color: var(--soft); }
dl.facts { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .15rem 1rem; margin: 0; font-size: .875rem; }
dl.facts dt { color: var(--soft); }
dl.facts dd { margin: 0; overflow-wrap: anywhere; }
data { white-space: nowrap; }
p, figcaption { overflow-wrap: anywhere; } .verdict data { white-space: normal; }
figure { margin: .75rem 0 0; break-inside: avoid; }
figcaption { margin-top: .5rem; max-width: 44rem; }
svg { display: block; width: 100%; max-width: var(--w); height: auto; overflow: visible; }
svg.narrow { display: none; }
svg text { font-size: 13px; fill: var(--ink); }
svg .small { font-size: 11.5px; fill: var(--soft); }
svg .label { fill: var(--soft); }
svg .strong { fill: var(--ink); font-weight: 650; }
svg .lost { fill: var(--failed); }
svg .halo { paint-order: stroke; stroke: var(--paper); stroke-width: 3.5px; stroke-linejoin: round; }
svg .end { text-anchor: end; }
svg .middle { text-anchor: middle; }
svg path, svg line { fill: none; }
.grid { stroke: var(--rule); stroke-width: 1; }
.axis { stroke: var(--own); stroke-width: 1; }
.mark { stroke: var(--own); stroke-width: 1.5; stroke-dasharray: 5 4; }
.bar.best { fill: var(--best); } .bar.own { fill: var(--own); } .bar.tie { fill: var(--best-soft); }
.whisker { stroke: var(--ink); stroke-width: 1.25; }
.dots { stroke: var(--own); stroke-width: 5; stroke-linecap: round; opacity: .65; }
.dots.fine { stroke-width: 2.5; opacity: .5; }
.step { stroke: var(--best); stroke-width: 2.25; stroke-linejoin: round; }
.failed { stroke: var(--failed); stroke-width: 1.75; }
.median { stroke: var(--own); stroke-width: 2; }
.dot { fill: var(--best-soft); stroke: var(--best); stroke-width: 1.25; }
.dot.best { fill: var(--best); } .dot.own { fill: var(--own); stroke: var(--own); }
.tried { stroke: var(--own); stroke-width: 1; opacity: .6; } .tried.fine { opacity: .35; }
.line { stroke-width: 1; }
.q0 { stroke: var(--best); opacity: .75; } .q1 { stroke: var(--best-soft); opacity: .75; }
.q2 { stroke: var(--own); opacity: .4; } .q3 { stroke: var(--own); opacity: .22; }
.first { stroke: var(--best); stroke-width: 3; }
.strip { stroke: var(--own); stroke-width: 1.25; opacity: .5; } .strip.fine { opacity: .15; }
.beyond { fill: var(--faint); } .roof { stroke: var(--ink); stroke-width: 2; } .found { stroke: var(--best); stroke-width: 3; }
.part0 { fill: var(--best); } .part1 { fill: var(--best-soft); } .part2 { fill: var(--own); }
.key { display: inline-block; width: .7em; height: .7em; margin-right: .35em; border-radius: 2px; }
.key.part0 { background: var(--best); } .key.part1 { background: var(--best-soft); } .key.part2 { background: var(--own); }
.effects { display: grid; grid-template-columns: repeat(auto-fill, minmax(17.5rem, 1fr)); gap: 1.5rem 1.75rem; margin-top: 1rem; }
.effects figure { margin: 0; } .effects svg { max-width: 26rem; }
.effects h4 { margin: 0 0 .35rem; font-size: .9rem; font-weight: 650; display: flex; justify-content: space-between; gap: 1rem; }
.effects h4 span { overflow-wrap: anywhere; } .effects h4 small { color: var(--soft); font-weight: 400; font-size: .8rem; white-space: nowrap; }
details.numbers { margin-top: .35rem; } details.numbers > summary { cursor: pointer; color: var(--soft); font-size: .8rem; }
table.levels tbody th { border-bottom-color: var(--faint); color: inherit; font-weight: inherit; }
.scroll { overflow-x: auto; margin: .75rem 0 0; -webkit-overflow-scrolling: touch; }
table { border-collapse: collapse; font-size: .875rem; }
th, td { padding: .3rem .75rem .3rem 0; text-align: left; vertical-align: top; white-space: nowrap; }
th { color: var(--soft); font-weight: 500; border-bottom: 1px solid var(--rule); }
td { border-bottom: 1px solid var(--faint); }
td.n, th.n { text-align: right; }
td.why { white-space: normal; min-width: 12rem; overflow-wrap: anywhere; }
td.failed-word { color: var(--failed); }
table.contest tbody th, table.sides tbody th { border-bottom-color: var(--faint); } table.sides tbody th { color: inherit; font-weight: inherit; } table.contest td:nth-child(2) { font-weight: 600; }
td.differs { text-decoration: underline; text-decoration-color: var(--best); text-underline-offset: .2em; }
.meter { display: inline-block; width: 6rem; height: .6rem; background: var(--faint); margin-right: .6rem; }
.meter i { display: block; height: 100%; background: var(--best); }
table.heat { border-spacing: 2px; border-collapse: separate; }
table.heat th { border: 0; padding: .15rem .4rem; text-align: right; }
table.heat thead th { text-align: center; }
table.heat td {
  border: 0; padding: .3rem .4rem; text-align: center; min-width: 3.6rem; font-size: .8rem; border-radius: 2px;
  background: var(--cold); color: var(--cold-ink);
}
@supports (background: color-mix(in oklab, red, blue)) {
  table.heat td { background: color-mix(in oklab, var(--hot) calc(var(--q) * 100%), var(--cold)); }
  table.heat td.hot { color: var(--hot-ink); }
}
table.heat td.none { background: none; color: var(--soft); }
.codes { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 1rem; }
pre { margin: .35rem 0 0; padding: .6rem .75rem; background: var(--faint); overflow: auto; white-space: pre-wrap; overflow-wrap: anywhere; max-height: 32rem; font-size: .75rem; line-height: 1.4; tab-size: 4; }
table.loops th[scope="row"] { border-bottom-color: var(--faint); color: inherit; font-family: ui-monospace, monospace; }
table.loops td.level { padding-left: .4rem; } td.level small { color: var(--soft); margin-left: .25rem; }
td.level0, td.level1 { background: var(--cold); color: var(--cold-ink); } td.level4 { color: var(--failed); }
.tools { display: flex; flex-wrap: wrap; gap: .5rem .75rem; align-items: center; margin: .75rem 0 0; font-size: .875rem; }
.tools[hidden], .print-only { display: none; }
.tools label { display: inline-flex; gap: .4rem; align-items: center; color: var(--soft); min-width: 0; max-width: 100%; }
input, select, button { font: inherit; color: inherit; background: var(--paper); border: 1px solid var(--own); border-radius: 4px; padding: .2rem .5rem; }
input { width: min(18rem, 100%); }
select, input { min-width: 0; max-width: 100%; text-overflow: ellipsis; }
button { cursor: pointer; }
button:disabled { opacity: .4; cursor: default; }
th button { border: 0; padding: 0; background: none; color: inherit; font-weight: inherit; }
th[aria-sort="ascending"] button::after { content: " \25B4"; }
th[aria-sort="descending"] button::after { content: " \25BE"; }
:focus-visible { outline: 2px solid var(--best); outline-offset: 2px; }
details.problem { border-top: 1px solid var(--rule); margin-top: 1.5rem; padding-top: .75rem; }
details.problem > summary { cursor: pointer; font-size: 1.1rem; font-weight: 650; overflow-wrap: anywhere; }
details.problem > summary small { color: var(--soft); font-weight: 400; font-size: .875rem; margin-left: .5rem; }
@media screen and (max-width: 760px) {
  body { padding: 1.25rem 1rem 3rem; }
  data { white-space: normal; }
  svg.wide { display: none; }
  svg.narrow { display: block; max-width: 32rem; }
  .verdict b { display: block; }
  .codes { grid-template-columns: minmax(0, 1fr); }
  dl.facts { grid-template-columns: 1fr; } dl.facts dd { margin-bottom: .35rem; }
}
@media print {
  :root {
    color-scheme: light;
    --paper: #fff; --ink: #000; --soft: #444; --rule: #ccc; --faint: #eee;
    --best: #1a63b5; --best-soft: #9cc3ec; --own: #8b95a1; --failed: #b3471d;
    --hot: #0f4c92; --hot-ink: #fff; --cold: #e9f0f8; --cold-ink: #000;
  }
  body { max-width: none; padding: 0; font-size: 10.5pt; print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  .tools, noscript { display: none; }
  .print-only { display: block; }
  .scroll { overflow: visible; }
  pre { max-height: none; font-size: 7pt; }
  table { width: 100%; font-size: 8pt; }
  th, td, td.why { white-space: normal; overflow-wrap: anywhere; min-width: 0; padding: .1rem .4rem .1rem 0; }
  h3 { break-after: avoid; } tr { break-inside: avoid; }
}
)css";

} // namespace attune::inline ATTUNE_ABI::detail
