"""What `export --format` printed, read by Python's own csv and json, holds what the tables hold: formats.py FOLDER TABLE
CSV JSON LATEX. The tables are read here by the rules that README.md gives."""

import csv
import json
import re
import sys

NOTHING = None


def is_number(text):
    return re.fullmatch(r"NaN|-?(inf|(0|[1-9][0-9]*)(\.[0-9]+)?(e[-+]?[0-9]+)?)", text) is not None


def unescaped(field):
    if field == "-":
        return NOTHING
    if field[:1] == "\\" and field[1:2] in ("=", "+", "-", "@"):
        field = field[1:]
    return re.sub(r"\\(.)", lambda m: {"t": "\t", "n": "\n", "r": "\r", "\\": "\\"}[m[1]], field)


def read_tsv(path):
    with open(path, encoding="utf-8", errors="surrogateescape", newline="\n") as file:
        lines = file.read().split("\n")
    assert lines.pop() == "", path
    rows = [[unescaped(field) for field in line.split("\t")] for line in lines]
    if rows[0][-1] == "checksum":  # of the row: no column of what is printed
        rows = [row[:-1] for row in rows]
    return rows[0], rows[1:]


def table(folder, name):
    head, rows = read_tsv(f"{folder}/{name}.tsv")
    if name != "runs":
        return head, rows
    more, cells = read_tsv(f"{folder}/cells.tsv")
    key = more.index("cell")
    of = {row[key]: row[:key] + row[key + 1:] for row in cells}
    return head + more[:key] + more[key + 1:], [row + of[row[head.index("cell")]] for row in rows]


def check_csv(path, head, rows):
    with open(path, "rb") as file:
        text = file.read()
    assert text.endswith(b"\r\n")
    with open(path, encoding="utf-8", errors="surrogateescape", newline="") as file:
        found = list(csv.reader(file, strict=True))
    assert found[0] == head, found[0]
    assert len(found) == 1 + len(rows)
    for there, row in zip(found[1:], rows):
        for field, value in zip(there, row, strict=True):
            # no formula in any spreadsheet, and one backslash away from what it was
            assert field == "" or is_number(field) or field[0] not in "=+-@\t\r\n", field
            assert (field[1:] if field[:1] == "\\" else field) == (value or ""), (field, value)


def check_json(path, head, rows):
    with open(path, encoding="utf-8") as file:
        found = json.load(file, parse_constant=lambda name: sys.exit(f"{name} is not JSON"))
    assert len(found) == len(rows)
    for there, row in zip(found, rows):
        assert list(there) == head
        for (name, field), value in zip(there.items(), row, strict=True):
            if value is NOTHING:
                assert field is None, (name, field)
            elif isinstance(field, str):
                assert field == value.encode("utf-8", "surrogateescape").decode("utf-8", "replace"), (name, field, value)
            else: # the same double
                assert isinstance(field, (int, float)) and float(field).hex() == float(value).hex(), (name, field, value)
    texts = {"run", "sweep", "label", "message", "warning", "resolved"}
    for k, name in enumerate(head):
        values = [row[k] for row in rows if row[k] is not NOTHING]
        if name in texts or not all(is_number(value) for value in values):
            assert all(isinstance(there[name], (str, type(None))) for there in found), name
        else: # what is a number is one, but for those that JSON has not
            assert all(isinstance(there[name], (int, float)) or there[name] in (None, "NaN", "inf", "-inf")
                       for there in found), name


def check_latex(path, head, rows):
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        text = file.read()
    columns = re.search(r"\\begin\{tabular\}\{([lr]+)\}\n\\toprule\n", text)[1]
    assert len(columns) == len(head)
    body = text.split("\\toprule\n")[1].split("\\bottomrule\n")[0].replace("\\midrule\n", "")
    lines = body.split(" \\\\\n")
    assert lines.pop() == "" and len(lines) == 1 + len(rows), len(lines)
    plain = re.compile(r"(?:[^\\{}$&#%_^~<>|\"\x00-\x1f]|\\[{}$&#%_]|\\text[a-z]+\{\}|\$-?(?:[0-9.e+-]+|\\infty)\$)*")
    for line in lines:
        fields = re.split(r"(?<!\\) & ", line)
        assert len(fields) == len(head), line
        for field in fields:
            assert plain.fullmatch(field), field


folder, name, *files = sys.argv[1:]
head, rows = table(folder, name)
assert rows
for check, path in zip((check_csv, check_json, check_latex), files, strict=True):
    check(path, head, rows)
print(f"{name}: {len(rows)} rows, {len(head)} columns")
