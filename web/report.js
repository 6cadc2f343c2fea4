// report.js - the page of one run.
"use strict";

Run.load(0).then((run) => {
  const view = document.getElementById("view");
  view.hidden = false;
  element("h2", "Every attempt", view);
  const tools = element("div", undefined, view), timeline = new Timeline(run, new Axis(run.data.last_s), view, 0.6);
  timeline.canvas.id = "timeline";
  timeline.story.id = "told";
  legend(view, run);
  view.append(timeline.story);
  const filters = new Filters([timeline], tools);
  filters.listenTo(document.getElementById("jobs"));
  window.timeline = timeline;
});
