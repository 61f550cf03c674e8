"""harness.py PROGRAM [SECONDS] -- the same sweep by this program and by others that run sweeps, in an empty folder below the
current one: one step of noisy gradient descent on five records, 1, 100, 1,000 and 10,000 cells, one worker. Each stores a
result a cell and goes on where it was stopped; the same command once more, at the most cells, shows what nothing to do costs.
As a table in Markdown: seconds on the wall, in brackets those of processors (children included); the most memory of one
process.

Others: a loop in Python that commits each result to SQLite, which is the least that keeps results; Optuna (Debian:
python3-optuna), its grid in an SQLite file; Snakemake (Debian: snakemake), a file a cell; benchopt, a solver with a grid of
parameters. What is not installed is passed over, and so is what would take longer than SECONDS (120). By hand:
`python3 tests/bench/harness.py build/release/stillpoint`, with nothing else at work."""
import glob
import importlib.metadata
import os
import shutil
import sqlite3
import sys
import tempfile
import time

program, most_seconds = os.path.abspath(sys.argv[1]), float((sys.argv[2:] or ["120"])[0])
sizes = ((1, 1), (10, 10), (100, 10), (100, 100))
folder = tempfile.mkdtemp(prefix="harness.", dir=".")
os.chdir(folder)
os.environ["TMPDIR"] = os.getcwd()
os.environ["PYTHONDONTWRITEBYTECODE"] = "1"

# dp_gd with steps = 1 on pseudo_huber and "signs", but for its noise, which is that of the Gaussian mechanism's closed form
STEP = """import math, random
def step(eta, epsilon):
    chance = random.Random(f"{eta} {epsilon}")
    records = [[chance.choice((-1.0, 1.0)) for _ in range(2)] for _ in range(5)]
    def gradient(w):
        margins = [sum(a * b for a, b in zip(w, x)) - 1.0 for x in records]
        slopes = [m / math.hypot(1.0, m) for m in margins]
        return [sum(s * x[j] for s, x in zip(slopes, records)) / 5 for j in range(2)]
    deviation = math.sqrt(2 * math.log(1.25e6)) * 2 / 5 / epsilon
    w = [-eta * (g + chance.gauss(0.0, deviation)) for g in gradient([0.0, 0.0])]
    return math.hypot(*gradient(w))
def grid(etas, epsilons):
    return [(i + 1) * 1e-4 for i in range(etas)], [(i + 1) * 1e-2 for i in range(epsilons)]
"""


def write(name, text):
    os.makedirs(os.path.dirname(name) or ".", exist_ok=True)
    with open(name, "w") as file:
        file.write(text)


def measure(words):
    begun = time.monotonic()
    process = os.posix_spawnp(words[0], words, os.environ, file_actions=[
        (os.POSIX_SPAWN_OPEN, fd, "out.txt", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600) for fd in (1, 2)])
    _, state, usage = os.wait4(process, 0)
    if os.waitstatus_to_exitcode(state) != 0:
        sys.exit(f"{words}: exit code {os.waitstatus_to_exitcode(state)}:\n" + open("out.txt").read()[-2000:])
    return time.monotonic() - begun, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def rows(path, table):
    with sqlite3.connect(path) as db:
        return db.execute(f"SELECT count(*) FROM {table}").fetchone()[0]


# Each writes what it needs for a grid, and gives its command and how to count the results.


def stillpoint(etas, epsilons):
    write("sweep.lua", f"""local eta, epsilon = {{}}, {{}}
for i = 1, {etas} do eta[i] = i * 1e-4 end
for i = 1, {epsilons} do epsilon[i] = i * 1e-2 end
return {{ seed = 17, checkpoints = 0, measures = {{ "grad_norm" }}, privacy = {{ epsilon = epsilon, delta = 1e-6 }},
         problem = {{ loss = "pseudo_huber", data = "signs", n = 5, d = 2 }},
         algorithms = {{ {{ "dp_gd", steps = 1, eta = eta }} }} }}
""")
    return ([program, "run", "sweep.lua", "--quiet", "--no-plot", "--no-audit", "-j", "1"],
            lambda: sum(1 for _ in open("results/sweep/runs.tsv")) - 1)


def loop(etas, epsilons):
    write("loop.py", STEP + f"""import sqlite3
db = sqlite3.connect("loop.db")
db.execute("PRAGMA journal_mode = WAL")
db.execute("PRAGMA synchronous = NORMAL")
db.execute("CREATE TABLE IF NOT EXISTS result (eta, epsilon, norm, PRIMARY KEY (eta, epsilon))")
there = set(db.execute("SELECT eta, epsilon FROM result"))
for eta in grid({etas}, {epsilons})[0]:
    for epsilon in grid({etas}, {epsilons})[1]:
        if (eta, epsilon) not in there:
            with db:
                db.execute("INSERT INTO result VALUES (?, ?, ?)", (eta, epsilon, step(eta, epsilon)))
""")
    return [sys.executable, "loop.py"], lambda: rows("loop.db", "result")


def optuna(etas, epsilons):
    write("study.py", STEP + f"""import optuna
optuna.logging.set_verbosity(optuna.logging.WARNING)
etas, epsilons = grid({etas}, {epsilons})
study = optuna.create_study(storage="sqlite:///study.db", study_name="sweep", load_if_exists=True,
                            sampler=optuna.samplers.GridSampler({{"eta": etas, "epsilon": epsilons}}))
left = {etas * epsilons} - sum(t.state.is_finished() for t in study.get_trials(deepcopy=False))
if left > 0:
    study.optimize(lambda t: step(t.suggest_float("eta", 0, 1), t.suggest_float("epsilon", 0, 1)), n_trials=left)
""")
    return [sys.executable, "study.py"], lambda: rows("study.db", "trial_values")


def snakemake(etas, epsilons):
    write("step.py", STEP + """import sys
eta, epsilon = grid(100, 100)[0][int(sys.argv[1])], grid(100, 100)[1][int(sys.argv[2])]
print(step(eta, epsilon))
""")
    write("Snakefile", f"""rule all:
    input: expand("out/{{eta}}_{{epsilon}}.txt", eta=range({etas}), epsilon=range({epsilons}))
rule step:
    output: "out/{{eta}}_{{epsilon}}.txt"
    shell: "{sys.executable} step.py {{wildcards.eta}} {{wildcards.epsilon}} >{{output}}"
""")
    return ["snakemake", "--cores", "1", "--quiet"], lambda: len(glob.glob("out/*.txt"))


def benchopt(etas, epsilons):
    write("bench/objective.py", """from benchopt import BaseObjective
class Objective(BaseObjective):
    name = "gradient norm"
    min_benchopt_version = "1.5"
    def set_data(self, n):
        self.n = n
    def get_objective(self):
        return dict(n=self.n)
    def evaluate_result(self, norm):
        return dict(value=norm)
    def get_one_result(self):
        return dict(norm=1.0)
""")
    write("bench/datasets/simulated.py", """from benchopt import BaseDataset
class Dataset(BaseDataset):
    name = "simulated"
    def get_data(self):
        return dict(n=5)
""")
    write("bench/solvers/noisy.py", STEP + f"""from benchopt import BaseSolver
class Solver(BaseSolver):
    name = "noisy"
    sampling_strategy = "run_once"
    parameters = dict(zip(("eta", "epsilon"), grid({etas}, {epsilons})))
    def set_objective(self, n):
        self.n = n
    def run(self, _):
        self.norm = step(self.eta, self.epsilon)
    def get_result(self):
        return dict(norm=self.norm)
""")
    return (["benchopt", "run", "bench", "--max-runs", "1", "--n-repetitions", "1", "--no-plot", "--no-html"],
            lambda: etas * epsilons)  # its table is a Parquet file, which the standard library does not read


def version(package):
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def row(name, prepare):
    cells, peak, again = [], 0.0, ""
    start = each = start_cpu = each_cpu = None
    for etas, epsilons in sizes:
        count = etas * epsilons
        if each is not None and start + each * count > most_seconds:
            cells.append(f"more than {most_seconds:.0f}")
            continue
        os.mkdir("one")
        os.chdir("one")
        words, results = prepare(etas, epsilons)
        wall, cpu, memory = measure(words)
        assert results() == count, (name, results(), count)
        more, more_cpu, _ = measure(words)
        again, peak = f"{more:.2f} ({more_cpu:.2f}), {count:,} cells", max(peak, memory)
        os.chdir("..")
        shutil.rmtree("one")
        if start is None:
            start, start_cpu = wall, cpu
        else:
            each, each_cpu = (wall - start) / (count - 1), (cpu - start_cpu) / (count - 1)
        cells.append(f"{wall:.2f} ({cpu:.2f})")
    per_cell = f"{1e3 * each:.2f} ({1e3 * each_cpu:.2f})" if each is not None else ""
    print(f"| {name} | {' | '.join(cells)} | {per_cell} | {again} | {peak:.0f} |", flush=True)


others = [(optuna, "optuna", "Optuna"), (snakemake, "snakemake", "Snakemake"), (benchopt, "benchopt", "benchopt")]
print(f"| cells | {' | '.join(f'{a * b:,}, s' for a, b in sizes)} | ms a further cell | nothing to do, s | memory, MB |\n"
      f"|---|{'---|' * len(sizes)}---|---|---|")
row("stillpoint", stillpoint)
row(f"a loop, Python {sys.version.split()[0]}, SQLite {sqlite3.sqlite_version}", loop)
for prepare, package, name in others:
    if version(package):
        row(f"{name} {version(package)}", prepare)
for prepare, package, name in others:
    if not version(package):
        print(f"\npassed over: {name} is not installed")
os.chdir("..")
shutil.rmtree(folder)
