"""Graph files that misstate their contents or would take for ever to load: each family at several scales."""
import io
import json
import struct
import zipfile

import numpy as np

NOTHING = {"dict": {}}
X = {"symbol": [0, 0]}


def tuple_of(*parts):
    return {"tuple": list(parts)}


def list_of(*parts):
    return {"list": list(parts)}


def result(number):
    return {"symbol": [number, 0]}


def content(**changes):
    """Return graph.json's content for an identity graph, with changes."""
    return {"format": "lazyarr graph", "version": 1, "name": "g", "inputs": [["x", [3], "<f8"]], "calls": [],
            "outputs": X, "arrays": 0} | changes


def archive(text, *arrays, compression=zipfile.ZIP_STORED, more=()):
    """Return a file's bytes from the content of graph.json and the bytes of arrays."""
    made = io.BytesIO()
    text = json.dumps(text) if isinstance(text, dict) else text
    with zipfile.ZipFile(made, "w", compression) as file:
        for name, data in [("graph.json", text), *[(f"arrays/{k}.npy", x) for k, x in enumerate(arrays)], *more]:
            file.writestr(zipfile.ZipInfo(name), data, compression)
    return made.getvalue()


def npy(header, data=b"", version=b"\x01\x00"):
    """Return the bytes of an array file with any header."""
    header = header.encode() + b"\n"
    length = struct.pack("<H", min(len(header), 65535)) if version == b"\x01\x00" else struct.pack("<I", len(header))
    return b"\x93NUMPY" + version + length + header + data


def array(shape, dtype="'<f8'", data=b"", order="False"):
    return npy(f"{{'descr': {dtype}, 'fortran_order': {order}, 'shape': {shape}, }}", data)


def with_array(data, kind="lazy", scalar=False):
    """Return a graph that adds an array to its input."""
    add = ["operator add", tuple_of(X, {"array": [0, kind, scalar]}), NOTHING]
    return archive(content(calls=[add], outputs=result(1), arrays=1), data)


def with_calls(*calls, **changes):
    """Return a graph of calls, each a name and its arguments, whose result is that of the last."""
    return archive(content(calls=[[name, tuple_of(*args), NOTHING] for name, *args in calls],
                           outputs=result(len(calls)), **changes))


def with_text(old, new):
    """Return a file with a substitution in its JSON."""
    return archive(json.dumps(content()).replace(old, new))


def patched(data, signature, place, form, value):
    """Return a file with a number replaced in the last record with this signature of a ZIP archive."""
    made = bytearray(data)
    struct.pack_into(form, made, data.rindex(signature) + place, value)
    return bytes(made)


END, ENTRY, LOCAL = b"PK\x05\x06", b"PK\x01\x02", b"PK\x03\x04"
WHOLE = archive(content(arrays=1), array("(2,)", data=bytes(16)))


def calls_that_compute(n):
    """Return calls whose time or memory depends on their arguments, not on the length of the file."""
    x_n = {"inputs": [["x", [n], "<f8"]]}
    shape = {"shape": [0, 0]}
    yield "repeat", with_calls(("numpy repeat", X, n))
    yield "tile", with_calls(("numpy tile", X, n))
    yield "pad", with_calls(("numpy pad", X, n))
    yield "differences", with_calls(("numpy diff", X, n))
    yield "sections", with_calls(("numpy array_split", X, n))
    yield "bins", with_calls(("numpy histogram", X, n))
    yield "columns", with_calls(("numpy vander", X, n))
    yield "transform", with_calls(("numpy fft.fft", X, n))
    yield "broadcast", with_calls(("numpy broadcast_to", X, tuple_of(n, 3)))
    yield "a repeated shape", with_calls(("operator mul", shape, n))
    yield "zeros", with_calls(("numpy zeros", shape), **x_n)
    yield "rows that are joined", with_calls(("numpy concatenate", X), **x_n)
    yield "rows that are stacked", with_calls(("numpy stack", X), **x_n)
    yield "all indices", with_calls(("numpy indices", shape), **x_n)
    yield "a window", with_calls(("operator getitem", X, {"slice": [0, n, None]}), **x_n)


def numbers(digits):
    """Yield files with a number of `digits` digits, in each possible place."""
    n = "9" * digits
    yield "an extent", with_text("[3]", f"[{n}]")
    yield "a version", with_text('"version": 1', f'"version": {n}')
    yield "how many arrays", with_text('"arrays": 0', f'"arrays": {n}')
    yield "a reference", with_text("[0, 0]", f"[{n}, {n}]")
    yield "a negative one", with_text("[0, 0]", f"[-{n}, 0]")
    yield "a fraction", with_text("[0, 0]", f"[0.{n}, 0]")
    yield "an exponent", with_text('"version": 1', f'"version": 1e{n}')
    yield "an argument", archive(
        json.dumps(content(calls=[["operator add", tuple_of(X, 7), NOTHING]], outputs=result(1))).replace("7", n))
    yield "a float", with_calls(("operator mul", X, {"float": f"0x{n}p{n}"}))


def lengths(n):
    """Yield files with `n` parts of one kind, or one part of length `n`."""
    yield "nested lists", with_text('"outputs": ', '"outputs": ' + "[" * n)
    yield "nested tables", with_text('"outputs": ', '"outputs": ' + '{"list":' * n)
    yield "nested outputs", with_text('{"symbol": [0, 0]}', '{"list": [' * n + '{"symbol": [0, 0]}' + "]}" * n)
    yield "nested arguments", archive(json.dumps(content(calls=[["numpy sum", tuple_of("?"), NOTHING]])).replace(
        '"?"', '{"tuple": [' * n + "0" + "]}" * n))
    yield "brackets in a string", with_text('"g"', '"' + "[" * n + '"')
    yield "quotes", with_text('"g"', '"' + '\\"' * n)
    yield "empty lists", with_text('"outputs"', '"more": [' + "[]," * n + '0], "outputs"')
    yield "axes", with_text("[3]", str([1] * n))
    yield "axes that are not known", with_text("[3]", json.dumps([None] * n))
    yield "a name", with_text('"x"', '"' + "x" * n + '"')
    yield "a name of a function", with_calls(("numpy " + "x" * n, X))
    yield "a dtype", with_text("<f8", "f8," * n)
    yield "a dtype of an argument", with_calls(("method astype", X, {"dtype": "f8," * n}))
    yield "a float", with_calls(("operator mul", X, {"float": "0x1" + "0" * n}))
    yield "operands", with_calls(("numpy concatenate", tuple_of(*[X] * n)))
    yield "shapes", with_calls(("numpy zeros", tuple_of(*[{"shape": [0, 0]}] * n)), inputs=[["x", [2] * 60, "?"]])
    yield "outputs", archive(content(outputs=list_of(*[X] * n)))
    yield "one key", with_text('"version": 1', '"version": 1, ' * n + '"version": 1')
    yield "parts of an archive", archive(content(), more=[(f"{k}", b"") for k in range(n // 10)])
    yield "parts of one name", WHOLE[:-22] + b"".join([WHOLE[WHOLE.index(ENTRY):-22]] * (n // 10)) + WHOLE[-22:]
    yield "a comment", WHOLE[:-2] + struct.pack("<H", min(n, 65535)) + b"-" * n
    yield "a header in brackets", with_array(npy("(" * n))
    yield "a header of signs", with_array(array("(" + "-" * n + "1,)"))
    yield "a header of axes", with_array(array("(" + "1," * n + ")"))
    yield "an array of fields", with_array(array("(1,)", str([(f"f{k}", "<f8") for k in range(n)])))


def growth(n):
    """Return graphs in which each call enlarges the result of the one before."""
    yield "sums of itself", with_calls(*[("operator add", result(k), result(k)) for k in range(n)])
    yield "joined with itself", with_calls(*[("numpy concatenate", tuple_of(result(k), result(k))) for k in range(n)])
    yield "squares in size", with_calls(*[("numpy outer", result(k), result(k)) for k in range(n)])
    yield "powers", with_calls(*[("operator pow", result(k), 10**9) for k in range(n)])
    inputs = [["x", [], "<f8"]]
    yield "derivatives of derivatives", with_calls(
        ("operator mul", X, X), *[("method grad", result(k), X) for k in range(1, n)], inputs=inputs)


def sizes(n):
    """Yield files with an array or part that claims a size of `n`."""
    yield "an array", with_array(array(f"({n},)"))
    yield "a scalar", with_array(array(f"({n},)"), "numpy", True)
    yield "rows and columns", with_array(array(f"({n}, {n})"))
    yield "negative extents", with_array(array(f"(-{n}, -1)"))
    yield "no elements", with_array(array(f"(0, {n})"))
    yield "elements without bytes", with_array(array(f"({n},)", "'|V0'"))
    yield "long strings", with_array(array("(1,)", f"'<U{n}'"))
    yield "fields", with_array(array("(1,)", f"[('a', '<f8', ({n},))]"))
    yield "objects", with_array(array(f"({n},)", "'|O'"))
    yield "in columns", with_array(array(f"({n}, 1)", order="True"))
    for place, size, form in [(20, 4, "<I"), (24, 4, "<I"), (42, 4, "<I")]:
        yield f"at {place} of an entry", patched(WHOLE, ENTRY, place, form, n % (1 << 8 * size))
    for place, size, form in [(8, 2, "<H"), (12, 4, "<I"), (16, 4, "<I")]:
        yield f"at {place} of the end", patched(WHOLE, END, place, form, n % (1 << 8 * size))


def others():
    """Return files that are neither long nor large."""
    zeros = bytes(10**7)
    for name, way in [("deflated", zipfile.ZIP_DEFLATED), ("bzip2", zipfile.ZIP_BZIP2), ("lzma", zipfile.ZIP_LZMA)]:
        yield f"a bomb, {name}", archive(content(), zeros, compression=way)
    yield "encrypted", patched(WHOLE, ENTRY, 8, "<H", 1)
    yield "parts that overlap", patched(WHOLE, ENTRY, 42, "<I", 0)
    yield "an archive in an archive", archive(content(arrays=1), WHOLE)
    yield "a way out", archive(content(), more=[("../../graph.json", "{}"), ("/etc/passwd", "")])
    yield "utf-16", archive(json.dumps(content()).encode("utf-16"))
    yield "no ascii", with_text('"g"', '"é"')
    yield "a pickle", with_array(np.array([{}], object).dumps())
    for version in b"\x02\x00", b"\x03\x00", b"\x09\x00":
        yield f"version {version[0]} of arrays", with_array(npy("{}", version=version))
    for number in "NaN", "Infinity", "-Infinity":
        yield number, with_text('"version": 1', f'"version": {number}')
    for name in "ufunc f2py", "ufunc testing", "ufunc __loader__", "operator attrgetter", "attribute __dict__":
        yield name, with_calls((name, X))
    for dtype in "O", "V1000000000", "(1000000000,)f8", "f8,f8", "U1000000000", ["f8"], {"names": []}, 5, None:
        yield f"dtype {dtype}", archive(content(inputs=[["x", [3], dtype]]))
        yield f"argument {dtype}", with_calls(("method astype", X, {"dtype": dtype}))
    yield "a cycle", with_calls(("operator neg", result(1)))
    yield "two inputs of one name", archive(content(inputs=[["x", [], "<f8"]] * 2))
    yield "an input without a name", archive(content(inputs=[[None, [], "<f8"]]))
    yield "keys that are no strings", archive(content(calls=[["numpy sum", tuple_of(X), list_of()]]))


def files():
    """Yield all of them, with descriptions."""
    for family, scales in [
        (calls_that_compute, (10**4, 10**9)), (numbers, (5, 19, 900, 10**5)), (lengths, (70, 1800, 5000)),
        (growth, (20, 1000)), (sizes, (10**3, 10**6, 10**9, 10**12)),
    ]:
        for scale in scales:
            for what, data in family(scale):
                yield f"{family.__name__}, {scale}: {what}", data
    for what, data in others():
        yield what, data
