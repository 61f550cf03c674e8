"""scale.py PROGRAM CELLS [RUNS A CELL] -- what a large sweep of near-zero work costs beside its runs, in an empty folder
below the current one: each verb by itself, seconds on the wall, seconds of processors (children included), the most memory
of one process, and what that is a run. As a table in Markdown, with the bytes that a run takes in the store and the tables.

By hand: `python3 tests/bench/scale.py build/release/stillpoint 100000`. With other programs at work seconds on the wall mean
little, and those of processors are some tens of per cent too many where cores share their units."""
import os
import shutil
import sys
import tempfile
import time

program, cells, replicates = os.path.abspath(sys.argv[1]), int(sys.argv[2]), int((sys.argv[3:] or ["1"])[0])
side = 100
assert cells % side == 0, "cells: a multiple of 100"
runs = cells * replicates
folder = tempfile.mkdtemp(prefix="scale.", dir=".")
os.chdir(folder)
os.environ["TMPDIR"] = os.getcwd()
with open("scale.lua", "w") as script:
    script.write(
        f"""local eta, epsilon = {{}}, {{}}
for i = 1, {cells // side} do eta[i] = i * 1e-4 end
for i = 1, {side} do epsilon[i] = i * 1e-2 end
return {{ seed = 17, replicates = {replicates}, checkpoints = 0, measures = {{ "grad_norm" }},
         privacy = {{ epsilon = epsilon, delta = 1e-6 }},
         problem = {{ loss = "pseudo_huber", data = "signs", n = 5, d = 2 }},
         algorithms = {{ {{ "dp_gd", steps = 1, eta = eta }} }} }}
"""
    )


def measure(name, *words, code=0):
    begun = time.monotonic()
    process = os.posix_spawn(program, [program, *words], os.environ,
                             file_actions=[(os.POSIX_SPAWN_OPEN, 1, "out.txt", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)])
    _, state, usage = os.wait4(process, 0)
    wall, cpu = time.monotonic() - begun, usage.ru_utime + usage.ru_stime
    assert os.waitstatus_to_exitcode(state) in (0, code), (words, state)
    print(f"| {name} | {wall:.2f} | {cpu:.2f} | {1e6 * cpu / runs:.2f} | {runs / cpu:.3g} | {usage.ru_maxrss / 1024:.0f} |",
          flush=True)
    return cpu


def size(*names):
    return sum(os.path.getsize(os.path.join("results/scale", name)) for name in names)


print(f"{cells} cells, {runs} runs\n\n| | wall, s | processors, s | us a run | runs a second | memory, MB |\n|---|---|---|---|---|---|")
measure("plan", "plan", "scale.lua", "--quiet")
measure("run --shard 1/1 -j 2", "run", "scale.lua", "--quiet", "-j", "2", "--shard", "1/1")
merge = measure("merge, and the tables", "merge", "scale.lua", "--quiet")
tables = measure("export: the tables alone", "export", "scale.lua", "--quiet")
measure("merge again: all is there", "merge", "scale.lua", "--quiet")
measure("status", "status", "scale.lua")
measure("plot: summary.tsv alone", "plot", "scale.lua", "--quiet")
measure("run: nothing to do", "run", "scale.lua", "--quiet", "--no-plot", "--no-audit")
measure("check", "check", "scale.lua", code=1)
print(f"\nmerge without the tables: {runs / (merge - tables):.3g} runs a second of one processor")
names = os.listdir("results/scale")
print(f"bytes a run: store {size('store.sqlite') / runs:.0f}, "
      f"tables {size(*(name for name in names if name.endswith('.tsv'))) / runs:.0f}")
os.chdir("..")
shutil.rmtree(folder)
