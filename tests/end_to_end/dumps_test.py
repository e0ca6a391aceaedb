"""bitpact compare A B on dumps written by NumPy (and .safetensors written from its layout), as a person who ports a model meets them."""

import copy
import json
import math
import re
import shlex
import struct
import xml.etree.ElementTree

import jsonschema
import ml_dtypes
import numpy
import pytest

DTYPES = {
    "float64": "F64",
    "float32": "F32",
    "float16": "F16",
    "bfloat16": "BF16",
    "int64": "I64",
    "int32": "I32",
    "int16": "I16",
    "int8": "I8",
    "uint8": "U8",
    "bool": "BOOL",
}


def save_safetensors(path, tensors):
    header, data, at = {}, [], 0
    for name, value in tensors.items():
        piece = numpy.ascontiguousarray(value).tobytes()
        header[name] = {"dtype": DTYPES[value.dtype.name], "shape": list(value.shape), "data_offsets": [at, at + len(piece)]}
        data.append(piece)
        at += len(piece)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + b"".join(data))
    return path


def save_folder(path, tensors):
    for name, value in tensors.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        numpy.save(path / f"{name}.npy", value)
    return path


def save_npz(path, tensors):
    numpy.savez(path, **tensors)
    return path


def save_compressed(path, tensors):
    numpy.savez_compressed(path, **tensors)
    return path


SAVE = {
    "safetensors": (save_safetensors, ".safetensors"),
    "folder": (save_folder, ""),
    "npz": (save_npz, ".npz"),
    "compressed": (save_compressed, ".npz"),
}


def save(kind, place, name, tensors):
    write, ending = SAVE[kind]
    return write(place / (name + ending), tensors)


def thousand():
    random = numpy.random.default_rng(7)
    return {f"step{i:04}": random.standard_normal((4, 5, 6), dtype=numpy.float32) for i in range(1000)}


def flipped(tensors):
    other = {name: value.copy() for name, value in tensors.items()}
    other["step0699"].view(numpy.uint32)[2, 3, 4] ^= 1 << 9
    return other


@pytest.mark.parametrize("kind", SAVE)
def test_one_bit_in_the_700th_of_1000_tensors(bitpact, schema, tmp_path, kind):
    tensors = thousand()
    a, b = save(kind, tmp_path, "a", tensors), save(kind, tmp_path, "b", flipped(tensors))
    same = bitpact("compare", a, a)
    assert same.code == 0, same.err
    assert "EQUAL: 1,000 tensors, bit for bit" in same.out
    ran = bitpact("compare", a, b, "--json")
    assert ran.code == 1, ran.err
    report = ran.json
    jsonschema.validate(report, schema("dump-comparison"))
    assert report["counts"]["equal"] == 999
    assert report["first"]["position"] == 700
    assert report["first"]["a"]["name"] == "step0699"
    assert report["first"]["difference"]["different"] == 1
    assert report["first"]["difference"]["first"]["index"] == [2, 3, 4]
    assert report["tensors"] == [report["first"]]
    text = bitpact("compare", a, b).out
    assert "step0699: 4x5x6xf32, tensor 700 of 1,000" in text
    assert "[2, 3, 4]" in text


@pytest.mark.parametrize("kinds", [("npz", "safetensors"), ("folder", "npz"), ("safetensors", "folder")])
def test_one_kind_against_another(bitpact, tmp_path, kinds):
    tensors = {
        "x": numpy.arange(6, dtype=numpy.float16).reshape(2, 3),
        "fortran": numpy.asfortranarray(numpy.arange(6, dtype=numpy.int32).reshape(2, 3)),
        "scalar": numpy.array(2.5),
        "empty": numpy.zeros((0, 3), dtype=numpy.int8),
        "flags": numpy.array([True, False]),
    }
    a, b = save(kinds[0], tmp_path, "a", tensors), save(kinds[1], tmp_path, "b", tensors)
    ran = bitpact("compare", a, b)
    assert ran.code == 0, ran.out + ran.err
    tensors["fortran"][1, 2] = 9
    ran = bitpact("compare", a, save(kinds[1], tmp_path, "c", tensors), "--json")
    assert ran.json["first"]["difference"]["first"]["index"] == [1, 2]
    assert ran.json["first"]["difference"]["max_abs"] == 4


def test_the_figures_are_numpys(bitpact, tmp_path):
    random = numpy.random.default_rng(1)
    a = {"t": random.standard_normal((40, 50)).astype(ml_dtypes.bfloat16), "i": numpy.array([5, -7, 2**62], dtype=numpy.int64)}
    b = {"t": a["t"].copy(), "i": numpy.array([5, 8, -(2**62)], dtype=numpy.int64)}
    b["t"][3:30] = (a["t"][3:30].astype(numpy.float32) * 1.01).astype(ml_dtypes.bfloat16)
    b["t"][31, 1], b["t"][31, 2], a["t"][32, 3] = numpy.nan, numpy.inf, -numpy.inf
    a["t"][0, 0], b["t"][0, 0] = 0.0, -0.0
    ran = bitpact("compare", save_safetensors(tmp_path / "a", a), save_safetensors(tmp_path / "b", b), "--json")
    t, i = (row["difference"] for row in ran.json["tensors"])
    x, y = a["t"].astype(numpy.float64), b["t"].astype(numpy.float64)
    bits = a["t"].view(numpy.uint16) != b["t"].view(numpy.uint16)
    finite = numpy.isfinite(x) & numpy.isfinite(y)
    assert t["different"] == bits.sum()
    assert t["first"]["index"] == [0, 0]
    assert t["zero_signs"] == 1
    assert (t["nan"], t["infinite"]) == ({"a": 0, "b": 1}, {"a": 1, "b": 1})
    assert t["finite"] == finite.sum()
    distance = numpy.abs(x - y)[finite]
    assert t["max_abs"] == distance.max()
    size = numpy.maximum(numpy.abs(x), numpy.abs(y))[finite]
    assert t["max_rel"] == (distance / numpy.where(size > 0, size, 1)).max()
    assert math.isclose(t["rms"], math.sqrt((distance**2).mean()), rel_tol=1e-12)
    assert i["greatest"]["ulps"] == 2**63
    assert i["max_abs"] == 2.0**63


def test_names_that_differ(bitpact, schema, tmp_path):
    random = numpy.random.default_rng(3)
    w = [random.standard_normal((2, 3)) for _ in range(4)]
    a = save_npz(tmp_path / "a.npz", {"h.0.w": w[0], "h.1.w": w[1], "head": w[2]})
    b = save_npz(tmp_path / "b.npz", {"layers_0_w": w[0], "layers_1_w": w[1] + 1, "lm_head": w[2]})
    ran = bitpact("compare", a, b, "--map", r"h\.(\d)\.=layers_$1_", "--json")
    assert ran.code == 1
    jsonschema.validate(ran.json, schema("dump-comparison"))
    assert ran.json["maps"] == [{"regex": r"h\.(\d)\.", "replacement": "layers_$1_", "renamed": 2}]
    assert [(row["matched_by"], row["outcome"]) for row in ran.json["tensors"]] == [("map", "differs"), ("content", "equal")]
    by_name = bitpact("compare", a, b, "--match", "name", "--json").json
    assert (by_name["counts"]["only_in_a"], by_name["counts"]["only_in_b"]) == (3, 3)
    by_shape = bitpact("compare", a, b, "--match", "shape")
    assert "matched by shape only, not by name:\n  h.1.w = layers_1_w\n" in by_shape.out
    idle = bitpact("compare", a, a, "--map", "nothing=else")
    assert idle.code == 0
    assert "renames no tensor" in idle.err
    for wrong in ("no-equals", "=x", "(=x"):
        assert bitpact("compare", a, a, "--map", wrong).code == 2


def test_the_order_and_the_step_that_parted(bitpact, schema, tmp_path):
    x = {name: numpy.ones(3, dtype=numpy.float32) for name in ("norm", "attn", "x", "mlp")}
    y = {name: value.copy() for name, value in x.items()}
    y["attn"][1], y["mlp"][2] = 2, 3
    a, b = save_safetensors(tmp_path / "a.safetensors", x), save_safetensors(tmp_path / "b.safetensors", y)
    order = tmp_path / "order.txt"
    order.write_text("# the model\nx\nnorm: x\nattn: norm, x\nmlp: attn\n")
    ran = bitpact("compare", a, b, "--order", order)
    assert ran.code == 1
    assert re.search(r"first +attn: 3xf32, tensor 3 of 4 in the order of ", ran.out)
    assert "the step itself parted: all that it reads is equal, bit for bit" in ran.out
    report = bitpact("compare", a, b, "--order", order, "--json").json
    jsonschema.validate(report, schema("dump-comparison"))
    assert [(row["a"]["name"], row["step"], row["step_parted"]) for row in report["tensors"]] == [
        ("attn", "inputs-equal", True),
        ("mlp", "inputs-differ", False),
    ]
    assert report["tensors"][1]["step_input"] == "attn"
    # Without what it reads nothing is claimed.
    order.write_text("attn\n")
    assert "parted" not in bitpact("compare", a, b, "--order", order).out
    order.write_text("atn\n")
    ran = bitpact("compare", a, b, "--order", order)
    assert ran.code == 2
    assert f"{order}:1: neither dump has a tensor named 'atn'" in ran.err


def test_missing_tensors_and_other_shapes_are_differences(bitpact, tmp_path):
    a = save_npz(tmp_path / "a.npz", {"x": numpy.zeros((2, 3)), "y": numpy.zeros(4, dtype=numpy.float32)})
    for tensors, words in (
        ({"x": numpy.zeros((2, 3))}, "only in A: 4xf32"),
        ({"x": numpy.zeros((3, 2)), "y": numpy.zeros(4, dtype=numpy.float32)}, "another shape: 2x3xf64 against 3x2xf64"),
        (
            {"x": numpy.zeros((2, 3)), "y": numpy.zeros(4, dtype=numpy.float16)},
            "another format, not compared: 4xf32 against 4xf16",
        ),
    ):
        ran = bitpact("compare", a, save_npz(tmp_path / "b.npz", tensors))
        assert ran.code == 1
        assert words in ran.out


def test_junit_is_xml_whatever_the_names_are(bitpact, tmp_path):
    odd = 'a<b> & "c"\t\u0001 \u00e9'
    a = save_safetensors(tmp_path / "a.safetensors", {odd: numpy.zeros(2, dtype=numpy.int8), "same": numpy.zeros(1)})
    b = save_safetensors(tmp_path / "b.safetensors", {odd: numpy.ones(2, dtype=numpy.int8), "same": numpy.zeros(1)})
    report = tmp_path / "report.xml"
    assert bitpact("compare", a, b, "--junit", report).code == 1
    suites = xml.etree.ElementTree.parse(report).getroot()
    assert (suites.tag, suites.get("tests"), suites.get("failures")) == ("testsuites", "2", "1")
    cases = {case.get("name"): case for case in suites.iter("testcase")}
    assert set(cases) == {odd.replace("\u0001", "\\x01"), "same"}
    assert cases["same"].find("failure") is None
    failure = cases[odd.replace("\u0001", "\\x01")].find("failure")
    assert failure.get("type") == "differs"
    assert "2 of 2 elements" in failure.get("message")


def test_a_broken_dump_gets_no_verdict(bitpact, tmp_path):
    a = save_npz(tmp_path / "a.npz", {"x": numpy.zeros(3)})
    folder = save_folder(tmp_path / "f", {"x": numpy.zeros(3)})
    (folder / "x.npy").write_bytes((folder / "x.npy").read_bytes()[:-1])
    for b in (tmp_path / "missing.npz", folder):
        ran = bitpact("compare", a, b)
        assert (ran.code, ran.out) == (2, "")


def test_options_of_the_other_mode_are_refused_by_name(bitpact, tmp_path):
    a = save_npz(tmp_path / "a.npz", {"x": numpy.zeros(3)})
    for arguments, word in (
        ((a, a, "--candidate", "iree"), "--candidate belongs to a comparison of backends"),
        (("sum", "4xf32", "--candidate", "iree", "--repeat", "2"), "--candidate, --repeat belongs"),
        (("sum 4xf32", "--candidate", "native", "--order", "o"), "--order belongs to a comparison of two dumps"),
        ((a,), "is a file: give two dumps"),
        (("sum 4xf32",), "--candidate is required"),
    ):
        ran = bitpact("compare", *arguments)
        assert ran.code == 2
        assert "[usage]" in ran.err
        assert word in ran.err


def test_the_schema_is_strict(bitpact, schema, tmp_path):
    a = save_npz(tmp_path / "a.npz", {"x": numpy.zeros(3)})
    report = bitpact("compare", a, save_npz(tmp_path / "b.npz", {"x": numpy.ones(3)}), "--json").json
    for key in report:
        broken = copy.deepcopy(report)
        del broken[key]
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(broken, schema("dump-comparison"))


def transcripts(text):
    """Commands and what they print, of the blocks of a page that begin with a prompt."""
    for block in re.findall(r"```\n(\$ .*?)```", text, flags=re.DOTALL):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, out = part.partition("\n")
            if command.startswith("build/bitpact compare ref.safetensors "):
                yield command, out.strip()


def documented_dumps(place):
    """The dumps of the pages: a layer of a model, ported with one step that rounds otherwise."""
    names = ["embed", "h.0.norm", "h.0.attn", "h.0.mlp", "h.1.norm", "h.1.attn", "h.1.mlp", "logits"]
    base = (numpy.arange(64, dtype=numpy.float32) / 7 - 4).reshape(8, 8)
    ref = {name: (base * (i + 1)).astype(numpy.float32) for i, name in enumerate(names)}
    port = {name: value.copy() for name, value in ref.items()}
    for name in ("h.1.attn", "h.1.mlp", "logits"):
        port[name] = port[name].astype(ml_dtypes.bfloat16).astype(numpy.float32)
    save_safetensors(place / "ref.safetensors", ref)
    save_safetensors(place / "port.safetensors", port)
    save_npz(place / "jax.npz", {name.replace("h.", "layers_"): value for name, value in port.items()})
    steps = [f"{name}: {names[i - 1]}" if i else name for i, name in enumerate(names)]
    (place / "order.txt").write_text("\n".join(steps) + "\n")


@pytest.mark.parametrize("page", ["README.md", "docs/dumps.md"])
def test_the_pages_show_what_the_program_prints(bitpact, root, tmp_path, page):
    documented_dumps(tmp_path)
    shown = list(transcripts((root / page).read_text()))
    assert shown
    for command, out in shown:
        ran = bitpact(*shlex.split(command)[1:], cwd=tmp_path)
        assert out == "\n".join(line.rstrip() for line in ran.out.strip().splitlines()), f"{page}: {command}"
