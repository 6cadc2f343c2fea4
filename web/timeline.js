// timeline.js - a run on a canvas: tasks, jobs or nodes below each other, and what readers do with it.
"use strict";

const MODES = ["tasks", "jobs", "nodes"];

class Timeline {
  // `share`: of the height of the window that the canvas may take. `panel`: where stories are told.
  constructor(run, axis, view, panel, share) {
    this.run = run;
    this.a = run.a;
    this.axis = axis;
    this.share = share;
    this.panel = panel;
    this.shown = new Uint8Array(run.a.count).fill(1);
    this.filtered = false; // something is not shown; these are, if they are few
    this.left = [];
    this.failed = this.few((row) => isBad(run.a.fate[row]));
    this.selected = this.hovered = -1;
    this.job = null; // the selected one, of a row of jobs
    this.top = 0; // the line at the top, a fraction too
    this.scale = 0; // pixels of a line; 0: as many as fit
    this.laneHeight = 1;
    this.raster = new Raster();
    this.views = new Map();
    this.build(view);
    this.choose(this.modes()[0]);
    axis.views.push(this);
    this.listen();
  }

  build(view) {
    this.canvas = element("canvas", undefined, view);
    this.canvas.className = "timeline";
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("role", "application");
    this.canvas.setAttribute("aria-label", "Picture of all attempts. Question mark lists the keys. The tables below tell the same of phases and jobs.");
    this.tip = element("div", undefined, view);
    this.tip.className = "tip";
    this.tip.hidden = true;
  }

  // What this run can be shown as, what it opens with first.
  modes() {
    const { jobs } = this.run.data, few = jobs.length === 1 && jobs[0].tasks <= TASKS_MAX, rows = jobs.length > 1 && 2 * jobs.length <= innerHeight * this.share;
    return few ? ["tasks", "nodes"] : rows ? ["jobs", "nodes"] : jobs.length > 1 ? ["nodes", "jobs"] : ["nodes"];
  }

  // Shows tasks of a job, jobs, or nodes.
  choose(mode, job) {
    const { jobs } = this.run.data, id = job ?? (jobs.length ? jobs[0].id : -1), key = mode === "tasks" ? `tasks ${id}` : mode;
    const make = { tasks: () => new TaskRows(this, id), jobs: () => new JobRows(this), nodes: () => new Lanes(this) };
    if (!this.views.has(key)) this.views.set(key, make[mode]());
    this.mode = mode;
    this.view = this.views.get(key);
    if (this.view.fold) this.view.fold();
    this.top = this.scale = 0;
    if (this.axis.last !== this.view.last && this.axis.views.length <= 1) this.axis.reach(this.view.last);
    if (this.onmode) this.onmode();
    this.draw();
  }

  fit() {
    this.top = 0;
    this.scale = 0;
    this.axis.fit();
  }

  // The rows of which this is true, or none if they are many.
  few(is) {
    const rows = [];
    for (let i = 0; i < this.a.count && rows.length <= 20000; i++) if (is(i)) rows.push(i);
    return rows.length <= 20000 ? rows : [];
  }

  // Shows some attempts alone.
  filter(shown) {
    let count = 0;
    for (let i = 0; i < this.a.count; i++) {
      this.shown[i] = shown(i) ? 1 : 0;
      count += this.shown[i];
    }
    this.filtered = count < this.a.count;
    this.left = this.filtered ? this.few((row) => this.shown[row]) : [];
    if (this.view.fold) this.view.fold();
    this.top = 0;
    this.draw();
    return count;
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

  paint() {
    const t = theme(), { view } = this, lines = Math.max(1, view.count), axisHeight = 22;
    const wanted = view.natural * lines, room = Math.max(90, Math.min(wanted, Math.max(innerHeight * this.share, view.least * lines))) + axisHeight;
    this.axis.gutter = this.canvas.clientWidth < 560 ? 44 : 116;
    const { width, height, ratio } = sizeCanvas(this.canvas, room);
    if (!width) return;
    const axis = Math.round(axisHeight * ratio);
    this.w = width;
    this.h = height - axis;
    this.g = Math.round(this.axis.gutter * ratio);
    this.ratio = ratio;
    this.laneHeight = this.scale || Math.min(this.h / lines, view.natural * ratio);
    const context = this.canvas.getContext("2d", { alpha: false }), pixels = this.raster.sized(width, height, pixel(t.back));
    view.paint(pixels, t);
    this.raster.put(context);
    view.draw(context, t);
    this.axis.paint(context, t, this.h, axis, width, ratio);
    this.paintChosen(context, t);
    this.paintSelected(context, t);
    if (this.strips) this.strips.draw();
  }

  x(time) {
    return this.g + (time - this.axis.t0) / (this.axis.t1 - this.axis.t0) * (this.w - this.g);
  }

  y(row) {
    return (this.view.line(row) - this.top) * this.laneHeight;
  }

  // The span that was chosen on the axis.
  paintChosen(context, t) {
    if (!this.axis.chosen) return;
    const [x0, x1] = this.axis.chosen.map((time) => Math.max(this.g, Math.min(this.w, this.x(time))));
    context.fillStyle = t.accent;
    context.globalAlpha = 0.12;
    context.fillRect(x0, 0, x1 - x0, this.h);
    context.globalAlpha = 1;
    for (const x of [x0, x1]) context.fillRect(x, 0, 1, this.h);
  }

  // The selected attempt and its siblings in frames, and arrows from what it has read, and to those that have read from it.
  paintSelected(context, t) {
    const row = this.selected, run = this.run, a = this.a;
    if (row < 0 || this.mode === "jobs") return;
    context.save();
    context.beginPath();
    context.rect(this.g, 0, this.w - this.g, this.h);
    context.clip();
    for (const i of run.siblings(row)) {
      const x0 = this.x(a.from[i]), [y, height] = this.view.box(i);
      context.strokeStyle = t.text;
      context.lineWidth = (i === row ? 2 : 1) * this.ratio;
      if (i === row || this.mode === "nodes") context.strokeRect(x0, y, Math.max(2, this.x(a.to[i]) - x0), height);
    }
    for (const i of run.sources(row).slice(0, 500)) this.arrow(context, t, i, row);
    for (const i of run.readers(row).slice(0, 500)) this.arrow(context, t, row, i);
    context.restore();
  }

  arrow(context, t, from, to) {
    if (this.view.line(from) < 0 || this.view.line(to) < 0) return;
    const a = this.a, middle = (row) => { const [y, height] = this.view.box(row); return y + height / 2; }, head = 5 * this.ratio;
    const x0 = this.x(a.to[from]), y0 = middle(from), x1 = this.x(a.readFrom[to] >= 0 ? a.readFrom[to] : a.from[to]), y1 = middle(to);
    const angle = Math.atan2(y1 - y0, x1 - x0), side = (by) => [x1 - head * Math.cos(angle + by), y1 - head * Math.sin(angle + by)];
    context.strokeStyle = context.fillStyle = t.text;
    context.lineWidth = this.ratio;
    context.beginPath();
    context.moveTo(x0, y0);
    context.lineTo(x1, y1);
    context.stroke();
    context.beginPath();
    context.moveTo(x1, y1);
    context.lineTo(...side(0.4));
    context.lineTo(...side(-0.4));
    context.fill();
  }

  // ---- pointing ----

  // Where a pointer is: in pixels, in lines, and in time.
  place(event) {
    const box = this.canvas.getBoundingClientRect(), x = (event.clientX - box.left) * this.ratio, y = (event.clientY - box.top) * this.ratio;
    const each = (this.axis.t1 - this.axis.t0) / (this.w - this.g);
    return { x, y, line: this.top + y / this.laneHeight, time: this.axis.t0 + (x - this.g) * each, near: 2 * this.ratio * each, onAxis: y > this.h };
  }

  // The attempt under a pointer, or -1. Of lanes that share a pixel one that has an attempt there.
  at(event) {
    const { y, line, time, near, onAxis } = this.place(event);
    if (onAxis) return -1;
    for (let k = Math.floor(line); k <= line + 1 / this.laneHeight; k++) {
      const row = this.view.at(k === Math.floor(line) ? line : k, time, near, y);
      if (row >= 0) return row;
    }
    return -1;
  }

  hover(event) {
    const row = event && this.w ? this.at(event) : -1, place = event && this.place(event), job = event && this.view.jobAt && !place.onAxis ? this.view.jobAt(place.line) : null;
    const text = row >= 0 ? this.brief(row) : job ? `job ${job.id} (${job.name}), ${job.tasks} tasks, took ${seconds(job.took_s)}` : "";
    this.tip.hidden = !text;
    if (text) {
      const box = this.canvas.parentNode.getBoundingClientRect(), x = event.clientX - box.left, y = event.clientY - box.top;
      this.tip.textContent = text;
      this.tip.style.left = `${Math.max(0, Math.min(x + 12, box.width - this.tip.offsetWidth - 4))}px`;
      this.tip.style.top = `${y + 16}px`;
    }
    this.canvas.style.cursor = place && place.onAxis ? "col-resize" : row >= 0 || job ? "pointer" : this.axis.zoomed ? "grab" : "default";
    if (row !== this.hovered) {
      this.hovered = row;
      if (this.mode === "tasks") this.draw();
    }
  }

  // Task, node, length and end.
  brief(row) {
    const { a, run } = this, kind = run.isExtra(row) ? ` (${run.data.kinds[a.kind[row]]} ${a.ordinal[row]})` : "", race = run.race(row);
    const alone = race && race.known && race.about > a.to[row] ? `; alone at about ${guess(race.about, race.high - race.low)}` : "";
    return `${run.taskName(row)}${kind} on ${run.data.nodes[a.node[row]].name}, ${seconds(a.to[row] - a.from[row])} long, ` +
      `${run.ending(row)} at ${seconds(a.to[row])}${alone}`;
  }

  // ---- choosing ----

  tell(row) {
    this.selected = row;
    this.job = null;
    this.axis.chosen = null;
    if (row < 0) this.panel.close();
    else this.panel.attempt(this, row);
    this.reveal(row);
    this.draw();
    if (this.ontell) this.ontell();
  }

  tellJob(id) {
    this.selected = -1;
    this.job = id;
    this.panel.job(this, id);
    this.draw();
    if (this.ontell) this.ontell();
  }

  // Selects a span of time, and shows its sums.
  span(from, to) {
    this.axis.chosen = [Math.max(0, from), to];
    this.selected = -1;
    this.panel.span(this, ...this.axis.chosen);
    this.axis.changed();
    if (this.ontell) this.ontell();
  }

  // The sums of a span: attempts that ran in it, those that ended, and what they held.
  sums(from, to) {
    const { a, run } = this, s = { attempts: 0, ended: 0, failed: 0, held: 0, extra: 0 };
    for (let i = 0; i < a.count; i++) {
      const part = Math.min(to, a.to[i]) - Math.max(from, a.from[i]);
      if (!this.shown[i] || a.to[i] < from || a.from[i] > to) continue;
      const ended = a.to[i] <= to && a.fate[i] !== RUNS;
      s.attempts++;
      s.ended += ended;
      s.failed += ended && isBad(a.fate[i]);
      s.held += Math.max(0, part);
      s.extra += run.isExtra(i) ? Math.max(0, part) : 0;
    }
    return s;
  }

  // Scrolls to the line of a row that is out of sight.
  reveal(row) {
    this.revealLine(row < 0 ? -1 : this.view.line(row));
  }

  revealLine(line) {
    const seen = this.h / this.laneHeight;
    if (line >= 0 && (line < this.top || line >= this.top + seen)) this.moveLanes(line - seen / 2 - this.top);
  }

  // The next of which this is true, from the selected one on, in order of time; in rows of jobs the next one of these.
  step(by, is = () => true) {
    if (this.mode === "jobs") {
      this.stepJob(by, is);
      return;
    }
    let row = this.selected;
    for (let i = 0; i < this.a.count; i++) {
      row = row < 0 && by < 0 ? this.a.count - 1 : (row + by + this.a.count) % this.a.count;
      if (this.shown[row] && is(row)) {
        this.tell(row);
        return;
      }
    }
  }

  stepJob(by, is) {
    const { jobs } = this.view, { run } = this;
    let k = jobs.findIndex(({ job }) => job.id === this.job);
    for (let i = 0; i < jobs.length; i++) {
      k = k < 0 && by < 0 ? jobs.length - 1 : (k + by + jobs.length) % jobs.length;
      if (run.rowsOf(jobs[k].job.id).some((row) => this.shown[row] && is(row))) {
        this.tellJob(jobs[k].job.id);
        this.revealLine(k);
        return;
      }
    }
  }

  // ---- moving ----

  zoomLanes(factor, y) {
    const lane = this.top + y / this.laneHeight, least = Math.min(this.h / Math.max(1, this.view.count), this.view.natural * this.ratio);
    this.scale = Math.min(Math.max(this.laneHeight * factor, least), 60 * this.ratio);
    this.laneHeight = this.scale;
    this.moveLanes(lane - y / this.scale - this.top);
  }

  moveLanes(by) {
    this.top = Math.max(0, Math.min(this.top + by, this.view.count - this.h / this.laneHeight));
    this.draw();
  }

  move(dx, dy) {
    this.axis.move(dx / (this.w - this.g));
    this.moveLanes(-dy / this.laneHeight);
  }

  // A share of the width behind the gutter.
  share01(event) {
    return Math.max(0, Math.min(1, (this.place(event).x - this.g) / (this.w - this.g)));
  }

  listen() {
    // A plain wheel is the page's; with control it zooms in time, with shift as well into lines.
    this.canvas.addEventListener("wheel", (e) => {
      if (!e.ctrlKey && !e.metaKey) return;
      e.preventDefault();
      const factor = Math.exp(Math.max(-100, Math.min(100, e.deltaY || e.deltaX)) * 0.004);
      if (e.shiftKey) this.zoomLanes(1 / factor, this.place(e).y);
      else this.axis.zoom(factor, this.share01(e));
    }, { passive: false });
    this.listenToPointers();
    this.canvas.addEventListener("keydown", (e) => {
      const keys = {
        ArrowLeft: () => this.move(this.w / 10, 0), ArrowRight: () => this.move(-this.w / 10, 0),
        ArrowUp: () => this.move(0, this.h / 10), ArrowDown: () => this.move(0, -this.h / 10),
        "+": () => this.axis.zoom(0.7, 0.5), "=": () => this.axis.zoom(0.7, 0.5), "-": () => this.axis.zoom(1 / 0.7, 0.5),
        0: () => this.fit(), n: () => this.step(1), p: () => this.step(-1), Enter: () => this.step(this.selected < 0 && this.job === null ? 1 : 0),
        t: () => this.span(this.axis.t0, Math.min(this.axis.t1, this.axis.last)),
        f: () => this.step(1, (row) => isBad(this.a.fate[row])), s: () => this.step(1, (row) => this.a.straggled[row]),
      };
      if (!keys[e.key] || e.ctrlKey || e.metaKey || e.altKey) return;
      e.preventDefault();
      keys[e.key]();
    });
    listenToAll("resize", () => this.draw());
    dark.addEventListener("change", () => this.draw(), { signal: whole.signal });
  }

  // One finger or the mouse moves what is zoomed, and on the axis chooses a span. Two zoom, in time, or into lines if one
  // is above the other. What does not move is a click.
  listenToPointers() {
    const c = this.canvas, fingers = new Map();
    let moved = 0, begun = null;
    c.addEventListener("pointerdown", (e) => {
      c.setPointerCapture(e.pointerId);
      fingers.set(e.pointerId, [e.clientX, e.clientY]);
      moved = 0;
      begun = this.place(e).onAxis && fingers.size === 1 ? this.place(e).time : null;
      this.tip.hidden = true;
    });
    c.addEventListener("pointermove", (e) => {
      const before = fingers.get(e.pointerId);
      if (!before) {
        if (e.pointerType === "mouse") this.hover(e);
        return;
      }
      const dx = e.clientX - before[0], dy = e.clientY - before[1];
      if (fingers.size === 2) this.pinch(before, [...fingers].find(([id]) => id !== e.pointerId)[1], e);
      else if (begun !== null) this.drag(begun, this.place(e).time);
      else if (this.axis.zoomed || this.scale) this.move(dx * this.ratio, dy * this.ratio);
      moved += Math.abs(dx) + Math.abs(dy);
      fingers.set(e.pointerId, [e.clientX, e.clientY]);
    });
    c.addEventListener("pointerleave", () => this.hover(null));
    for (const name of ["pointerup", "pointercancel"])
      c.addEventListener(name, (e) => {
        if (!fingers.delete(e.pointerId) || name !== "pointerup") return;
        if (begun !== null && moved >= 4) this.span(...this.axis.chosen);
        else if (moved < 4) this.click(e);
      });
  }

  drag(from, to) {
    this.axis.chosen = [Math.max(0, Math.min(from, to)), Math.max(from, to)];
    for (const view of this.axis.views) view.draw();
  }

  click(event) {
    const place = this.place(event), job = this.view.jobAt && !place.onAxis ? this.view.jobAt(place.line) : null;
    if (job) this.tellJob(job.id);
    else this.tell(this.at(event));
  }

  pinch(before, other, event) {
    const apart = [before[0] - other[0], before[1] - other[1]], was = Math.hypot(...apart), is = Math.hypot(event.clientX - other[0], event.clientY - other[1]);
    const at = { clientX: other[0], clientY: other[1] };
    if (was > 0 && is > 0 && Math.abs(apart[0]) >= Math.abs(apart[1])) this.axis.zoom(was / is, this.share01(at));
    else if (was > 0 && is > 0) this.zoomLanes(is / was, this.place(at).y);
  }
}
