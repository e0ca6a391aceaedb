"""bitpact show and diff draw orders: the pages, the JSON read back and expanded, the SVG, and what is refused."""

import json
import re
import shlex
import time
import xml.etree.ElementTree

import jsonschema
import numpy
import pytest

UTF8 = {"LC_ALL": "C.UTF-8"}
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def contract(bitpact, tmp_path):
    """The path of a contract of a sum with this order."""

    def write(order):
        path = tmp_path / f"{re.sub('[^a-z0-9]+', '-', order)}.json"
        ran = bitpact("contract", "sum 16xf32", "--set", f"order={order}", "-o", path)
        assert ran.code == 0, ran.err
        return path

    return write


# ---- the definition, in nested pairs: ("step", state, leaf), ("merge", left, right)


def chain(leaves):
    state = leaves[0]
    for leaf in leaves[1:]:
        state = ("step", state, leaf)
    return state


def in_a_row(items):
    state = items[0]
    for item in items[1:]:
        state = ("merge", state, item)
    return state


def pairwise(items, cutoff, base):
    if len(items) <= cutoff:
        return base(items)
    half = len(items) // 2
    return ("merge", pairwise(items[:half], cutoff, base), pairwise(items[half:], cutoff, base))


def lanes(items, width):
    return [chain(items[j::width]) for j in range(min(width, len(items)))]


def blocks(items, size):
    return [items[i : i + size] for i in range(0, len(items), size)]


ORDERS = {
    "sequential": chain,
    "reversed": lambda x: chain(x[::-1]),
    "interleaved(8)": lambda x: in_a_row(lanes(x, 8)),
    "interleaved(8, pairwise(1))": lambda x: pairwise(lanes(x, 8), 1, in_a_row),
    "blocked(16)": lambda x: in_a_row([chain(b) for b in blocks(x, 16)]),
    "blocked(16, interleaved(4), pairwise(1))": lambda x: pairwise([in_a_row(lanes(b, 4)) for b in blocks(x, 16)], 1, in_a_row),
    "pairwise(1)": lambda x: pairwise(x, 1, chain),
    "pairwise(8)": lambda x: pairwise(x, 8, chain),
}


def expand(tree):
    def at(number, origin):
        ((kind, s),) = tree["shapes"][number].items()
        if kind == "run":
            return chain([origin + i * s["stride"] for i in range(s["count"])])
        state = at(s["head"], origin)
        for i in range(s["count"]):
            there = origin + s["first"] + i * s["stride"]
            if s["how"] == "joins":
                state = ("merge", state, at(s["item"], there))
            elif s["how"] == "joins-left":
                state = ("merge", at(s["item"], there), state)
            else:
                run = tree["shapes"][s["item"]]["run"]
                for k in range(run["count"]):
                    state = ("step", state, there + k * run["stride"])
        return state

    return at(tree["root"], tree["origin"])


@pytest.mark.parametrize("order", ORDERS)
def test_the_json_expands_to_the_order(bitpact, schema, contract, order):
    path = contract(order)
    for n in (1, 2, 7, 16, 33, 100):
        ran = bitpact("show", path, "--length", n, "--json")
        assert ran.code == 0, ran.err
        jsonschema.validate(ran.json, schema("show"))
        (drawn,) = ran.json["orders"]
        assert (drawn["leaves"], drawn["name"]) == (n, "the sum over n")
        # Deep tuples: compared as text.
        assert repr(expand(drawn["tree"])) == repr(ORDERS[order](list(range(n))))


def test_the_length_is_that_of_a_verified_problem(bitpact, root):
    drawn = bitpact("show", "contracts/mlx/matmul-bf16.json", "--json").json["orders"]
    assert [order["leaves"] for order in drawn] == [64]
    assert "64 leaves" in bitpact("show", "contracts/mlx/matmul-bf16.json", "--tree").out
    assert bitpact("show", "contracts/mlx/add-f32.json", "--tree").out == "no fold: nothing is joined, so there is no order\n"
    assert bitpact("show", "contracts/mlx/add-f32.json", "--json").json["orders"] == []


def test_a_million_leaves(bitpact, contract, tmp_path):
    for order in ORDERS:
        path, svg = contract(order), tmp_path / "out.svg"
        start = time.monotonic()
        ran = bitpact("show", path, "--tree", "--length", 1000000, "--svg", svg)
        assert ran.code == 0, ran.err
        assert (
            time.monotonic() - start < 10
        )  # far more than it takes, for a busy machine; the C++ test counts the processor's time
        assert len(ran.out.splitlines()) <= 40
        assert svg.stat().st_size < 40000


def test_what_is_refused(bitpact, contract):
    path = contract("sequential")
    for length in ("0", "-3", "4194305", "x"):
        ran = bitpact("show", path, "--length", length)
        assert (ran.code, ran.out) == (2, "")
        assert "[usage]" in ran.err
    ran = bitpact("show", path, "--svg", "/nowhere/at/all.svg")
    assert ran.code == 2
    assert "[file-unwritable]" in ran.err


def test_plain_ascii(bitpact, contract):
    path = contract("pairwise(1)")
    drawn = bitpact("show", path, "--tree", env=UTF8).out
    assert "├─ " in drawn
    plain = drawn.replace("├─", "|-").replace("└─", "`-").replace("│", "|")
    assert plain.isascii()
    assert bitpact("show", path, "--tree", "--ascii", env=UTF8).out == plain
    assert bitpact("show", path, "--tree", env={"LC_ALL": "C"}).out == plain
    other = contract("sequential")
    assert bitpact("diff", path, other, env={"LC_ALL": "C"}).out.isascii()
    assert not bitpact("diff", path, other, env=UTF8).out.isascii()


def test_diff_names_the_leaves(bitpact, schema, contract, tmp_path):
    svg = tmp_path / "parting.svg"
    ran = bitpact("diff", contract("sequential"), contract("pairwise(1)"), "--svg", svg, "--json")
    assert ran.code == 1
    jsonschema.validate(ran.json, schema("diff"))
    (order,) = ran.json["orders"]
    assert order["kind"] == "parting"
    assert order["leaves"] == 16
    assert order["step"]["left"] == [{"first": 0, "stride": 1, "count": 2}]
    assert order["step"]["right"] == [{"first": 2, "stride": 1, "count": 1}]
    assert order["part"] == [{"first": 0, "stride": 1, "count": 4}]
    for side, name in (("first", "sequential"), ("second", "pairwise(1)")):
        assert repr(expand(order[side])) == repr(ORDERS[name](list(range(16))))
        assert sum("different" in shape.get("series", {}) for shape in order[side]["shapes"]) == 1
    texts = [element.text for element in xml.etree.ElementTree.parse(svg).iter(f"{SVG}text")]
    assert (
        "the first joins leaves 0, 1 with leaf 2; the second joins leaves 0, 1 with leaves 2, 3, and leaf 2 with leaf 3" in texts
    )
    assert texts.count("parts here") == 3
    assert sum("smallest part that differs]" in text for text in texts) == 2


def test_diff_finds_the_length_at_which_they_part(bitpact, contract):
    ran = bitpact("diff", contract("blocked(64)"), contract("blocked(512)"))
    assert ran.code == 1
    assert "part, of 100 leaves" in ran.out
    ran = bitpact("diff", contract("blocked(64)"), contract("blocked(512)"), "--length", 64)
    assert ran.code == 1  # the arithmetic differs, if not at 64 leaves
    assert "do not part at 64 leaves" in ran.out
    ran = bitpact("diff", contract("blocked(64)"), contract("blocked(64)"), "--json")
    assert (ran.code, ran.json["orders"]) == (0, [])


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("n", [8, 33, 1000])
def test_svg_is_well_formed_and_alone(bitpact, contract, tmp_path, order, n):
    svg = tmp_path / "out.svg"
    assert bitpact("show", contract(order), "--length", n, "--svg", svg).code == 0
    drawn = xml.etree.ElementTree.parse(svg).getroot()
    assert drawn.tag == f"{SVG}svg"
    assert drawn.find(f"{SVG}title").text == "sum f32 -> f32: in which order it joins"
    # The words are those of the terminal.
    assert drawn.find(f"{SVG}desc").text == bitpact("show", contract(order), "--length", n, "--ascii").out or n == 1000
    assert "prefers-color-scheme: dark" in drawn.find(f"{SVG}style").text
    assert "href" not in svg.read_text()
    width, height = float(drawn.get("width")), float(drawn.get("height"))
    for shape in drawn.iter(f"{SVG}rect"):
        if shape.get("class") == "ground":
            continue
        assert float(shape.get("x")) >= 0
        assert float(shape.get("x")) + float(shape.get("width")) <= width
        assert 0 <= float(shape.get("y")) < height


def transcripts(text):
    for block in re.findall(r"```\n(\$ .*?)```", text, flags=re.DOTALL):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, out = part.partition("\n")
            yield command, out.strip()


def test_the_page_shows_what_the_program_prints(bitpact, root, tmp_path):
    page = (root / "docs/pictures.md").read_text()
    shown = list(transcripts(page))
    assert len(shown) > 8
    for command, out in shown:
        ran = bitpact(*shlex.split(command)[1:], cwd=tmp_path, env=UTF8)
        assert ran.code in (0, 1), ran.err
        assert out == "\n".join(line.rstrip() for line in ran.out.strip().splitlines()), command
    # The sums of its table.
    numpy.save(tmp_path / "x.npy", numpy.array([1e8, 1, -1e8, 1] * 4, numpy.float32))
    sums = dict(re.findall(r"^\| `(\w+)[^`]*` \| (\d+) \|$", page, flags=re.MULTILINE))
    assert list(sums) == ["sequential", "interleaved", "pairwise"]
    for name, value in sums.items():
        assert bitpact("run", f"{name}.json", "x.npy", "-o", "y.npy", cwd=tmp_path).code == 0
        assert numpy.load(tmp_path / "y.npy") == numpy.float32(value)
    # Its pictures.
    for name in sums:
        assert bitpact("show", f"{name}.json", "--svg", f"{name}.svg", cwd=tmp_path).code == 0
    assert bitpact("diff", "sequential.json", "pairwise.json", "--svg", "parting.svg", cwd=tmp_path).code == 1
    pictures = re.findall(r"\]\(pictures/(\w+\.svg)\)", page)
    assert sorted(pictures) == sorted([*(f"{name}.svg" for name in sums), "parting.svg"])
    for picture in pictures:
        assert (root / "docs/pictures" / picture).read_text() == (tmp_path / picture).read_text(), picture


@pytest.fixture
def tree_contract(bitpact, contract, tmp_path):
    """The path of a contract of a sum with this order, which the command line may not be able to spell."""

    def write(order):
        document = json.loads(contract("pairwise(1)").read_text())
        document["pieces"][0]["program"]["nodes"][1]["fold"]["order"] = order
        path = tmp_path / "tree.json"
        for _ in range(3):  # the reader says which fingerprints it has
            path.write_text(json.dumps(document))
            ran = bitpact("show", path)
            found = re.search(r"/fingerprints/(arithmetic/0|contract): (\S+) is written, the content has (\S+)", ran.err)
            if found is None:
                break
            if found[1] == "contract":
                document["fingerprints"]["contract"] = found[3]
            else:
                document["fingerprints"]["arithmetic"][0] = found[3]
        assert ran.code == 0, ran.err
        return path

    return write


def test_an_order_for_one_length_is_drawn_at_it(bitpact, contract, tree_contract):
    path = tree_contract({"kind": "tree", "merges": [[0, 1], [3, 2]]})
    assert "3 leaves: tree(0+1 3+2)" in bitpact("show", path, "--tree").out
    ran = bitpact("show", path, "--tree", "--length", 4)
    assert ran.code == 2
    assert "[contract-program]" in ran.err
    ran = bitpact("diff", path, contract("sequential"), "--ascii")
    assert ran.code == 1
    assert "the same leaves are joined everywhere, but leaf 0 with leaf 1 by a merge in the first" in ran.out


def test_where_no_length_is_known(bitpact, contract, schema, tree_contract, tmp_path):
    """Blocks of 5000, each a tree: nothing up to 4096 will do, and the rest of the contract is shown all the same."""
    merges = [[0 if t == 0 else 4999 + t, t + 1] for t in range(4999)]
    path = tree_contract({"kind": "blocked", "block": 5000, "inner": {"kind": "tree", "merges": merges}})
    ran = bitpact("show", path, "--tree", "--svg", tmp_path / "none.svg")
    assert ran.code == 0, ran.err
    assert "not drawn, since no length is known for it (give --length): order: a tree for 5000 items was given 16" in ran.out
    xml.etree.ElementTree.parse(tmp_path / "none.svg")
    ran = bitpact("show", path, "--json")
    jsonschema.validate(ran.json, schema("show"))
    assert "--length" in ran.json["orders"][0]["refused"]
    assert "10000 leaves, joined" in bitpact("show", path, "--length", 10000).out
    ran = bitpact("diff", path, contract("sequential"))
    assert (ran.code, "are not drawn: order: a tree for 5000 items" in ran.out) == (1, True)
