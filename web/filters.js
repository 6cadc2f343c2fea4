// filters.js - what colours and patterns of timelines mean, and which attempts they show.
"use strict";

// The names of phases, by number; of jobs that differ "phase 2".
function phaseNames(run) {
  const names = [];
  for (const { phases } of run.data.jobs)
    phases.forEach((name, k) => {
      names[k] = names[k] === undefined || names[k] === name ? name : `phase ${k}`;
    });
  return names;
}

// What colours and patterns mean.
function legend(view, run) {
  const names = phaseNames(run), box = names.length <= HUES.length ? colourKeys(names) : element("div");
  box.className = "legend";
  view.append(box);
  const draw = (text, extra, lost, what) => {
    const item = element("span", undefined, box), c = element("canvas", undefined, item), context = c.getContext("2d");
    c.width = 28;
    c.height = 14;
    const image = context.createImageData(28, 14), pixels = new Uint32Array(image.data.buffer);
    const own = { w: 28, ratio: 1 }, t = theme(), colour = palette(t)[0];
    Timeline.prototype.rect.call(own, pixels, 0, 28, 0, 14, what === "fail" ? pixel(t.fail) : colour[what]);
    Timeline.prototype.pattern.call(own, pixels, 0, 28, 0, 14, colour.strike, extra, lost);
    context.putImageData(image, 0, 0);
    item.append(` ${text}`);
  };
  if (names.length > HUES.length) draw("at work (a colour for each phase)", false, false, "work");
  draw("launched, or waiting for input", false, false, "wait");
  draw("reading", false, false, "read");
  draw("clone or backup", true, false, "work");
  draw("did not win", false, true, "work");
  draw("failed, or lost with its node", false, false, "fail");
}

// ---- what is shown ----

// Menus and a search for one or more timelines.
class Filters {
  constructor(timelines, view) {
    this.timelines = timelines;
    this.tools = element("div", undefined, view);
    this.tools.className = "tools";
    this.note = element("p", undefined, view);
    this.note.className = "more note";
    const label = element("label", "job, or a part of its name", this.tools);
    this.search = element("input", undefined, label);
    this.search.type = "search";
    this.search.addEventListener("input", () => this.apply());
    const { run } = timelines[0], { data } = run, phases = phaseNames(run);
    this.menus = [
      ["phase", "phase", (p) => phases[p] || `${p}`],
      ["kind", "kind", (k) => data.kinds[k]],
      ["end", "fate", (f) => FATES[f]],
      ["reason", "why", (w) => data.reasons[w].replaceAll("_", " ")],
      ["node", "node", (n) => (data.nodes[n] ? data.nodes[n].name : `${n}`)],
    ].map(([name, column, text]) => [this.select(name, column, text), column]);
    element("button", "show all", this.tools).addEventListener("click", () => this.clear());
    this.apply();
  }

  select(name, column, text) {
    const label = element("label", name, this.tools), s = element("select", undefined, label), used = new Set();
    for (const t of this.timelines) for (const value of t.a[column]) used.add(value);
    element("option", "all", s).value = "";
    if (used.size <= 2000)
      for (const value of [...used].sort((x, y) => x - y)) element("option", text(value), s).value = value;
    s.addEventListener("change", () => this.apply());
    return s;
  }

  clear() {
    this.search.value = "";
    for (const [menu] of this.menus) menu.value = "";
    this.apply();
    for (const t of this.timelines) t.fit();
  }

  apply() {
    const text = this.search.value.trim().toLowerCase(), notes = [];
    const wants = this.menus.filter(([s]) => s.value !== "").map(([s, column]) => [+s.value, column]);
    for (const t of this.timelines) {
      const { a, run } = t, { data } = run;
      const jobs = text ? new Set(data.jobs.filter((j) => `${j.id}` === text || j.name.toLowerCase().includes(text)).map((j) => j.id)) : null;
      let count = 0;
      for (let i = 0; i < a.count; i++) {
        let is = !jobs || jobs.has(a.job[i]);
        for (const [value, column] of wants) is = is && a[column][i] === value;
        t.shown[i] = is;
        count += is;
      }
      t.filtered = count < a.count;
      t.left = t.filtered ? t.few((row) => t.shown[row]) : [];
      const left = data.left_out ? `; ${data.left_out} more that took up to ${seconds(data.left_out_s)} are left out` : "";
      notes.push(`${this.timelines.length > 1 ? `${data.label}: ` : ""}${count} of ${a.count} attempts shown${left}.`);
      t.draw();
    }
    this.note.textContent = notes.join(" ");
  }

  // A click on a job of a table shows it alone. Its number becomes a button, for keyboards.
  listenTo(table) {
    for (const row of table.querySelectorAll("tbody tr")) {
      const cell = row.cells[0], b = element("button", cell.textContent);
      b.className = "plain";
      b.title = "show its attempts alone";
      cell.replaceChildren(b);
      row.addEventListener("click", () => {
        this.search.value = row.dataset.job;
        this.apply();
        this.timelines[0].canvas.scrollIntoView({ block: "nearest" });
      });
    }
  }
}
