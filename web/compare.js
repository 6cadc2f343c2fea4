// compare.js - several runs of the same jobs: means by size, each job in two runs, how long jobs took, and the timelines on one axis.
"use strict";

// A picture on logarithmic axes of time: jobs of seconds and of hours are on one.
class Chart {
  constructor(view, height, label) {
    this.height = height;
    this.canvas = element("canvas", undefined, view);
    this.canvas.className = "chart";
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", label);
    addEventListener("resize", () => this.paint());
    dark.addEventListener("change", () => this.paint());
  }

  begin() {
    const { width, height, ratio } = sizeCanvas(this.canvas, this.height), context = this.canvas.getContext("2d"), t = theme();
    context.clearRect(0, 0, width, height);
    fontOf(context, ratio);
    return { context, t, width, height, ratio };
  }

  // Times that people count in, between these two.
  static ticks(low, high) {
    const all = [60, 120, 300, 600, 1200, 1800, 3600, 7200, 18000, 43200, 86400, 172800, 432000, 864000];
    for (let ten = -6; ten < 2; ten++) for (const m of [1, 2, 5]) if (m * 10 ** ten < 50) all.push(m * 10 ** ten);
    return all.filter((s) => s >= low && s <= high).sort((x, y) => x - y);
  }

  // From times to pixels.
  static scale(times, from, to) {
    const low = Math.log10(Math.min(...times)) - 0.05, high = Math.log10(Math.max(...times)) + 0.05;
    const at = (s) => from + (Math.log10(s) - low) / (high - low) * (to - from);
    return Object.assign(at, { low: 10 ** low, high: 10 ** high });
  }

  // Lines across at ticks that are not too near each other.
  static grid(context, t, x, top, bottom, width, ratio) {
    let last = -Infinity, free = -Infinity; // the line before, and the end of its text
    for (const s of Chart.ticks(x.low, x.high)) {
      const at = x(s), text = clock(s), wide = context.measureText(text).width, begin = at + 3 + wide > width ? at - 3 - wide : at + 3;
      if (at - last < wide + 14 * ratio) continue;
      last = at;
      context.fillStyle = t.line;
      context.fillRect(at, top, 1, bottom - top);
      context.fillStyle = t.soft;
      if (begin < free + 8 * ratio) continue;
      context.fillText(text, begin, bottom + 5 * ratio);
      free = begin + wide;
    }
  }
}

// Mean times of jobs by their number of tasks, a sign for each run.
class Dumbbells extends Chart {
  constructor(numbers, view) {
    super(view, 34 * numbers.bins.length + 30, "Mean time of a job by its number of tasks; the table below has the numbers.");
    this.numbers = numbers;
    this.paint();
  }

  paint() {
    const { context, t, width, height, ratio } = this.begin(), { bins, best } = this.numbers, all = bins.flatMap((b) => b.means).filter((s) => s > 0);
    if (!all.length) return;
    const narrow = width < 560 * ratio, left = (narrow ? 96 : 176) * ratio, bottom = height - 22 * ratio, x = Chart.scale(all, left, width - 60 * ratio);
    Chart.grid(context, t, x, 4 * ratio, bottom, width, ratio);
    bins.forEach((bin, k) => {
      const y = (34 * k + 20) * ratio, at = bin.means.map((s) => x(Math.max(s, x.low))), share = (bin.means[best] - bin.means[0]) / bin.means[0];
      context.fillStyle = t.text;
      context.fillText(`${bin.name} tasks`, 4 * ratio, y - (narrow ? 12 : 6) * ratio);
      context.fillStyle = t.soft;
      context.fillText(`${bin.jobs} job${bin.jobs === 1 ? "" : "s"}`, (narrow ? 4 : 96) * ratio, y + (narrow ? 2 : -6) * ratio);
      context.fillStyle = t.line;
      context.fillRect(Math.min(...at), y - 2.5 * ratio, Math.max(...at) - Math.min(...at), 5 * ratio);
      at.forEach((place, run) => signOf(context, RUN_LOOKS[run], place, y, 5.5 * ratio));
      context.fillStyle = t.text;
      context.fillText(`${share > 0 ? "+" : ""}${(100 * share).toFixed(Math.abs(share) < 0.1 ? 1 : 0)} %`.replace("-", "−"), Math.max(...at) + 12 * ratio, y - 6 * ratio);
    });
  }
}

// Each job: its time in the first run, and in another.
class Scatter extends Chart {
  constructor(jobs, names, view) {
    super(view, 320, "The time of each job in the first run and in another; the table has those that changed most.");
    this.jobs = jobs;
    this.names = names;
    this.run = 1;
  }

  paint() {
    const { context, t, width, height, ratio } = this.begin(), jobs = this.jobs.filter(({ times }) => times[0] > 0 && times[this.run] > 0);
    if (!jobs.length) return;
    const all = jobs.flatMap(({ times }) => [times[0], times[this.run]]), left = 56 * ratio, bottom = height - 22 * ratio;
    const x = Chart.scale([all.reduce((p, q) => Math.min(p, q)), all.reduce((p, q) => Math.max(p, q))], left, width - 10 * ratio), y = Chart.scale([x.low * 1.122, x.high / 1.122], bottom, 10 * ratio);
    Chart.grid(context, t, x, 10 * ratio, bottom, width, ratio);
    let last = Infinity;
    for (const s of Chart.ticks(y.low, y.high)) {
      if (last - y(s) < 16 * ratio) continue;
      last = y(s);
      context.fillStyle = t.line;
      context.fillRect(left, y(s), width - left, 1);
      context.fillStyle = t.soft;
      context.fillText(clock(s), 3 * ratio, y(s) - 6 * ratio);
    }
    context.strokeStyle = t.text;
    context.setLineDash([4 * ratio, 3 * ratio]);
    context.lineWidth = ratio;
    context.beginPath();
    context.moveTo(x(x.low), y(x.low));
    context.lineTo(x(x.high), y(x.high));
    context.stroke();
    context.setLineDash([]);
    context.globalAlpha = jobs.length > 500 ? 0.35 : 0.65;
    for (const { times } of jobs) {
      const same = Math.abs(times[this.run] / times[0] - 1) <= 0.01;
      signOf(context, same ? { ...RUN_LOOKS[0] } : RUN_LOOKS[this.run], x(times[0]), y(times[this.run]), 3 * ratio);
    }
    context.globalAlpha = 1;
    context.fillStyle = t.text;
    const text = `below the line: sooner with ${this.names[this.run]}`;
    context.fillText(text, width - context.measureText(text).width - 8 * ratio, bottom - 16 * ratio);
  }
}

// Which share of jobs took no longer than this, a line for each run.
class Distribution extends Chart {
  constructor(runs, view) {
    super(view, 320, "Distribution of the completion times of jobs; the table of runs has its quantiles.");
    this.times = runs.map((run) => run.data.jobs.filter((j) => j.end === "done" && j.counts !== false).map((j) => j.took_s).sort((x, y) => x - y));
    this.paint();
  }

  paint() {
    const { context, t, width, height, ratio } = this.begin(), all = this.times.flat().filter((s) => s > 0);
    if (!all.length) return;
    const left = 44 * ratio, bottom = height - 22 * ratio, top = 8 * ratio, y = (share) => bottom - share * (bottom - top);
    const x = Chart.scale([all.reduce((p, q) => Math.min(p, q)), all.reduce((p, q) => Math.max(p, q))], left, width - 8 * ratio);
    for (let share = 0; share <= 1; share += 0.25) {
      context.fillStyle = t.line;
      context.fillRect(left, y(share), width - left, 1);
      context.fillStyle = t.soft;
      context.fillText(`${100 * share} %`, 3 * ratio, y(share) - 6 * ratio);
    }
    Chart.grid(context, t, x, top, bottom, width, ratio);
    this.times.forEach((times, k) => this.line(context, times, x, y, RUN_LOOKS[k], ratio));
  }

  line(context, times, x, y, { colour, dash }, ratio) {
    context.strokeStyle = colour;
    context.setLineDash(dash.map((n) => n * ratio));
    context.lineWidth = 2 * ratio;
    context.beginPath();
    times.filter((s) => s > 0).forEach((s, i) => {
      context.lineTo(x(s), y(i / times.length));
      context.lineTo(x(s), y((i + 1) / times.length));
    });
    context.stroke();
    context.setLineDash([]);
  }
}

// Jobs that are done in all runs: the same number, name and number of tasks.
function comparedJobs(runs) {
  const done = (j, like) => j && j.end === "done" && j.counts !== false && j.name === like.name && j.tasks === like.tasks;
  return runs[0].data.jobs.filter((j) => runs.every((run) => done(run.jobs.get(j.id), j)))
    .map((j) => ({ id: j.id, name: j.name, tasks: j.tasks, times: runs.map((run) => run.jobs.get(j.id).took_s) }));
}

// The table of jobs: twenty of all, sorted by a click on a column.
class JobTable {
  constructor(table, jobs, filters) {
    this.table = table;
    this.jobs = jobs;
    this.filters = filters;
    const runs = jobs.length ? jobs[0].times.length : 0;
    this.keys = [(j) => j.id, (j) => j.name, (j) => j.tasks, ...Array.from({ length: runs }, (_, k) => (j) => j.times[k]),
      ...Array.from({ length: Math.max(0, runs - 1) }, (_, k) => (j) => (j.times[k + 1] - j.times[0]) / j.times[0])];
    [...table.tHead.rows[0].cells].forEach((cell, column) => {
      const b = element("button", cell.textContent);
      cell.replaceChildren(b);
      b.addEventListener("click", () => this.sort(column, cell.getAttribute("aria-sort") === "descending" ? 1 : -1));
    });
  }

  sort(column, way) {
    const key = this.keys[column], compare = (p, q) => (typeof p === "string" ? p.localeCompare(q) : p - q);
    [...this.table.tHead.rows[0].cells].forEach((cell, k) => (k === column ? cell.setAttribute("aria-sort", way > 0 ? "ascending" : "descending") : cell.removeAttribute("aria-sort")));
    const rows = [...this.jobs].sort((x, y) => way * compare(key(x), key(y)) || x.id - y.id).slice(0, 20).map((j) => this.row(j));
    this.table.tBodies[0].replaceChildren(...rows);
    this.filters.listenTo(this.table);
  }

  row(j) {
    const row = element("tr"), add = (text, look) => { element("td", text, row).className = look; };
    row.dataset.job = j.id;
    add(`${j.id}`, "n");
    add(j.name, "");
    add(`${j.tasks}`, "n");
    for (const s of j.times) add(`${plain(s, 4)} s`, "n");
    for (const s of j.times.slice(1)) {
      const share = (s - j.times[0]) / j.times[0];
      add(`${share < 0 ? "" : "+"}${(100 * share).toFixed(1)} %`, `n ${share < -0.01 ? "better" : share > 0.01 ? "worse" : "same"}`);
    }
    return row;
  }
}

// The timelines of all runs on one axis.
function timelinesOf(runs, view) {
  const tools = element("div", undefined, view), axis = new Axis(Math.max(...runs.map((run) => run.data.last_s)));
  const two = element("div", undefined, view), pictures = element("div", undefined, two), panel = new Panel(two);
  two.className = "two";
  const timelines = runs.map((run) => {
    element("h3", run.data.label, pictures);
    const picture = element("div", undefined, pictures);
    picture.className = "picture";
    return new Timeline(run, axis, picture, panel, 0.8 / runs.length);
  });
  axis.reach(Math.max(...timelines.map((t) => t.view.last)));
  const filters = new Filters(timelines, tools);
  filters.legend = new Legend(timelines[0], pictures);
  listenToKeys(timelines, filters, panel);
  return { timelines, filters };
}

function chartsOf(runs, names, jobs, best, view) {
  view.hidden = false;
  view.className = "charts";
  const left = element("div", undefined, view), right = element("div", undefined, view);
  element("h2", `Each job: its time with ${names[0]}, and with another`, left);
  const scatter = new Scatter(jobs, names, left);
  scatter.run = best;
  if (names.length > 2) {
    const choice = new Choice(left, "compared with", names.slice(1), names[best], (name) => {
      scatter.run = names.indexOf(name, 1);
      choice.set(name);
      scatter.paint();
    });
    left.insertBefore(choice.box, scatter.canvas);
  }
  scatter.paint();
  element("h2", "Share of jobs that took no longer", right);
  right.append(runKeys(names));
  const distribution = new Distribution(runs, right);
  return { scatter, distribution };
}

async function compare() {
  const count = document.querySelectorAll("script[id^=data-]").length, runs = [];
  for (let i = 0; i < count; i++) runs.push(await Run.load(i));
  const numbers = JSON.parse(document.getElementById("compare").textContent), names = runs.map((run) => run.data.label), jobs = comparedJobs(runs);
  const view = document.getElementById("view"), few = numbers.jobs < 5, place = document.getElementById("dumbbells");
  view.hidden = false;
  if (few) element("h2", "The runs on one axis", view);
  const fold = few ? view : element("details", undefined, view);
  if (!few) element("summary", "Every attempt, on one axis", fold);
  const { timelines, filters } = timelinesOf(runs, fold);
  if (!few) fold.addEventListener("toggle", () => timelines.forEach((t) => t.draw()));
  if (place) {
    place.append(runKeys(names));
    window.dumbbells = new Dumbbells(numbers, place);
  }
  if (!few) Object.assign(window, chartsOf(runs, names, jobs, numbers.best, document.getElementById("charts")));
  window.table = new JobTable(document.getElementById("jobs"), jobs, filters);
  filters.listenTo(document.getElementById("jobs"));
  window.timelines = timelines;
}
compare();
