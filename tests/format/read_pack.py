# SPDX-License-Identifier: Apache-2.0
"""Reads recording sets and exported files by docs/format.md alone, and compares them with the bytes they were made of.

read_pack.py SET|FILE [EXPECTED]: EXPECTED holds <name of the manifest>.<before|after>.<region>, whole regions.
Shares no code with Mneme: what it accepts is what the page says.
"""
import ctypes
import ctypes.util
import json
import pathlib
import re
import struct
import sys

CHUNK = 65536
KINDS = ["device", "managed", "pinned", "registered", "global", "constant"]
ELEMENTS = ["bytes", "f16", "bf16", "f32", "f64", "i8", "i16", "i32", "i64"]
ZSTD, RAW, TABLE, MANIFEST, CODE, TOLERANCES = 1, 2, 3, 4, 5, 6


class Hash(ctypes.Structure):
    _fields_ = [("low", ctypes.c_uint64), ("high", ctypes.c_uint64)]


def library(name):
    found = ctypes.util.find_library(name)
    if not found:
        print(f"skipped: no lib{name}")
        sys.exit(77)
    return ctypes.CDLL(found)


xxhash, zstd = library("xxhash"), library("zstd")
xxhash.XXH3_128bits.restype = Hash
xxhash.XXH3_128bits.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
zstd.ZSTD_decompress.restype = ctypes.c_size_t
zstd.ZSTD_decompress.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t]


def digest(data):
    value = xxhash.XXH3_128bits(data, len(data))
    return struct.pack(">QQ", value.high, value.low)


def demand(holds, what):
    if not holds:
        sys.exit(f"read_pack: {what}")


class Pack:
    def __init__(self, path):
        self.data = path.read_bytes()
        head = self.data[:32]
        demand(head[:8] == bytes.fromhex("894d4e500d0a1a0a"), f"{path}: magic")
        demand(struct.unpack("<IIQ", head[8:24]) == (1, 0, 0), f"{path}: version and zeros")
        demand(head[24:] == digest(head[:24])[:8], f"{path}: checksum")

    def record(self, offset):
        head = self.data[offset:offset + 48]
        demand(len(head) == 48 and head[:4] == b"MREC" and head[5:8] == b"\0\0\0", f"record at {offset}")
        demand(head[40:] == digest(head[:40])[:8], f"checksum of the record at {offset}")
        stored, size = struct.unpack("<QQ", head[8:24])
        payload = self.data[offset + 48:offset + 48 + stored]
        demand(len(payload) == stored, f"payload of the record at {offset}")
        content = payload
        if head[4] == ZSTD:
            demand(1 <= size <= CHUNK and stored < size, f"sizes of the record at {offset}")
            out = ctypes.create_string_buffer(size)
            demand(zstd.ZSTD_decompress(out, size, payload, stored) == size, f"zstd frame at {offset}")
            content = out.raw
        demand(len(content) == size and digest(content) == head[24:40], f"content of the record at {offset}")
        return head[4], content, head[24:40], stored

    def records(self):
        """Every record up to the end of the file, without padding."""
        offset, seen = 32, set()
        while offset < len(self.data):
            kind, content, hash_, stored = self.record(offset)
            if kind in (ZSTD, RAW):
                demand(hash_ not in seen, f"the content at {offset} is stored twice")
                seen.add(hash_)
            yield offset, kind, content, hash_
            offset += 48 + stored

    def table(self, reference, which):
        kind, data, hash_, stored = self.record(reference["offset"])
        demand(kind == TABLE and stored == reference["size"] and hash_.hex() == reference["hash"], "table reference")
        number, zero, count = struct.unpack_from("<IIQ", data)
        demand(number == {"before": 1, "after": 2}[which] and zero == 0, "table header")
        regions, at = [], 16
        for _ in range(count):
            address, size, changed_bytes, kind, element, changed, zero, name, entries = struct.unpack_from("<QQQBBBBIQ", data, at)
            demand(zero == 0 and changed in (0, 1), "region header")
            at += 40
            region = {"address": hex(address), "size": size, "changed_bytes": changed_bytes, "kind": KINDS[kind],
                      "element": ELEMENTS[element], "changed": bool(changed), "name": data[at:at + name].decode(), "chunks": {}}
            at += name
            for _ in range(entries):
                offset, index, stored, hash_ = struct.unpack_from("<QII16s", data, at)
                demand(index > max(region["chunks"], default=-1), "entries ascend")
                region["chunks"][index] = (offset, stored, hash_)
                at += 32
            regions.append(region)
        demand(at == len(data), "table end")
        return regions

    def chunk(self, entry, length):
        offset, stored, hash_ = entry
        if offset == 0:
            demand(stored == 0 and hash_ == bytes(16), "zero chunk")
            return bytes(length)
        kind, content, found, size = self.record(offset)
        demand(kind in (ZSTD, RAW) and found == hash_ and size == stored and len(content) == length, f"chunk at {offset}")
        return content


def canonical(document):
    return json.dumps(document, sort_keys=True, indent=2, ensure_ascii=False) + "\n"


def check_manifest(name, text):
    manifest = json.loads(text)
    demand(text == canonical(manifest), f"{name}: canonical text")
    rest = {key: value for key, value in manifest.items() if key != "manifest_hash"}
    demand(digest(canonical(rest).encode()).hex() == manifest["manifest_hash"], f"{name}: manifest_hash")
    shape, identity = manifest["shape"], manifest["identity"]
    lines = [manifest["kernel"]["mangled"], *(",".join(map(str, shape[key])) for key in ("grid", "block", "cluster")),
             str(shape["dynamic_shared_bytes"]), "cooperative" if shape["cooperative"] else "",
             str(identity["ordinal"]), str(identity["rank"])]
    hashed = "".join(line + "\n" for line in lines) + identity["tag"]
    demand(digest(hashed.encode()).hex()[:8] == identity["hash8"], f"{name}: hash8")
    short = manifest["kernel"]["short_name"]
    demand(re.fullmatch(r"[A-Za-z0-9_]{1,48}", short), f"{name}: short name")
    demand(name is None or name == f"{short}.{identity['hash8']}.json", f"{name}: file name")
    for offset, size in manifest["parameters"]:
        demand(offset + size <= len(manifest["arguments"]) // 2, f"{name}: parameters")
    return manifest


def check_regions(manifest, table):
    listed = manifest["regions"]["listed"]
    demand(manifest["regions"]["count"] == len(table) and len(listed) == min(len(table), 128), "region count")
    for mine, stored in zip(listed, table):
        for key in ("address", "size", "kind", "name", "changed", "changed_bytes"):
            demand(mine[key] == stored[key], f"region's {key}")


def snapshots(manifest, pack_of):
    """Both snapshots of every region, whole."""
    pack = pack_of(manifest["before"])
    table = pack.table(manifest["before"], "before")
    check_regions(manifest, table)
    before, after = [], []
    for region in table:
        data = bytearray(region["size"])
        for index, entry in region["chunks"].items():
            length = min(CHUNK, region["size"] - index * CHUNK)
            data[index * CHUNK:index * CHUNK + length] = pack.chunk(entry, length)
        before.append(bytes(data))
    pack = pack_of(manifest["after"])
    for data, region in zip(before, pack.table(manifest["after"], "after")):
        data, changed = bytearray(data), 0
        for index, entry in region["chunks"].items():
            length = min(CHUNK, region["size"] - index * CHUNK)
            data[index * CHUNK:index * CHUNK + length] = pack.chunk(entry, length)
            changed += length
        demand(changed == region["changed_bytes"] and bool(changed) == region["changed"], "changed chunks")
        after.append(bytes(data))
    return before, after


def compare(expected, name, before, after):
    for which, regions in (("before", before), ("after", after)):
        for i, data in enumerate(regions):
            truth = (expected / f"{name}.{which}.{i}").read_bytes()
            demand(data == truth, f"{name}: region {i} of {which} has other bytes than were recorded")


def read_set(path):
    demand(json.loads((path / "set.json").read_text())["format"] == {"major": 1, "minor": 0}, "set.json")
    for file in (path / "data").iterdir():
        demand(re.fullmatch(r"[A-Za-z0-9_-]{1,64}\.pack", file.name), f"name of {file}")
    packs = {}

    def pack_of(reference):
        name = reference["pack"]
        if name not in packs:
            packs[name] = Pack(path / "data" / f"{name}.pack")
            demand(all(kind in (ZSTD, RAW, TABLE) for _, kind, _, _ in packs[name].records()), f"types in {name}")
        return packs[name]

    for file in sorted(path.glob("*.json")):
        if file.name in ("set.json", "tolerance.json"):
            continue
        manifest = check_manifest(file.name, file.read_bytes().decode())
        for code in manifest["code"]:
            demand(re.fullmatch(r"[0-9a-f]{32}\.[a-z0-9]+", code["file"]), "name of code")
            demand(digest((path / "code" / code["file"]).read_bytes()).hex() == code["hash"] == code["file"][:32], "hash of code")
        yield file.name, *snapshots(manifest, pack_of)


def read_export(path):
    pack = Pack(path)
    records = list(pack.records())
    codes = {hash_.hex() for _, kind, _, hash_ in records if kind == CODE}
    tolerances = [json.loads(content) for _, kind, content, _ in records if kind == TOLERANCES]
    demand(len(tolerances) <= 1, "one record of tolerances")
    unused = {entry["kernel"] for document in tolerances for entry in document["tolerances"]}
    for _, kind, content, _ in records:
        if kind != MANIFEST:
            continue
        manifest = check_manifest(None, content.decode())
        unused.discard(manifest["kernel"]["mangled"])
        demand(all(code["hash"] in codes for code in manifest["code"]), "code of an exported file")
        yield f"{manifest['kernel']['short_name']}.{manifest['identity']['hash8']}.json", *snapshots(manifest, lambda _: pack)
    demand(not unused, "tolerances of kernels that the file does not hold")


def main():
    path, count = pathlib.Path(sys.argv[1]), 0
    for name, before, after in read_set(path) if path.is_dir() else read_export(path):
        if len(sys.argv) > 2:
            compare(pathlib.Path(sys.argv[2]), name, before, after)
        count += 1
        print(f"{name}: {len(before)} regions, {sum(map(len, before))} bytes")
    demand(count > 0, f"{path}: no recording")


main()
