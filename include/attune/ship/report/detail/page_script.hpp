// attune/ship/report/detail/page_script.hpp - sorting, filtering and choosing in a report.
// SPDX-License-Identifier: MIT
//
// Everything that says something is in the page without it. Texts of the store become text nodes,
// never markup.
#pragma once

#include <attune/core/version.hpp>

namespace attune::inline ATTUNE_ABI::detail {

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
  function time(cell, s, of) {
    if (!(s > 0)) return cell;
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
          if (row.low > 0 && row.low < row.high) {
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
    const worst = data.higher ? 0 : Infinity, better = data.higher ? Math.max : Math.min;
    function drawn(p) { // the fastest values, in their order
      const best = data.levels[p].map(() => worst);
      for (const r of data.rows) if (!r.stage && r.s > 0) best[r.at[p]] = better(best[r.at[p]], r.s);
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
      let fast = Infinity, slow = 0;
      for (const r of data.rows) {
        if (!x.has(r.at[a]) || !y.has(r.at[b])) continue;
        const cell = cells[y.get(r.at[b])][x.get(r.at[a])];
        if (r.stage) cell.failed++;
        else if (r.s > 0) { cell.count++; cell.best = better(cell.best, r.s); }
      }
      for (const c of cells.flat()) if (c.count) { fast = Math.min(fast, c.best); slow = Math.max(slow, c.best); }
      const flat = !(slow > fast);
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
            const q = flat ? 1 : Math.log(slow / c.best) / Math.log(slow / fast);
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

} // namespace attune::inline ATTUNE_ABI::detail
