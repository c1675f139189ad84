#!/usr/bin/env python3
"""The sections of clsort.h are the floors of a house: each uses only those above it in the file.

    floors.py clsort.h [SECTION...]

Prints each name that a section takes from a later one, unless one of the two is named, and fails if
there is any. A name belongs to the section that defines it: a function, a table, a macro, a struct,
an enumerator. Exit status: 0 no such name, 1 some, 2 the file has no sections."""
import re
import sys

NAME = r"\b(?:clsort|CLSORT)_\w+"
WORDS = re.compile(NAME)
# What defines the name, at the begin of a line: functions with their bodies, tables, types, macros.
DEFINED = [re.compile(pattern, re.M) for pattern in (
    r"^(?:static|CLSORT_API)\b[^;{}()=]*?(%s)\((?:[^;{}()]|\([^()]*\))*\)\s*\{" % NAME,
    r"^CLSORT__ALONE(?:_OR)?\((\w+),",
    r"^static const [^;{}()=]*?(%s)(?:\[[^\]]*\])*\s*=" % NAME,
    r"^static [^;{}=]*?\(\*(?:const )?(%s)(?:\[[^\]]*\])?\)\(" % NAME,
    r"^(?:static const |typedef )?(?:struct|enum|union) (%s) \{" % NAME,
    r"^\} (%s)(?:\[[^\]]*\])*\s*[;=]" % NAME,
    r"^# *define (%s)" % NAME,
    r"^typedef (?:[^;{}]*?)(%s)(?:\[[^\]]*\])?;" % NAME)]
ENUM = re.compile(r"^(?:typedef )?enum[^{;]*\{([^}]*)\}", re.M)


def bare(text):
    """Without the generated block, comments and texts."""
    text = re.sub(r"/\* >>>> generated.*?<<<< end of the generated block \*/", "", text, flags=re.S)
    return re.sub(r'/\*.*?\*/|"(?:\\.|[^"\\\n])*"', " ", text, flags=re.S)


def defined(text):
    found = {name for pattern in DEFINED for name in pattern.findall(text)}
    for members in ENUM.findall(text):
        found.update(re.findall(r"(?:^|,)\s*(%s)\s*(?=[,=]|$)" % NAME, members))
    return found


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        text = file.read()
    text = text[text.index("/* ==== implementation"):]
    parts = re.split(r"^/\* ---- >>([\w-]+) -+ \*/$", text, flags=re.M)
    names, bodies = parts[1::2], [bare(body) for body in parts[2::2]]
    if len(names) < 2:
        return 2
    home = {}
    for place, body in enumerate(bodies):
        for name in defined(body):
            home.setdefault(name, place)
    found = 0
    for place, body in enumerate(bodies):
        for word in sorted(set(WORDS.findall(body))):
            later = home.get(word, 0)
            if later > place and not {names[place], names[later]} & set(sys.argv[2:]):
                print(">>%s uses %s of >>%s" % (names[place], word, names[later]))
                found += 1
    return found > 0


sys.exit(main())
