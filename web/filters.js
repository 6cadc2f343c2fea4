// filters.js - the tools above a picture: what it shows, what colours mean, and which attempts are in it.
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

// What colours and patterns mean, for what is shown now.
class Legend {
  constructor(timeline, view) {
    this.timeline = timeline;
    this.box = element("div", undefined, view);
    this.box.className = "legend";
    dark.addEventListener("change", () => this.paint(), { signal: whole.signal });
    this.has = Legend.found(timeline.axis.views);
    this.paint();
  }

  // What is somewhere in the pictures: the legend has no other.
  static found(timelines) {
    const has = { clone: false, lost: false, beaten: false, slow: false, race: false, failed: false, runs: false, open: false };
    for (const { a, run } of timelines) {
      has.open ||= run.data.jobs.some((j) => j.end === "open");
      for (let i = 0; i < a.count; i++) {
        const bad = isBad(a.fate[i]), outcome = run.outcome(i), won = a.fate[i] === WON;
        has.failed ||= bad;
        has.runs ||= a.fate[i] === RUNS;
        has.clone ||= outcome === CLONE_WON;
        has.lost ||= outcome === LOST_RACE && !bad;
        has.slow ||= outcome === SLOW && won;
        has.beaten ||= outcome === SLOW && !won;
        has.race ||= !!run.race(i);
      }
    }
    return has;
  }

  paint() {
    const { run, mode, view } = this.timeline, { by } = run, add = (look, text) => { element("span", text, this.box).className = `key ${look}`; };
    this.box.replaceChildren();
    if (view.isHeat) add("heat", `share of a node's slots that ${run.data.left_out ? "the attempts shown here" : "attempts"} hold, from none to all`);
    else if (mode === "jobs") [["win", "job"], ["clone", "job with rescued tasks"], ["lose thin", "waited"]].forEach((k) => add(...k));
    else if (by === "outcome") {
      const { has } = this;
      add("win", "won, first attempt");
      if (has.clone) add("clone", "won, clone or backup");
      if (has.lost) add(mode === "tasks" ? "lose thin" : "lose", "lost the race");
      if (mode !== "tasks" && (has.beaten || has.slow)) add("slow", "straggler");
      if (mode === "tasks" && has.beaten) add("slow thin", "straggler, beaten");
      if (mode === "tasks" && has.slow) add("hatch", "straggled and won");
      if (mode === "tasks" && has.race) add("ghost", "alone: where it would have ended, with its range");
    } else if (by === "phase") this.box.append(...colourKeys(phaseNames(run).slice(0, HUES.length)).children);
    else add("lose", "a colour for each node");
    if (this.has.failed) add("fail", mode === "jobs" ? "failed" : "failed, or lost with its node");
    if (mode === "jobs" && this.has.open) add("runs", "striped: not over");
    if (mode !== "jobs" && this.has.runs && !view.isHeat) add("runs", "striped: not ended");
    if (mode === "nodes" && !view.isHeat) add("pale", "pale: launched, waiting or reading");
  }
}

// A choice of a few words.
class Choice {
  constructor(view, name, words, chosen, change) {
    this.box = element("span", undefined, view);
    this.box.className = "choice";
    this.box.setAttribute("role", "group");
    this.box.setAttribute("aria-label", name);
    this.buttons = words.map((word) => {
      const b = element("button", word, this.box);
      b.addEventListener("click", () => change(word));
      return b;
    });
    this.set(chosen);
  }

  set(chosen) {
    this.chosen = chosen;
    for (const b of this.buttons) b.setAttribute("aria-pressed", b.textContent === chosen);
  }
}

// Modes, colours, chips, a search and menus for one or more pictures.
class Filters {
  constructor(timelines, view) {
    this.timelines = timelines;
    this.chip = "";
    this.tools = element("div", undefined, view);
    this.tools.className = "tools";
    const [first] = timelines, modes = first.modes();
    this.given = first.mode; // before a reader has chosen
    if (modes.length > 1) {
      this.modes = new Choice(this.tools, "rows", MODES.filter((m) => modes.includes(m)), first.mode, (mode) => timelines.forEach((t) => t.choose(mode)));
      first.onmode = () => { this.modes.set(first.mode); this.relegend(); };
    }
    this.colours = new Choice(this.tools, "colours", ["outcome", "phase", "node"], "outcome", (by) => this.colour(by));
    if (modes[0] === "tasks") this.sorts = new Choice(this.tools, "order", ["by number", "by end"], "by number", (by) => this.sort(by));
    this.search = element("input", undefined, this.tools);
    this.search.type = "search";
    this.search.placeholder = "find: job, task, node, word";
    this.search.setAttribute("aria-label", "find a job, a task, a node, or a word of a command");
    this.search.addEventListener("input", () => this.apply());
    this.chips();
    element("button", "show all", this.tools).addEventListener("click", () => this.clear());
    this.more(view);
    this.note = element("p", undefined, view);
    this.note.className = "more note";
    this.apply();
  }

  // Menus that are wanted seldom.
  more(view) {
    const fold = element("details", undefined, view), box = element("div", undefined, fold), { run } = this.timelines[0], { data } = run, phases = phaseNames(run);
    this.fold = fold;
    fold.prepend(element("summary", "more filters"));
    fold.className = "filters";
    box.className = "tools";
    this.menus = [
      ["phase", "phase", (p) => phases[p] || `${p}`],
      ["kind", "kind", (k) => data.kinds[k]],
      ["end", "fate", (f) => FATES[f]],
      ["reason", "why", (w) => data.reasons[w].replaceAll("_", " ")],
      ["node", "node", (n) => (data.nodes[n] ? data.nodes[n].name : `${n}`)],
    ].map(([name, column, text]) => [this.select(box, name, column, text), column]);
  }

  // Those that a reader looks for: a click leaves them alone in the picture.
  chips() {
    const kinds = { stragglers: (t, i) => t.a.straggled[i], rescued: (t, i) => (t.run.race(i) || {}).rescued, failed: (t, i) => isBad(t.a.fate[i]) };
    const words = { failed: "failed or lost" }; // of attempts: a task may have gone on after them
    this.kinds = kinds;
    this.buttons = Object.keys(kinds).map((name) => {
      const count = this.timelines.reduce((sum, t) => sum + t.a.fate.reduce((n, _, i) => n + (kinds[name](t, i) ? 1 : 0), 0), 0);
      const b = element("button", `${words[name] || name} ${count}`, this.tools);
      b.className = "chip";
      b.disabled = !count;
      b.setAttribute("aria-pressed", "false");
      b.addEventListener("click", () => this.pick(this.chip === name ? "" : name));
      return [b, name];
    });
  }

  pick(name) {
    this.chip = name;
    for (const [b, own] of this.buttons) b.setAttribute("aria-pressed", own === name);
    this.apply();
  }

  colour(by) {
    this.colours.set(by);
    for (const t of this.timelines) {
      t.run.colourBy(by);
      t.draw();
    }
    this.relegend();
  }

  sort(by) {
    this.sorts.set(by);
    for (const t of this.timelines) {
      if (!t.view.order) continue;
      t.view.order = by.slice(3);
      t.view.fold();
      t.draw();
    }
  }

  relegend() {
    if (this.legend) requestAnimationFrame(() => this.legend.paint());
  }

  select(view, name, column, text) {
    const label = element("label", name, view), s = element("select", undefined, label), used = new Set();
    for (const t of this.timelines) for (const value of t.a[column]) used.add(value);
    element("option", "all", s).value = "";
    if (used.size <= 2000)
      for (const value of [...used].sort((x, y) => x - y)) element("option", text(value), s).value = value;
    s.addEventListener("change", () => this.apply());
    return s;
  }

  get node() {
    const [menu] = this.menus.find(([, column]) => column === "node");
    return menu.value === "" ? "" : menu.selectedOptions[0].textContent;
  }

  chooseNode(name) {
    const [menu] = this.menus.find(([, column]) => column === "node"), option = [...menu.options].find((o) => name && o.textContent === name);
    if (this.node === (option ? name : "")) return;
    menu.value = option ? option.value : "";
    this.apply();
  }

  // What a reader has chosen, to be chosen again in a newer page of the same run.
  get chosen() {
    const [t] = this.timelines, menus = this.menus.map(([menu]) => menu.selectedOptions[0].textContent);
    return { mode: t.mode === this.given ? null : t.mode, by: this.colours.chosen, order: this.sorts && this.sorts.chosen,
      text: this.search.value, chip: this.chip, open: this.fold.open, menus };
  }

  choose({ mode, by, order, text, chip, open, menus }) {
    const [t] = this.timelines;
    if (mode && t.modes().includes(mode)) t.choose(mode);
    if (by !== this.colours.chosen) this.colour(by);
    if (this.sorts && order && order !== this.sorts.chosen) this.sort(order);
    this.fold.open = open;
    this.search.value = text;
    this.menus.forEach(([menu], i) => {
      const option = [...menu.options].find((o) => o.textContent === menus[i]);
      menu.value = option ? option.value : "";
    });
    this.pick(chip);
  }

  clear() {
    this.search.value = "";
    for (const [menu] of this.menus) menu.value = "";
    this.pick("");
    for (const t of this.timelines) t.fit();
  }

  // What is searched for: a job by its number or a part of its name, a task, a node, or a word of a story, which has the command.
  finder(run, text) {
    if (!text) return null;
    const { a, data } = run, has = (words) => words.toLowerCase().includes(text);
    const jobs = new Set(data.jobs.filter((j) => `${j.id}` === text || has(j.name)).map((j) => j.id)), nodes = data.nodes.map((n) => n.name.toLowerCase() === text);
    const told = new Set([...run.stories].filter(([, story]) => has(story.split("\n").find((l) => l.startsWith("It runs: ")) || "")).map(([key]) => key));
    const task = /^(\S+) (\d+)$/.exec(text);
    return (i) => jobs.has(a.job[i]) || nodes[a.node[i]] || (told.size && told.has(run.key(i))) ||
      (task && a.number[i] === +task[2] && ["task", run.phaseName(a.job[i], a.phase[i]).toLowerCase()].includes(task[1]));
  }

  apply() {
    const text = this.search.value.trim().toLowerCase(), notes = [], wants = this.menus.filter(([s]) => s.value !== "").map(([s, column]) => [+s.value, column]);
    for (const t of this.timelines) {
      const { a, run } = t, { data } = run, found = this.finder(run, text), kind = this.kinds[this.chip];
      const count = t.filter((i) => (!found || found(i)) && (!kind || kind(t, i)) && wants.every(([value, column]) => a[column][i] === value));
      const left = data.left_out ? `; ${data.left_out} more that took up to ${seconds(data.left_out_s)} are left out` : "";
      notes.push(`${this.timelines.length > 1 ? `${data.label}: ` : ""}${count} of ${a.count} attempts shown${left}.`);
    }
    this.note.textContent = notes.join(" ");
    if (this.onchange) this.onchange();
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
        const fold = this.tools.closest("details");
        if (fold) fold.open = true;
        this.timelines[0].canvas.scrollIntoView({ block: "nearest" });
      });
    }
  }
}

// Keys that work wherever the focus is, but where something is typed.
function listenToKeys(timelines, filters, panel) {
  const dialog = keysDialog();
  listenToAll("keydown", (e) => {
    const typing = e.target.matches && e.target.matches("input, select, textarea");
    if (e.key === "Escape" && !dialog.open) timelines.forEach((t) => (t.selected >= 0 || t.job !== null || t.axis.chosen) && t.tell(-1));
    if (typing || e.ctrlKey || e.metaKey || e.altKey) return;
    if (e.key === "?") dialog.showModal();
    else if (e.key === "/") filters.search.focus();
    else return;
    e.preventDefault();
  });
  panel.onclose = () => timelines.forEach((t) => t.tell(-1));
}
