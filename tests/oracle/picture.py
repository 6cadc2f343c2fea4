#!/usr/bin/env python3
"""Reads a picture of tools/picture, which must be well-formed and still where motion is not wanted, and prints a line
for each run in it: title, time, attempts, and how many bars there are."""
import re
import sys
import xml.etree.ElementTree as tree

picture = tree.parse(sys.argv[1]).getroot()
name = "{http://www.w3.org/2000/svg}"
assert picture.tag == name + "svg"
kinds = {element.tag.removeprefix(name) for element in picture.iter()}
assert kinds == {"svg", "title", "style", "g", "text", "rect", "path"}, kinds
style = picture.find(name + "style").text
outside = re.sub(r"@media\(prefers-reduced-motion:no-preference\)\{(?:[^{}]*\{[^{}]*\})*\}", "", style)
assert outside != style and not re.search(r"[;{]animation", outside), outside
assert "prefers-color-scheme:dark" in style

# A run begins with its title and ends with the line that shows when it was over.
run = None
for element in picture.iter():
    kind = element.get("class", "").split()
    if "title" in kind:
        run = {"title": element.text, "bars": 0, "lost": 0}
    elif "time" in kind:
        run["time"] = element.text
    elif "small" in kind and run and "attempts" not in run:
        run["attempts"] = element.text
    elif "bar" in kind:
        run["bars"] += 1
        run["lost"] += "lost" in kind
    elif "now" in kind:
        print("{title} | {time} | {attempts} | {bars} bars, {lost} lost".format(**run))
        run = None
