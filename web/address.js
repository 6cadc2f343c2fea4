// address.js - what is shown, as the fragment of the page's address: #map/3, #wordcount/reduce/0, #job=12, #node=c3, #t=20-40, joined by &.
"use strict";

class Address {
  constructor(timeline, filters) {
    this.timeline = timeline;
    this.filters = filters;
    this.applied = "";
    this.unknown = []; // parts that name nothing of this page: they stay until something else is chosen
    this.said = element("p");
    this.said.className = "note lack";
    this.said.setAttribute("role", "status");
    filters.note.after(this.said);
    timeline.ontell = () => {
      if (!this.reading) this.say([]);
      this.write(true);
    };
    filters.onchange = () => this.write(true);
    timeline.axis.onmove = () => this.write(false);
    listenToAll("popstate", () => this.read());
    listenToAll("hashchange", () => this.read());
    this.read();
  }

  // A task: the phase and its number, and the job where there are several.
  static task(run, row) {
    const { a, data } = run, name = encodeURIComponent, job = run.jobs.get(a.job[row]);
    const same = data.jobs.filter((j) => job && j.name === job.name).length, of = same === 1 ? name(job.name) : a.job[row];
    return `${data.jobs.length > 1 ? `${of}/` : ""}${name(run.phaseName(a.job[row], a.phase[row]))}/${a.number[row]}`;
  }

  // The row of a task: its winner, or its last attempt; -1: none has this name.
  static find(run, text) {
    const parts = text.split("/").map(decodeURIComponent), number = +parts.pop(), phase = parts.pop(), job = parts.pop();
    const is = (j) => job === undefined || `${j.id}` === job || j.name === job;
    for (const j of run.data.jobs.filter(is)) {
      const rows = run.rowsOf(j.id).filter((i) => run.a.number[i] === number && [j.phases[run.a.phase[i]], `${run.a.phase[i]}`].includes(phase));
      if (rows.length) return rows.find((i) => run.a.fate[i] === WON) ?? rows[rows.length - 1];
    }
    return -1;
  }

  // What is missing where a task is not found.
  static lack(run, text) {
    const parts = text.split("/").map(decodeURIComponent), number = parts.pop(), phase = parts.pop(), job = parts.pop();
    const jobs = run.data.jobs.filter((j) => job === undefined || `${j.id}` === job || j.name === job);
    if (phase === undefined) return "nothing on this page has this name";
    if (job !== undefined && !jobs.length) return `no job ${job} is on this page`;
    if (!jobs.some((j) => j.phases.some((name, k) => name === phase || `${k}` === phase))) return `no phase ${phase} is on this page`;
    return `no attempt of a task ${number} of ${phase} is on this page`;
  }

  // Says in one line which parts of the address name nothing, and why.
  say(lacks) {
    const short = (text) => (text.length > 80 ? `${text.slice(0, 80)}…` : text);
    this.unknown = lacks.map(([part]) => part);
    this.said.textContent = lacks.map(([part, why]) => `#${short(part)}: ${short(why)}.`).join(" ");
  }

  text() {
    const { timeline } = this, { axis, run } = timeline, parts = [], short = (s) => plain(s, 6);
    if (timeline.selected >= 0) parts.push(Address.task(run, timeline.selected));
    parts.push(...this.unknown.filter((part) => !part.startsWith("node=") || !this.filters.node));
    if (timeline.job !== null) parts.push(`job=${timeline.job}`);
    if (this.filters.node) parts.push(`node=${encodeURIComponent(this.filters.node)}`);
    const span = axis.chosen || (axis.zoomed ? [Math.max(0, axis.t0), axis.t1] : null);
    if (span) parts.push(`t=${short(span[0])}-${short(span[1])}`);
    return parts.length ? `#${parts.join("&")}` : "";
  }

  // Pushed on a click, so that "back" works; replaced while moving, and not for each frame.
  write(push) {
    clearTimeout(this.timer);
    if (this.reading) return;
    if (!push) {
      this.timer = setTimeout(() => this.put(false), 200);
      return;
    }
    this.put(true);
  }

  put(push) {
    const text = this.text();
    if (text === this.applied) return;
    this.applied = text;
    const url = text || location.pathname + location.search;
    try {
      if (push) history.pushState(null, "", url);
      else history.replaceState(null, "", url);
    } catch { // too often, or not here: the page works without
    }
  }

  // Shows what the address names.
  read() {
    if (location.hash === this.applied) return;
    const { timeline } = this, wanted = { task: null, job: null, node: "", t: null };
    this.applied = location.hash;
    for (const part of location.hash.slice(1).split("&").filter((p) => p)) {
      const [, key, value] = /^(job|node|t)=(.*)$/.exec(part) || [null, "task", part];
      wanted[key] = value;
    }
    this.reading = true;
    try {
      this.show(wanted);
    } catch { // an address that somebody has cut
      timeline.tell(-1);
      this.say([[location.hash.slice(1), "this cannot be read"]]);
    }
    this.reading = false;
  }

  show({ task, job, node, t }) {
    const { timeline } = this, { run } = timeline, span = t && /^([\d.e+-]+?)-([\d.e+-]+)$/.exec(t), named = decodeURIComponent(node);
    const row = task === null ? -1 : Address.find(run, task), isJob = job !== null && run.jobs.has(+job), lacks = [];
    if (task !== null && row < 0) lacks.push([task, Address.lack(run, task)]);
    if (job !== null && !isJob) lacks.push([`job=${job}`, `no job ${job} is on this page`]);
    if (node && !run.data.nodes.some(({ name }) => name === named)) lacks.push([`node=${node}`, `no node ${named} is on this page`]);
    this.filters.chooseNode(named);
    if (isJob) timeline.tellJob(+job);
    else timeline.tell(row);
    this.say(lacks);
    if (!span) {
      timeline.axis.fit();
      return;
    }
    const [from, to] = [+span[1], +span[2]].sort((p, q) => p - q);
    timeline.axis.show(from, to);
    if (task === null && job === null) timeline.span(from, to);
  }
}
