#!/usr/bin/env python3
"""Adds up test results: summary.py FOLDER...

Reads lit.json (lit -o) and ctest.xml (ctest --output-junit) of each folder,
names what failed and what was skipped, and ends with "N passed, N failed".
Fails if a test failed or if there are no results.
"""

import json
import pathlib
import sys
import xml.etree.ElementTree as xml


def lit_results(path):
    for test in json.loads(path.read_text())["tests"]:
        code = test["code"]
        if code in ("PASS", "XFAIL", "FLAKYPASS"):
            yield test["name"], "passed"
        elif code in ("UNSUPPORTED", "SKIPPED", "EXCLUDED"):
            yield test["name"], "skipped"
        else:
            yield test["name"], "failed"


def ctest_results(path):
    for case in xml.parse(path).getroot().iter("testcase"):
        if case.find("skipped") is not None:
            yield case.get("name"), "skipped"
        elif case.find("failure") is not None or case.get("status") == "fail":
            yield case.get("name"), "failed"
        else:
            yield case.get("name"), "passed"


def main(folders):
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    for folder in map(pathlib.Path, folders):
        for name, read in (("lit.json", lit_results), ("ctest.xml", ctest_results)):
            if not (folder / name).exists():
                continue
            for test, outcome in read(folder / name):
                counts[outcome] += 1
                if outcome != "passed":
                    print(f"{outcome}: {test}")
    if counts["skipped"]:
        print(f"{counts['skipped']} skipped")
    print(f"{counts['passed']} passed, {counts['failed']} failed")
    return counts["failed"] > 0 or counts["passed"] == 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
