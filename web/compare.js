// compare.js - several runs of the same jobs: their timelines on one axis, and how long jobs took.
"use strict";

// Which share of jobs took no longer than this, a line for each run. Times are on a scale of
// powers of ten, for jobs of seconds and of hours are on one picture.
class Distribution {
  constructor(runs, view) {
    this.runs = runs;
    this.times = runs.map((run) => run.data.jobs.filter((j) => j.end === "done" && j.counts !== false).map((j) => j.took_s).sort((x, y) => x - y));
    this.canvas = element("canvas", undefined, view);
    this.canvas.className = "chart";
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", "Distribution of the completion times of jobs; the table of runs has its quantiles.");
    addEventListener("resize", () => this.paint());
    dark.addEventListener("change", () => this.paint());
    this.paint();
  }

  paint() {
    const { width, height, ratio } = sizeCanvas(this.canvas, 240), context = this.canvas.getContext("2d"), t = theme();
    const all = this.times.flat().filter((s) => s > 0);
    context.clearRect(0, 0, width, height);
    fontOf(context, ratio);
    if (!all.length) return;
    const low = Math.log10(all.reduce((x, y) => Math.min(x, y))) - 0.05, high = Math.log10(all.reduce((x, y) => Math.max(x, y))) + 0.05;
    const left = 44 * ratio, bottom = height - 22 * ratio, top = 8 * ratio;
    const x = (s) => left + (Math.log10(s) - low) / (high - low) * (width - left - 8 * ratio), y = (share) => bottom - share * (bottom - top);
    for (let share = 0; share <= 1; share += 0.25) {
      context.fillStyle = t.line;
      context.fillRect(left, y(share), width - left, 1);
      context.fillStyle = t.soft;
      context.fillText(`${100 * share} %`, 3 * ratio, y(share) - 6 * ratio);
    }
    for (const s of Distribution.ticks(10 ** low, 10 ** high)) {
      context.fillStyle = t.line;
      context.fillRect(x(s), top, 1, bottom - top);
      context.fillStyle = t.soft;
      const text = clock(s), wide = context.measureText(text).width;
      context.fillText(text, x(s) + 3 + wide > width ? x(s) - 3 - wide : x(s) + 3, bottom + 5 * ratio);
    }
    const looks = runLooks(t);
    this.times.forEach((times, k) => this.line(context, times, x, y, looks[k], ratio));
  }

  // Times that people count in, between these two.
  static ticks(low, high) {
    const all = [60, 120, 300, 600, 1200, 1800, 3600, 7200, 18000, 43200, 86400, 172800, 432000, 864000];
    for (let ten = -6; ten < 2; ten++) for (const m of [1, 2, 5]) if (m * 10 ** ten < 50) all.push(m * 10 ** ten);
    return all.filter((s) => s >= low && s <= high);
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

async function compare() {
  const count = document.querySelectorAll("script[id^=data-]").length, runs = [];
  for (let i = 0; i < count; i++) runs.push(await Run.load(i));
  const view = document.getElementById("view");
  view.hidden = false;
  element("h2", "Share of jobs that took no longer", view);
  const names = runs.map((run) => run.data.label);
  let keys = runKeys(names);
  view.append(keys);
  dark.addEventListener("change", () => { const now = runKeys(names); keys.replaceWith(now); keys = now; });
  new Distribution(runs, view);
  element("h2", "Every attempt, on one axis", view);
  const tools = element("div", undefined, view), axis = new Axis(Math.max(...runs.map((run) => run.data.last_s)));
  const two = element("div", undefined, view), pictures = element("div", undefined, two), panel = new Panel(two);
  two.className = "two";
  const timelines = runs.map((run) => {
    element("h3", run.data.label, pictures);
    const picture = element("div", undefined, pictures);
    picture.className = "picture";
    return new Timeline(run, axis, picture, panel, 0.8 / count);
  });
  axis.reach(Math.max(...timelines.map((t) => t.view.last)));
  const filters = new Filters(timelines, tools);
  filters.legend = new Legend(timelines[0], pictures);
  filters.listenTo(document.getElementById("jobs"));
  listenToKeys(timelines, filters, panel);
  window.timelines = timelines;
}
compare();
