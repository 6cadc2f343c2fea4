// report.js - the page of one run.
"use strict";

const showRun = () => Run.load(0).then((run) => {
  const view = document.getElementById("view");
  view.hidden = false;
  const tools = element("div", undefined, view), two = element("div", undefined, view), picture = element("div", undefined, two);
  two.className = "two";
  picture.className = "picture";
  const panel = new Panel(two), axis = new Axis(run.data.last_s), timeline = new Timeline(run, axis, picture, panel, 0.65);
  timeline.canvas.id = "timeline";
  const filters = new Filters([timeline], tools);
  filters.legend = new Legend(timeline, picture);
  foldStrips(timeline, axis, picture);
  filters.listenTo(document.getElementById("jobs"));
  listenToKeys([timeline], filters, panel);
  timeline.paint();
  filters.legend.paint();
  window.address = new Address(timeline, filters);
  window.timeline = timeline;
});

showRun();
