"""What the scripts that print tables share: reading the JSON of ./spillway compare, and spreads as text."""
import json
import math
import statistics
import sys


def load(path):
    """A finished comparison whose outputs agree; else the script ends."""
    result = json.loads(path.read_text())
    if not (result["isComplete"] and result["outputsAgree"]):
        sys.exit("%s: not complete, or outputs differ" % path)
    return result


def is_known(spread):
    return spread is not None and math.isfinite(float(spread["median"]))


def text(spread):
    """Median (least to most), or one number where they are the same."""
    if not is_known(spread):
        return "-"
    median, least, most = (float(spread[key]) for key in ("median", "min", "max"))
    if least == most:
        return "%.2f" % median
    return "%.2f (%.2f–%.2f)" % (median, least, most)


def spread_of(values):
    return {"median": statistics.median(values), "min": min(values), "max": max(values)}


def folder_of(arguments, usage, documentation):
    """The one argument of a script; else it ends with its usage."""
    if len(arguments) != 2 or arguments[1] in ("-h", "--help"):
        sys.exit("Usage: %s FOLDER\n\n%s" % (usage, documentation))
    return arguments[1]
