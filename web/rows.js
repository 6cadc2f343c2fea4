// rows.js - a row for each task of a job, or for each job of a run.
"use strict";

const TASKS_MAX = 200, LOSERS_MAX = 3; // tasks of a job that opens in rows; losers drawn under a winner
const BAR = 13, THIN = 3, ROW_LEAST = 4; // pixels of the screen

// Upright stripes on the bar of what is not over: without colours, too, it is not taken for a winner.
function striped(timeline, context, t, colour, x0, x1, y, height) {
  const wide = Math.round(STRIPE * timeline.ratio), every = STRIPES_EVERY * wide, end = Math.min(x1, timeline.w), first = Math.max(x0, timeline.g);
  context.fillStyle = rgb(mix(colour, t.back, 0.8));
  for (let x = Math.floor(first / every) * every; x < end; x += every) {
    const from = Math.max(first, x + wide), to = Math.min(end, x + every);
    if (to > from) context.fillRect(from, y, to - from, height);
  }
}

// The winner of each task in full height, under it those that lost, and dashed where it would have ended alone.
class TaskRows {
  constructor(timeline, job) {
    this.t = timeline;
    this.a = timeline.a;
    this.job = job;
    this.least = ROW_LEAST;
    this.order = "number";
    this.collect();
  }

  // The tasks of the job, each with its attempts: the one that is drawn in full first.
  collect() {
    const { run } = this.t, { a } = this, tasks = new Map();
    for (const row of run.rowsOf(this.job)) {
      const key = a.phase[row] * 2 ** 32 + a.task[row];
      if (tasks.has(key)) tasks.get(key).push(row);
      else tasks.set(key, [row]);
    }
    this.all = [...tasks.values()].map((rows) => {
      const main = rows.find((i) => a.fate[i] === WON) ?? rows.find((i) => a.fate[i] === RUNS) ?? rows[rows.length - 1];
      return { main, losers: rows.filter((i) => i !== main).sort((x, y) => a.ordinal[x] - a.ordinal[y]), race: run.race(main) };
    });
    this.lost = Math.min(LOSERS_MAX, this.all.reduce((most, task) => Math.max(most, task.losers.length), 0));
    this.natural = BAR + 5 + (this.lost ? 4 * this.lost + 2 : 0);
    const own = this.t.run.data.last_s, alone = this.all.reduce((last, { race }) => Math.max(last, race && race.known ? Math.max(race.high, race.about) : 0), 0);
    this.last = Math.max(own, 1.02 * alone);
    this.fold();
  }

  // Those that a filter has left, in their order.
  fold() {
    const { a } = this, key = this.order === "end" ? ({ main }) => a.to[main] : () => 0;
    this.tasks = this.all.filter(({ main, losers }) => this.t.shown[main] || losers.some((i) => this.t.shown[i]))
      .sort((x, y) => key(x) - key(y) || a.phase[x.main] - a.phase[y.main] || a.number[x.main] - a.number[y.main]);
    this.lines = new Map();
    this.tasks.forEach(({ main, losers }, line) => [main, ...losers].forEach((row) => this.lines.set(row, line)));
  }

  get count() {
    return this.tasks.length;
  }

  line(row) {
    return this.lines.get(row) ?? -1;
  }

  // ---- drawing ----

  paint() {}

  draw(context, t) {
    const { ratio, laneHeight, h, w, top, axis, g } = this.t, step = stepOf(axis.t1 - axis.t0, Math.max(2, (w - g) / (110 * ratio)));
    const first = Math.max(0, Math.floor(top)), below = Math.min(this.count, Math.ceil(top + h / laneHeight));
    fontOf(context, ratio);
    for (let line = first; line < below; line++) this.ground(context, t, line);
    context.fillStyle = t.line;
    for (let k = Math.ceil(axis.t0 / step); k * step <= axis.t1; k++) context.fillRect(Math.round(this.t.x(k * step)), 0, 1, h);
    for (let line = first; line < below; line++) this.names(context, t, line);
    context.save();
    context.beginPath();
    context.rect(g, 0, w - g, h);
    context.clip();
    for (let line = first; line < below; line++) this.task(context, t, line);
    context.restore();
  }

  y(line) {
    return (line - this.t.top) * this.t.laneHeight;
  }

  ground(context, t, line) {
    const { main, losers } = this.tasks[line], { selected, hovered } = this.t;
    if (![main, ...losers].some((row) => row === selected || row === hovered)) return;
    context.fillStyle = t.panel;
    context.fillRect(0, this.y(line), this.t.w, this.t.laneHeight);
  }

  // Names where there is room, at least of every few.
  names(context, t, line) {
    const { ratio, laneHeight, g, run } = this.t, { a } = this, { main } = this.tasks[line], every = Math.ceil(13 * ratio / laneHeight);
    if (line % every) return;
    const y = this.y(line) + (laneHeight >= 18 * ratio ? 4 * ratio : Math.max(0, (laneHeight - 11 * ratio) / 2));
    const node = run.data.nodes[a.node[main]].name, small = g < 90 * ratio;
    context.font = `600 ${11 * ratio}px system-ui, sans-serif`;
    context.fillStyle = isBad(a.fate[main]) ? rgb(t.fail) : t.text;
    context.fillText(shorter(context, small ? `${a.number[main]}` : run.taskName(main), small ? g - 6 * ratio : 0.62 * g), 3 * ratio, y);
    fontOf(context, ratio);
    context.fillStyle = t.soft;
    if (!small) context.fillText(shorter(context, node, 0.32 * g), 0.66 * g, y);
  }

  // Where a bar is: its top and its height.
  bar(line) {
    const { ratio, laneHeight } = this.t, y = this.y(line);
    return laneHeight >= (BAR + 4) * ratio ? [y + 3 * ratio, BAR * ratio] : [y, Math.max(THIN * ratio, laneHeight - ratio)];
  }

  // The k-th loser: thin lines under the bar, as many as there is room for.
  thin(line, k) {
    const { ratio, laneHeight } = this.t, y = this.y(line) + (BAR + 5 + 4 * k) * ratio;
    return y + THIN * ratio <= this.y(line) + laneHeight + ratio ? [y, THIN * ratio] : null;
  }

  task(context, t, line) {
    const { run } = this.t, { main, losers, race } = this.tasks[line], [y, height] = this.bar(line);
    if (race) this.ghost(context, t, { end: this.a.to[main], behind: Math.max(...[main, ...losers].map((i) => this.a.to[i])) }, race, y, height);
    this.attempt(context, t, main, y, height, run.outcome(main));
    losers.slice(0, LOSERS_MAX).forEach((row, k) => {
      const place = this.thin(line, k);
      if (place) this.attempt(context, t, row, ...place, run.outcome(row), true);
    });
    this.status(context, t, main, y, height);
  }

  // From its start on; before that it only waited for its process.
  attempt(context, t, row, y, height, outcome, thin) {
    const { a } = this, { ratio, run } = this.t, start = a.started[row] >= 0 ? a.started[row] : a.from[row];
    const x0 = this.t.x(start), x1 = Math.max(x0 + 2 * ratio, this.t.x(a.to[row])), colour = colourOf(t, run, row);
    if (x1 - this.t.x(a.from[row]) > 0 && a.started[row] > a.from[row] && !thin) {
      context.fillStyle = t.line;
      context.fillRect(this.t.x(a.from[row]), y + height / 2, x0 - this.t.x(a.from[row]), ratio);
    }
    context.globalAlpha = this.t.filtered && !this.t.shown[row] ? 0.3 : 1;
    context.fillStyle = rgb(colour);
    context.fillRect(x0, y, x1 - x0, height);
    if (a.readTo[row] > start && !thin) {
      context.fillStyle = rgb(mix(colour, t.back, 0.45));
      context.fillRect(x0, y, Math.min(x1, this.t.x(a.readTo[row])) - x0, height);
    }
    if (a.fate[row] === RUNS) striped(this.t, context, t, colour, x0, x1, y, height);
    if (outcome === CLONE_WON && !thin && height > 5 * ratio) {
      context.strokeStyle = rgb(t.win);
      context.lineWidth = 2 * ratio;
      context.strokeRect(x0 + ratio, y + ratio, Math.max(0, x1 - x0 - 2 * ratio), height - 2 * ratio);
    }
    if (outcome === SLOW && !thin && height > 5 * ratio) this.hatch(context, t, x0, x1, y, height);
    context.globalAlpha = 1;
  }

  hatch(context, t, x0, x1, y, height) {
    const step = 6 * this.t.ratio;
    context.save();
    context.beginPath();
    context.rect(x0, y, x1 - x0, height);
    context.clip();
    context.strokeStyle = rgb(t.back);
    context.lineWidth = 1.5 * this.t.ratio;
    context.beginPath();
    for (let x = x0 - height; x < x1; x += step) {
      context.moveTo(x, y + height);
      context.lineTo(x + height, y);
    }
    context.stroke();
    context.restore();
  }

  // A box to the best guess and a whisker for its range; of what is only known to be longer, dashes that fade.
  ghost(context, t, task, race, y, height) {
    const { ratio } = this.t, end = this.t.x(task.end), middle = y + height / 2;
    context.strokeStyle = context.fillStyle = rgb(t.slow);
    if (!race.known) {
      if (!race.rescued) return;
      for (let k = 0; k < 3; k++) {
        context.globalAlpha = 1 - 0.3 * k;
        context.fillRect(end + k * 26 * ratio, middle - ratio, 18 * ratio, 1.5 * ratio);
      }
      context.globalAlpha = 1;
      this.say(context, t, "alone: longer, not known how much", end + 84 * ratio, y, height);
      return;
    }
    const x = this.t.x(race.about);
    if (x <= end + ratio) return;
    context.lineWidth = ratio;
    context.setLineDash([4 * ratio, 3 * ratio]);
    context.strokeRect(end, y + ratio / 2, x - end, height - ratio);
    context.setLineDash([]);
    if (race.high > race.low && height > 5 * ratio) {
      const [low, high] = [this.t.x(race.low), this.t.x(race.high)], tick = height / 4;
      context.fillRect(low, Math.round(middle - ratio / 2), high - low, Math.ceil(1.5 * ratio));
      for (const at of [low, high]) context.fillRect(at - ratio / 2, middle - tick, 1.5 * ratio, 2 * tick);
    }
    const text = `alone: ${race.about === race.high ? "" : "about "}${guess(race.about, race.high - race.low)}`;
    if (this.t.laneHeight > 24 * ratio) this.say(context, t, text, Math.max(this.t.x(task.behind), this.t.g) + 4 * ratio, y + height + 2 * ratio, 0);
    else {
      const behind = this.t.x(race.high) + 6 * ratio, wide = context.measureText(text).width;
      this.say(context, t, text, behind + wide <= this.t.w ? behind : Math.max(end + 4 * ratio, this.t.x(race.low) - wide - 6 * ratio), y, height);
    }
  }

  say(context, t, text, x, y, height) {
    if (height && height < 8 * this.t.ratio) return;
    context.fillStyle = t.slowText;
    context.fillText(text, x, height ? y + (height - 11 * this.t.ratio) / 2 : y);
  }

  // Of a task that failed, a cross and how: behind its bar, or on it where there is no room behind.
  status(context, t, row, y, height) {
    const { a } = this, { ratio } = this.t;
    if (!isBad(a.fate[row]) || height < 8 * ratio) return;
    const text = `✗ ${this.t.run.ending(row)}`, end = this.t.x(a.to[row]), wide = context.measureText(text).width, fits = end + 5 * ratio + wide <= this.t.w;
    context.fillStyle = rgb(fits ? t.fail : t.back);
    context.fillText(text, fits ? end + 5 * ratio : Math.min(end, this.t.w) - wide - 5 * ratio, y + (height - 11 * ratio) / 2);
  }

  // ---- pointing ----

  at(line, time, near, y) {
    const k = Math.floor(line);
    if (k < 0 || k >= this.count) return -1;
    const { main, losers } = this.tasks[k];
    for (let i = 0; i < Math.min(LOSERS_MAX, losers.length); i++) {
      const place = this.thin(k, i), row = losers[i];
      if (place && y >= place[0] - 1 && y < place[0] + place[1] + 1 && time >= this.a.from[row] - near && time <= this.a.to[row] + near) return row;
    }
    return main;
  }

  box(row) {
    const line = this.line(row), k = line < 0 ? -1 : this.tasks[line].losers.indexOf(row);
    return line < 0 ? [-100, 0] : (k >= 0 && k < LOSERS_MAX && this.thin(line, k)) || this.bar(line);
  }
}

// A row for each job: from its arrival, thin while it waits, to its end.
class JobRows {
  constructor(timeline) {
    this.t = timeline;
    this.natural = 20;
    this.least = 0;
    const { run } = timeline, { a } = run;
    this.all = run.data.jobs.map((job) => {
      const rows = run.rowsOf(job.id), began = rows.reduce((first, i) => Math.min(first, a.from[i]), Infinity);
      return { job, began: Math.min(began, job.arrived_s + job.took_s), end: job.arrived_s + job.took_s, rescued: rows.some((i) => (run.race(i) || {}).rescued) };
    }).sort((x, y) => x.job.arrived_s - y.job.arrived_s || x.job.id - y.job.id);
    this.last = run.data.last_s;
    this.fold();
  }

  fold() {
    const { run, shown, filtered } = this.t;
    this.jobs = filtered ? this.all.filter(({ job }) => run.rowsOf(job.id).some((i) => shown[i])) : this.all;
    this.lines = new Map(this.jobs.map(({ job }, line) => [job.id, line]));
  }

  get count() {
    return this.jobs.length;
  }

  line(row) {
    return this.lines.get(this.t.a.job[row]) ?? -1;
  }

  paint() {}

  draw(context, t) {
    const { ratio, laneHeight, h, w, g, top } = this.t, first = Math.max(0, Math.floor(top)), below = Math.min(this.count, Math.ceil(top + h / laneHeight));
    const every = Math.ceil(13 * ratio / laneHeight), gap = laneHeight >= 4 * ratio ? ratio : 0;
    fontOf(context, ratio);
    for (let line = first; line < below; line++) {
      const { job, began, end, rescued } = this.jobs[line], y = (line - top) * laneHeight, x0 = Math.max(g, this.t.x(began)), x1 = Math.min(w, this.t.x(end));
      if (job.id === this.t.job) {
        context.fillStyle = t.panel;
        context.fillRect(0, y, w, Math.max(laneHeight, 2 * ratio));
      }
      if (line % every === 0) {
        context.fillStyle = job.end === "failed" ? rgb(t.fail) : t.text;
        context.fillText(shorter(context, `${job.id} ${job.name}`, g - 8 * ratio), 3 * ratio, y + Math.max(2 * ratio, (laneHeight - 11 * ratio) / 2));
      }
      const wait = Math.max(g, this.t.x(job.arrived_s));
      context.fillStyle = rgb(t.lose);
      if (x0 > wait) context.fillRect(wait, y + laneHeight / 2 - ratio, x0 - wait, 2 * ratio);
      const height = Math.max(ratio, laneHeight - gap), colour = job.end === "failed" ? t.fail : rescued ? t.clone : t.win;
      context.fillStyle = rgb(colour);
      if (x1 > g && x0 < w) context.fillRect(x0, y, Math.max(2 * ratio, x1 - x0), height);
      if (job.end === "open") striped(this.t, context, t, colour, x0, x1, y, height);
      if (rescued && job.end !== "failed" && height > 5 * ratio) {
        context.strokeStyle = rgb(t.win);
        context.lineWidth = 2 * ratio;
        context.strokeRect(x0 + ratio, y + ratio, Math.max(0, x1 - x0 - 2 * ratio), height - 2 * ratio);
      }
    }
  }

  jobAt(line) {
    const k = Math.floor(line);
    return k >= 0 && k < this.count ? this.jobs[k].job : null;
  }

  at() {
    return -1; // a row is a job
  }

  box(row) {
    return [this.t.y(row), this.t.laneHeight];
  }
}
