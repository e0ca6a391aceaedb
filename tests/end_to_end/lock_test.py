"""bitpact lock and check: what is written, what is unchanged, and that a change is named."""

import copy
import hashlib
import json
import os
import pathlib
import re
import shlex
import xml.etree.ElementTree

import jsonschema
import pytest
from conftest import bitpact as run

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIARS = pathlib.Path(os.environ.get("BITPACT_BINARY_DIR", ROOT / "build")) / "liars"
# Probes as small as they go: a test of the lock, not of the probe.
QUICK = ["--replay-outputs", "64", "--repeat", "2"]


def liar(kernel):
    return f"worker[kernel={kernel}]:{LIARS}"


def lock(place, lines, *more):
    (place / "list.txt").write_text("# what the project relies on\n\n" + "".join(f"{line}\n" for line in lines))
    return run("lock", place / "list.txt", "-o", place / "bitpact.lock", "--one-length", *QUICK, *more)


def check(place, *more):
    return run("check", place / "bitpact.lock", *QUICK, *more)


def canonical(value):
    """RFC 8785 of what a lock holds: ASCII names, integers."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def reseal(document):
    document["sha256"] = "sha256:" + hashlib.sha256(canonical(document["lines"]).encode()).hexdigest()
    return document


@pytest.fixture(name="real", scope="module")
def real_runtimes(tmp_path_factory):
    """A lock of three cheap lines on real runtimes, and what was printed."""
    place = tmp_path_factory.mktemp("real")
    ran = lock(place, ["sum 8x64xf32 ; backend=mlx", "sqrt 64xbf16 ; backend=mlx", "add 4x8xf32,4x8xf32 ; backend=numpy"])
    assert ran.code == 0, ran.out + ran.err
    return place, ran


def test_a_lock_is_canonical_and_follows_its_schema(real, schema):
    place, ran = real
    text = (place / "bitpact.lock").read_text()
    document = json.loads(text)
    jsonschema.validate(document, schema("lock"))
    assert text == canonical(document) + "\n"
    assert document["sha256"] == reseal(copy.deepcopy(document))["sha256"]
    for line in document["lines"]:
        jsonschema.validate(line["contract"], schema("contract"))
        assert line["arithmetic"] == line["contract"]["fingerprints"]["arithmetic"]
        assert 3 <= len(line["questions"]) <= 6
        assert line["parted"] > 0 or line["others"] == 0
    assert [line["problem"].split()[0] for line in document["lines"]] == ["sum", "sqrt", "add"]
    # The function's first question is every value of its format.
    assert document["lines"][1]["questions"][0]["operands"].endswith("enumerate")
    assert document["lines"][1]["questions"][0]["outputs"] == 65536
    assert len(re.findall("^CONTRACT ", ran.out, flags=re.MULTILINE)) == 3
    assert sorted(path.name for path in place.iterdir()) == ["bitpact.lock", "list.txt"]


def test_what_did_not_change_is_unchanged(real, schema):
    place, _ = real
    ran = check(place, "--json")
    assert ran.code == 0, ran.out + ran.err
    jsonschema.validate(ran.json, schema("check"))
    for line in ran.json["lines"]:
        assert (line["outcome"], line["different"], line["identity"]) == ("unchanged", 0, [])
        assert not line["probed_again"]
        assert line["strength"].startswith("sampled: ")
    text = check(place).out
    assert text.count("unchanged  ") == 3
    assert "proof" not in text


def test_full_probes_again(real):
    place, _ = real
    ran = check(place, "--full", "--json")
    assert ran.code == 0, ran.out + ran.err
    assert all(line["probed_again"] and "the same contract" in line["strength"] for line in ran.json["lines"])


def test_an_order_is_named(tmp_path, schema):
    assert lock(tmp_path, [f"sum 8x64xf32 ; backend={liar('sequential')}"]).code == 0
    ran = check(tmp_path, "--json", "--backend", f"{liar('sequential')}={liar('lanes-8-neighbours')}")
    assert ran.code == 1, ran.out + ran.err
    jsonschema.validate(ran.json, schema("check"))
    line = ran.json["lines"][0]
    assert line["changes"] == ["order: sequential -> interleaved(8, pairwise(1))"]
    assert line["outcome"] == "changed"
    assert line["probed_again"]
    assert line["different"] > 0
    assert any("order" in sentence for sentence in line["words"])
    assert "flags: kernel=sequential -> kernel=lanes-8-neighbours" in line["identity"]
    assert line["first"]["locked"] != line["first"]["now"]
    text = check(tmp_path, "--backend", f"{liar('sequential')}={liar('lanes-8-neighbours')}").out
    assert text.startswith("CHANGED    sum 8x64xf32 axis=1 on ")
    assert "order: sequential -> interleaved(8, pairwise(1))" in text


def test_the_first_output_is_the_one_that_compare_finds(tmp_path):
    old, new = liar("sequential"), liar("reversed")
    assert lock(tmp_path, [f"sum 8x64xf32 ; backend={old}"]).code == 0
    first = check(tmp_path, "--json", "--backend", f"{old}={new}").json["lines"][0]["first"]
    ran = run("compare", first["problem"], "--reference", old, "--candidate", new, "--operands", first["operands"], "--json")
    outputs = ran.json["outputs"][0] if isinstance(ran.json.get("outputs"), list) else ran.json
    text = json.dumps(outputs)
    assert f'"index": {json.dumps(first["index"])}' in text
    for side in ("locked", "now"):
        assert re.search(r"0x[0-9a-f]+", first[side]).group(0) in text


def test_a_fused_product_is_named(tmp_path):
    old, new = liar("sequential"), liar("fma-from-zero")
    assert lock(tmp_path, [f"matmul 8x24xf32,24x8xf32 ; backend={old}"]).code == 0
    ran = check(tmp_path, "--json", "--backend", f"{old}={new}")
    assert ran.code == 1, ran.out + ran.err
    assert "product: rounded -> fused" in ran.json["lines"][0]["changes"]


def test_another_optimisation_level_of_iree_is_named(tmp_path):
    """O2 sums rows in another order than the compiler's default level."""
    ran = lock(tmp_path, ["sum 64xf32 ; backend=iree"])
    assert ran.code == 0, ran.out + ran.err
    assert check(tmp_path).code == 0
    ran = check(tmp_path, "--json", "--backend", "iree=iree[opt=O2]")
    assert ran.code == 1, ran.out + ran.err
    line = ran.json["lines"][0]
    assert (line["backend"], line["asked"], line["outcome"]) == ("iree", "iree[opt=O2]", "changed")
    assert any(change.startswith("order: ") for change in line["changes"])
    assert line["identity"] == ["flags: now --iree-opt-level=O2"]


def test_another_identity_with_the_same_bits_is_unchanged_and_said(tmp_path):
    """At 256 terms there is no tail, and the two kernels are one."""
    old, new = liar("lanes-8-neighbours"), liar("tail-masked")
    assert lock(tmp_path, [f"sum 4x256xf32 ; backend={old}"]).code == 0
    ran = check(tmp_path, "--json", "--backend", f"{old}={new}")
    assert ran.code == 0, ran.out + ran.err
    assert ran.json["lines"][0]["identity"] == ["flags: kernel=lanes-8-neighbours -> kernel=tail-masked"]
    assert "flags: kernel=lanes-8-neighbours -> kernel=tail-masked" in check(tmp_path, "--backend", f"{old}={new}").out


def test_the_start_of_a_sum_is_not_guessed(tmp_path):
    """Only sums of -0 tell a start with the first leaf from a start from zero."""
    problems = ("sum 8x64xf32", "matmul 8x24xf32,24x8xf32", "dot 24xbf16,24xbf16 out=f32")
    assert lock(tmp_path, [f"{problem} ; backend={liar('sequential')}" for problem in problems]).code == 0
    for line in json.loads((tmp_path / "bitpact.lock").read_text())["lines"]:
        assert line["parts"][0]["choices"]["start"] == "first"
        assert any(question["operands"].startswith("constants ") for question in line["questions"])


def test_without_a_contract_nothing_is_locked_unless_allowed(tmp_path):
    line = f"sum 8x64xf32 ; backend={liar('sorts-by-magnitude')}"
    (tmp_path / "bitpact.lock").write_text("what was there")
    ran = lock(tmp_path, ["add 4xf32,4xf32 ; backend=numpy", line])
    assert ran.code == 4
    assert "[lock-unknown]" in ran.err
    assert "1 of 2 line(s): sum 8x64xf32 axis=1 on " in ran.err
    assert (tmp_path / "bitpact.lock").read_text() == "what was there"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bitpact.lock", "list.txt"]

    ran = lock(tmp_path, [line], "--allow-unknown")
    assert ran.code == 0, ran.err
    assert ran.out.startswith("UNKNOWN ")
    locked = json.loads((tmp_path / "bitpact.lock").read_text())["lines"][0]
    assert "contract" not in locked
    assert locked["unknown"]["code"] in ("probe-unknown", "not-a-tree")
    assert check(tmp_path).code == 0
    ran = check(tmp_path, "--json", "--backend", f"{liar('sorts-by-magnitude')}={liar('sequential')}")
    assert ran.code == 1
    assert ran.json["lines"][0]["changes"] == ["no contract was locked, the probe finds one now: lock it again"]
    ran = check(tmp_path, "--json", "--backend", f"{liar('sorts-by-magnitude')}={liar('fused-4')}")
    assert ran.code == 1
    assert ran.json["lines"][0]["different"] > 0


def test_a_contract_that_is_lost_is_a_change(tmp_path):
    assert lock(tmp_path, [f"sum 8x64xf32 ; backend={liar('sequential')}"]).code == 0
    ran = check(tmp_path, "--json", "--backend", f"{liar('sequential')}={liar('sorts-by-magnitude')}")
    assert ran.code == 1
    assert re.match(r"a contract -> \[(probe-unknown|not-a-tree)\] ", ran.json["lines"][0]["changes"][0])


def test_what_is_not_deterministic_is_refused(tmp_path):
    for more in ((), ("--allow-unknown",)):
        ran = lock(tmp_path, [f"sum 8x64xf32 ; backend={liar('random-order')}"], *more)
        assert ran.code == 4
        assert "[nondeterministic]" in ran.err
        assert not (tmp_path / "bitpact.lock").exists()


def test_a_backend_that_is_absent_is_refused(real, tmp_path):
    place, _ = real
    report = tmp_path / "report.xml"
    ran = check(place, "--backend", "numpy=mlx:gpu", "--junit", report, "--json")
    assert ran.code == 3
    assert "[backend-absent]" in ran.err
    assert [line["outcome"] for line in ran.json["lines"]] == ["unchanged", "unchanged", "refused"]
    assert ran.json["lines"][2]["diagnostic"]["code"] == "backend-absent"
    suites = xml.etree.ElementTree.parse(report).getroot()
    assert (suites.get("tests"), suites.get("failures"), suites.get("errors")) == ("3", "0", "1")
    assert lock(tmp_path, ["add 4xf32,4xf32 ; backend=mlx:gpu"]).code == 3
    assert not (tmp_path / "bitpact.lock").exists()


def test_junit_names_the_change(tmp_path):
    old, new = liar("sequential"), liar("reversed")
    assert lock(tmp_path, [f"sum 8x64xf32 ; backend={old}", f"dot 24xf32,24xf32 ; backend={liar('pairwise-1')}"]).code == 0
    report = tmp_path / "report.xml"
    assert check(tmp_path, "--backend", f"{old}={new}", "--junit", report).code == 1
    suites = xml.etree.ElementTree.parse(report).getroot()
    assert (suites.tag, suites.get("tests"), suites.get("failures"), suites.get("errors")) == ("testsuites", "2", "1", "0")
    cases = list(suites.iter("testcase"))
    assert [case.get("name") for case in cases] == ["sum 8x64xf32 axis=1", "dot 24xf32,24xf32"]
    failure = cases[0].find("failure")
    assert failure.get("type") == "changed"
    assert "order: sequential -> reversed" in failure.get("message")
    assert cases[1].find("failure") is None


def broken_locks(document):
    """Each way to break a lock, with the words that must name it."""

    def changed(change, seal=True):
        other = copy.deepcopy(document)
        change(other)
        return json.dumps(reseal(other) if seal and "lines" in other else other)

    line = document["lines"][0]
    digest = "sha256:" + "0" * 64
    return {
        "json-malformed": [(json.dumps(document)[:-1], ""), ('{"schema":1,"schema":1}', "")],
        "lock-version": [(changed(lambda d: d.update(schema="bitpact.lock/2")), "bitpact.lock/2")],
        "lock-malformed": [
            ("[]", "needs an object"),
            (changed(lambda d: d.update(colour="red")), "/colour"),
            (changed(lambda d: d.pop("lines")), "/lines: is missing"),
            (changed(lambda d: d.update(lines=[])), "/lines"),
            (changed(lambda d: d["lines"][0]["questions"][0].update(sha256=digest), seal=False), "/sha256"),
            (changed(lambda d: d["lines"][0]["questions"][0].update(sha256="0")), "/lines/0/questions/0/sha256"),
            (changed(lambda d: d["lines"][0]["questions"][0].update(operands="some")), "/lines/0/questions/0/operands"),
            (changed(lambda d: d["lines"][0]["questions"][0].update(operands="constants 0x0,0x0")), "one constant an operand"),
            (
                changed(lambda d: d["lines"][0]["questions"][0].update(operands="constants 0x100000000")),
                "one constant an operand",
            ),
            (changed(lambda d: d["lines"][0]["questions"][0].update(operands="constants 0x0x")), "one constant an operand"),
            (changed(lambda d: d["lines"][0]["questions"][0].update(operands="constants 7")), "a constant without 0x"),
            (changed(lambda d: d["lines"][0]["questions"][0].update(outputs=9)), "/lines/0/questions/0/outputs"),
            (changed(lambda d: d["lines"][0]["questions"][0].update(problem="sum 4xf32")), "not the canonical line"),
            (changed(lambda d: d["lines"][0]["questions"][0].update(problem="add 4xf32,4xf32")), "another operator"),
            (changed(lambda d: d["lines"][0].update(questions=[])), "/lines/0/questions"),
            (changed(lambda d: d["lines"][0].update(arithmetic=[digest])), "/lines/0/arithmetic"),
            (changed(lambda d: d["lines"][0].update(problem="frobnicate 4xf32")), "/lines/0/problem"),
            (changed(lambda d: d["lines"][0].update(backend="iree[")), "/lines/0/backend"),
            (changed(lambda d: d["lines"][0]["identity"].update(version="9")), "its identity is not the line's"),
            (changed(lambda d: d["lines"][0]["contract"]["established"].update(note="better")), "/lines/0/contract/fingerprints"),
            (changed(lambda d: d["lines"][0]["parts"][0].update(flush="all")), "/lines/0/parts/0/flush"),
            (changed(lambda d: d["lines"][0].update(parted=line["others"] + 1)), "/lines/0/parted"),
        ],
    }


def test_a_malformed_lock_is_refused_by_name(real, tmp_path):
    place, _ = real
    document = json.loads((place / "bitpact.lock").read_text())
    for code, texts in broken_locks(document).items():
        for text, words in texts:
            (tmp_path / "bitpact.lock").write_text(text)
            ran = run("check", tmp_path / "bitpact.lock")
            assert ran.code == 2, (words, ran.out)
            assert f"[{code}]" in ran.err, (words, ran.err)
            assert words in ran.err, (words, ran.err)
            assert ran.out == ""


def test_a_list_that_is_wrong_names_its_line(tmp_path):
    for lines, words in (
        (["add 4xf32,4xf32"], 'list.txt:3: no "; backend=BACKEND"'),
        (["add 4xf32,4xf32 ; backend=numpy", "add 4xf32,4xf32 ; backend=numpy"], "list.txt:4: add 4xf32,4xf32 on numpy is there"),
        (["add 4xf32,4xf32 ; backend=numpy ; colour=red"], "list.txt:3: 'colour=red'"),
        (["add 4xf32,5xf32 ; backend=numpy"], "list.txt:3: "),
        (["add 4xf32,4xf32 ; backend=iree["], "list.txt:3: "),
        ([], "no line asks for anything"),
    ):
        ran = lock(tmp_path, lines)
        assert ran.code == 2, lines
        assert words in ran.err, ran.err
        assert not (tmp_path / "bitpact.lock").exists()


def test_mappings_that_fit_nothing_are_refused(real):
    place, _ = real
    for mapping in ("xla=iree", "mlx"):
        ran = run("check", place / "bitpact.lock", "--backend", mapping)
        assert ran.code == 2
        assert "OLD a backend of the lock: mlx, numpy" in ran.err
    ran = run("check", place / "bitpact.lock", "--backend", "mlx=xla", "--backend", "mlx=iree")
    assert ran.code == 2
    assert "mapped twice" in ran.err


def counted(text):
    return re.sub(r"\d+ of \d+ other programs", "n of m other programs", text)


def test_other_threads_of_xla_are_named(tmp_path):
    """Sums of columns: how many threads share the work decides the order."""
    (tmp_path / "operators.txt").write_text("sum 100x1024xf32 axis=0 ; backend=xla[threads=1]\n")
    few = ["--replay-outputs", "3000", "--replay-seconds", "1"]
    assert run("lock", "operators.txt", *few, cwd=tmp_path).code == 0
    assert run("check", *few, cwd=tmp_path).code == 0
    ran = run("check", "--backend", "xla[threads=1]=xla[threads=2]", *few, cwd=tmp_path)
    assert ran.code == 1, ran.out
    assert "CHANGED    sum 100x1024xf32 axis=0 on xla[threads=2] (locked on xla[threads=1])" in ran.out
    assert re.search(r"^  change    order: blocked\(4, sequential, blocked\(4\)\) -> ", ran.out, flags=re.MULTILINE)
    assert "  identity  threads: 1 -> 2" in ran.out
    assert max(map(len, ran.out.splitlines())) < 500


def test_the_page_shows_what_the_program_prints(tmp_path):
    """Every command of the page, in its order; the build folder is where the page says that it is."""
    text = (ROOT / "docs" / "lock.md").read_text()
    (tmp_path / "build").symlink_to(LIARS.parent)
    (tmp_path / "operators.txt").write_text(re.search(r"```text\n(.*?)```", text, flags=re.DOTALL).group(1))
    shown = 0
    for block in re.findall(r"```\n(\$ .*?)```", text, flags=re.DOTALL):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, out = part.partition("\n")
            ran = run(*shlex.split(command)[1:], cwd=tmp_path)
            printed = "\n".join(line.rstrip() for line in ran.out.strip().splitlines())
            # How many programs an operator may be changes with every choice point that is added.
            assert counted(printed) == counted(out.strip()), command
            shown += 1
    assert shown >= 3
