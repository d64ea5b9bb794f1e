import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./load.mjs";

const { candidates, complaint, installation, isOlder, probe, reasonOf, versionIn, LEAST_VERSION } = await load("server_command");
const nothing = { setting: [], interpreter: undefined, folders: [], platform: "linux" };
const words = (surroundings) => candidates(surroundings).map((each) => each.words.join(" "));

test("the order of places", () => {
  assert.deepEqual(words({ ...nothing, interpreter: "/opt/python", folders: ["/a", "/b"] }), [
    "/opt/python -m acdl_mkdocs",
    "/a/.venv/bin/python -m acdl_mkdocs",
    "/a/venv/bin/python -m acdl_mkdocs",
    "/b/.venv/bin/python -m acdl_mkdocs",
    "/b/venv/bin/python -m acdl_mkdocs",
    "acdl",
    "python3 -m acdl_mkdocs",
  ]);
});

test("what a user has set is the only one, with or without lsp at the end", () => {
  assert.deepEqual(words({ ...nothing, setting: ["uvx", "acdl"], interpreter: "/p" }), ["uvx acdl"]);
  assert.deepEqual(words({ ...nothing, setting: ["acdl", "lsp"] }), ["acdl"]);
});

test("Windows has other places", () => {
  const found = words({ ...nothing, platform: "win32", folders: ["C:"] });
  assert.ok(found.some((each) => /Scripts.python\.exe -m acdl_mkdocs$/.test(each)));
  assert.equal(found.at(-1), "python -m acdl_mkdocs");
});

test("nothing is asked twice", () => {
  const found = words({ ...nothing, interpreter: "/a/.venv/bin/python", folders: ["/a"] });
  assert.equal(found.length, new Set(found).size);
});

test("versions", () => {
  assert.equal(versionIn("acdl 0.1.0\n"), "0.1.0");
  assert.equal(versionIn("__main__.py acdl 1.2.3rc1"), "1.2.3rc1");
  assert.equal(versionIn("Python 3.12"), undefined);
  for (const [one, other, expected] of [
    ["0.1.0", "0.1.0", false], ["0.0.9", "0.1.0", true], ["0.10", "0.9.9", false], ["1", "1.0.1", true], ["2.0rc1", "1.9", false],
  ]) {
    assert.equal(isOlder(one, other), expected, `${one} ${other}`);
  }
});

const absent = { why: "there is no such program", isAbsent: true };
const without = { why: "`lsp` needs the package pygls", isAbsent: false };

test("the first that can serve is taken, an old one only complained about", async () => {
  const tried = candidates({ ...nothing, folders: ["/a"] });
  const answers = { "/a/.venv/bin/python": { out: "acdl 0.0.1" }, acdl: { out: `acdl ${LEAST_VERSION}` } };
  const asked = [];
  const found = await probe(tried, async ([program, ...rest]) => (asked.push(rest.join(" ")), answers[program] ?? absent));
  assert.equal(found.kind, "found");
  assert.deepEqual(found.candidate.words, ["acdl"]);
  assert.deepEqual(asked, ["-m acdl_mkdocs lsp --version", "-m acdl_mkdocs lsp --version", "lsp --version"]);
  assert.deepEqual(found.refused.map(({ why }) => why), ["it is 0.0.1, too old", "there is no such program"]);

  const old = await probe(tried, async ([program]) => (program === "/a/.venv/bin/python" ? { out: "acdl 0.0.1" } : absent));
  assert.equal(old.kind, "too old");
  const older = { "/a/.venv/bin/python": { out: "acdl 0.0.1" }, acdl: { out: "acdl 0.0.2" } };
  const first = await probe(tried, async ([program]) => older[program] ?? absent);
  assert.equal(first.version, "0.0.1", "of two old ones the first is to be upgraded");
  assert.match(complaint(old, "linux"), /0\.0\.1 .*too old.*: \/a\/\.venv\/bin\/python -m pip install --upgrade "acdl-mkdocs\[lsp\]"$/);
});

test("an environment that cannot serve hides no server that can", async () => {
  const tried = candidates({ ...nothing, folders: ["/a"] });
  const found = await probe(tried, async ([program]) =>
    program === "acdl" ? { out: "acdl 0.1.0" } : program.includes("/.venv/") ? without : absent);
  assert.deepEqual(found.candidate.words, ["acdl"]);
});

test("what is missing is installed into the Python that is there and comes first", async () => {
  const tried = candidates({ ...nothing, folders: ["/my work", "/a"] });
  const only = (there) => probe(tried, async ([program]) => (program === there ? without : absent));
  const one = await only("/a/.venv/bin/python");
  assert.equal(installation(one, "linux"), '/a/.venv/bin/python -m pip install "acdl-mkdocs[lsp]"');
  assert.match(complaint(one, "linux"), /not found \(tried .*acdl on the PATH.*\): \/a\/.venv\/bin\/python -m pip/);
  const spaced = await only("/my work/.venv/bin/python");
  assert.equal(installation(spaced, "linux"), '"/my work/.venv/bin/python" -m pip install "acdl-mkdocs[lsp]"');
  assert.match(installation(spaced, "win32"), /^& "/);
  const none = await only("");
  assert.equal(installation(none, "linux"), 'python3 -m pip install "acdl-mkdocs[lsp]"');
  assert.equal(installation(none, "win32"), 'python -m pip install "acdl-mkdocs[lsp]"');
  const set = await probe(candidates({ ...nothing, setting: ["/no/such"] }), async () => absent);
  assert.match(complaint(set, "linux"), /acdl\.server\.command names `\/no\/such`, which cannot serve \(there is no such program\)/);
});

test("why a program is no server: the last line that it wrote", () => {
  assert.deepEqual(reasonOf({ code: "ENOENT", message: "spawn x ENOENT" }, ""), absent);
  assert.match(reasonOf({ killed: true, message: "x" }, "slow").why, /in time/);
  const ran = reasonOf({ code: 1, message: "Command failed" }, "a\n/usr/bin/python3: No module named acdl_mkdocs\n\n");
  assert.deepEqual(ran, { why: "/usr/bin/python3: No module named acdl_mkdocs", isAbsent: false });
  assert.equal(reasonOf({ code: 3, message: "Command failed" }, "").why, "Command failed");
});
