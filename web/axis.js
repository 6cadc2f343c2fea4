// axis.js - the stretch of time that pictures show. Those of one page share it.
"use strict";

class Axis {
  constructor(last) {
    this.views = [];
    this.chosen = null; // a span that was dragged on the axis: [from, to]
    this.gutter = 0; // pixels of the screen at the left, for names
    this.reach(last);
  }

  // The end of everything, and all of it in view.
  reach(last) {
    this.last = Math.max(last, 1e-6);
    this.fit();
  }

  fit() {
    this.show(0, this.last);
  }

  show(t0, t1) {
    this.t0 = t0;
    this.t1 = t1;
    this.changed();
  }

  get zoomed() {
    return this.t1 - this.t0 < this.last * 0.999;
  }

  changed() {
    for (const view of this.views) view.draw();
    if (this.onmove) this.onmove();
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
    const left = this.gutter * ratio, room = width - left, span = this.t1 - this.t0, step = stepOf(span, Math.max(2, room / (110 * ratio)));
    const x = (time) => left + (time - this.t0) / span * room;
    context.fillStyle = rgb(t.back);
    context.fillRect(0, y, width, height);
    fontOf(context, ratio);
    if (this.chosen) {
      context.fillStyle = t.accent;
      context.fillRect(x(this.chosen[0]), y, Math.max(2, x(this.chosen[1]) - x(this.chosen[0])), 4 * ratio);
    }
    context.fillStyle = t.soft;
    for (let k = Math.ceil(this.t0 / step); k * step <= this.t1; k++) {
      const at = x(k * step), text = clock(k * step), wide = context.measureText(text).width;
      context.fillRect(Math.round(at), y, 1, 4 * ratio);
      context.fillText(text, at + 3 + wide > width ? at - 3 - wide : at + 3, y + 6 * ratio); // the last one, to the left of its tick
    }
  }
}
