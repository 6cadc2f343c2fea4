// story.js - the story of what was clicked, beside the picture; on a phone a sheet at the bottom.
"use strict";

class Panel {
  constructor(view) {
    this.box = element("aside", undefined, view);
    this.box.className = "told";
    this.box.id = "told";
    this.box.tabIndex = -1;
    this.box.setAttribute("aria-live", "polite");
    this.box.setAttribute("aria-label", "story");
    this.close();
  }

  begin(title, note, look) {
    this.box.replaceChildren();
    this.box.classList.add("open");
    const h = element("h2", title, this.box);
    if (note) element("span", ` ${note}`, h).className = look;
    const b = element("button", "×", this.box);
    b.className = "close";
    b.setAttribute("aria-label", "close the story");
    b.addEventListener("click", () => this.onclose && this.onclose());
    this.list = null;
  }

  close() {
    this.box.classList.remove("open");
    this.box.replaceChildren();
    element("p", "Click an attempt to read its story.", this.box).className = "more";
    element("p", matchMedia("(pointer: coarse)").matches ? "Drag on the axis to sum up a span. Two fingers zoom."
      : "Drag on the axis to sum up a span. Ctrl and wheel zoom. ? lists the keys.", this.box).className = "more";
  }

  fact(name, words) {
    if (!this.list) this.list = element("dl", undefined, this.box);
    element("dt", name, this.list);
    return element("dd", words, this.list);
  }

  // Lines of text; indented ones are what a program has written.
  lines(text) {
    let pre = null;
    for (const line of text.split("\n").filter((l) => l)) {
      if (line.startsWith("  ")) {
        if (!pre) pre = element("pre", undefined, this.box);
        pre.append(`${line.slice(2)}\n`);
      } else {
        pre = null;
        element("p", line, this.box);
      }
    }
  }

  // A sheet at the bottom must not lie on what was tapped.
  uncover(timeline, row) {
    if (getComputedStyle(this.box).position !== "fixed") return;
    const [top, height] = timeline.view.box(row), below = timeline.canvas.getBoundingClientRect().top + (top + height) / timeline.ratio;
    scrollBy({ top: Math.max(0, below + 8 - this.box.getBoundingClientRect().top), behavior: "instant" });
  }

  attempt(timeline, row) {
    const { run, a } = timeline, text = run.story(row), winner = run.siblings(row).find((i) => a.fate[i] === WON), race = winner === undefined ? null : run.race(winner);
    const bad = winner === undefined && isBad(a.fate[row]), kind = run.data.kinds[a.kind[row]], why = run.data.reasons[a.why[row]].replaceAll("_", " ");
    const rescued = race && race.rescued;
    this.begin(`${run.taskName(row)[0].toUpperCase()}${run.taskName(row).slice(1)}`,
      bad ? run.ending(row) : rescued ? `rescued by a ${run.data.kinds[a.kind[winner]]}` : a.straggled[row] ? "straggled" : "", bad ? "worse" : rescued ? "rescued" : "slow");
    if (rescued && race.known)
      element("p", `Alone it would have ended at ${race.high > race.low ? "about " : ""}${guess(race.about, race.high - race.low)}` +
        `${race.high > race.low ? ` (${guess(race.low, race.high - race.low)} to ${guess(race.high, race.high - race.low)})` : ""}.`, this.box).className = "lead";
    this.lines(text || "");
    this.fact("attempt", `${a.ordinal[row]} of task ${a.number[row]}, phase ${run.phaseName(a.job[row], a.phase[row])}, job ${run.jobName(a.job[row])}`);
    this.fact("what it was", why === kind ? kind : `${kind}, because: ${why}`);
    this.fact("how it ended", FATES[a.fate[row]] + (a.exit[row] ? `, exit status ${a.exit[row] - 1}` : "") + (a.straggled[row] ? "; straggled" : ""));
    this.fact("where", run.data.nodes[a.node[row]].name);
    this.fact("launched", seconds(a.from[row]) + (a.started[row] < 0 ? ", never started" : `, started ${seconds(a.started[row] - a.from[row])} later`));
    if (a.readFrom[row] >= 0 && a.readTo[row] >= 0)
      this.fact("reading", `${seconds(a.readTo[row] - a.readFrom[row])}, from ${seconds(a.readFrom[row])} on; ${a.reads[row]} read${a.reads[row] === 1 ? "" : "s"}` +
        (a.reads[row] > run.data.reads_kept ? `, arrows show the longest ${run.data.reads_kept}` : ""));
    this.fact("ended", `${seconds(a.to[row])}, ${seconds(a.to[row] - a.from[row])} after its launch`);
    const others = run.siblings(row).filter((i) => i !== row), place = this.fact("others of the task", others.length ? "" : "none");
    for (const i of others) {
      const b = element("button", `attempt ${a.ordinal[i]}: ${run.data.kinds[a.kind[i]]}, ${FATES[a.fate[i]]}`, place);
      b.addEventListener("click", () => timeline.tell(i));
      place.append(" ");
    }
    const command = run.command(row);
    if (command) element("code", command, this.fact(text ? "the same elsewhere" : "the rest", ""));
    this.uncover(timeline, row);
  }

  job(timeline, id) {
    const { run } = timeline, j = run.jobs.get(id), rows = run.rowsOf(id);
    this.begin(`Job ${run.jobName(id)}`, j.end === "done" ? "" : j.end, "worse");
    this.fact("tasks", `${j.tasks}, in phases ${j.phases.join(", ")}`);
    this.fact("arrived", seconds(j.arrived_s));
    this.fact("took", seconds(j.took_s));
    this.fact("attempts", `${rows.length}, ${rows.filter((i) => run.isExtra(i)).length} of them extra`);
    this.fact("rescued", `${rows.filter((i) => (run.race(i) || {}).rescued).length} tasks`);
    const b = element("button", "show its tasks", this.box);
    b.addEventListener("click", () => {
      timeline.choose("tasks", id);
      timeline.axis.show(j.arrived_s, j.arrived_s + j.took_s);
    });
    const command = run.commandOf(`${id}`);
    if (command) element("code", command, this.fact("more", ""));
  }

  span(timeline, from, to) {
    const s = timeline.sums(from, to);
    this.begin(`${seconds(from)} to ${seconds(to)}`);
    this.fact("attempts", `${s.attempts}`);
    this.fact("of them ended", `${s.ended}`);
    this.fact("failed or lost", `${s.failed}`);
    this.fact("slot-seconds", plain(s.held, 4));
    this.fact("by extra attempts", `${plain(s.extra, 4)}${s.held > 0 ? ` (${plain(100 * s.extra / s.held, 2)} %)` : ""}`);
    if (timeline.run.data.left_out) element("p", "Attempts that the page leaves out are not in it.", this.box).className = "more";
    const b = element("button", "zoom to it", this.box);
    b.addEventListener("click", () => timeline.axis.show(from, to));
  }
}

// What keys do.
function keysDialog() {
  const box = element("dialog", undefined, document.body), list = element("dl");
  box.setAttribute("aria-label", "keys");
  element("h2", "Keys", box);
  box.append(list);
  for (const [key, what] of [["← → ↑ ↓", "move"], ["+ −", "zoom"], ["0", "all of it"], ["n p", "next and previous"], ["f", "next failure"],
    ["s", "next straggler"], ["t", "sum up the time in view"], ["/", "search"], ["esc", "close the story"], ["?", "these keys"]]) {
    element("kbd", key, element("dt", undefined, list));
    element("dd", what, list);
  }
  element("p", "The first seven when the picture has the focus. With the mouse: a click opens a story, ctrl and wheel zoom (with shift: into lines), " +
    "dragging moves what is zoomed, dragging on the axis sums up a span.", box);
  const b = element("button", "close", box);
  b.addEventListener("click", () => box.close());
  return box;
}
