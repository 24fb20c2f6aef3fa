# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Says what an HTML report has in it: page.py PAGE [FOLDER of drawings].
import json, os, re, shutil, subprocess, sys, tempfile
import xml.dom.minidom

page = open(sys.argv[1]).read()
data = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)[1])
references = re.findall(r'(?:src|href|url|import)\s*[=(]\s*["\']?[a-z]*:?//[^"\')\s]*', page)
others = re.findall(r'<(?:link|img|iframe|object|script src)[^>]*>', page)
print("references:", " ".join(references + others) or "none")
print("boards:", *(board["key"] for board in data["boards"]))
for kernel in data["kernels"]:
    text = f"{kernel['kernel']}: " + " ".join(b["key"] for b, t in zip(data["boards"], kernel["times"]) if t["seconds"] > 0)
    lines = {line["line"]: line for line in kernel["counters"]}
    if kernel["kernel"].startswith("naive") and 18 in lines:
        line = lines[18]
        text += f", 32768 warp instructions or more: {'yes' if sum(l.get('warps', 0) for l in lines.values()) > 32768 else 'no'}"
        text += f", sectors of line 18: {line['sectors']} of {line['wanted']}"
    print(text)
if data["workOnBoards"]:
    kernels = [{row["name"]: row["total"] for row in rows} for rows in data["workOnBoards"]]
    first = next(iter(data["kernels"]))
    for board, rows, time in zip(data["boards"], kernels, first["times"]):
        ratio = rows[first["kernel"]] / 1e9 / time["seconds"]
        print(f"work on {board['key']}: the first kernel has its predicted time: {'yes' if 0.99 < ratio < 1.01 else ratio}")
if len(sys.argv) > 2:
    source = next(s for s in data["sources"] if s["file"].endswith("page.cu"))
    print("source has line 18:", "yes" if "to[x * N + y]" in source["lines"][17] else source["lines"][17])
    print("views:", *sorted(set(re.findall(r'<figure data-view="(\w+)"', page))))
    for name in os.listdir(sys.argv[2]):
        xml.dom.minidom.parse(os.path.join(sys.argv[2], name))
    print("files:", *sorted(os.listdir(sys.argv[2])))
    browser = shutil.which("chromium") or shutil.which("chromium-browser")
    complaint = "not installed"
    if browser:
        with tempfile.TemporaryDirectory() as folder:
            run = subprocess.run([browser, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder}",
                                  "--enable-logging=stderr", "--v=0", "--dump-dom",
                                  "file://" + os.path.abspath(sys.argv[1]) + "#source"], capture_output=True, text=True)
        errors = [line for line in run.stderr.splitlines() if "CONSOLE" in line]
        shown = re.search(r'role="tabpanel" aria-label="Source"', run.stdout) and "would do" in run.stdout
        complaint = "\n".join(errors) or ("no complaint" if shown else "the view is not there")
    print("Chromium:", complaint)
