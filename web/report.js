// report.js - the timeline of a report. Everything it shows comes from the two elements of the page
// that hold data; it asks for nothing else.
"use strict";

// How attempts ended: the numbers of enum attempt_fate.
const FATES = ["still running", "won", "finished, not needed", "killed", "failed", "lost with its node", "withdrawn"];
const RUNS = 0, WON = 1, FAILED = 4, LOST = 5, WITHDRAWN = 6;

// ---- data ----

const data = JSON.parse(document.getElementById("data").textContent);

// A column as an array of plain numbers, from bytes that may lie anywhere.
function column(bytes, name) {
  const c = data.columns.find((one) => one.name === name);
  const part = bytes.slice(c.from, c.from + c.size * data.rows).buffer;
  return c.size === 4 ? new Uint32Array(part) : c.size === 2 ? new Uint16Array(part) : new Uint8Array(part);
}

async function inflate(text) {
  const packed = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// Attempts: times in seconds; a time that never came is that of the end.
function attemptsOf(bytes) {
  const unit = data.unit_us / 1e6, n = data.rows;
  const raw = {};
  for (const c of data.columns) raw[c.name] = column(bytes, c.name);
  const a = {
    count: n, from: new Float64Array(n), started: new Float64Array(n), readFrom: new Float64Array(n),
    readTo: new Float64Array(n), to: new Float64Array(n), job: raw.job, task: raw.task, node: raw.node,
    lane: raw.lane, phase: raw.phase, ordinal: raw.ordinal, why: raw.why, kind: raw.kind, fate: raw.fate,
  };
  let at = 0;
  for (let i = 0; i < n; i++) {
    at += raw.launched[i];
    const later = (column) => (column[i] ? (at + column[i] - 1) * unit : -1);
    a.from[i] = at * unit;
    a.to[i] = later(raw.ended) < 0 ? data.last_s : later(raw.ended);
    a.started[i] = later(raw.started);
    a.readFrom[i] = later(raw.read_from);
    a.readTo[i] = later(raw.read_to);
  }
  return a;
}

// The rows of each lane, one lane behind the other, those of a lane in order of time.
function lanesOf(a) {
  const first = [0];
  for (const node of data.nodes) first.push(first[first.length - 1] + node.lanes);
  const count = first[first.length - 1];
  const start = new Uint32Array(count + 1), rows = new Uint32Array(a.count), lane = new Uint32Array(a.count);
  for (let i = 0; i < a.count; i++) {
    lane[i] = first[a.node[i]] + a.lane[i];
    start[lane[i] + 1]++;
  }
  for (let l = 0; l < count; l++) start[l + 1] += start[l];
  const next = start.slice();
  for (let i = 0; i < a.count; i++) rows[next[lane[i]]++] = i;
  return { count, first, start, rows, lane };
}

// ---- words ----

function seconds(s) {
  const n = Math.abs(s);
  if (n < 0.001) return `${+(s * 1e6).toPrecision(3)} us`;
  if (n < 1) return `${+(s * 1e3).toPrecision(3)} ms`;
  if (n < 120) return `${+s.toPrecision(4)} s`;
  if (n < 7200) return `${+(s / 60).toPrecision(4)} min`;
  return n < 172800 ? `${+(s / 3600).toPrecision(4)} h` : `${+(s / 86400).toPrecision(4)} d`;
}

function element(name, text, parent) {
  const e = document.createElement(name);
  if (text !== undefined) e.textContent = text;
  if (parent) parent.append(e);
  return e;
}

const jobsById = new Map(data.jobs.map((j) => [j.id, j]));

function jobName(id) {
  const j = jobsById.get(id);
  return j ? `${id} (${j.name})` : `${id}`;
}

function phaseName(job, phase) {
  const j = jobsById.get(job);
  return (j && j.phases.split("\n")[phase]) || `${phase}`;
}

// ---- colours ----

const HUES = [[31, 119, 180], [255, 127, 14], [44, 160, 44], [148, 103, 189], [23, 190, 207], [188, 189, 34],
  [227, 119, 194], [140, 86, 75], [57, 106, 177], [107, 76, 154], [62, 150, 81], [204, 153, 0]];
const dark = matchMedia("(prefers-color-scheme: dark)");

function theme() {
  const style = getComputedStyle(document.documentElement), back = dark.matches ? [13, 17, 23] : [255, 255, 255];
  return { back, text: style.getPropertyValue("--text"), soft: style.getPropertyValue("--soft"),
    line: style.getPropertyValue("--line"), fail: dark.matches ? [255, 255, 255] : [0, 0, 0] };
}

const pixel = (c) => (255 << 24 | c[2] << 16 | c[1] << 8 | c[0]) >>> 0;
const mix = (a, b, share) => a.map((x, i) => Math.round(x * (1 - share) + b[i] * share));

// For each phase number: working, waiting for input, reading, and all of them where filtered out.
function palette(t) {
  return HUES.map((hue) => ({ work: pixel(hue), read: pixel(mix(hue, t.back, 0.35)), wait: pixel(mix(hue, t.back, 0.7)),
    strike: pixel(mix(hue, t.back, 0.8)) }));
}

// ---- the timeline ----

class Timeline {
  constructor(attempts, lanes) {
    this.a = attempts;
    this.lanes = lanes;
    this.shown = new Uint8Array(attempts.count).fill(1);
    this.selected = -1;
    this.t0 = 0;
    this.t1 = Math.max(data.last_s, 1e-6);
    this.top = 0; // the lane at the top, a fraction too
    this.build();
    this.fit();
  }

  build() {
    const view = document.getElementById("view");
    view.hidden = false;
    element("h2", "Every attempt", view);
    this.tools = element("div", undefined, view);
    this.tools.className = "tools";
    this.note = element("p", undefined, view);
    this.note.className = "more";
    this.canvas = element("canvas", undefined, view);
    this.canvas.id = "timeline";
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("role", "application");
    this.canvas.setAttribute("aria-label", "Timeline of all attempts. Arrow keys move, plus and minus zoom, 0 shows all, " +
      "n and p go from attempt to attempt. The tables below tell the same of jobs.");
    this.series = element("canvas", undefined, view);
    this.series.id = "series";
    this.series.setAttribute("role", "img");
    this.series.setAttribute("aria-label", `Values over time: ${data.series.map((s) => s.name).join(", ")}`);
    this.legend(view);
    this.story = element("div", "Click an attempt to see its story.", view);
    this.story.id = "story";
    this.story.setAttribute("aria-live", "polite");
    this.filters();
    this.listen();
  }

  fit() {
    this.t0 = 0;
    this.t1 = Math.max(data.last_s, 1e-6);
    this.top = 0;
    this.scale = 0; // pixels of a lane; 0: as many as fit
    this.draw();
  }

  // ---- filters ----

  select(name, choices) {
    const label = element("label", name, this.tools), s = element("select", undefined, label);
    element("option", "all", s).value = "";
    for (const [value, text] of choices) element("option", text, s).value = value;
    s.addEventListener("change", () => this.filter());
    return s;
  }

  filters() {
    const a = this.a, used = (column) => [...new Set(column)].sort((x, y) => x - y);
    const label = element("label", "job, or a part of its name", this.tools);
    this.search = element("input", undefined, label);
    this.search.type = "search";
    this.search.addEventListener("input", () => this.filter());
    this.phase = this.select("phase", used(a.phase).map((p) => [p, data.jobs.length ? phaseName(data.jobs[0].id, p) : p]));
    this.kind = this.select("kind", used(a.kind).map((k) => [k, data.kinds[k]]));
    this.fate = this.select("end", used(a.fate).map((f) => [f, FATES[f]]));
    this.why = this.select("reason", used(a.why).map((w) => [w, data.reasons[w]]));
    this.node = this.select("node", data.nodes.length <= 2000 ? data.nodes.map((n, i) => [i, n.name]) : []);
    const all = element("button", "show all", this.tools);
    all.addEventListener("click", () => this.fit());
    this.filter();
  }

  filter() {
    const a = this.a, text = this.search.value.trim().toLowerCase();
    const jobs = text ? new Set(data.jobs.filter((j) => `${j.id}` === text || j.name.toLowerCase().includes(text)).map((j) => j.id)) : null;
    const wants = [[this.phase, a.phase], [this.kind, a.kind], [this.fate, a.fate], [this.why, a.why], [this.node, a.node]]
      .filter(([s]) => s.value !== "").map(([s, column]) => [+s.value, column]);
    let count = 0;
    for (let i = 0; i < a.count; i++) {
      let is = !jobs || jobs.has(a.job[i]);
      for (const [value, column] of wants) is = is && column[i] === value;
      this.shown[i] = is;
      count += is;
    }
    const left = data.left_out ? `; ${data.left_out} attempts shorter than ${seconds(data.shortest_s)} are left out` : "";
    this.note.textContent = `${count} of ${a.count} attempts shown${left}.`;
    this.draw();
  }

  // ---- drawing ----

  // At most once for each frame.
  draw() {
    if (this.asked) return;
    this.asked = true;
    requestAnimationFrame(() => {
      this.asked = false;
      this.paint();
    });
  }

  size(canvas, height) {
    const ratio = devicePixelRatio || 1, width = canvas.clientWidth;
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      canvas.style.height = `${height}px`;
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
    }
    return { width: canvas.width, height: canvas.height, ratio };
  }

  paint() {
    const t = theme();
    const room = Math.max(160, Math.min(innerHeight * 0.6, 20 * this.lanes.count + 24));
    const { width, height, ratio } = this.size(this.canvas, room);
    if (!width) return;
    const axis = Math.round(22 * ratio);
    this.w = width;
    this.h = height - axis;
    this.ratio = ratio;
    this.laneHeight = this.scale || Math.min(this.h / Math.max(1, this.lanes.count), 20 * ratio);
    const context = this.canvas.getContext("2d");
    const image = context.createImageData(width, height);
    const pixels = new Uint32Array(image.data.buffer);
    pixels.fill(pixel(t.back));
    this.paintRows(pixels, t);
    context.putImageData(image, 0, 0);
    this.paintNames(context, t);
    this.paintAxis(context, t, this.h, axis);
    this.paintSelected(context, t);
    this.paintSeries(t);
  }

  x(time) {
    return (time - this.t0) / (this.t1 - this.t0) * this.w;
  }

  // Lane by lane. What is narrower than a pixel is drawn once for each pixel, so that the work is
  // bounded by the pixels, not by the attempts.
  paintRows(pixels, t) {
    const { a, lanes, w, h, laneHeight } = this, colours = palette(t), fail = pixel(t.fail), grey = pixel(mix(t.back, t.fail, 0.12));
    const from = Math.max(0, Math.floor(this.top)), to = Math.min(lanes.count, Math.ceil(this.top + h / laneHeight));
    const gap = laneHeight >= 4 ? 1 : 0;
    for (let lane = from; lane < to; lane++) {
      const y0 = Math.max(0, Math.floor((lane - this.top) * laneHeight));
      const y1 = Math.min(h, Math.max(y0 + 1, Math.floor((lane + 1 - this.top) * laneHeight) - gap));
      let i = this.firstAfter(lane, this.t0), drawn = -1;
      for (const end = lanes.start[lane + 1]; i < end; i++) {
        const row = lanes.rows[i];
        if (a.from[row] > this.t1) break;
        const x0 = Math.max(0, Math.floor(this.x(a.from[row]))), x1 = Math.min(w, Math.max(x0 + 1, Math.floor(this.x(a.to[row]))));
        if (x1 - 1 <= drawn && a.fate[row] !== FAILED) continue;
        drawn = x1 - 1;
        const c = colours[a.phase[row] % colours.length];
        if (!this.shown[row]) this.rect(pixels, x0, x1, y0, y1, grey);
        else if (a.fate[row] === FAILED || a.fate[row] === LOST) this.rect(pixels, x0, x1, y0, y1, fail);
        else this.attempt(pixels, row, c, x0, x1, y0, y1);
      }
    }
  }

  // The first row of a lane that ends after this time, by bisection.
  firstAfter(lane, time) {
    let low = this.lanes.start[lane], high = this.lanes.start[lane + 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.a.to[this.lanes.rows[middle]] < time) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  attempt(pixels, row, c, x0, x1, y0, y1) {
    const a = this.a, clamp = (time) => Math.max(x0, Math.min(x1, Math.floor(this.x(time))));
    let at = x0;
    if (a.started[row] >= 0) {
      this.rect(pixels, at, clamp(a.started[row]), y0, y1, c.wait);
      at = clamp(a.started[row]);
      if (a.readFrom[row] >= 0) {
        this.rect(pixels, at, clamp(a.readFrom[row]), y0, y1, c.wait);
        at = clamp(a.readFrom[row]);
        const read = clamp(a.readTo[row] < 0 ? a.to[row] : a.readTo[row]);
        this.rect(pixels, at, read, y0, y1, c.read);
        at = Math.max(at, read);
      }
      this.rect(pixels, at, Math.max(at, x1), y0, y1, c.work);
    } else {
      this.rect(pixels, x0, x1, y0, y1, c.wait);
    }
    const extra = data.kinds[a.kind[row]] === "clone" || data.kinds[a.kind[row]] === "backup";
    const lost = a.fate[row] !== WON && a.fate[row] !== RUNS;
    if (extra || lost) this.pattern(pixels, x0, x1, y0, y1, c.strike, extra, lost);
  }

  rect(pixels, x0, x1, y0, y1, colour) {
    for (let y = y0; y < y1; y++) pixels.fill(colour, y * this.w + x0, y * this.w + Math.max(x0, x1));
  }

  // Hatched: an extra attempt. Crossed: one that did not win.
  pattern(pixels, x0, x1, y0, y1, colour, hatched, crossed) {
    const step = Math.round(6 * this.ratio);
    for (let y = y0; y < y1; y++)
      for (let x = x0; x < x1; x++)
        if ((hatched && (x + y) % step === 0) || (crossed && (x - y + 100 * step) % step === 0)) pixels[y * this.w + x] = colour;
  }

  paintNames(context, t) {
    const size = 11 * this.ratio;
    context.font = `${size}px system-ui, sans-serif`;
    context.textBaseline = "top";
    let last = -Infinity;
    data.nodes.forEach((node, i) => {
      const y = (this.lanes.first[i] - this.top) * this.laneHeight;
      if (!node.lanes || y < -node.lanes * this.laneHeight || y > this.h || Math.max(y, 0) - last < size * 1.3) return;
      last = Math.max(y, 0);
      context.fillStyle = t.line;
      context.fillRect(0, Math.round(y), this.w, 1);
      context.strokeStyle = `rgb(${t.back})`;
      context.lineWidth = 3 * this.ratio;
      context.strokeText(node.name, 3 * this.ratio, last + 2);
      context.fillStyle = t.text;
      context.fillText(node.name, 3 * this.ratio, last + 2);
    });
  }

  paintAxis(context, t, y, height) {
    const span = this.t1 - this.t0, wanted = Math.max(2, this.w / (110 * this.ratio));
    let step = 10 ** Math.floor(Math.log10(span / wanted));
    step *= [1, 2, 5, 10].find((m) => span / (step * m) <= wanted) || 10;
    context.fillStyle = `rgb(${t.back})`;
    context.fillRect(0, y, this.w, height);
    context.fillStyle = t.soft;
    context.font = `${11 * this.ratio}px system-ui, sans-serif`;
    context.textBaseline = "top";
    for (let k = Math.ceil(this.t0 / step); k * step <= this.t1; k++) {
      const x = this.x(k * step);
      context.fillRect(Math.round(x), y, 1, 4 * this.ratio);
      context.fillText(seconds(k * step), x + 3, y + 5 * this.ratio);
    }
  }

  paintSelected(context, t) {
    if (this.selected < 0) return;
    const a = this.a, same = this.siblings(this.selected);
    for (const row of same) {
      const y = (this.lanes.lane[row] - this.top) * this.laneHeight, x0 = this.x(a.from[row]), x1 = this.x(a.to[row]);
      context.strokeStyle = t.text;
      context.lineWidth = (row === this.selected ? 3 : 1.5) * this.ratio;
      if (y < this.h) context.strokeRect(x0, y, Math.max(2, x1 - x0), Math.max(3, this.laneHeight));
    }
  }

  paintSeries(t) {
    const strip = 52, { width, ratio } = this.size(this.series, Math.max(1, data.series.length) * strip);
    const context = this.series.getContext("2d");
    context.clearRect(0, 0, width, this.series.height);
    data.series.forEach((s, k) => {
      const top = k * strip * ratio, height = (strip - 16) * ratio, base = top + strip * ratio - 3;
      const most = s.most.reduce((x, y) => Math.max(x, y), 0) || 1, x = (i) => this.x(i * data.span_s), y = (v) => base - v / most * height;
      const from = Math.max(0, Math.floor(this.t0 / data.span_s)), to = Math.min(s.mean.length, Math.ceil(this.t1 / data.span_s));
      context.fillStyle = t.line;
      for (let i = from; i < to; i++) context.fillRect(x(i), y(s.most[i]), Math.max(1, x(i + 1) - x(i)), base - y(s.most[i]));
      context.strokeStyle = `rgb(${HUES[k % HUES.length]})`;
      context.lineWidth = 1.5 * ratio;
      context.beginPath();
      for (let i = from; i < to; i++) {
        context.lineTo(x(i), y(s.mean[i]));
        context.lineTo(x(i + 1), y(s.mean[i]));
      }
      context.stroke();
      context.fillStyle = t.text;
      context.font = `${11 * ratio}px system-ui, sans-serif`;
      context.textBaseline = "top";
      context.fillText(`${s.name}, at most ${+most.toPrecision(4)}${s.unit}`, 3 * ratio, top + 2 * ratio);
      context.fillStyle = t.line;
      context.fillRect(0, base, width, 1);
    });
  }

  legend(view) {
    const box = element("div", undefined, view);
    box.className = "legend";
    const draw = (text, extra, lost, wait) => {
      const item = element("span", undefined, box), c = element("canvas", undefined, item);
      c.width = 28;
      c.height = 14;
      const image = c.getContext("2d").createImageData(28, 14), pixels = new Uint32Array(image.data.buffer);
      const own = { w: 28, ratio: 1 }, colour = palette(theme())[0];
      Timeline.prototype.rect.call(own, pixels, 0, 28, 0, 14, wait === "fail" ? pixel(theme().fail) : colour[wait || "work"]);
      Timeline.prototype.pattern.call(own, pixels, 0, 28, 0, 14, colour.strike, extra, lost);
      c.getContext("2d").putImageData(image, 0, 0);
      item.append(` ${text}`);
    };
    draw("at work (a colour for each phase)", false, false);
    draw("launched, or waiting for input", false, false, "wait");
    draw("reading", false, false, "read");
    draw("clone or backup", true, false);
    draw("did not win", false, true);
    draw("failed, or lost with its node", false, false, "fail");
  }

  // ---- one attempt ----

  siblings(row) {
    const a = this.a, all = [];
    for (let i = 0; i < a.count; i++)
      if (a.job[i] === a.job[row] && a.phase[i] === a.phase[row] && a.task[i] === a.task[row]) all.push(i);
    return all;
  }

  at(event) {
    const box = this.canvas.getBoundingClientRect(), x = (event.clientX - box.left) * this.ratio, y = (event.clientY - box.top) * this.ratio;
    if (y > this.h) return -1;
    const slack = 2 * this.ratio * (this.t1 - this.t0) / this.w, time = this.t0 + x / this.w * (this.t1 - this.t0);
    const from = Math.max(0, Math.floor(this.top + y / this.laneHeight)), to = Math.min(this.lanes.count - 1, Math.floor(this.top + (y + 1) / this.laneHeight));
    for (let lane = from; lane <= to; lane++) {
      const i = this.firstAfter(lane, time - slack);
      if (i < this.lanes.start[lane + 1] && this.a.from[this.lanes.rows[i]] <= time + slack) return this.lanes.rows[i];
    }
    return -1;
  }

  tell(row) {
    this.selected = row;
    this.story.replaceChildren();
    if (row < 0) {
      this.story.textContent = "Click an attempt to see its story.";
      this.draw();
      return;
    }
    const a = this.a, list = element("dl", undefined, this.story);
    const add = (name, text) => {
      element("dt", name, list);
      return element("dd", text, list);
    };
    const task = a.task[row] + (data.from_one ? 1 : 0), phase = phaseName(a.job[row], a.phase[row]);
    add("attempt", `${a.ordinal[row]} of task ${task}, phase ${phase}, job ${jobName(a.job[row])}`);
    add("what it was", `${data.kinds[a.kind[row]]}, launched because: ${data.reasons[a.why[row]].replaceAll("_", " ")}`);
    add("how it ended", FATES[a.fate[row]]);
    add("where", data.nodes[a.node[row]].name);
    add("launched", seconds(a.from[row]) + (a.started[row] < 0 ? ", never started" : `, started ${seconds(a.started[row] - a.from[row])} later`));
    if (a.readFrom[row] >= 0 && a.readTo[row] >= 0) add("reading", `${seconds(a.readTo[row] - a.readFrom[row])}, from ${seconds(a.readFrom[row])} on`);
    add("ended", `${seconds(a.to[row])}, ${seconds(a.to[row] - a.from[row])} after its launch`);
    const others = this.siblings(row).filter((i) => i !== row), place = add("others of the task", others.length ? "" : "none");
    for (const i of others) {
      const b = element("button", `attempt ${a.ordinal[i]}: ${data.kinds[a.kind[i]]}, ${FATES[a.fate[i]]}`, place);
      b.addEventListener("click", () => this.tell(i));
      place.append(" ");
    }
    const quoted = /^[\w./+-]+$/.test(data.journal) ? data.journal : `'${data.journal.replaceAll("'", "'\\''")}'`;
    element("code", `dolly explain ${quoted} ${data.from_one ? `0/0/${task}` : `${a.job[row]}/${a.phase[row]}/${task}`}`, add("the rest", ""));
    this.draw();
  }

  // ---- moving ----

  zoom(factor, x) {
    const time = this.t0 + x / this.w * (this.t1 - this.t0);
    const span = Math.min(Math.max((this.t1 - this.t0) * factor, 1e-5), Math.max(data.last_s, 1e-6) * 1.2);
    this.t0 = time - x / this.w * span;
    this.t1 = this.t0 + span;
    this.keepInside();
  }

  zoomLanes(factor, y) {
    const lane = this.top + y / this.laneHeight, least = Math.min(this.h / Math.max(1, this.lanes.count), 20 * this.ratio);
    this.scale = Math.min(Math.max(this.laneHeight * factor, least), 60 * this.ratio);
    this.top = lane - y / this.scale;
    this.laneHeight = this.scale;
    this.keepInside();
  }

  move(dx, dy) {
    const dt = dx / this.w * (this.t1 - this.t0);
    this.t0 -= dt;
    this.t1 -= dt;
    this.top -= dy / this.laneHeight;
    this.keepInside();
  }

  keepInside() {
    const span = this.t1 - this.t0, last = Math.max(data.last_s, 1e-6), slack = 0.1 * span;
    this.t0 = Math.max(-slack, Math.min(this.t0, Math.max(-slack, last + slack - span)));
    this.t1 = this.t0 + span;
    this.top = Math.max(0, Math.min(this.top, this.lanes.count - this.h / this.laneHeight));
    if (this.top < 0) this.top = 0;
    this.draw();
  }

  step(by) {
    let row = this.selected;
    for (let i = 0; i < this.a.count; i++) {
      row = (row + by + this.a.count) % this.a.count;
      if (this.shown[row]) break;
    }
    if (this.a.count) this.tell(row);
  }

  listen() {
    const c = this.canvas, fingers = new Map();
    let moved = 0;
    c.addEventListener("wheel", (e) => {
      e.preventDefault();
      const box = c.getBoundingClientRect(), factor = Math.exp(Math.max(-100, Math.min(100, e.deltaY)) * 0.004);
      if (e.shiftKey) this.zoomLanes(1 / factor, (e.clientY - box.top) * this.ratio);
      else this.zoom(factor, (e.clientX - box.left) * this.ratio);
    }, { passive: false });
    c.addEventListener("pointerdown", (e) => {
      c.setPointerCapture(e.pointerId);
      fingers.set(e.pointerId, [e.clientX, e.clientY]);
      moved = 0;
    });
    c.addEventListener("pointermove", (e) => {
      const before = fingers.get(e.pointerId);
      if (!before) return;
      const dx = e.clientX - before[0], dy = e.clientY - before[1], box = c.getBoundingClientRect();
      if (fingers.size === 2) {
        const [other] = [...fingers].filter(([id]) => id !== e.pointerId).map(([, at]) => at);
        const was = Math.hypot(before[0] - other[0], before[1] - other[1]), is = Math.hypot(e.clientX - other[0], e.clientY - other[1]);
        if (was > 0 && is > 0) this.zoom(was / is, (other[0] - box.left) * this.ratio);
      } else {
        this.move(dx * this.ratio, dy * this.ratio);
      }
      moved += Math.abs(dx) + Math.abs(dy);
      fingers.set(e.pointerId, [e.clientX, e.clientY]);
    });
    for (const name of ["pointerup", "pointercancel"])
      c.addEventListener(name, (e) => {
        if (fingers.delete(e.pointerId) && moved < 4 && name === "pointerup") this.tell(this.at(e));
      });
    c.addEventListener("keydown", (e) => {
      const keys = {
        ArrowLeft: () => this.move(this.w / 10, 0), ArrowRight: () => this.move(-this.w / 10, 0),
        ArrowUp: () => this.move(0, this.h / 10), ArrowDown: () => this.move(0, -this.h / 10),
        "+": () => this.zoom(0.7, this.w / 2), "=": () => this.zoom(0.7, this.w / 2), "-": () => this.zoom(1 / 0.7, this.w / 2),
        0: () => this.fit(), n: () => this.step(1), p: () => this.step(-1), Escape: () => this.tell(-1),
      };
      if (!keys[e.key] || e.ctrlKey || e.metaKey || e.altKey) return;
      e.preventDefault();
      keys[e.key]();
    });
    for (const row of document.querySelectorAll("#jobs tbody tr"))
      row.addEventListener("click", () => {
        this.search.value = row.dataset.job;
        this.filter();
        c.scrollIntoView({ block: "nearest" });
      });
    addEventListener("resize", () => this.draw());
    dark.addEventListener("change", () => this.draw());
  }
}

inflate(document.getElementById("columns").textContent).then((bytes) => {
  const attempts = attemptsOf(bytes);
  window.timeline = new Timeline(attempts, lanesOf(attempts));
});
