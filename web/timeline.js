// timeline.js - every attempt of a run on a canvas.
"use strict";

// The stretch of time that timelines show. Those of one page share it.
class Axis {
  constructor(last) {
    this.last = Math.max(last, 1e-6);
    this.views = [];
    this.fit();
  }

  fit() {
    this.t0 = 0;
    this.t1 = this.last;
    this.changed();
  }

  changed() {
    for (const view of this.views) view.draw();
  }

  // `at`: a share of the width.
  zoom(factor, at) {
    const time = this.t0 + at * (this.t1 - this.t0);
    const span = Math.min(Math.max((this.t1 - this.t0) * factor, 1e-5), this.last * 1.2);
    this.t0 = time - at * span;
    this.t1 = this.t0 + span;
    this.keepInside();
  }

  move(share) {
    const dt = share * (this.t1 - this.t0);
    this.t0 -= dt;
    this.t1 -= dt;
    this.keepInside();
  }

  keepInside() {
    const span = this.t1 - this.t0, slack = 0.1 * span;
    this.t0 = Math.max(-slack, Math.min(this.t0, Math.max(-slack, this.last + slack - span)));
    this.t1 = this.t0 + span;
    this.changed();
  }

  paint(context, t, y, height, width, ratio) {
    const span = this.t1 - this.t0, step = stepOf(span, Math.max(2, width / (110 * ratio)));
    context.fillStyle = rgb(t.back);
    context.fillRect(0, y, width, height);
    context.fillStyle = t.soft;
    fontOf(context, ratio);
    for (let k = Math.ceil(this.t0 / step); k * step <= this.t1; k++) {
      const x = (k * step - this.t0) / span * width;
      context.fillRect(Math.round(x), y, 1, 4 * ratio);
      const text = clock(k * step), wide = context.measureText(text).width;
      context.fillText(text, x + 3 + wide > width ? x - 3 - wide : x + 3, y + 5 * ratio); // the last one, to the left of its tick
    }
  }
}

class Timeline {
  // `share`: of the height of the window that the canvas may take.
  constructor(run, axis, view, share) {
    this.run = run;
    this.a = run.a;
    this.lanes = run.lanes;
    this.axis = axis;
    this.share = share;
    this.shown = new Uint8Array(run.a.count).fill(1);
    this.filtered = false; // something is not shown; these are, if they are few
    this.left = [];
    this.failed = this.few((row) => run.a.fate[row] === FAILED || run.a.fate[row] === LOST);
    this.selected = -1;
    this.top = 0; // the lane at the top, a fraction too
    this.scale = 0; // pixels of a lane; 0: as many as fit
    this.raster = new Raster();
    this.build(view);
    axis.views.push(this);
    this.listen();
    this.draw();
  }

  build(view) {
    this.canvas = element("canvas", undefined, view);
    this.canvas.className = "timeline";
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("role", "application");
    this.canvas.setAttribute("aria-label", "Timeline of all attempts. Arrow keys move, plus and minus zoom, 0 shows all, " +
      "n and p go from attempt to attempt. The tables below tell the same of jobs.");
    this.strips = new Strips(this.run.data, this.axis, view);
    this.story = element("div", undefined, view);
    this.story.className = "told";
    this.story.setAttribute("aria-live", "polite");
    this.invite();
  }

  invite() {
    this.story.textContent = "Click an attempt to read its story.";
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
    const t = theme(), room = Math.max(120, Math.min(innerHeight * this.share, 20 * this.lanes.count + 24));
    const { width, height, ratio } = sizeCanvas(this.canvas, room);
    if (!width) return;
    const axis = Math.round(22 * ratio);
    this.w = width;
    this.h = height - axis;
    this.ratio = ratio;
    this.laneHeight = this.scale || Math.min(this.h / Math.max(1, this.lanes.count), 20 * ratio);
    const context = this.canvas.getContext("2d", { alpha: false }), pixels = this.raster.sized(width, height, pixel(t.back));
    this.paintRows(pixels, t);
    this.raster.put(context);
    this.paintNames(context, t);
    this.paintLabels(context);
    this.axis.paint(context, t, this.h, axis, width, ratio);
    this.paintSelected(context, t);
    this.strips.paint(t);
  }

  x(time) {
    return (time - this.axis.t0) / (this.axis.t1 - this.axis.t0) * this.w;
  }

  // Lane by lane, or where lanes are narrower than pixels, one for each line of pixels. What is
  // narrower than a pixel is drawn once for each pixel, and rows that end before the next pixel are
  // jumped over: the work is bounded by the pixels and not by the attempts.
  paintRows(pixels, t) {
    const { lanes, w, h, laneHeight, shown, filtered } = this, { t0, t1 } = this.axis;
    const colours = palette(t), fail = pixel(t.fail), grey = pixel(mix(t.back, t.fail, 0.12));
    const top = Math.max(0, Math.floor(this.top)), below = Math.min(lanes.count, Math.ceil(this.top + h / laneHeight));
    const gap = laneHeight >= 4 ? 1 : 0, scale = w / (t1 - t0);
    for (let lane = top, line = -1; lane < below; lane++) {
      const y0 = Math.max(0, Math.floor((lane - this.top) * laneHeight));
      if (y0 === line || y0 >= h) continue;
      line = y0;
      const y1 = Math.min(h, Math.max(y0 + 1, Math.floor((lane + 1 - this.top) * laneHeight) - gap)), end = lanes.start[lane + 1];
      let drawn = 0; // pixels of the line
      for (let i = this.firstAfter(lane, t0); i < end && lanes.from[i] <= t1; i++) {
        const x1 = Math.min(w, Math.floor((lanes.to[i] - t0) * scale)), x0 = Math.max(drawn, Math.floor((lanes.from[i] - t0) * scale));
        if (x1 < drawn) {
          i = this.jump(i, end, t0 + drawn / scale) - 1;
          continue;
        }
        if (x0 >= w) break;
        drawn = Math.max(x0 + 1, x1);
        const look = lanes.look[i], c = colours[look & LOOK_COLOUR];
        if (filtered && !shown[lanes.rows[i]]) this.rect(pixels, x0, drawn, y0, y1, grey);
        else if (look & LOOK_FAILED) this.rect(pixels, x0, drawn, y0, y1, fail);
        else if (drawn - x0 < 3) this.rect(pixels, x0, drawn, y0, y1, look & LOOK_LOST ? c.read : c.work);
        else this.attempt(pixels, lanes.rows[i], look, c, x0, drawn, y0, y1);
      }
    }
    this.paintAbove(pixels, colours, fail);
  }

  // The first row from here on that ends no earlier: mostly a near one.
  jump(from, end, time) {
    const { to } = this.lanes;
    let step = 1, low = from;
    while (low + step < end && to[low + step] < time) {
      low += step;
      step *= 2;
    }
    let high = Math.min(end, low + step);
    while (low < high) {
      const middle = (low + high) >> 1;
      if (to[middle] < time) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  // Failures, and what a filter has left, are seen however short they were and even where lanes have
  // no room, as long as they are few.
  paintAbove(pixels, colours, fail) {
    const { a, w, h, laneHeight, axis } = this, gap = laneHeight >= 4 ? 1 : 0;
    for (const row of this.filtered ? this.left : this.failed) {
      const y = this.y(row);
      if (y <= -laneHeight || y >= h || a.to[row] < axis.t0 || a.from[row] > axis.t1) continue;
      const x0 = Math.min(w - 1, Math.max(0, Math.floor(this.x(a.from[row])))), x1 = Math.min(w, Math.max(x0 + 1, Math.floor(this.x(a.to[row]))));
      const y0 = Math.max(0, Math.floor(y)), y1 = Math.min(h, Math.max(y0 + 1, Math.floor(y + laneHeight) - gap));
      const look = this.run.lookOf(row);
      if (look & LOOK_FAILED) this.rect(pixels, x0, Math.min(w, Math.max(x0 + 2, x1)), y0, y1, fail);
      else if (laneHeight < 1 || x1 - x0 < 3) this.rect(pixels, x0, x1, y0, y1, colours[look & LOOK_COLOUR].work);
    }
  }

  // The first row of a lane that ends no earlier, by bisection.
  firstAfter(lane, time) {
    return this.jump(this.lanes.start[lane], this.lanes.start[lane + 1], time);
  }

  attempt(pixels, row, look, c, x0, x1, y0, y1) {
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
    if (look & (LOOK_EXTRA | LOOK_LOST)) this.pattern(pixels, x0, x1, y0, y1, c.strike, look & LOOK_EXTRA, look & LOOK_LOST);
  }

  rect(pixels, x0, x1, y0, y1, colour) {
    for (let y = y0; y < y1; y++) {
      const at = y * this.w, end = at + x1;
      if (x1 - x0 > 16) pixels.fill(colour, at + x0, end);
      else for (let x = at + x0; x < end; x++) pixels[x] = colour;
    }
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
    fontOf(context, this.ratio);
    let last = -Infinity;
    this.run.data.nodes.forEach((node, i) => {
      const y = (this.lanes.first[i] - this.top) * this.laneHeight;
      if (!node.lanes || y < -node.lanes * this.laneHeight || y > this.h || Math.max(y, 0) - last < size * 1.3) return;
      last = Math.max(y, 0);
      context.fillStyle = t.line;
      context.fillRect(0, Math.round(y), this.w, 1);
      context.strokeStyle = rgb(t.back);
      context.lineWidth = 3 * this.ratio;
      context.strokeText(node.name, 3 * this.ratio, last + 2);
      context.fillStyle = t.text;
      context.fillText(node.name, 3 * this.ratio, last + 2);
    });
    if (this.laneHeight >= 1) return;
    const more = matchMedia("(pointer: coarse)").matches ? "pinch up and down" : "turn the wheel with shift";
    const text = `one of ${plain(1 / this.laneHeight, 2)} lanes is seen; ${more}`;
    const x = this.w - context.measureText(text).width - 6 * this.ratio, y = this.h - size * 1.5;
    context.fillStyle = rgb(t.back);
    context.fillRect(x - 3 * this.ratio, y - 2 * this.ratio, this.w - x, size * 1.5);
    context.fillStyle = t.text;
    context.fillText(text, x, y);
  }

  // Where there is room, what an attempt is of.
  paintLabels(context) {
    const { a, lanes, axis, ratio } = this, size = 11 * ratio, wide = 46 * ratio;
    if (this.laneHeight < size * 1.25) return;
    const top = Math.max(0, Math.floor(this.top)), below = Math.min(lanes.count, Math.ceil(this.top + this.h / this.laneHeight));
    context.textBaseline = "middle";
    for (let lane = top; lane < below; lane++)
      for (let i = this.firstAfter(lane, axis.t0); i < lanes.start[lane + 1] && lanes.from[i] <= axis.t1; i++) {
        const row = lanes.rows[i], x0 = Math.max(0, this.x(lanes.from[i])), x1 = Math.min(this.w, this.x(lanes.to[i]));
        const left = x0 + (x0 < wide ? wide : 4 * ratio); // names of nodes are at the left
        if (x1 - left < wide || !this.shown[row]) continue;
        const kind = this.run.isExtra(row) ? ` ${this.run.data.kinds[a.kind[row]]}` : "", y = (lane - this.top + 0.5) * this.laneHeight;
        const text = `${this.run.phaseName(a.job[row], a.phase[row])} ${a.number[row]}${kind}`;
        if (context.measureText(text).width > x1 - left) continue;
        const pale = !dark.matches && (a.started[row] < 0 || left < this.x(Math.max(a.started[row], a.readTo[row]))); // what is not at work is pale on a light page
        context.strokeStyle = pale ? "rgba(255, 255, 255, 0.75)" : "rgba(0, 0, 0, 0.55)";
        context.lineWidth = 2.5 * ratio;
        context.strokeText(text, left, y);
        context.fillStyle = pale ? "#111" : "#fff";
        context.fillText(text, left, y);
      }
    context.textBaseline = "top";
  }

  y(row) {
    return (this.lanes.lane[row] - this.top) * this.laneHeight;
  }

  // The selected attempt and its siblings in frames, and arrows from what it has read, and to those
  // that have read from it.
  paintSelected(context, t) {
    const row = this.selected, run = this.run, a = this.a;
    if (row < 0) return;
    context.save();
    context.beginPath();
    context.rect(0, 0, this.w, this.h);
    context.clip();
    for (const i of run.siblings(row)) {
      const x0 = this.x(a.from[i]);
      context.strokeStyle = t.text;
      context.lineWidth = (i === row ? 3 : 1.5) * this.ratio;
      context.strokeRect(x0, this.y(i), Math.max(2, this.x(a.to[i]) - x0), Math.max(3, this.laneHeight));
    }
    for (const i of run.sources(row).slice(0, 500)) this.arrow(context, t, i, row);
    for (const i of run.readers(row).slice(0, 500)) this.arrow(context, t, row, i);
    context.restore();
  }

  arrow(context, t, from, to) {
    const a = this.a, half = this.laneHeight / 2, head = 5 * this.ratio;
    const x0 = this.x(a.to[from]), y0 = this.y(from) + half;
    const x1 = this.x(a.readFrom[to] >= 0 ? a.readFrom[to] : a.from[to]), y1 = this.y(to) + half;
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

  // ---- one attempt ----

  at(event) {
    const box = this.canvas.getBoundingClientRect(), x = (event.clientX - box.left) * this.ratio, y = (event.clientY - box.top) * this.ratio;
    if (y > this.h) return -1;
    const each = (this.axis.t1 - this.axis.t0) / this.w, slack = 2 * this.ratio * each, time = this.axis.t0 + x * each;
    const from = Math.max(0, Math.floor(this.top + y / this.laneHeight)), to = Math.min(this.lanes.count - 1, Math.floor(this.top + (y + 1) / this.laneHeight));
    for (let lane = from; lane <= to; lane++) {
      const i = this.firstAfter(lane, time - slack);
      if (i < this.lanes.start[lane + 1] && this.lanes.from[i] <= time + slack) return this.lanes.rows[i];
    }
    return -1;
  }

  tell(row) {
    this.selected = row;
    this.story.replaceChildren();
    if (row < 0) {
      this.invite();
      this.draw();
      return;
    }
    const { run, a } = this, text = run.story(row);
    for (const line of (text || "").split("\n").filter((l) => l)) element("p", line, this.story);
    const list = element("dl", undefined, this.story);
    const add = (name, words) => {
      element("dt", name, list);
      return element("dd", words, list);
    };
    add("attempt", `${a.ordinal[row]} of task ${a.number[row]}, phase ${run.phaseName(a.job[row], a.phase[row])}, job ${run.jobName(a.job[row])}`);
    const kind = run.data.kinds[a.kind[row]], why = run.data.reasons[a.why[row]].replaceAll("_", " ");
    add("what it was", why === kind ? kind : `${kind}, because: ${why}`);
    add("how it ended", FATES[a.fate[row]]);
    add("where", run.data.nodes[a.node[row]].name);
    add("launched", seconds(a.from[row]) + (a.started[row] < 0 ? ", never started" : `, started ${seconds(a.started[row] - a.from[row])} later`));
    if (a.readFrom[row] >= 0 && a.readTo[row] >= 0)
      add("reading", `${seconds(a.readTo[row] - a.readFrom[row])}, from ${seconds(a.readFrom[row])} on; ${a.reads[row]} read${a.reads[row] === 1 ? "" : "s"}` +
        (a.reads[row] > run.data.reads_kept ? `, arrows show the longest ${run.data.reads_kept}` : ""));
    add("ended", `${seconds(a.to[row])}, ${seconds(a.to[row] - a.from[row])} after its launch`);
    const others = run.siblings(row).filter((i) => i !== row), place = add("others of the task", others.length ? "" : "none");
    for (const i of others) {
      const b = element("button", `attempt ${a.ordinal[i]}: ${run.data.kinds[a.kind[i]]}, ${FATES[a.fate[i]]}`, place);
      b.addEventListener("click", () => this.tell(i));
      place.append(" ");
    }
    const command = run.command(row);
    if (command) element("code", command, add(text ? "the same elsewhere" : "the rest", ""));
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

  // ---- moving ----

  zoomLanes(factor, y) {
    const lane = this.top + y / this.laneHeight, least = Math.min(this.h / Math.max(1, this.lanes.count), 20 * this.ratio);
    this.scale = Math.min(Math.max(this.laneHeight * factor, least), 60 * this.ratio);
    this.laneHeight = this.scale;
    this.moveLanes(lane - y / this.scale - this.top);
  }

  moveLanes(by) {
    this.top = Math.max(0, Math.min(this.top + by, this.lanes.count - this.h / this.laneHeight));
    this.draw();
  }

  move(dx, dy) {
    this.axis.move(dx / this.w);
    this.moveLanes(-dy / this.laneHeight);
  }

  listen() {
    this.canvas.addEventListener("wheel", (e) => {
      e.preventDefault();
      const box = this.canvas.getBoundingClientRect(), by = e.deltaY || e.deltaX, factor = Math.exp(Math.max(-100, Math.min(100, by)) * 0.004);
      if (e.shiftKey) this.zoomLanes(1 / factor, (e.clientY - box.top) * this.ratio);
      else this.axis.zoom(factor, (e.clientX - box.left) / box.width);
    }, { passive: false });
    this.listenToPointers();
    this.canvas.addEventListener("keydown", (e) => {
      const keys = {
        ArrowLeft: () => this.move(this.w / 10, 0), ArrowRight: () => this.move(-this.w / 10, 0),
        ArrowUp: () => this.move(0, this.h / 10), ArrowDown: () => this.move(0, -this.h / 10),
        "+": () => this.axis.zoom(0.7, 0.5), "=": () => this.axis.zoom(0.7, 0.5), "-": () => this.axis.zoom(1 / 0.7, 0.5),
        0: () => this.fit(), n: () => this.step(1), p: () => this.step(-1), Escape: () => this.tell(-1),
      };
      if (!keys[e.key] || e.ctrlKey || e.metaKey || e.altKey) return;
      e.preventDefault();
      keys[e.key]();
    });
    addEventListener("resize", () => this.draw());
    dark.addEventListener("change", () => this.draw());
  }

  // One finger or the mouse moves. Two zoom, in time, or into lanes if one is above the other. What does not move is a click.
  listenToPointers() {
    const c = this.canvas, fingers = new Map();
    let moved = 0;
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
        const apart = [before[0] - other[0], before[1] - other[1]], was = Math.hypot(...apart), is = Math.hypot(e.clientX - other[0], e.clientY - other[1]);
        if (was > 0 && is > 0 && Math.abs(apart[0]) >= Math.abs(apart[1])) this.axis.zoom(was / is, (other[0] - box.left) / box.width);
        else if (was > 0 && is > 0) this.zoomLanes(is / was, (other[1] - box.top) * this.ratio);
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
  }
}
